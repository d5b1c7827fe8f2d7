package lookup

import (
	"net/http"
	"time"
)

// clockAhead is how far the receiver's clock, by the Date of its answer, was ahead of
// ours in the middle between the request and the answer; behind it is negative. 0 where
// whole seconds, which is what the header counts, and half the way there and back
// explain it, or where nothing can be told: an answer from a cache has the date of when
// it was made. Of several dates the one furthest off counts.
func clockAhead(h http.Header, sent, came time.Time) time.Duration {
	half := max(came.Sub(sent), 0) / 2
	if cached(h) {
		return 0
	}
	var ahead time.Duration
	for _, value := range h.Values("Date") {
		date, err := http.ParseTime(value)
		if err != nil {
			continue
		}
		ahead = further(ahead, date.Sub(sent.Add(half)))
	}
	if ahead.Abs() <= time.Second+half {
		return 0
	}
	return ahead
}

// further is the one that is further from nothing.
func further(a, b time.Duration) time.Duration {
	if b.Abs() > a.Abs() {
		return b
	}
	return a
}
