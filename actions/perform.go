package actions

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"triage/actions/verdict"
	"triage/actions/wording"
	"triage/ledger"
)

// MaxReasonBytes bounds a reason, in bytes.
const MaxReasonBytes = 4096

// deed is one deciding act on its way through perform.
type deed struct {
	act          verdict.Act
	kind         ledger.DecisionKind
	request      Request
	phrase       string                                                    // what was typed to accept a possible duplicate
	check        func(tx ledger.Tx, item Item) (*Refusal, error)           // what this act demands beyond the verdict
	decision     func(item Item, f *facts) ledger.Decision                 // what this kind adds to the decision row
	effect       func(tx ledger.Tx, item Item, made ledger.Decision) error // after the decision row, never before
	text         func(before Item, made ledger.Decision) string            // what happened, in plain words
	bindsNothing bool                                                      // a note: goes with whatever stands and with other people's claims
}

// perform runs one act inside one immediate write transaction: begin, read the
// clock, re-read the intent, compare with what the operator saw, recheck
// everything, write the decision row, and only then its effect. A refusal leaves
// one denied row instead (design §6).
func (d *Desk) perform(ctx context.Context, w deed) (Done, error) {
	if r := d.mayAct(); r != nil {
		return Done{}, r
	}
	w.request.Reason = strings.TrimSpace(w.request.Reason)
	var (
		refused *Refusal
		made    ledger.Decision
		before  Item
	)
	err := d.Ledger.Act(ctx, func(tx ledger.Tx) error {
		now := d.Clock()
		h, err := tx.History(w.request.OpKey, now)
		if err != nil {
			return err
		}
		before = d.judge(h, now)
		if refused, err = d.recheck(tx, w, before); err != nil {
			return err
		}
		if refused != nil {
			_, err = tx.Decide(d.deniedRow(w, before, refused))
			return err
		}
		made, err = d.writeDown(tx, w, before)
		return err
	})
	if refused == nil && err != nil {
		refused, err = d.afterFailure(ctx, w, before, err)
	}
	switch {
	case refused != nil && err != nil:
		refused.Unrecorded = err
		refused.Means = strings.TrimSpace(refused.Means + " That it was refused could not be written down: " + err.Error() + ".")
		return Done{}, refused
	case refused != nil:
		return Done{}, refused
	case err != nil:
		return Done{}, unknownKey(err, w.request.OpKey)
	}
	after, err := d.Item(context.WithoutCancel(ctx), w.request.OpKey)
	if err != nil {
		return Done{}, fmt.Errorf("it was done (%s), but the intent can't be read again: %w", made.Kind, err)
	}
	return Done{Item: after, Decision: made, NewKey: made.NewOpKey, Text: w.text(before, made)}, nil
}

// mayAct refuses what needs no look at the ledger, and can't leave a row in it.
func (d *Desk) mayAct() error {
	if d.ReadOnly {
		return &Refusal{
			Kind: Denied, Code: CodeReadOnly, What: "The ledger is open for reading only.",
			Means: nothingWasDone, Do: "Start triage without --read-only to act.",
		}
	}
	return d.Operator.check()
}

// recheck compares the intent with what the operator saw and asks everything
// again: pin, claim, reason, verdict and permission, then what the act itself
// demands.
func (d *Desk) recheck(tx ledger.Tx, w deed, now Item) (*Refusal, error) {
	for _, refused := range []func() *Refusal{
		func() *Refusal { return pinMoved(w, now) },
		func() *Refusal { return d.claimed(w, now) },
		func() *Refusal { return checkReason(w.request.Reason) },
		func() *Refusal { return d.ruled(w, now) },
	} {
		if r := refused(); r != nil {
			return r, nil
		}
	}
	if w.check == nil {
		return nil, nil
	}
	return w.check(tx, now)
}

func (d *Desk) claimed(w deed, now Item) *Refusal {
	c := now.Claim
	if c == nil || c.Operator == d.Operator.Name || w.bindsNothing {
		return nil
	}
	return &Refusal{
		Kind: Changed, Code: CodeClaimed,
		What:  fmt.Sprintf("%s is working on this intent until %s.", c.Operator, instant(c.ExpiresAt)),
		Means: nothingWasDone, Do: "Talk to them, or wait until the claim expires.",
	}
}

