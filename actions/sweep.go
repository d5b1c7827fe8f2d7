package actions

import "triage/ledger"

// SweepRequest says what a sweep is to cover.
type SweepRequest struct {
	Keys    []string      // exactly these; none: all that a sweep covers
	Targets []string      // only these targets; none: every target
	Since   ledger.Millis // leave out what has a finished lookup that began then or later: this is how a sweep is resumed
}

// SweepWhy says why a sweep asks about an intent.
type SweepWhy string

// Why a sweep asks, the gravest first. Where several hold, the first is named.
const (
	SweepContradicted SweepWhy = "contradicted"
	SweepUnknown      SweepWhy = "unknown"
	SweepStuck        SweepWhy = "stuck"
	SweepAhead        SweepWhy = "clock_ahead" // PENDING, and from the future, so that nobody knows whether it is stuck
	SweepSetAside     SweepWhy = "set_aside"
	SweepSnoozed      SweepWhy = "snoozed"
	SweepClosed       SweepWhy = "closed"
	SweepReplaced     SweepWhy = "replaced"
	SweepMarkedByHand SweepWhy = "marked_by_hand"
	SweepChosen       SweepWhy = "chosen" // named by its key, and nothing of the above
)

// SweepItem is one intent that a sweep asks about.
type SweepItem struct {
	OpKey, Target string
	Why           SweepWhy
}

// SweepSkip is one that it can't ask about.
type SweepSkip struct {
	OpKey, Target string
	Why           string // in plain words, as a clause
}

// SweepPlan is the frozen, counted set of a sweep.
type SweepPlan struct {
	At      ledger.Millis // when it was made
	Seq     int64         // the journal's last event then
	Since   ledger.Millis // what the request said; none: a sweep from its start
	Items   []SweepItem
	Skipped []SweepSkip
}

// resume is the instant to give to a sweep that is to do the rest of this one.
func (p SweepPlan) resume() ledger.Millis {
	if !p.Since.IsNone() {
		return p.Since
	}
	return p.At
}

// SweepStep is one thing that happened in a sweep: an intent was asked about, or a
// target has to be waited for.
type SweepStep struct {
	Item      SweepItem
	Done      Done
	Err       error
	Asked, Of int

	WaitingFor string        // the target that is waited for; then nothing else but the count is set
	WaitUntil  ledger.Millis // until then
}

// SweepReport is what a sweep came to. Each intent that was asked about is counted in
// exactly one of Delivered to Failed.
type SweepReport struct {
	Asked, Of    int
	Delivered    int
	Absent       int // proven
	Refused      int // for good
	Conflicts    int // other content, another owner, several candidates, undone since
	Inconclusive int // nothing is proven yet
	Failed       int // nothing usable came back, or nobody could be asked

	Contradicted     int      // of all these: what a decision had settled, and evidence now speaks against
	ContradictedKeys []string // theirs, in order
	Meanwhile        int      // of all these: somebody else had asked since the plan was made, and what they learnt was taken
	Cancelled        bool
	Since            ledger.Millis // give this to resume
}
