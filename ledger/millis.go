package ledger

import "time"

// Millis is an instant: Unix milliseconds, UTC. The database refuses instants
// outside the years 2000 to 2200, so zero is free to mean "none".
type Millis int64

// LastMillis is the last instant that the ledger takes: the end of the year 2199.
const LastMillis Millis = 7258118400000

// At turns a time into Millis, cutting what is finer than a millisecond.
func At(t time.Time) Millis { return Millis(t.UnixMilli()) }

// Time is the same instant as a time.Time in UTC; none is the zero time.
func (m Millis) Time() time.Time {
	if m == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(m)).UTC()
}

// IsNone says that no instant is recorded.
func (m Millis) IsNone() bool { return m == 0 }

// Add moves the instant. A part of d finer than a millisecond is cut towards
// zero; callers who need the cautious side round before they call.
func (m Millis) Add(d time.Duration) Millis { return m + Millis(d.Milliseconds()) }

// Sub is the time from earlier to m.
func (m Millis) Sub(earlier Millis) time.Duration {
	return time.Duration(m-earlier) * time.Millisecond
}

// Clock hands in the present, so that rules and tests need no wall clock.
type Clock func() Millis

// WallClock is the machine's own clock.
func WallClock() Millis { return At(time.Now()) }
