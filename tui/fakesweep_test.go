package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"triage/actions"
	"triage/ledger"
)

// fakeSweeps are a desk's sweeps: what they plan, and, once a gate is set, one step
// for each time that it is opened.
type fakeSweeps struct {
	plan  func(actions.SweepRequest) (actions.SweepPlan, error) // nil: all open items
	gate  chan struct{}                                         // nil: nothing is waited for
	find  func(actions.SweepItem) actions.SweepStep             // what a question comes to; nil: not found
	waits func(asked int) (string, ledger.Millis)               // whom to wait for before a question; nil: nobody
	fails error                                                 // why a sweep breaks off after its first question
}

func (d *fakeDesk) PlanSweep(_ context.Context, r actions.SweepRequest) (actions.SweepPlan, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.trouble != nil {
		return actions.SweepPlan{}, d.trouble
	}
	if d.sweeps.plan != nil {
		return d.sweeps.plan(r)
	}
	plan := actions.SweepPlan{At: ledger.At(noon)}
	for _, item := range d.items {
		i := item.Intent
		switch {
		case len(r.Keys) > 0 && !slices.Contains(r.Keys, i.OpKey), len(r.Keys) == 0 && !lets(ledger.FilterOpen, i):
		case item.LookupOff != "":
			plan.Skipped = append(plan.Skipped, actions.SweepSkip{OpKey: i.OpKey, Target: i.Target, Why: item.LookupOff})
		default:
			why := actions.SweepUnknown
			if i.Contradicted() {
				why = actions.SweepContradicted
			}
			plan.Items = append(plan.Items, actions.SweepItem{OpKey: i.OpKey, Target: i.Target, Why: why})
		}
	}
	return plan, nil
}

func (d *fakeDesk) Sweep(ctx context.Context, plan actions.SweepPlan, tell func(actions.SweepStep)) (actions.SweepReport, error) {
	d.mu.Lock()
	d.did = append(d.did, fmt.Sprintf("sweep %s", strings.Join(keysOf(plan), " ")))
	s := d.sweeps
	d.mu.Unlock()
	report := actions.SweepReport{Of: len(plan.Items), Since: plan.At}
	for _, item := range plan.Items {
		if s.waits != nil {
			if target, until := s.waits(report.Asked); target != "" {
				tell(actions.SweepStep{WaitingFor: target, WaitUntil: until, Asked: report.Asked, Of: report.Of})
			}
		}
		if s.gate != nil {
			select {
			case <-ctx.Done():
			case <-s.gate:
			}
		}
		if report.Cancelled = ctx.Err() != nil; report.Cancelled {
			return report, nil
		}
		step := actions.SweepStep{Item: item, Done: actions.Done{Text: "Not found, which proves nothing yet."}}
		if s.find != nil {
			step = s.find(item)
			step.Item = item
		}
		report.Asked++
		step.Asked, step.Of = report.Asked, report.Of
		count := sweepProgress{counts: report}.after(step).counts
		if newlyContradicted(step) {
			count.ContradictedKeys = append(count.ContradictedKeys, item.OpKey)
		}
		tell(step)
		if report = count; s.fails != nil {
			return report, s.fails
		}
		d.set(func(f *fakeDesk) { f.did = append(f.did, "asked "+item.OpKey) })
	}
	return report, nil
}

func keysOf(plan actions.SweepPlan) (keys []string) {
	for _, item := range plan.Items {
		keys = append(keys, item.OpKey)
	}
	return keys
}
