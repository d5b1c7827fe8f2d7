package actions

import (
	"context"

	"triage/actions/verdict"
	"triage/ledger"
)

// Note writes down what an operator wants others to know. It changes nothing and
// goes with every state, and with items that someone else holds.
func (d *Desk) Note(ctx context.Context, r Request) (Done, error) {
	return d.perform(ctx, deed{
		act: verdict.ActNote, kind: ledger.Note, request: r, bindsNothing: true,
		text: func(Item, ledger.Decision) string { return "The note is written down. Nothing else changed." },
	})
}
