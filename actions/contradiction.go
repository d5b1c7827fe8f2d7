package actions

import (
	"fmt"

	"triage/ledger"
)

// newlyContradicted says that what came in between speaks against what was decided.
func newlyContradicted(before, after ledger.Intent) bool {
	return after.Contradicted() && after.ContradictedAt != before.ContradictedAt
}

// contradictionText tells whoever looked that what they found speaks against a
// decision, and what follows; "" if it does not.
func contradictionText(before, after ledger.Intent) string {
	if !newlyContradicted(before, after) {
		return ""
	}
	text := " This contradicts what was decided: " + decidedWords(after) + ". It stands first in the queue until somebody acknowledges that."
	if after.Superseded() {
		text += fmt.Sprintf(" No sender may take %s before.", after.SupersededBy)
	}
	return text
}

// decidedWords say, as a clause, what was decided about a settled or replaced intent.
func decidedWords(i ledger.Intent) string {
	switch {
	case i.Superseded():
		return fmt.Sprintf("it was replaced by %s", i.SupersededBy)
	case i.State == ledger.Failed && i.SettledBy == ledger.ByOperator:
		return "it was closed as not delivered"
	case i.State == ledger.Delivered && i.SettledBy == ledger.ByOperator:
		return fmt.Sprintf("it was marked delivered by hand, with the receipt %s", i.Receipt)
	}
	return fmt.Sprintf("it is %s", i.State)
}
