package actions

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"triage/actions/verdict"
	"triage/ledger"
)

// MaxReceiptBytes bounds a receipt, in bytes.
const MaxReceiptBytes = 512

// Deliver marks an intent delivered with the receiver's receipt. No lookup is
// required first; what evidence there is must not say otherwise (design §6).
func (d *Desk) Deliver(ctx context.Context, r DeliverRequest) (Done, error) {
	receipt := strings.TrimSpace(r.Receipt)
	return d.perform(ctx, deed{
		act: verdict.ActDeliver, kind: ledger.MarkDelivered, request: r.Request,
		check: func(tx ledger.Tx, item Item) (*Refusal, error) { return checkDeliver(tx, item, receipt) },
		decision: func(_ Item, f *facts) ledger.Decision {
			f.Evidence = strings.TrimSpace(r.Evidence)
			return ledger.Decision{Receipt: receipt}
		},
		effect: func(tx ledger.Tx, item Item, _ ledger.Decision) error {
			return tx.Settle(item.Intent.OpKey, item.Intent.Version, ledger.Delivered, receipt, ledger.ByOperator, d.Operator.Name)
		},
		text: func(before Item, _ ledger.Decision) string {
			return fmt.Sprintf("Marked delivered with receipt %s. It was %s; nothing was sent.", receipt, before.Intent.State)
		},
	})
}

func checkDeliver(tx ledger.Tx, item Item, receipt string) (*Refusal, error) {
	if r := checkReceiptText(receipt); r != nil {
		return r, nil
	}
	if item.Intent.State.Final() {
		return alreadyFinal(item), nil
	}
	switch item.Verdict.Kind {
	case verdict.PayloadConflict, verdict.WrongOwner, verdict.Ambiguous, verdict.Withdrawn:
		return forbidden(verdict.ActDeliver, item), nil
	case verdict.FoundUnverified:
		if !item.Verdict.Allows(verdict.ActDeliver) {
			return forbidden(verdict.ActDeliver, item), nil
		}
	case verdict.Delivered:
		if item.Verdict.Receipt != "" && item.Verdict.Receipt != receipt {
			return &Refusal{
				Kind: Denied, Code: CodeReceiptMismatch,
				What:  fmt.Sprintf("The evidence names the receipt %s, not %s.", item.Verdict.Receipt, receipt),
				Means: nothingWasDone, Do: "Compare the two; mark it delivered with the receipt that the receiver gave.",
			}, nil
		}
	}
	holder, err := tx.ReceiptHolder(item.Intent.Target, receipt, item.Intent.OpKey)
	if err != nil || holder == "" {
		return nil, err
	}
	return &Refusal{
		Kind: Denied, Code: CodeReceiptHeld,
		What:  fmt.Sprintf("The receipt %s already belongs to the intent %s of the same target.", receipt, holder),
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
	control := strings.IndexFunc(receipt, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }) >= 0
	if len(receipt) <= MaxReceiptBytes && !control && utf8.ValidString(receipt) {
		return nil
	}
	return &Refusal{
		Kind: Denied, Code: string(ledger.ReceiptRequired),
		What:  fmt.Sprintf("This is no receipt: it has control characters, or more than %d bytes.", MaxReceiptBytes),
		Means: nothingWasDone, Do: "Copy the receipt alone.",
	}
}

func alreadyFinal(item Item) *Refusal {
	i := item.Intent
	r := &Refusal{
		Kind: Denied, Code: string(ledger.AlreadyFinal),
		What:  fmt.Sprintf("The intent is %s already, settled by %s (%s).", i.State, i.SettledBy, i.UpdatedBy),
		Means: "Nothing was done; what is settled stays settled.",
		Do:    "If that is wrong, write a note and hand it over.",
	}
	if i.Receipt != "" {
		r.What = fmt.Sprintf("The intent is %s already with receipt %s, settled by %s (%s).", i.State, i.Receipt, i.SettledBy, i.UpdatedBy)
	}
	return r
}

func alreadySuperseded(item Item) *Refusal {
	by := "somebody"
	for _, dec := range item.Decisions {
		if dec.Kind == ledger.Reissue && dec.NewOpKey == item.Intent.SupersededBy {
			by = fmt.Sprintf("%s at %s", dec.Operator, instant(dec.At))
		}
	}
	return &Refusal{
		Kind: Denied, Code: string(ledger.AlreadySuperseded),
		What:  fmt.Sprintf("The intent was already replaced by %s, by %s.", item.Intent.SupersededBy, by),
		Means: "There is exactly one successor; nothing else was made.",
		Do:    "Look at the successor.",
	}
}

// forbidden says that the verdict does not carry the act.
func forbidden(act verdict.Act, item Item) *Refusal {
	v := item.Verdict
	r := &Refusal{
		Kind: Denied, Code: CodeVerdictForbids,
		What:  fmt.Sprintf("The verdict is %s, which does not allow %s. %s", v.Kind, act, strings.Join(v.Because, " ")),
		Means: nothingWasDone,
	}
	safe := make([]string, 0, len(v.Safe))
	for _, a := range v.Safe {
		safe = append(safe, string(a))
	}
	if len(safe) > 0 {
		r.Do = "Safe now: " + strings.Join(safe, ", ") + "."
	} else {
		r.Do = "Write a note and hand it over to whoever runs the receiver."
	}
	if !v.NotBefore.IsNone() && v.NotBefore > item.Now {
		r.Do += " A lookup from " + instant(v.NotBefore) + " on can prove more."
	}
	return r
}
