package actions

import (
	"context"
	"fmt"
	"strings"

	"triage/actions/verdict"
	"triage/actions/wording"
	"triage/ledger"
)

// MaxReceiptBytes bounds a receipt, in bytes.
const MaxReceiptBytes = 512

// Deliver marks an intent delivered with the receiver's receipt. No lookup is
// required first; what evidence there is must not say otherwise (design §6).
func (d *Desk) Deliver(ctx context.Context, r DeliverRequest) (Done, error) {
	r.Receipt, r.Evidence = strings.TrimSpace(r.Receipt), strings.TrimSpace(r.Evidence)
	return d.perform(ctx, deed{
		act: verdict.ActDeliver, kind: ledger.MarkDelivered, request: r.Request,
		check: func(tx ledger.Tx, item Item) (*Refusal, error) { return checkDeliver(tx, item, r) },
		decision: func(_ Item, f *facts) ledger.Decision {
			f.Evidence = r.Evidence
			return ledger.Decision{Receipt: r.Receipt}
		},
		effect: func(tx ledger.Tx, item Item, _ ledger.Decision) error {
			return tx.Settle(item.Intent.OpKey, item.Intent.Version, ledger.Delivered, r.Receipt, ledger.ByOperator, d.Operator.Name)
		},
		text: func(before Item, _ ledger.Decision) string {
			text := fmt.Sprintf("Marked delivered with receipt %s. It was %s; nothing was sent.", r.Receipt, before.Intent.State)
			if k := before.Verdict.Kind; k == verdict.Absent || k == verdict.Refused {
				text += fmt.Sprintf(" Mind that the evidence said %s: your word stands against it.", k)
			}
			return text
		},
	})
}

func checkDeliver(tx ledger.Tx, item Item, r DeliverRequest) (*Refusal, error) {
	if refused := checkReceiptText(r.Receipt); refused != nil {
		return refused, nil
	}
	if !plainText(r.Evidence) {
		return &Refusal{
			Kind: Denied, Code: CodeReasonRequired,
			What:  fmt.Sprintf("The evidence is no plain text, or longer than %d bytes.", MaxReasonBytes),
			Means: nothingWasDone, Do: "Give a shorter text and a link to the rest.",
		}, nil
	}
	if named := item.Verdict.Receipt; named != "" && named != r.Receipt {
		return &Refusal{
			Kind: Denied, Code: CodeReceiptMismatch,
			What:  fmt.Sprintf("The evidence names the receipt %s, not %s.", named, r.Receipt),
			Means: nothingWasDone, Do: "Compare the two; mark it delivered with the receipt that the receiver gave.",
		}, nil
	}
	holder, err := tx.ReceiptHolder(item.Intent.Target, r.Receipt, item.Intent.OpKey)
	if err != nil || holder == "" {
		return nil, err
	}
	return &Refusal{
		Kind: Denied, Code: CodeReceiptHeld,
		What:  fmt.Sprintf("The receipt %s already belongs to the intent %s of the same target.", r.Receipt, holder),
		Means: "One receipt proves one delivery: this intent is as uncertain as before.",
		Do:    "Find the receipt of this very operation, by its own key.",
	}, nil
}

func checkReceiptText(receipt string) *Refusal {
	if receipt == "" {
		return &Refusal{
			Kind: Denied, Code: string(ledger.ReceiptRequired), What: "DELIVERED wants the receipt that the receiver gave.",
			Means: nothingWasDone, Do: "Look it up, or copy the receipt from the receiver's own records.",
		}
	}
	if len(receipt) <= MaxReceiptBytes && wording.Safe(receipt) == receipt { // what can't be seen can't be compared
		return nil
	}
	return &Refusal{
		Kind: Denied, Code: string(ledger.ReceiptRequired),
		What:  fmt.Sprintf("This is no receipt: it has characters that can't be seen, or more than %d bytes.", MaxReceiptBytes),
		Means: nothingWasDone, Do: "Copy the receipt alone.",
	}
}
