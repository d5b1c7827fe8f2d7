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
		decision: func(item Item, f *facts) ledger.Decision {
			f.Evidence = r.Evidence
			return ledger.Decision{Receipt: asRecorded(r.Receipt, item)}
		},
		effect: func(tx ledger.Tx, item Item, made ledger.Decision) error {
			return tx.Settle(item.Intent.OpKey, item.Intent.Version, ledger.Delivered, made.Receipt, ledger.ByOperator, d.Operator.Name)
		},
		text: func(before Item, made ledger.Decision) string {
			text := fmt.Sprintf("Marked delivered with receipt %s. It was %s; nothing was sent.", made.Receipt, before.Intent.State)
			switch k := before.Verdict.Kind; k {
			case verdict.Absent, verdict.Refused, verdict.NeverSent:
				text += fmt.Sprintf(" Mind that the evidence said %s: your word stands against it.", k)
			}
			return text
		},
	})
}

// asRecorded is the receipt that the evidence names, where that is what was typed, as
// far as it can be: blanks around it are nobody's, and what can't be seen is typed as
// the screen shows it. Else it is what was typed.
func asRecorded(typed string, item Item) string {
	named := item.Verdict.Receipt
	bare := strings.TrimSpace(named)
	if bare != "" && (wording.Safe(named) == typed || wording.Safe(bare) == typed) {
		return bare
	}
	return typed
}

func checkDeliver(tx ledger.Tx, item Item, r DeliverRequest) (*Refusal, error) {
	receipt, named := asRecorded(r.Receipt, item), strings.TrimSpace(item.Verdict.Receipt)
	if receipt != named || named == "" { // what the evidence names is a receipt, however it is spelt
		if refused := checkReceiptText(receipt, item); refused != nil {
			return refused, nil
		}
	}
	if !plainText(r.Evidence) {
		return &Refusal{
			Kind: Denied, Code: CodeReasonRequired,
			What:  fmt.Sprintf("The evidence is no plain text, or longer than %d bytes.", MaxReasonBytes),
			Means: nothingWasDone, Do: "Give a shorter text and a link to the rest.",
		}, nil
	}
	if named != "" && named != receipt {
		return &Refusal{
			Kind: Denied, Code: CodeReceiptMismatch,
			What:  fmt.Sprintf("The evidence names the receipt %s, not %s.", named, receipt),
			Means: nothingWasDone, Do: "Compare the two; mark it delivered with the receipt that the receiver gave.",
		}, nil
	}
	holder, err := tx.ReceiptHolder(item.Intent.Target, receipt, item.Intent.OpKey)
	if err != nil || holder == "" {
		return nil, err
	}
	return &Refusal{
		Kind: Denied, Code: CodeReceiptHeld,
		What:  fmt.Sprintf("The receipt %s already belongs to the intent %s of the same target.", receipt, holder),
		Means: "One receipt proves one delivery: what is known about this intent is what it was.",
		Do:    "Find the receipt of this very operation, by its own key.",
	}, nil
}

func checkReceiptText(receipt string, item Item) *Refusal {
	if what := ownName(receipt, item); what != "" {
		return &Refusal{
			Kind: Denied, Code: string(ledger.ReceiptRequired),
			What:  "This is the intent's own " + what + ", and no receipt: it shows nothing about what the receiver did.",
			Means: nothingWasDone, Do: "Copy the id that the receiver gave. If it gives none and the key stands for it, promise receipt: key for " + item.Intent.Target + ".",
		}
	}
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

// ownName says which of the intent's own names was given as a receipt, "" if none.
func ownName(receipt string, item Item) string {
	i := item.Intent
	switch {
	case receipt == i.OpKey && item.Target.Promises.Receipt != verdict.KeyAsReceipt:
		return "key"
	case strings.EqualFold(receipt, i.PayloadSHA256):
		return "payload hash"
	}
	return ""
}
