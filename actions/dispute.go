package actions

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"triage/actions/verdict"
	"triage/ledger"
)

// Dispute takes back a wrong receipt: evidence that names it is no proof of delivery
// any more, and only a lookup that begins from now on can prove an absence. DELIVERED
// stays DELIVERED, with that receipt; the intent is contradicted and shown first until
// somebody acknowledges it (design §3).
func (d *Desk) Dispute(ctx context.Context, r DisputeRequest) (Done, error) {
	r.Receipt = strings.TrimSpace(r.Receipt)
	return d.perform(ctx, deed{
		act: verdict.ActDispute, kind: ledger.Dispute, request: r.Request,
		check: func(_ ledger.Tx, item Item) (*Refusal, error) { return checkDispute(item, r.Receipt), nil },
		decision: func(item Item, _ *facts) ledger.Decision {
			return ledger.Decision{Receipt: disputed(item, r.Receipt)}
		},
		text: func(before Item, made ledger.Decision) string {
			return fmt.Sprintf("The receipt %s is disputed; the intent is contradicted and stays %s. Look it up next: only a lookup from now on can prove that it was not delivered. Nothing was sent.",
				made.Receipt, before.Intent.State)
		},
	})
}

// disputed is the receipt that is meant: the one that was named, else the one that
// the intent holds.
func disputed(item Item, named string) string {
	if named != "" {
		return named
	}
	return item.Intent.Receipt
}

func checkDispute(item Item, named string) *Refusal {
	receipt := disputed(item, named)
	standing := verdict.FromHistory(item.History).Disputable()
	switch {
	case slices.Contains(standing, receipt):
		return nil
	case receipt == "":
		return &Refusal{
			Kind: Denied, Code: string(ledger.ReceiptRequired), What: "The intent holds no receipt, so nothing says which one is wrong.",
			Means: nothingWasDone, Do: "Name the receipt that is wrong: " + strings.Join(standing, ", ") + ".",
		}
	}
	return &Refusal{
		Kind: Denied, Code: CodeReceiptMismatch,
		What:  fmt.Sprintf("Nothing here names the receipt %s, or it is disputed already.", receipt),
		Means: nothingWasDone, Do: "What can be disputed here: " + strings.Join(standing, ", ") + ".",
	}
}
