package actions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"triage/actions/config"
	"triage/actions/lookup"
	"triage/actions/verdict"
	"triage/ledger"
)

// lookupGrace is how many times its own timeout a connector may take before it is
// cut off: it keeps its timeout itself, and this is the belt to those braces.
const lookupGrace = 3

// Lookup asks the receiver under the original key. Its row is written before the
// call and finished after it, also when whoever asked has gone; the intent becomes
// DELIVERED only on the verdict delivered (design §6). Lookups go on being possible
// after a decision.
//
// A Done whose Lookup.Outcome is failed is not an error here: it is evidence that
// tells nothing. Faces report it as such.
func (d *Desk) Lookup(ctx context.Context, opKey string) (Done, error) {
	if err := d.mayAct(); err != nil {
		return Done{}, err
	}
	item, err := d.Item(ctx, opKey)
	if err != nil {
		return Done{}, err
	}
	connector, err := d.connector(item.Target)
	if err != nil {
		return Done{}, err
	}
	if item.HeldUntil > item.Now {
		return Done{}, held(item)
	}
	started, err := d.Ledger.StartLookup(ctx, ledger.Lookup{
		OpKey: opKey, Actor: d.Operator.Name, Connector: connector.Kind(), Environment: item.Target.Environment,
		StartedAt: d.Clock(),
	})
	if err != nil {
		return Done{}, unknownKey(err, opKey)
	}
	// From here on the row is open: the call is made and written down even if the
	// screen is closed meanwhile.
	ctx = context.WithoutCancel(ctx)
	asking, cancel := context.WithTimeout(ctx, lookupGrace*max(item.Target.Lookup.Timeout, time.Second))
	defer cancel()
	answer := connector.Look(asking, item.Intent)

	finished := d.finish(started, item.Target, answer)
	settled, err := d.recordPatiently(ctx, finished)
	if err != nil {
		return Done{}, fmt.Errorf("the receiver answered %s, but that could not be written down; look it up again: %w", finished.Outcome, err)
	}
	after, err := d.Item(ctx, opKey)
	if err != nil {
		return Done{}, fmt.Errorf("the receiver answered %s and that is written down, but the intent can't be read again: %w", finished.Outcome, err)
	}
	text := lookupText(after, finished, settled) + contradictionText(item.Intent, after.Intent)
	return Done{Item: after, Lookup: lookupByID(after, finished), Text: text}, nil
}

func (d *Desk) connector(t config.Target) (lookup.Connector, error) {
	if why := lookupOff(t); why != "" {
		code := CodeNoLookup
		if t.Lookup != nil {
			code = CodeLookupOff
		}
		return nil, cantAsk(code, why)
	}
	connect := lookup.For
	if d.Connect != nil {
		connect = d.Connect
	}
	c, err := connect(t)
	if errors.Is(err, lookup.ErrLookupOff) { // a file that was there at the start is not any more
		return nil, cantAsk(CodeLookupOff, err.Error())
	}
	return c, err
}

// cantAsk refuses a lookup for which something is missing on our side.
func cantAsk(code, why string) *Refusal {
	return &Refusal{
		Kind: Unusable, Code: code, What: "The receiver can't be asked: " + strings.TrimSuffix(why, ".") + ".",
		Means: nothingWasDone, Do: "Mend the configuration and start again, or settle it with evidence from outside.",
	}
}

// finish turns an answer into the lookup's row.
func (d *Desk) finish(l ledger.Lookup, t config.Target, a lookup.Answer) ledger.Lookup {
	l.FinishedAt = max(d.Clock(), l.StartedAt)
	l.Outcome, l.CanarySeen, l.Receipt = a.Outcome, a.CanarySeen, a.Receipt
	l.PayloadSHA256, l.Owner, l.Cause = a.PayloadSHA256, a.Owner, a.Cause
	if l.Outcome == ledger.LookupFound && t.Promises.Receipt == verdict.KeyAsReceipt {
		l.Receipt = l.OpKey // a service without receipts is settled with the key itself
	}
	l.Evidence = encodeEvidence(a.Evidence)
	return l
}

// encodeEvidence keeps the column within its bound by dropping the longest parts.
func encodeEvidence(e ledger.Evidence) string {
	for _, drop := range []func(){func() {}, func() { e.Excerpt = "" }, func() { e.Error, e.Canary = "", "" }, func() { e.Key = nil }} {
		drop()
		if raw, err := json.Marshal(e); err == nil && len(raw) <= ledger.MaxEvidenceBytes {
			return string(raw)
		}
	}
	return "{}"
}

// recordFor is how long an answer waits for the write lock: far beyond the ledger's
// own patience, because evidence that was obtained must not be lost to a busy hour.
const (
	recordFor   = 3 * time.Minute
	recordPause = 50 * time.Millisecond
)

