package actions

import (
	"context"
	"fmt"

	"triage/actions/verdict"
	"triage/ledger"
)

// Acknowledge takes a contradicted intent off the top of the queue: somebody has
// dealt with what disagrees (design §4). Where the intent was replaced, its successor
// may be sent again from then on.
func (d *Desk) Acknowledge(ctx context.Context, r Request) (Done, error) {
	return d.perform(ctx, deed{
		act: verdict.ActAcknowledge, kind: ledger.Acknowledge, request: r,
		text: func(before Item, _ ledger.Decision) string { return acknowledgedText(before.Intent) },
	})
}

func acknowledgedText(i ledger.Intent) string {
	const text = "Acknowledged: it leaves the top of the queue. "
	switch {
	case i.Superseded() && i.State == ledger.Delivered:
		return text + fmt.Sprintf("Its successor %s (or what has replaced that since) may be sent again from now on, and as this one is DELIVERED, that is a duplicate: close the successor unless it is wanted all the same.", i.SupersededBy)
	case i.Superseded():
		return text + fmt.Sprintf("Its successor %s (or what has replaced that since) may be sent again from now on: if this one was delivered, that is a duplicate. Look at the successor, and close it if it is not to be sent.", i.SupersededBy)
	case i.State.Final() || !i.Derived.SetAsideAt.IsNone():
		return text + fmt.Sprintf("It stays %s. New evidence that disagrees brings it back.", i.State)
	}
	return text + fmt.Sprintf("It is still %s and takes its place among those.", i.State)
}
