package actions

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"triage/actions/config"
	"triage/actions/lookup"
	"triage/actions/verdict"
	"triage/ledger"
)

const (
	// sweepAtOnce bounds how many receivers a sweep asks at the same time.
	sweepAtOnce = 8
	// sweepAgain bounds how often a question is put again whose answer was to come
	// back later.
	sweepAgain = 2
)

// Sweep asks about everything in the plan, receiver by receiver, several at the same
// time, and tells each thing that happens, one at a time. Within one receiver it asks
// one question after the other; it waits for the receiver's rate and for as long as the
// receiver asks not to be asked, instead of spending lookups that must fail. Evidence is
// saved row by row, each as Lookup does. When ctx ends, no further question is begun,
// and those under way are finished. What could not be asked or came to nothing is told
// and counted; the error is one that keeps the whole sweep from starting.
func (d *Desk) Sweep(ctx context.Context, plan SweepPlan, tell func(SweepStep)) (SweepReport, error) {
	if err := d.mayAct(); err != nil {
		return SweepReport{}, err
	}
	s := &sweeper{desk: d, plan: plan, tell: tell, free: make(chan struct{}, sweepAtOnce)}
	s.report.Of, s.report.Since = len(plan.Items), plan.resume()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defects := make(chan Defect, 1)
	var lanes sync.WaitGroup
	for _, items := range perTarget(plan.Items) {
		lanes.Go(func() {
			defer stopOnDefect(defects, stop)
			s.lane(ctx, items)
		})
	}
	lanes.Wait()
	select {
	case defect := <-defects:
		panic(defect)
	default:
	}
	s.report.Cancelled = s.report.Asked < s.report.Of
	slices.Sort(s.report.ContradictedKeys)
	return s.report, nil
}

// perTarget keeps the plan's order within each target.
func perTarget(items []SweepItem) [][]SweepItem {
	var lanes [][]SweepItem
	at := map[string]int{}
	for _, item := range items {
		n, ok := at[item.Target]
		if !ok {
			n = len(lanes)
			at[item.Target], lanes = n, append(lanes, nil)
		}
		lanes[n] = append(lanes[n], item)
	}
	return lanes
}

// sweeper is a sweep under way.
type sweeper struct {
	desk *Desk
	plan SweepPlan
	free chan struct{} // has room for as many as may be asked at the same time

	mu     sync.Mutex // what follows, and tell
	tell   func(SweepStep)
	report SweepReport
}

// lane asks about the items of one target.
func (s *sweeper) lane(ctx context.Context, items []SweepItem) {
	for _, item := range items {
		step, asked := s.ask(ctx, item)
		if !asked {
			return
		}
		s.add(step)
	}
}

// outcome is one step, and what the sweep has to know of it beyond that.
type outcome struct {
	SweepStep
	contradicted bool
	meanwhile    bool
}

// ask asks about one item, again where the receiver wants to be asked later. It
// reports false where ctx ended before it was asked.
func (s *sweeper) ask(ctx context.Context, item SweepItem) (out outcome, asked bool) {
	out.Item = item
	for again := 0; ; {
		before, err := s.desk.Item(context.WithoutCancel(ctx), item.OpKey)
		if err != nil {
			out.Err = err
			return out, asked || ctx.Err() == nil
		}
		if done, ok := s.askedMeanwhile(before); ok && !asked {
			out.Done, out.meanwhile = done, true
			out.contradicted = before.Intent.Contradicted() && item.Why != SweepContradicted
			return out, true
		}
		room, err := s.await(ctx, before)
		if err != nil {
			return out, asked
		}
		done, err := s.lookUp(room, item.OpKey)
		if errors.Is(err, context.Canceled) { // stopped while it waited for room: nothing was begun
			return out, asked
		}
		if heldBack(err) { // the receiver has asked somebody else to wait meanwhile
			continue
		}
		out.Done, out.Err, asked = done, err, true
		if again == sweepAgain || !putOff(out) {
			out.contradicted = err == nil && newlyContradicted(before.Intent, done.Item.Intent)
			return out, true
		}
		again++
	}
}

