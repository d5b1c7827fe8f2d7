package worlds

import (
	"time"

	"triage/ledger"
)

// origin is true time zero: the year 2150, so that the database's own clock, which
// judges deadlines too, is always the earlier one.
var origin = ledger.At(time.Date(2150, 1, 1, 0, 0, 0, 0, time.UTC))

// clock is somebody's clock. Whatever it shows, at any time, lies within one band of
// width clock_skew around the truth, so that any two readings differ by no more than
// that beyond the time between them. It may be set once.
type clock struct {
	name           string
	ahead, thereon int64 // milliseconds before and after it was set
	setAt          int64 // true time; never if negative
}

// newClock draws one within the band. Half of all clocks are at its edge.
func (w *world) newClock(name string) *clock {
	low, high := w.nature.band, w.nature.band+w.nature.K
	if w.twist.is(lieSkew) {
		low, high = low-10*w.nature.K-w.nature.need(), high+10*w.nature.K+w.nature.need()
	}
	c := &clock{name: name, ahead: w.dice.between(low, high), setAt: -1}
	if w.dice.chance(40) {
		c.ahead = []int64{low, high}[w.dice.IntN(2)]
	}
	if w.dice.chance(15) {
		c.setAt, c.thereon = w.dice.upTo(w.nature.horizon/2), w.dice.between(low, high)
	}
	return c
}

// offset is how far it is ahead at a true instant.
func (c *clock) offset(at int64) int64 {
	if c.setAt >= 0 && at >= c.setAt {
		return c.thereon
	}
	return c.ahead
}

// at is what it shows at a true instant.
func (c *clock) at(truly int64) ledger.Millis { return origin + ledger.Millis(truly+c.offset(truly)) }

// when is the true instant at which it shows m, unless it is set until then.
func (c *clock) when(m ledger.Millis, now int64) int64 { return int64(m-origin) - c.offset(now) }
