package lookup

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxRetryAfter bounds how long a receiver can ask to be left alone.
const maxRetryAfter = time.Hour

// retryAfter reads when the receiver wants to be asked again: seconds or a date
// (RFC 9110 §10.2.3), on 429 and 503 only. The zero time is: nothing asked for,
// nothing readable, or a date that has passed.
func retryAfter(status int, h http.Header, now time.Time) time.Time {
	if status != http.StatusTooManyRequests && status != http.StatusServiceUnavailable {
		return time.Time{}
	}
	value := strings.TrimSpace(h.Get("Retry-After"))
	latest := now.Add(maxRetryAfter)
	if digits(value) {
		seconds, err := strconv.ParseInt(value, 10, 64)
		switch {
		case err != nil || seconds > int64(maxRetryAfter/time.Second):
			return latest
		case seconds == 0:
			return time.Time{}
		}
		return now.Add(time.Duration(seconds) * time.Second)
	}
	date, err := http.ParseTime(value)
	switch {
	case err != nil || !date.After(now):
		return time.Time{}
	case date.After(latest):
		return latest
	}
	return date
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
