package actions

import (
	"context"
	"fmt"

	"triage/actions/config"
	"triage/actions/lookup"
	"triage/actions/wording"
	"triage/ledger"
)

// heldUntil is when a target may be asked again; none: now. The ledger remembers what
// a receiver asked for across programs and restarts, whatever key it was asked about;
// the gate knows what was asked for in this program and could not be written down.
func (d *Desk) heldUntil(ctx context.Context, t config.Target, now ledger.Millis) (ledger.Millis, error) {
	if t.Lookup == nil {
		return 0, nil
	}
	until, err := d.Ledger.RetryAt(ctx, t.Name, now)
	if shut := lookup.GateOf(t).ShutUntil(now.Time()); !shut.IsZero() {
		until = max(until, ledger.At(shut))
	}
	return until, err
}

// held refuses a lookup of a target that asked to be left alone.
func held(item Item) *Refusal {
	return &Refusal{
		Kind: Failed, Code: CodeRetryAfter,
		What: fmt.Sprintf("The receiver %s asked (Retry-After) not to be asked again, under any key, before %s, in %s.",
			item.Intent.Target, instant(item.HeldUntil), wording.Wait(item.HeldUntil.Sub(item.Now))),
		Means: "Nothing was asked and nothing was written; that says nothing about the delivery.",
		Do:    "Look it up again from then on.",
	}
}
