package actions

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"triage/actions/budget"
	"triage/actions/config"
	"triage/actions/verdict"
	"triage/ledger"
)

// Item is one intent as an operator sees it: what is recorded, what that proves
// now, and what the configuration says about its target.
type Item struct {
	ledger.History
	Now       ledger.Millis
	Verdict   verdict.Verdict
	Stuck     bool
	SkewAhead time.Duration // how far the intent's own times lie in the future
	Target    config.Target // the zero Target with the name set where none is configured
	LookupOff string        // why a lookup can't be made now, "" if it can
	// HeldUntil is when the receiver may be asked again, where it asked to be left
	// alone for a while; none: it may be asked now. It holds for every key of the target.
	HeldUntil ledger.Millis

	Budget budget.Budget // what its attempts have spent, and what is left
	Clocks ClockTrouble  // clocks that are seen to disagree by more than is promised

	Retry string // what became of the newest retry that was decided and not taken, as a sentence; "" if none was

	// MaySend is what a permission recheck for a new intent or a retry would find
	// now. Each act asks again inside its transaction.
	MaySend Permission
}

// Seen is the pin of an item on the screen.
func (i Item) Seen() Seen {
	return Seen{Version: i.Intent.Version, PayloadSHA256: i.Intent.PayloadSHA256, Verdict: i.Verdict.Kind}
}

// Queue returns one page of intents; see ledger.Reader.
func (d *Desk) Queue(ctx context.Context, filter ledger.StateFilter, after *ledger.Cursor, limit int) ([]ledger.QueueRow, error) {
	return d.Ledger.Queue(ctx, ledger.QueueQuery{Filter: filter, Stuck: d.stuck(), Now: d.Clock(), After: after, Limit: limit})
}

// Counts are those of the open intents.
func (d *Desk) Counts(ctx context.Context) (ledger.Counts, error) {
	return d.Ledger.Counts(ctx, d.stuck(), d.Clock())
}

// Changed reports cheaply whether anyone has committed since the last call.
func (d *Desk) Changed(ctx context.Context) (bool, error) { return d.Ledger.Changed(ctx) }

// Item reads one intent and judges it now. An unknown key is a Refusal of kind
// Failed.
func (d *Desk) Item(ctx context.Context, opKey string) (Item, error) {
	now := d.Clock()
	h, err := d.Ledger.History(ctx, opKey, now)
	if err != nil {
		return Item{}, unknownKey(err, opKey)
	}
	item := d.judge(h, now)
	item.HeldUntil, err = d.heldUntil(ctx, item.Target, now)
	return item, err
}

// judge puts together what is recorded, what it proves and what is configured.
func (d *Desk) judge(h ledger.History, now ledger.Millis) Item {
	target := d.Config.Target(h.Intent.Target)
	item := Item{
		History:   h,
		Now:       now,
		Verdict:   verdict.Judge(verdict.FromHistory(h), target.Terms(), now),
		Stuck:     d.stuck().Stuck(h.Intent, now),
		SkewAhead: ledger.SkewAhead(h.Intent, now),
		Target:    target,
		LookupOff: lookupOff(target),
		Budget:    budget.Of(h.Intent, h.Attempts, target.Promises, now),
		Clocks:    clockTrouble(h, target.Promises, now),
	}
	item.Retry = retryWords(h, now)
	item.MaySend = d.permit(verdict.ActReissue, item)
	return item
}

func (d *Desk) stuck() ledger.StuckRule {
	if d.Config == nil {
		return ledger.StuckRule{}
	}
	return d.Config.Stuck
}

// lookupOff says in plain words why a target can't be asked.
func lookupOff(t config.Target) string {
	switch {
	case t.Lookup == nil:
		return strings.TrimSuffix(strings.TrimSpace(fmt.Sprintf("no lookup is configured for target %q. %s", t.Name, t.Unknown)), ".")
	case len(t.Lookup.Missing) > 0:
		return strings.TrimSuffix(t.Lookup.Missing[0].String(), ".")
	case len(t.Lookup.Off) > 0:
		return strings.TrimSuffix(t.Lookup.Off[0], ".")
	}
	return ""
}

func unknownKey(err error, opKey string) error {
	if !errors.Is(err, ledger.ErrNoSuchIntent) && ledger.CodeOf(err) != ledger.UnknownIntent {
		return err
	}
	return &Refusal{
		Kind: Failed, Code: string(ledger.UnknownIntent),
		What: fmt.Sprintf("No intent in this ledger has the key %q.", opKey),
		Do:   "Check the key and the ledger; `triage list --state all` shows every key.",
	}
}
