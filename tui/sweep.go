package tui

import (
	"cmp"
	"context"
	"slices"
	"sync"

	tea "charm.land/bubbletea/v2"

	"triage/actions"
	"triage/actions/verdict"
	"triage/ledger"
)

// sweep is the sweep that runs, or else the one that ended last.
type sweep struct {
	n        int // counted up, so that a late message finds its own sweep or none; 0: none yet
	plan     actions.SweepPlan
	marked   bool // it was of marked intents
	stop     func()
	running  bool
	stopping bool
	progress sweepProgress
	report   actions.SweepReport // once it has ended
	err      error               // why it broke off
	back     int                 // marks that came back: nobody was asked about them
	seen     bool                // its end was looked at
}

// resumable is where a sweep of everything that was stopped goes on; none: nowhere.
func (s *sweep) resumable() ledger.Millis {
	if s.n == 0 || s.running || s.marked || s.report.Asked >= s.report.Of {
		return 0
	}
	return s.report.Since
}

// sweepProgress is how far a sweep has come. It is passed on whole: nothing in it is
// changed afterwards.
type sweepProgress struct {
	asked, of    int
	counts       actions.SweepReport // as far as it has come
	contradicted []string            // keys that this sweep found contradicted
	last         *actions.SweepStep  // the last question; nil before the first
	waits        []sweepWait         // the targets that are waited for
}

// sweepWait is a target that a sweep waits for. It goes on with the others meanwhile.
type sweepWait struct {
	target string
	until  ledger.Millis
}

// after is the progress once a step was made.
func (p sweepProgress) after(step actions.SweepStep) sweepProgress {
	p.asked, p.of = step.Asked, step.Of
	if step.WaitingFor != "" {
		p.waits = append(p.without(step.WaitingFor), sweepWait{step.WaitingFor, step.WaitUntil})
		return p
	}
	p.waits = p.without(step.Item.Target)
	p.last = &step
	if newlyContradicted(step) {
		p.contradicted = append(slices.Clip(p.contradicted), step.Item.OpKey)
		p.counts.Contradicted++
	}
	switch v := step.Done.Item.Verdict; {
	case step.Err != nil, step.Done.Lookup.Outcome == ledger.LookupFailed:
		p.counts.Failed++
	case v.Kind == verdict.Delivered:
		p.counts.Delivered++
	case v.Kind == verdict.Absent:
		p.counts.Absent++
	case v.Kind == verdict.Refused:
		p.counts.Refused++
	case v.Kind.Conflict():
		p.counts.Conflicts++
	default:
		p.counts.Inconclusive++
	}
	return p
}

// without are the waits for all targets but one.
func (p sweepProgress) without(target string) []sweepWait {
	return slices.DeleteFunc(slices.Clone(p.waits), func(w sweepWait) bool { return w.target == target })
}

// waiting are the waits that are not over at an instant, the longest first.
func (p sweepProgress) waiting(now ledger.Millis) []sweepWait {
	out := slices.DeleteFunc(slices.Clone(p.waits), func(w sweepWait) bool { return w.until <= now })
	slices.SortStableFunc(out, func(a, b sweepWait) int { return cmp.Compare(b.until, a.until) })
	return out
}

// newlyContradicted says that a question brought evidence against what was decided.
func newlyContradicted(step actions.SweepStep) bool {
	return step.Err == nil && step.Item.Why != actions.SweepContradicted && step.Done.Item.Intent.Contradicted()
}

// sweepFeed carries what a sweep tells to the screen. The sweep never waits for the
// screen: only the newest progress is kept.
type sweepFeed struct {
	mu    sync.Mutex
	now   sweepProgress
	asked map[string]bool
	moved chan struct{} // has one token while something is new; closed at the end
}

func newSweepFeed(of int) *sweepFeed {
	return &sweepFeed{now: sweepProgress{of: of}, asked: map[string]bool{}, moved: make(chan struct{}, 1)}
}

func (f *sweepFeed) tell(step actions.SweepStep) {
	f.mu.Lock()
	f.now = f.now.after(step)
	if step.WaitingFor == "" && step.Err == nil {
		f.asked[step.Item.OpKey] = true
	}
	f.mu.Unlock()
	select {
	case f.moved <- struct{}{}:
	default:
	}
}

func (f *sweepFeed) progress() sweepProgress {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

// sweepMoved: a sweep has come further.
type sweepMoved struct {
	n        int
	feed     *sweepFeed // where the next one comes from
	progress sweepProgress
}

// sweepEnded: a sweep has asked everything, was stopped, or broke off.
type sweepEnded struct {
	n        int
	progress sweepProgress
	asked    map[string]bool // keys that were asked about
	report   actions.SweepReport
	err      error
}

// runSweep asks about everything in a plan until ctx ends. It goes on when the screen
// is left, to the end of the question under way; Run waits for that.
func (a asks) runSweep(ctx context.Context, n int, plan actions.SweepPlan, feed *sweepFeed) tea.Cmd {
	return func() tea.Msg {
		defer close(feed.moved)
		job := a.work.begin("the question that the sweep is asking", "")
		if job == nil {
			return nil
		}
		defer job.end()
		report, err := a.acts.Sweep(ctx, plan, feed.tell)
		job.done = true
		return sweepEnded{n: n, progress: feed.progress(), asked: feed.asked, report: report, err: err}
	}
}

// followSweep waits until a sweep has come further.
func (a asks) followSweep(n int, feed *sweepFeed) tea.Cmd {
	return func() tea.Msg {
		select {
		case _, open := <-feed.moved:
			if open {
				return sweepMoved{n: n, feed: feed, progress: feed.progress()}
			}
		case <-a.ctx.Done():
		}
		return nil
	}
}

// beginSweep starts what was confirmed. The marks go over to it; those of intents
// that it does not get to come back.
func (m *Model) beginSweep(plan actions.SweepPlan, marked bool) tea.Cmd {
	ctx, stop := context.WithCancel(m.asks.work.unhurried)
	feed := newSweepFeed(len(plan.Items))
	m.sweep = sweep{n: m.sweep.n + 1, plan: plan, marked: marked, stop: stop, running: true, progress: feed.progress()}
	if marked {
		m.marks = marks{}
	}
	m.openSweepView()
	return tea.Batch(m.asks.runSweep(ctx, m.sweep.n, plan, feed), m.asks.followSweep(m.sweep.n, feed))
}

func (m *Model) onSweepMoved(a sweepMoved) tea.Cmd {
	if a.n != m.sweep.n || !m.sweep.running {
		return nil
	}
	m.sweep.progress = a.progress
	return m.asks.followSweep(a.n, a.feed)
}

func (m *Model) onSweepEnded(a sweepEnded) tea.Cmd {
	s := &m.sweep
	if a.n != s.n {
		return nil
	}
	s.stop()
	s.running, s.stopping, s.progress, s.report, s.err = false, false, a.progress, a.report, a.err
	if a.err == nil {
		s.progress.contradicted = a.report.ContradictedKeys
	}
	if s.marked {
		for _, item := range s.plan.Items {
			if !a.asked[item.OpKey] {
				m.marks.add(item.OpKey)
				s.back++
			}
		}
	}
	if _, watched := m.over.(*sweepView); !watched {
		m.status = m.sweepResult()
	}
	return m.refresh()
}

// stopSweep ends the sweep after the question under way.
func (m *Model) stopSweep() {
	if m.sweep.running {
		m.sweep.stopping = true
		m.sweep.stop()
	}
}
