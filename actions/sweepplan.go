package actions

import (
	"context"
	"errors"
	"slices"
	"time"

	"triage/actions/config"
	"triage/ledger"
)

// sweepPage is how many rows are read at once while a sweep is planned.
const sweepPage = 500

// PlanSweep finds what a sweep would ask about, and asks nobody: all that is in the
// queue, what was set aside or snoozed, and, within the time in which its receiver can
// still find it, what was closed, replaced or marked delivered by hand (design §5,
// "Lookups go on being possible after a decision"). Where that time is not promised,
// what is settled is left alone.
func (d *Desk) PlanSweep(ctx context.Context, r SweepRequest) (SweepPlan, error) {
	p := &sweepPlanner{desk: d, request: r, seen: map[string]bool{}}
	seq, err := d.Ledger.LastSeq(ctx)
	if err != nil {
		return SweepPlan{}, err
	}
	p.plan = SweepPlan{At: d.Clock(), Seq: seq, Since: r.Since}
	steps := []func(context.Context) error{p.queue, p.setAside, p.snoozed, p.settled}
	if len(r.Keys) > 0 {
		steps = []func(context.Context) error{p.chosen}
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return SweepPlan{}, err
		}
	}
	return p.plan, nil
}

// sweepPlanner is a plan in the making.
type sweepPlanner struct {
	desk    *Desk
	request SweepRequest
	plan    SweepPlan
	seen    map[string]bool
}

// add takes an intent into the plan, unless it is in it, was left out by the request,
// or can't be asked about.
func (p *sweepPlanner) add(ctx context.Context, i ledger.Intent) error {
	if p.seen[i.OpKey] || len(p.request.Targets) > 0 && !slices.Contains(p.request.Targets, i.Target) {
		return nil
	}
	p.seen[i.OpKey] = true
	if !p.request.Since.IsNone() {
		done, err := p.desk.Ledger.LookedUpSince(ctx, i.OpKey, p.request.Since)
		if err != nil || done {
			return err
		}
	}
	if off := lookupOff(p.desk.Config.Target(i.Target)); off != "" {
		p.plan.Skipped = append(p.plan.Skipped, SweepSkip{OpKey: i.OpKey, Target: i.Target, Why: off})
		return nil
	}
	p.plan.Items = append(p.plan.Items, SweepItem{OpKey: i.OpKey, Target: i.Target, Why: p.why(i)})
	return nil
}

// why is the gravest reason to ask about an intent.
func (p *sweepPlanner) why(i ledger.Intent) SweepWhy {
	now := p.plan.At
	switch {
	case i.Contradicted():
		return SweepContradicted
	case i.Superseded():
		return SweepReplaced
	case i.State == ledger.Failed && i.SettledBy == ledger.ByOperator:
		return SweepClosed
	case i.State == ledger.Delivered && i.SettledBy == ledger.ByOperator:
		return SweepMarkedByHand
	case i.State.Final():
		return SweepChosen
	case !i.Derived.SetAsideAt.IsNone():
		return SweepSetAside
	case i.SnoozedUntil > now:
		return SweepSnoozed
	case i.State == ledger.Unknown:
		return SweepUnknown
	case p.desk.stuck().Stuck(i, now):
		return SweepStuck
	case ledger.Ahead(i, now):
		return SweepAhead
	}
	return SweepChosen
}

// chosen takes exactly the keys that the request names, once each.
func (p *sweepPlanner) chosen(ctx context.Context) error {
	for _, key := range p.request.Keys {
		h, err := p.desk.Ledger.History(ctx, key, p.plan.At)
		switch {
		case errors.Is(err, ledger.ErrNoSuchIntent):
			p.plan.Skipped = append(p.plan.Skipped, SweepSkip{OpKey: key, Why: "no intent in this ledger has this key"})
			continue
		case err == nil:
			err = p.add(ctx, h.Intent)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *sweepPlanner) queue(ctx context.Context) error   { return p.pages(ctx, ledger.FilterOpen) }
func (p *sweepPlanner) snoozed(ctx context.Context) error { return p.pages(ctx, ledger.FilterSnoozed) }

// pages reads a filter of the queue to its end.
func (p *sweepPlanner) pages(ctx context.Context, filter ledger.StateFilter) error {
	for after := (*ledger.Cursor)(nil); ; {
		rows, err := p.desk.Ledger.Queue(ctx, ledger.QueueQuery{
			Filter: filter, Stuck: p.desk.stuck(), Now: p.plan.At, After: after, Limit: sweepPage,
		})
		if err != nil || len(rows) == 0 {
			return err
		}
		for _, row := range rows {
			if err := p.add(ctx, row.Intent); err != nil {
				return err
			}
		}
		after = &rows[len(rows)-1].Cursor
	}
}

func (p *sweepPlanner) setAside(ctx context.Context) error {
	return p.left(ctx, ledger.LeftQuery{SetAside: true})
}

// settled takes what operators settled, target by target.
func (p *sweepPlanner) settled(ctx context.Context) error {
	if p.desk.Config == nil {
		return nil
	}
	var names []string
	for name := range p.desk.Config.Targets {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		kept := findable(p.desk.Config.Targets[name])
		if kept <= 0 || len(p.request.Targets) > 0 && !slices.Contains(p.request.Targets, name) {
			continue
		}
		if err := p.left(ctx, ledger.LeftQuery{Target: name, Since: p.plan.At.Add(-kept)}); err != nil {
			return err
		}
	}
	return nil
}

// findable is how long a receiver promises that a delivery can be found, from its
// first attempt on; 0 where it does not.
func findable(t config.Target) time.Duration {
	kept := t.Promises.LookupRetention
	if kept == nil {
		kept = t.Promises.KeyRetention
	}
	if kept == nil {
		return 0
	}
	return *kept
}

// left reads one kind of what left the queue to its end.
func (p *sweepPlanner) left(ctx context.Context, q ledger.LeftQuery) error {
	for q.Limit = sweepPage; ; {
		page, err := p.desk.Ledger.Left(ctx, q)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, i := range page {
			if err := p.add(ctx, i); err != nil {
				return err
			}
		}
		after := page[len(page)-1].LeftCursor()
		q.After = &after
	}
}
