package lookup

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"triage/ledger"
)

// maxRetryAfter bounds how long a receiver can ask to be left alone.
const maxRetryAfter = ledger.MaxRetryAfter

// unreadPause is how long a receiver is left alone at least that asks for it in a way
// that can't be read.
const unreadPause = time.Minute

// retryAfter reads when the receiver wants to be asked again: seconds or a date
// (RFC 9110 §10.2.3), on 429 and 503, and on 403, by which GitHub answers who asks too
// often (its REST API's page "Rate limits"). The zero time is: nothing asked for, or a
// date that has passed. Where it says several things, on several lines or joined into
// one on the way, the latest holds.
func retryAfter(status int, h http.Header, now time.Time) time.Time {
	var until time.Time
	if status != http.StatusTooManyRequests && status != http.StatusServiceUnavailable && status != http.StatusForbidden {
		return until
	}
	for _, value := range wishes(h) {
		until = latest(until, wish(value, h.Get("Date"), now))
	}
	return until
}

// wishes are the parts of Retry-After. The comma behind a date's weekday divides none.
func wishes(h http.Header) []string {
	var all []string
	for _, part := range elements(h, "Retry-After") {
		if last := len(all) - 1; last >= 0 && weekday.MatchString(all[last]) {
			all[last] += ", " + part
			continue
		}
		if part != "" {
			all = append(all, part)
		}
	}
	return all
}

var weekday = regexp.MustCompile(`^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*$`)

// wish reads one Retry-After. A date is by the receiver's clock: where the answer says
// what that clock showed, the time between the two holds if it is longer. A part of a
// second, which no standard knows, is rounded up; anything else means a minute at least.
func wish(value, sent string, now time.Time) time.Time {
	if whole, part, _ := strings.Cut(value, "."); digits(whole) && strings.Trim(part, "0123456789") == "" {
		if strings.Trim(part, "0") != "" {
			return after(now, seconds(whole)+time.Second)
		}
		return after(now, seconds(whole))
	}
	date, err := http.ParseTime(value)
	if err != nil {
		return after(now, max(unreadPause, roughly(value, now)))
	}
	wait := date.Sub(now)
	if began, err := http.ParseTime(sent); err == nil {
		wait = max(wait, date.Sub(began))
	}
	return after(now, wait)
}

// seconds is a whole number of them, within bounds.
func seconds(value string) time.Duration {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n > int64(maxRetryAfter/time.Second) {
		return maxRetryAfter
	}
	return time.Duration(n) * time.Second
}

// roughly is the time that a wish seems to mean which is not written as it should be:
// 90s, 5m, 120 seconds, a date as others write it. None where that can't be guessed
// either.
func roughly(value string, now time.Time) time.Duration {
	for _, layout := range []string{time.RFC3339, time.RFC1123Z} {
		if date, err := time.Parse(layout, value); err == nil {
			return date.Sub(now)
		}
	}
	if d, err := time.ParseDuration(strings.ReplaceAll(value, " ", "")); err == nil {
		return d
	}
	number := value[:len(value)-len(strings.TrimLeft(value, "0123456789"))]
	if number == "" {
		return 0
	}
	return seconds(number)
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
