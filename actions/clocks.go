package actions

import (
	"encoding/json"
	"fmt"
	"time"

	"triage/actions/verdict"
	"triage/actions/wording"
	"triage/ledger"
)

// ClockTrouble is what the records show of clocks that disagree by more than is
// promised (clock_skew, design §5).
type ClockTrouble struct {
	Largest time.Duration // the largest difference seen, as an amount; 0: none beyond clock_skew
	Told    []string      // sentences, each naming its rows
}

// clockTrouble compares the instants that senders wrote with the journal's, which are
// the database's own, and reads what lookups have seen of the receiver's clock. A row
// that was written down after the fact is no trouble; one from the future is.
func clockTrouble(h ledger.History, p verdict.Promises, now ledger.Millis) ClockTrouble {
	c := clockTroubleFinder{allowed: verdict.DefaultClockSkew}
	if p.ClockSkew != nil {
		c.allowed = *p.ClockSkew
	}
	taken := journalled(h.Events)
	for _, a := range h.Attempts {
		c.ahead(fmt.Sprintf("attempt %d began", a.N), a.StartedAt, taken["attempt_started "+a.AttemptID])
		c.ahead(fmt.Sprintf("attempt %d came back", a.N), a.FinishedAt, taken["attempt_finished "+a.AttemptID])
	}
	if off := h.Intent.CreatedAt.Sub(now); off > c.allowed {
		c.tell(off, "It says that it was created at %s, which is %s in the future.", instant(h.Intent.CreatedAt), wording.Duration(off))
	}
	for _, l := range h.Lookups {
		off := time.Duration(l.ReadEvidence().SkewMS) * time.Millisecond
		if off.Abs() > c.allowed {
			c.tell(off.Abs(), "At %s the receiver's clock and ours were %s apart: no miss of that lookup is believed.", instant(l.StartedAt), wording.Duration(off.Abs()))
		}
	}
	return c.found
}

type clockTroubleFinder struct {
	allowed time.Duration
	found   ClockTrouble
}

// ahead: the row says later than the database took it in.
func (c *clockTroubleFinder) ahead(what string, says, taken ledger.Millis) {
	if says.IsNone() || taken.IsNone() || says.Sub(taken) <= c.allowed {
		return
	}
	off := says.Sub(taken)
	c.tell(off, "By its sender's clock %s at %s, and the ledger took that in %s earlier: until that clock is believable again nothing is proven about it.",
		what, instant(says), wording.Duration(off))
}

func (c *clockTroubleFinder) tell(off time.Duration, format string, args ...any) {
	c.found.Largest = max(c.found.Largest, off)
	c.found.Told = append(c.found.Told, fmt.Sprintf(format, args...))
}

// journalled is when the database took in what happened to each attempt, by the kind of
// event and the attempt's id.
func journalled(events []ledger.Event) map[string]ledger.Millis {
	taken := map[string]ledger.Millis{}
	for _, e := range events {
		if e.Kind != "attempt_started" && e.Kind != "attempt_finished" {
			continue
		}
		var detail struct {
			AttemptID [2]*string `json:"attempt_id"`
		}
		if json.Unmarshal([]byte(e.Detail), &detail) == nil && detail.AttemptID[1] != nil {
			taken[e.Kind+" "+*detail.AttemptID[1]] = e.At
		}
	}
	return taken
}
