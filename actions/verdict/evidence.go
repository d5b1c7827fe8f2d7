package verdict

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"triage/ledger"
)

// Evidence is everything recorded that bears on one intent. Slices may come in
// any order: rows are put in order by their journal seq, which they must carry.
type Evidence struct {
	Intent    ledger.Intent
	Attempts  []ledger.Attempt
	Lookups   []ledger.Lookup
	Decisions []ledger.Decision

	// ReceiptHolders maps a receipt to another intent of this target that holds it.
	ReceiptHolders map[string]string
	// Twins are other intents with the same target and payload hash whose outcome
	// nobody knows.
	Twins []string
	// HeldBackBy is the nearest intent that this one takes the place of, itself or
	// through others, that is contradicted and not acknowledged; nil if none.
	HeldBackBy *ledger.Intent
}

// FromHistory takes from an intent's history what a verdict depends on.
func FromHistory(h ledger.History) Evidence {
	return Evidence{
		Intent: h.Intent, Attempts: h.Attempts, Lookups: h.Lookups, Decisions: h.Decisions,
		ReceiptHolders: h.ReceiptHolders, Twins: h.Twins, HeldBackBy: h.HeldBackBy,
	}
}

// AbandonFacts are what an abandon_attempt decision states in its facts. Acts
// that write such a decision put these two members at the top level of the JSON.
type AbandonFacts struct {
	AttemptID    string `json:"attempt_id"`
	SenderKilled bool   `json:"sender_killed"` // the operator states it; the decision's reason says how they know
}

// ReadAbandon reads the facts of an abandon_attempt decision. It reports false
// for any other decision, and for facts that name no attempt: what can't be read
// states nothing.
func ReadAbandon(d ledger.Decision) (AbandonFacts, bool) {
	var f AbandonFacts
	if d.Kind != ledger.AbandonAttempt || json.Unmarshal([]byte(d.Facts), &f) != nil || f.AttemptID == "" {
		return AbandonFacts{}, false
	}
	return f, true
}

// DisputeFacts are what a dispute decision states in its facts, where its receipt
// column does not say it.
type DisputeFacts struct {
	Receipt string `json:"receipt"`
}

// disputedReceipt is the receipt that a dispute decision takes back: its own
// column, else its facts, else the one that the intent holds.
func disputedReceipt(d ledger.Decision, i ledger.Intent) string {
	if d.Receipt != "" {
		return d.Receipt
	}
	var f DisputeFacts
	if json.Unmarshal([]byte(d.Facts), &f) == nil && f.Receipt != "" {
		return f.Receipt
	}
	return i.Receipt
}

// InFlight finds the attempt that never finished and that nobody has abandoned:
// its sender may still be alive. Whether it has been silent for too long is for
// the caller to say (ledger.StuckRule).
func (ev Evidence) InFlight() (ledger.Attempt, bool) {
	abandoned := ev.abandonments()
	for _, a := range inOrder(ev.Attempts) {
		if _, given := abandoned.of(a); !a.Finished() && !given {
			return a, true
		}
	}
	return ledger.Attempt{}, false
}

// Abandonable finds the attempt that never finished and of which nobody has stated
// that its sender was killed: the one in flight, else one that was abandoned without
// the statement.
func (ev Evidence) Abandonable() (ledger.Attempt, bool) {
	if a, ok := ev.InFlight(); ok {
		return a, true
	}
	abandoned := ev.abandonments()
	for _, a := range slices.Backward(inOrder(ev.Attempts)) {
		if d, _ := abandoned.of(a); !a.Finished() && !d.facts.SenderKilled {
			return a, true
		}
	}
	return ledger.Attempt{}, false
}

// abandonment is a decision that abandons an attempt, with what it states.
type abandonment struct {
	ledger.Decision
	facts AbandonFacts
}

// abandonments are the newest of them, by attempt_id.
type abandonments map[string]abandonment

func (ev Evidence) abandonments() abandonments {
	newest := abandonments{}
	for _, d := range ev.Decisions {
		f, ok := ReadAbandon(d)
		if !ok {
			continue
		}
		if known, ok := newest[f.AttemptID]; !ok || d.Seq > known.Seq {
			newest[f.AttemptID] = abandonment{d, f}
		}
	}
	return newest
}

// of is the newest decision that abandons the attempt. One that precedes the
// attempt's own row can't be about it.
func (all abandonments) of(a ledger.Attempt) (abandonment, bool) {
	d, ok := all[a.AttemptID]
	if !ok || d.Seq <= a.Seq {
		return abandonment{}, false
	}
	return d, true
}

// ordered is the same evidence with its rows in order; the caller's slices stay
// as they are. Ids break ties, so that the order is always the same one.
func (ev Evidence) ordered() Evidence {
	ev.Attempts = inOrder(ev.Attempts)
	ev.Lookups = slices.Clone(ev.Lookups)
	slices.SortFunc(ev.Lookups, func(a, b ledger.Lookup) int {
		return cmp.Or(cmp.Compare(a.Seq, b.Seq), strings.Compare(a.LookupID, b.LookupID))
	})
	ev.Decisions = slices.Clone(ev.Decisions)
	slices.SortFunc(ev.Decisions, func(a, b ledger.Decision) int {
		return cmp.Or(cmp.Compare(a.Seq, b.Seq), strings.Compare(a.DecisionID, b.DecisionID))
	})
	ev.Twins = slices.Sorted(slices.Values(ev.Twins))
	return ev
}

func inOrder(attempts []ledger.Attempt) []ledger.Attempt {
	attempts = slices.Clone(attempts)
	slices.SortFunc(attempts, func(a, b ledger.Attempt) int {
		return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.N, b.N), strings.Compare(a.AttemptID, b.AttemptID))
	})
	return attempts
}
