package actions

import (
	"context"
	"fmt"

	"triage/actions/verdict"
	"triage/ledger"
)

// Close settles an intent as not delivered: only where absence or a final refusal
// is proven, or where nothing was ever sent (design §6).
func (d *Desk) Close(ctx context.Context, r Request) (Done, error) {
	return d.perform(ctx, deed{
		act: verdict.ActClose, kind: ledger.CloseNotDelivered, request: r,
		effect: func(tx ledger.Tx, item Item, _ ledger.Decision) error {
			return tx.Settle(item.Intent.OpKey, item.Intent.Version, ledger.Failed, "", ledger.ByOperator, d.Operator.Name)
		},
		text: func(before Item, _ ledger.Decision) string {
			return fmt.Sprintf("Closed as not delivered (%s). It was %s; nothing was sent.", before.Verdict.Kind, before.Intent.State)
		},
	})
}
