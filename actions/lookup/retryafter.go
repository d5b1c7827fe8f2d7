package lookup

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"triage/ledger"
)

// maxRetryAfter bounds how long a receiver can ask to be left alone.
const maxRetryAfter = ledger.MaxRetryAfter

// retryAfter reads when the receiver wants to be asked again: seconds or a date
// (RFC 9110 §10.2.3), on 429 and 503 only. The zero time is: nothing asked for,
// nothing readable, or a date that has passed. Where it says several things, the
// latest holds.
func retryAfter(status int, h http.Header, now time.Time) time.Time {
	var until time.Time
	if status != http.StatusTooManyRequests && status != http.StatusServiceUnavailable {
		return until
	}
	for _, value := range h.Values("Retry-After") {
		until = latest(until, wish(strings.TrimSpace(value), h.Get("Date"), now))
	}
	return until
}

// wish reads one Retry-After. A date is by the receiver's clock: where the answer says
// what that clock showed, the time between the two holds if it is longer.
func wish(value, sent string, now time.Time) time.Time {
	if digits(value) {
		seconds, err := strconv.ParseInt(value, 10, 64)
		if err != nil || seconds > int64(maxRetryAfter/time.Second) {
			seconds = int64(maxRetryAfter / time.Second)
		}
		return after(now, time.Duration(seconds)*time.Second)
	}
	date, err := http.ParseTime(value)
	if err != nil {
		return time.Time{}
	}
	wait := date.Sub(now)
	if began, err := http.ParseTime(sent); err == nil {
		wait = max(wait, date.Sub(began))
	}
	return after(now, wait)
}

// after is an instant after now, within bounds; the zero time where it is not after it.
func after(now time.Time, wait time.Duration) time.Time {
	if wait <= 0 {
		return time.Time{}
	}
	return now.Add(min(wait, maxRetryAfter))
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
