package actions

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"triage/actions/verdict"
	"triage/ledger"
)

// MaxReasonBytes bounds a reason, in bytes.
const MaxReasonBytes = 4096

// deed is one deciding act on its way through perform.
type deed struct {
	act      verdict.Act
	kind     ledger.DecisionKind
	request  Request
	check    func(tx ledger.Tx, item Item) (*Refusal, error)           // may this be done to the intent as it is now?
	decision func(item Item, f *facts) ledger.Decision                 // what this kind adds to the decision row
	effect   func(tx ledger.Tx, item Item, made ledger.Decision) error // after the decision row, never before
	text     func(before Item, made ledger.Decision) string            // what happened, in plain words
	anyState bool                                                      // a note goes with every state and every claim
}

// perform runs one act inside one immediate write transaction: begin, read the
// clock, re-read the intent, compare with what the operator saw, recheck
// everything, write the decision row, and only then its effect. A refusal leaves
// one denied row instead (design §6).
func (d *Desk) perform(ctx context.Context, w deed) (Done, error) {
	if r := d.beforehand(&w); r != nil {
		return Done{}, r
	}
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
		made, err = d.commit(tx, w, before)
		return err
	})
	if refused == nil && err != nil {
		refused, err = d.afterFailure(ctx, w, before, err)
	}
	if err != nil {
		return Done{}, unknownKey(err, w.request.OpKey)
	}
	if refused != nil {
		return Done{}, refused
	}
	after, err := d.Item(context.WithoutCancel(ctx), w.request.OpKey)
	if err != nil {
		return Done{}, fmt.Errorf("it was done (%s), but the intent can't be read again: %w", made.Kind, err)
	}
	return Done{Item: after, Decision: made, NewKey: made.NewOpKey, Text: w.text(before, made)}, nil
}

// beforehand refuses what needs no look at the ledger.
func (d *Desk) beforehand(w *deed) error {
	if d.ReadOnly {
		return &Refusal{
			Kind: Denied, Code: CodeReadOnly, What: "The ledger is open for reading only.",
			Means: nothingWasDone, Do: "Start triage without --read-only to act.",
		}
	}
	if err := d.Operator.check(); err != nil {
		return err
	}
	w.request.Reason = strings.TrimSpace(w.request.Reason)
	if n := len(w.request.Reason); n > MaxReasonBytes || strings.ContainsRune(w.request.Reason, 0) || !utf8.ValidString(w.request.Reason) {
		return &Refusal{
			Kind: Denied, Code: CodeReasonRequired,
			What:  fmt.Sprintf("The reason is %d bytes long or is not plain text; it may have %d bytes.", n, MaxReasonBytes),
			Means: nothingWasDone, Do: "Give a shorter reason and a link to the rest.",
		}
	}
	return nil
}

// recheck compares the intent with what the operator saw and asks everything
// again: pin, claim, reason, then what the act itself demands.
func (d *Desk) recheck(tx ledger.Tx, w deed, now Item) (*Refusal, error) {
	if r := pinMoved(w.request.Seen, now); r != nil && !w.anyState {
		return r, nil
	}
	if c := now.Claim; c != nil && c.Operator != d.Operator.Name && !w.anyState {
		return &Refusal{
			Kind: Changed, Code: CodeClaimed,
			What:  fmt.Sprintf("%s is working on this intent until %s.", c.Operator, instant(c.ExpiresAt)),
			Means: nothingWasDone, Do: "Talk to them, or wait until the claim expires.",
		}, nil
	}
	if w.request.Reason == "" {
		return &Refusal{
			Kind: Denied, Code: CodeReasonRequired, What: "Every decision wants a reason.",
			Means: nothingWasDone, Do: "Say why, in words that help whoever reviews this.",
		}, nil
	}
	if w.check == nil {
		return nil, nil
	}
	return w.check(tx, now)
}

// commit writes the decision row and then its effect.
func (d *Desk) commit(tx ledger.Tx, w deed, item Item) (ledger.Decision, error) {
	f := d.factsOf(item, w.request.Seen)
	p := d.permit(w.act, item)
	f.Permission = &p
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
	if reason == "" {
		reason = "(none given)"
	}
	return ledger.Decision{
		OpKey: item.Intent.OpKey, At: item.Now, Operator: d.Operator.Name, Kind: ledger.Denied, Reason: reason, Facts: text,
	}
}

// afterFailure turns a refusal by the ledger's own rules into words and leaves its
// denied row; the transaction that met it was rolled back. Other errors stay.
func (d *Desk) afterFailure(ctx context.Context, w deed, before Item, err error) (*Refusal, error) {
	var rule *ledger.Error
	var refused *Refusal
	switch {
	case errors.As(err, &rule) && rule.Code != ledger.UnknownIntent:
		refused = byLedger(rule)
	case errors.Is(err, ledger.ErrMoved):
		refused = movedSince(before)
	default:
		return nil, err
	}
	denied := d.Ledger.Act(context.WithoutCancel(ctx), func(tx ledger.Tx) error {
		_, err := tx.Decide(d.deniedRow(w, before, refused))
		return err
	})
	return refused, denied
}
