package verdict

import (
	"fmt"
	"strings"

	"triage/ledger"
)

// causeAbandoned is written by whoever finishes an attempt in its sender's place
// (design §4). It tells when somebody gave up, not when the sender stopped.
const causeAbandoned = "abandoned"

// end is the instant after which an attempt's sender surely sends nothing more.
type end struct {
	attempt ledger.Attempt
	at      ledger.Millis
	never   bool   // no such instant is known
	why     string // how the end is known, or why it is not, as a clause
}

// end is design §5, End: finished_at; never finished: start + T, or never;
// abandoned: the decision's time where the operator states that the sender was
// killed and how they know, else start + T, or never.
func (r *review) end(a ledger.Attempt) end {
	if a.Finished() && !a.FinishedAt.IsNone() && a.Cause != causeAbandoned {
		return r.endedAt(a, a.FinishedAt, fmt.Sprintf("attempt %d %s at %s", a.N, cameBack(a), instant(a.FinishedAt)))
	}
	d, abandoned := r.abandoned.of(a)
	if abandoned && d.facts.SenderKilled && strings.TrimSpace(d.Reason) != "" {
		why := fmt.Sprintf("attempt %d was abandoned at %s by %s, who states that its sender was killed: %s",
			a.N, instant(d.At), d.Operator, d.Reason)
		return r.endedAt(a, d.At, why)
	}
	return r.endByTimeout(a, fmt.Sprintf("attempt %d %s", a.N, howItStopped(a, abandoned)))
}

// cameBack is how an attempt finished: one of which nothing usable was heard has
// ended, and did not come back.
func cameBack(a ledger.Attempt) string {
	if a.Outcome == ledger.OutcomeUnknown {
		return "ended"
	}
	return "came back"
}

// howItStopped says why an attempt's own row does not tell its end.
func howItStopped(a ledger.Attempt, abandoned bool) string {
	switch {
	case abandoned:
		return "was abandoned without the statement that its sender was killed"
	case a.Finished():
		return "was finished in its sender's place"
	}
	return "never finished"
}

// endedAt takes an instant at which an attempt is said to have ended. A clock that
// stepped back between start and end is covered by K, and then the later of the two
// counts. One that stepped back by more than that tells nothing.
func (r *review) endedAt(a ledger.Attempt, at ledger.Millis, why string) end {
	if later(at, r.limits.skew) < a.StartedAt {
		return r.endByTimeout(a, fmt.Sprintf("%s, which is before it began at %s, so its clock can't be believed", why, instant(a.StartedAt)))
	}
	return end{attempt: a, at: max(at, a.StartedAt), why: why}
}

// endByTimeout is start + T, or never. An instant that somebody wrote is not
// undercut by it.
func (r *review) endByTimeout(a ledger.Attempt, why string) end {
	t := r.limits.attempt
	if !t.known {
		return end{attempt: a, never: true,
			why: why + ", and without a promised attempt_timeout nobody knows when its sender stopped"}
	}
	at := max(later(a.StartedAt, t.ms), a.FinishedAt)
	return end{attempt: a, at: at,
		why: fmt.Sprintf("%s; by attempt_timeout %s it ended at %s at the latest", why, spelt(r.terms.Promises.AttemptTimeout), instant(at))}
}

// findEnds lists the end of every attempt row, not_sent and rejected ones too.
func (r *review) findEnds() []end {
	ends := make([]end, 0, len(r.ev.Attempts))
	for _, a := range r.ev.Attempts {
		ends = append(ends, r.end(a))
	}
	return ends
}
