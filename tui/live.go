package tui

import (
	"time"

	"triage/ledger"
)

// restAfter is how long a reading may stand where nobody has written: claims
// expire and PENDING turns stuck without a write.
const restAfter = 15 * time.Second

// live knows how fresh the screen is.
type live struct {
	checking bool  // Changed was asked and has not answered
	trouble  error // why the last reading failed; nil when it did not
}

// due says that a reading is too old to stand on although nothing was written.
func due(read, now ledger.Millis) bool { return now.Sub(read) >= restAfter || now < read }

// passed says whether one of the instants lies between a reading and now: what
// the verdict says has to be worked out anew.
func passed(read, now ledger.Millis, instants ...ledger.Millis) bool {
	for _, at := range instants {
		if !at.IsNone() && at > read && at <= now {
			return true
		}
	}
	return false
}