// lookUp asks once, while there is room among those asked at the same time. Nothing is
// broken off: what is begun is written down.
func (s *sweeper) lookUp(room context.Context, opKey string) (Done, error) {
	select {
	case s.free <- struct{}{}:
	case <-room.Done():
		return Done{}, room.Err()
	}
	defer func() { <-s.free }()
	if room.Err() != nil { // both were ready
		return Done{}, room.Err()
	}
	return s.desk.Lookup(context.WithoutCancel(room), opKey)
}

// await waits until the target may be asked about the item.
func (s *sweeper) await(ctx context.Context, item Item) (context.Context, error) {
	told := func(until ledger.Millis) { s.wait(item.Target.Name, until) }
	if item.HeldUntil > s.desk.Clock() {
		if err := lookup.AwaitUntil(ctx, s.desk.Clock, item.HeldUntil, told); err != nil {
			return ctx, err
		}
	}
	return lookup.Await(ctx, item.Target, s.desk.Clock, told)
}

// heldBack says that nobody was asked, because the receiver wants to be asked later.
func heldBack(err error) bool {
	var r *Refusal
	return errors.As(err, &r) && r.Code == CodeRetryAfter
}

// putOff says that what came back was no answer but a wish to be asked later.
func putOff(out outcome) bool {
	l := out.Done.Lookup
	if out.Err != nil || l.Outcome != ledger.LookupFailed {
		return false
	}
	return l.Cause == "rate_limited" || l.ReadEvidence().RetryAt > l.StartedAt
}

// askedMeanwhile takes what somebody else has learnt since the plan was made, of the same
// receiver. The journal's order counts and no clock: a row from the future would else
// silence every sweep until then.
func (s *sweeper) askedMeanwhile(item Item) (Done, bool) {
	for _, l := range slices.Backward(item.Lookups) {
		if l.Seq > s.plan.Seq && l.Finished() && l.Outcome != ledger.LookupFailed && askedSame(l, item.Target) {
			text := fmt.Sprintf("%s has asked meanwhile, at %s. %s", l.Actor, instant(l.StartedAt), lookupText(item, l, false))
			return Done{Item: item, Lookup: l, Text: text}, true
		}
	}
	return Done{}, false
}

func askedSame(l ledger.Lookup, t config.Target) bool {
	return t.Lookup != nil && l.Connector == t.Lookup.Connector() && l.Environment == t.Environment
}

// wait tells what is waited for.
func (s *sweeper) wait(target string, until ledger.Millis) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tell(SweepStep{WaitingFor: target, WaitUntil: until, Asked: s.report.Asked, Of: s.report.Of})
}

// add counts and tells what was asked.
func (s *sweeper) add(out outcome) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.report.Asked++
	*s.report.place(out.SweepStep)++
	if out.meanwhile {
		s.report.Meanwhile++
	}
	if out.contradicted {
		s.report.Contradicted++
		s.report.ContradictedKeys = append(s.report.ContradictedKeys, out.Item.OpKey)
	}
	out.Asked, out.Of = s.report.Asked, s.report.Of
	s.tell(out.SweepStep)
}

// place is where a step is counted.
func (r *SweepReport) place(step SweepStep) *int {
	if step.Err != nil || step.Done.Lookup.Outcome == ledger.LookupFailed {
		return &r.Failed
	}
	switch kind := step.Done.Item.Verdict.Kind; {
	case kind == verdict.Delivered:
		return &r.Delivered
	case kind == verdict.Absent:
		return &r.Absent
	case kind == verdict.Refused:
		return &r.Refused
	case kind.Conflict():
		return &r.Conflicts
	}
	return &r.Inconclusive
}
