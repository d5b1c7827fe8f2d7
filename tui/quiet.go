package tui

import "time"

// quietGap is how long input must rest before a dialog listens. A held key
// repeats faster, and nobody reads a dialog in less.
const quietGap = 300 * time.Millisecond

// quiet tells deliberate keys from held ones and from typing ahead.
type quiet struct {
	gap  time.Duration
	last time.Time // of the last input, or when the dialog opened
	open bool      // input has rested once since the dialog opened
}

func newQuiet(now time.Time, gap time.Duration) quiet { return quiet{gap: gap, last: now} }

// heard notes an input. listening: input has rested since the dialog opened, so
// keys may be obeyed. rested: it also rested just before this one, which is what
// a key that confirms needs.
func (q *quiet) heard(now time.Time) (listening, rested bool) {
	rested = now.Sub(q.last) >= q.gap
	q.last = now
	q.open = q.open || rested
	return q.open, rested
}
