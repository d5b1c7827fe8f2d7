package verdict

import (
	"math"
	"time"

	"triage/ledger"
)

// span is a promised length of time in whole milliseconds, rounded to the
// cautious side. Not known: nothing is promised.
type span struct {
	ms    int64
	known bool
}

// String writes it as people say it.
func (s span) String() string { return length(s.ms) }

// waiting rounds up: what has to be waited for lasts no shorter than promised.
func waiting(d *time.Duration) span {
	if d == nil || *d < 0 {
		return span{}
	}
	return span{ms: roundUp(*d), known: true}
}

// lasting rounds down: what a receiver keeps is kept no longer than promised.
func lasting(d *time.Duration) span {
	if d == nil || *d < 0 {
		return span{}
	}
	return span{ms: int64(*d / time.Millisecond), known: true}
}

// roundUp counts a started millisecond as a whole one.
func roundUp(d time.Duration) int64 {
	ms := int64(d / time.Millisecond)
	if d%time.Millisecond > 0 {
		ms++
	}
	return ms
}

// later moves an instant by spans in milliseconds. It stops at the ends of the
// number range instead of wrapping round.
func later(m ledger.Millis, spans ...int64) ledger.Millis {
	for _, s := range spans {
		m = ledger.Millis(add(int64(m), s))
	}
	return m
}

// earlier is the mirror of later.
func earlier(m ledger.Millis, spans ...int64) ledger.Millis {
	for _, s := range spans {
		m = ledger.Millis(add(int64(m), -s))
	}
	return m
}

// add is saturating addition.
func add(a, b int64) int64 {
	sum := a + b
	switch {
	case b > 0 && sum < a:
		return math.MaxInt64
	case b < 0 && sum > a:
		return math.MinInt64
	}
	return sum
}

// limits are a target's promises, rounded.
type limits struct {
	attempt   span          // T, up
	settles   span          // S, up
	lag       span          // G, up
	skew      int64         // K, up
	keyKept   span          // R, down
	findable  span          // lookup_retention, down; R where it is not promised
	lookupMax int64         // hard limit on one lookup, up
	since     ledger.Millis // since + K: what a clock shows from then on was surely later than since; none: always
}

// limits rounds the promises. A negative duration is nonsense and counts as not
// promised.
func (t Terms) limits() limits {
	p := t.Promises
	l := limits{
		attempt:  waiting(p.AttemptTimeout),
		settles:  waiting(p.SettlesWithin),
		lag:      waiting(p.LookupLag),
		skew:     roundUp(DefaultClockSkew),
		keyKept:  lasting(p.KeyRetention),
		findable: lasting(p.LookupRetention),
	}
	if k := waiting(p.ClockSkew); k.known {
		l.skew = k.ms
	}
	if !p.Since.IsNone() {
		l.since = later(p.Since, l.skew)
	}
	if p.LookupRetention == nil {
		l.findable = l.keyKept
	}
	if t.LookupTimeout > 0 {
		l.lookupMax = roundUp(t.LookupTimeout)
	}
	return l
}
