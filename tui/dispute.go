package tui

import (
	"context"
	"fmt"

	"triage/actions"
	"triage/actions/verdict"
	"triage/actions/wording"
)

// The words, the field and the act of a dispute. What can be disputed is what some
// evidence names: a receipt is chosen, never typed, so that it is the very one.

func disputable(item actions.Item) []string { return verdict.FromHistory(item.History).Disputable() }

// disputeFields ask which receipt is meant only where more than one is named.
func disputeFields(item actions.Item) []field {
	reason := newField("Reason", "How you know that the receipt is wrong. Goes on record under your name.", "A reason is needed: how you know that it is wrong.")
	receipts := disputable(item)
	if len(receipts) < 2 {
		return []field{reason}
	}
	which := newChoice("Receipt", "Space, ← or → chooses.", "Choose the receipt that is wrong: the evidence names several.", receipts...)
	return []field{which, reason}
}

func disputeWords(_ *Model, item actions.Item) []string {
	i, receipts := item.Intent, disputable(item)
	which := "the receipt that you choose below"
	if len(receipts) == 1 {
		which = "receipt " + wording.Safe(receipts[0]) + ", " + receiptSource(item, receipts[0]) + ","
	}
	out := []string{
		fmt.Sprintf("This says that %s is no proof of this delivery. What names it counts no longer, and the intent is shown first, as contradicted, until somebody acknowledges that.", which),
		"It stays " + wording.Safe(string(i.State)) + ". Nothing is sent, and nothing at " + wording.Safe(i.Target) + " is undone. Whether it was delivered is open then: look it up next.",
	}
	for _, receipt := range receipts {
		if wording.Safe(receipt) != receipt {
			out = append(out, "A receipt holds characters that cannot be seen; they are shown as escapes here.")
			break
		}
	}
	return out
}

// receiptSource says who names a receipt.
func receiptSource(item actions.Item, receipt string) string {
	switch {
	case item.Intent.Receipt == receipt:
		return "which this intent holds"
	case item.Verdict.Receipt == receipt:
		return "on which the verdict rests"
	}
	return "which the evidence names"
}

// dispute pins the receipt that was on the screen.
func dispute(ctx context.Context, acts Acts, r actions.Request, item actions.Item, filled []field) (actions.Done, error) {
	var receipt string
	if len(filled) > 1 {
		receipt = filled[0].value()
	} else if receipts := disputable(item); len(receipts) == 1 {
		receipt = receipts[0]
	}
	return acts.Dispute(ctx, actions.DisputeRequest{Request: r, Receipt: receipt})
}
