package doctor

import (
	"encoding/json"

	"triage/ledger"
)

// contradiction is what came to disagree with what was decided about an intent.
type contradiction struct {
	by           string // "a lookup", "an attempt", "" where the journal's lines no longer tell
	evidence     bool   // later evidence disagrees; else it was an operator's word only
	acknowledged bool   // somebody has dealt with that evidence since
	disputed     bool   // an operator took back a receipt
}

// contradicted reads from an intent's journal what disagreed. An operator's dispute marks
// the intent, too, and is no evidence: only an event of the kind contradicted is, which
// names the lookup or the attempt.
func contradicted(h ledger.History) contradiction {
	var c contradiction
	for _, e := range h.Events {
		switch e.Kind {
		case "contradicted":
			c.evidence, c.acknowledged, c.by = true, false, evidenceNamed(e.Detail)
		case string(ledger.Dispute):
			c.disputed = true
		case string(ledger.Acknowledge), "superseded": // replacing it is a way of dealing with it
			c.acknowledged = c.evidence
		}
	}
	if !c.evidence && !c.disputed && !h.Intent.ContradictedAt.IsNone() { // the line lies further back than was read
		c.evidence, c.acknowledged = true, !h.Intent.Derived.AcknowledgedAt.IsNone()
	}
	return c
}

// evidenceNamed says which kind of record an event of the kind contradicted names.
func evidenceNamed(detail string) string {
	var named struct {
		Lookup  [2]*string `json:"lookup_id"`
		Attempt [2]*string `json:"attempt_id"`
	}
	switch err := json.Unmarshal([]byte(detail), &named); {
	case err != nil:
	case named.Lookup[1] != nil:
		return "a lookup"
	case named.Attempt[1] != nil:
		return "an attempt"
	}
	return ""
}

// disagreements says, for question 8, where later evidence spoke against what was decided.
func (s subject) disagreements(p *page) {
	var open, dealtWith, disputed hits
	for _, h := range s.intents {
		c := contradicted(h)
		name := h.Intent.OpKey
		if c.disputed {
			disputed.add(name)
		}
		if c.by != "" {
			name += " (" + c.by + ")"
		}
		switch {
		case c.evidence && c.acknowledged:
			dealtWith.add(name)
		case c.evidence:
			open.add(name)
		}
	}
	if len(open) > 0 {
		p.gap(Duplicate, "Later evidence disagreed with what was decided: "+open.String()+".", "A promise was not kept, or was never made: the same reasoning will go wrong again.",
			"Find out which promise was false, correct it, and acknowledge the contradiction.")
	}
	if len(dealtWith) > 0 {
		p.ok("Later evidence disagreed with what was decided, and somebody acknowledged it or put another intent in its place: " + dealtWith.String() + ".")
	}
	if len(disputed) > 0 {
		p.ok("Operators disputed receipts, which is their own word and no later evidence: " + disputed.String() + ".")
	}
}
