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
	Told    []string      // sentences, one of each sort: which row is furthest off, and what that means for the verdict
	Created bool          // one of them tells that the intent's own row is from the future
}

// clockTrouble compares the instants that senders and operators wrote with the journal's,
// which are the database's own, and reads what lookups have seen of the receiver's clock.
// A row that was written down after the fact is no trouble; one from the future is.
func clockTrouble(h ledger.History, p verdict.Promises, now ledger.Millis) ClockTrouble {
	c := clockComparison{allowed: p.Skew(), taken: journalled(h.Events), worst: map[string]worstOff{}}
	if off := h.Intent.CreatedAt.Sub(now); off > c.allowed {
		c.found.Created = true
		c.tell("created", off, "It says that it was created at %s, which is %s in the future: its age can't be told, nor for how long its sender has been gone.",
			instant(h.Intent.CreatedAt), wording.Duration(off))
	}
	for _, a := range h.Attempts {
		c.ahead(fmt.Sprintf("its sender's clock attempt %d began", a.N), a.StartedAt, "attempt_started", a.AttemptID,
			"Whatever the verdict counts from it, such as until when the key is honoured, may be as much too late.")
		c.ahead(fmt.Sprintf("its sender's clock attempt %d ended", a.N), a.FinishedAt, "attempt_finished", a.AttemptID,
			"What has to be waited for after it is counted from there, and takes that much longer than it need.")
	}
	for _, l := range h.Lookups {
		c.ahead("the clock of who asked, a lookup began", l.StartedAt, "lookup_started", l.LookupID,
			"It may have been asked as much earlier than it says, too early for a miss to prove anything.")
		if off := time.Duration(l.ReadEvidence().SkewMS) * time.Millisecond; off.Abs() > c.allowed {
			c.tell("receiver", off.Abs(), "At %s the receiver's clock and ours were %s apart, more than clock_skew %s allows: no miss of that lookup is believed.",
				instant(l.StartedAt), wording.Duration(off.Abs()), wording.Duration(c.allowed))
		}
	}
	return c.found
}

type clockComparison struct {
	allowed time.Duration
	taken   map[string]ledger.Millis
	worst   map[string]worstOff
	found   ClockTrouble
}

// worstOff is the largest difference of one sort, and where it is told.
type worstOff struct {
	off time.Duration
	at  int
}

// ahead: the row says later than the database took it in.
func (c *clockComparison) ahead(what string, says ledger.Millis, event, id, means string) {
	taken := c.taken[event+" "+id]
	if off := says.Sub(taken); !says.IsNone() && !taken.IsNone() && off > c.allowed {
		c.tell(event, off, "By %s at %s, and the ledger took that in %s earlier, more than clock_skew %s allows. %s Set that clock right, or clock_skew to no less, before you rely on it.",
			what, instant(says), wording.Duration(off), wording.Duration(c.allowed), means)
	}
}

// tell keeps one sentence of each sort, on the row that is furthest off.
func (c *clockComparison) tell(sort string, off time.Duration, format string, args ...any) {
	words := fmt.Sprintf(format, args...)
	c.found.Largest = max(c.found.Largest, off)
	switch told, ok := c.worst[sort]; {
	case !ok:
		c.worst[sort] = worstOff{off, len(c.found.Told)}
		c.found.Told = append(c.found.Told, words)
	case off > told.off:
		c.worst[sort] = worstOff{off, told.at}
		c.found.Told[told.at] = words
	}
}

// journalled is when the database took in what happened to each attempt and lookup, by
// the kind of event and the row's id.
func journalled(events []ledger.Event) map[string]ledger.Millis {
	taken := map[string]ledger.Millis{}
	for _, e := range events {
		switch e.Kind {
		case "attempt_started", "attempt_finished", "lookup_started":
		default:
			continue
		}
		var detail struct {
			AttemptID [2]*string `json:"attempt_id"`
			LookupID  [2]*string `json:"lookup_id"`
		}
		if json.Unmarshal([]byte(e.Detail), &detail) != nil {
			continue
		}
		for _, id := range []*string{detail.AttemptID[1], detail.LookupID[1]} {
			if id != nil {
				taken[e.Kind+" "+*id] = e.At
			}
		}
	}
	return taken
}