func (d *Desk) recordPatiently(ctx context.Context, l ledger.Lookup) (settled bool, err error) {
	for begun := time.Now(); ; {
		settled, err = d.record(ctx, l)
		if !errors.Is(err, ledger.ErrBusy) || time.Since(begun) > recordFor {
			return settled, err
		}
		time.Sleep(recordPause) // a lock that fails at once must not be asked for in a tight loop
	}
}

// record writes the finished lookup and, where it proves the delivery, settles the
// intent, in one transaction.
func (d *Desk) record(ctx context.Context, l ledger.Lookup) (settled bool, err error) {
	err = d.Ledger.Act(ctx, func(tx ledger.Tx) error {
		now := d.Clock()
		h, err := tx.History(l.OpKey, now)
		if err != nil {
			return err
		}
		for i := range h.Lookups {
			if h.Lookups[i].LookupID == l.LookupID {
				l.Seq = h.Lookups[i].Seq
				h.Lookups[i] = l
			}
		}
		if h.ReceiptHolders, err = withHolder(tx, h, l.Receipt); err != nil {
			return err
		}
		v := d.judge(h, now).Verdict
		evidence := l.ReadEvidence()
		if v.Evidence == l.LookupID { // else an earlier one decides, and this one proves nothing by itself
			evidence.Proves = string(v.Kind)
		}
		l.Evidence = encodeEvidence(evidence)
		if err := tx.FinishLookup(l); err != nil {
			return err
		}
		settled, err = d.settleProven(tx, l, v)
		return err
	})
	return settled, err
}

// withHolder adds the receipt that this lookup names to those asked about.
func withHolder(tx ledger.Tx, h ledger.History, receipt string) (map[string]string, error) {
	holders := map[string]string{}
	for r, key := range h.ReceiptHolders {
		holders[r] = key
	}
	if receipt == "" {
		return holders, nil
	}
	holder, err := tx.ReceiptHolder(h.Intent.Target, receipt, h.Intent.OpKey)
	if holder != "" {
		holders[receipt] = holder
	}
	return holders, err
}

// settleProven turns the intent DELIVERED when this very lookup proves it.
func (d *Desk) settleProven(tx ledger.Tx, l ledger.Lookup, v verdict.Verdict) (bool, error) {
	if v.Kind != verdict.Delivered || v.Receipt == "" || l.Outcome != ledger.LookupFound || strings.TrimSpace(l.Receipt) != strings.TrimSpace(v.Receipt) {
		return false, nil
	}
	h, err := tx.History(l.OpKey, l.FinishedAt) // again: finishing may have marked it contradicted
	if err != nil || h.Intent.State.Final() {
		return false, err
	}
	return true, tx.Settle(l.OpKey, h.Intent.Version, ledger.Delivered, l.Receipt, ledger.ByLookup, d.Operator.Name)
}

func lookupByID(item Item, l ledger.Lookup) ledger.Lookup {
	for _, one := range item.Lookups {
		if one.LookupID == l.LookupID {
			return one
		}
	}
	return l
}

func lookupText(after Item, l ledger.Lookup, settled bool) string {
	target, v := after.Intent.Target, after.Verdict
	switch {
	case settled:
		return fmt.Sprintf("Found at %s with receipt %s and the same payload hash. The intent is DELIVERED.", target, l.Receipt)
	case l.Outcome == ledger.LookupFailed:
		why := l.ReadEvidence().Error
		if why == "" {
			why = "Nobody knows why."
		}
		means := "That tells nothing about the delivery."
		if l.ReadEvidence().Heard {
			means = "The receiver spoke of the delivery all the same, so that no earlier “not found” proves anything any more."
		}
		return fmt.Sprintf("The lookup at %s failed (%s). %s %s", target, orUnknown(l.Cause), why, means)
	case v.Kind == verdict.AbsenceInconclusive:
		if v.NotBefore > after.Now {
			return fmt.Sprintf("%s answered %s, which proves nothing yet (the verdict is %s). A lookup from %s on can prove more.",
				target, l.Outcome, v.Kind, instant(v.NotBefore))
		}
		text := fmt.Sprintf("%s answered %s, which proves nothing (the verdict is %s).", target, l.Outcome, v.Kind)
		for _, why := range v.Because {
			if v.NotBefore.IsNone() && strings.HasPrefix(why, "Waiting does not help") {
				text += " " + why
			}
		}
		return text
	}
	return fmt.Sprintf("%s answered %s. The verdict is %s.", target, l.Outcome, v.Kind)
}

func orUnknown(cause string) string {
	if cause == "" {
		return "cause unknown"
	}
	return cause
}
