package actions

import (
	"context"
	"fmt"

	"triage/actions/verdict"
	"triage/ledger"
)

// SetAside takes an open intent out of the queue and leaves its state as it is: the
// way out for conflicts and for receivers that can never prove anything (design §3).
// Where it was ever sent, sweeps go on asking about it, and it can still be settled.
func (d *Desk) SetAside(ctx context.Context, r Request) (Done, error) {
	return d.perform(ctx, deed{
		act: verdict.ActSetAside, kind: ledger.SetAside, request: r,
		text: func(before Item, _ ledger.Decision) string {
			text := fmt.Sprintf("Set aside: it leaves the queue and stays %s. Where it was ever sent, sweeps go on asking about it, and it comes back if it is contradicted. Nothing was sent.",
				before.Intent.State)
			if before.Verdict.Kind == verdict.NeverSent {
				text += " No sender is offered it any more either."
			}
			return text
		},
	})
}