func checkReason(reason string) *Refusal {
	switch {
	case !visible(reason):
		return &Refusal{
			Kind: Denied, Code: CodeReasonRequired, What: "Every decision wants a reason.",
			Means: nothingWasDone, Do: "Say why, in words that help whoever reviews this.",
		}
	case !plainText(reason):
		return &Refusal{
			Kind: Denied, Code: CodeReasonRequired,
			What:  fmt.Sprintf("The reason is no plain text, or longer than %d bytes.", MaxReasonBytes),
			Means: nothingWasDone, Do: "Give a shorter reason and a link to the rest.",
		}
	}
	return nil
}

// visible says that there is something to read.
func visible(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r > ' ' && wording.Safe(string(r)) == string(r) })
}

// plainText says that a text can stand in the ledger as it is.
func plainText(s string) bool {
	return len(s) <= MaxReasonBytes && !strings.ContainsRune(s, 0) && utf8.ValidString(s)
}

// ruled asks the two that decide about every act alike: the verdict, at this
// instant, and the permission check. Where nothing is proven the phrase is owed.
func (d *Desk) ruled(w deed, item Item) *Refusal {
	v := item.Verdict
	free := v.Allows(w.act) || v.AllowsByHand(w.act)
	if !free && !v.AllowsAtRisk(w.act) {
		return forbidden(w.act, item)
	}
	if p := d.permit(w.act, item); !p.Allowed {
		return withoutPermission(w.act, p)
	}
	if want := Phrase(item.Target); !free && w.phrase != want {
		return consentOwed(item, want, w.phrase != "")
	}
	return nil
}

// writeDown writes the decision row and then its effect.
func (d *Desk) writeDown(tx ledger.Tx, w deed, item Item) (ledger.Decision, error) {
	f := d.factsOf(item, w.request.Seen)
	p := d.permit(w.act, item)
	f.Permission = &p
	if !item.Verdict.Allows(w.act) && !item.Verdict.AllowsByHand(w.act) {
		f.Accepted = w.phrase
	}
	row := ledger.Decision{}
	if w.decision != nil {
		row = w.decision(item, &f)
	}
	text, err := f.json()
	if err != nil {
		return row, err
	}
	row.OpKey, row.At, row.Operator, row.Kind = item.Intent.OpKey, item.Now, d.Operator.Name, w.kind
	row.Reason, row.Facts = w.request.Reason, text
	made, err := tx.Decide(row)
	if err != nil || w.effect == nil {
		return made, err
	}
	return made, w.effect(tx, item, made)
}

// deniedRow records an act that was refused.
func (d *Desk) deniedRow(w deed, item Item, r *Refusal) ledger.Decision {
	f := d.factsOf(item, w.request.Seen)
	f.Refusal = &refusalFacts{Code: r.Code, What: r.What}
	f.Wanted = w.act
	if r.Code == string(ledger.NotAuthorised) {
		p := d.permit(w.act, item)
		f.Permission = &p
	}
	text, err := f.json()
	if err != nil { // can't happen: facts are plain data
		text = "{}"
	}
	reason := w.request.Reason
	switch {
	case !visible(reason):
		reason = "(none given)"
	case !plainText(reason):
		reason = "(not kept: no plain text, or too long)"
	}
	return ledger.Decision{
		OpKey: item.Intent.OpKey, At: item.Now, Operator: d.Operator.Name, Kind: ledger.Denied, Reason: reason, Facts: text,
	}
}

// afterFailure turns a refusal by the ledger's own rules into words and leaves its
// denied row; the transaction that met it was rolled back. Other errors stay.
func (d *Desk) afterFailure(ctx context.Context, w deed, before Item, err error) (*Refusal, error) {
	var rule *ledger.Error
	if !errors.As(err, &rule) || rule.Code == ledger.UnknownIntent {
		return nil, err
	}
	refused := byLedger(rule)
	denied := d.Ledger.Act(context.WithoutCancel(ctx), func(tx ledger.Tx) error {
		_, err := tx.Decide(d.deniedRow(w, before, refused))
		return err
	})
	return refused, denied
}
