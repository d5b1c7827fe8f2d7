package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"triage/actions"
	"triage/actions/wording"
	"triage/ledger"
)

// readTimeout bounds one read: past it the screen says that it is stale.
const readTimeout = 10 * time.Second

// asks are the screen's commands. They do the I/O, know nothing of the model,
// and come back with messages.
type asks struct {
	acts  Acts
	ctx   context.Context // ends when the screen is left
	clock func() time.Time
	timer func(time.Duration, func(time.Time) tea.Msg) tea.Cmd // tea.Tick
	work  *work
}

// doing is an act with everything filled in.
type doing func(ctx context.Context, acts Acts) (actions.Done, error)

func (a asks) tick(every time.Duration) tea.Cmd {
	return a.timer(every, func(at time.Time) tea.Msg { return ticked{at} })
}

func (a asks) checkChanges() tea.Msg {
	ctx, cancel := context.WithTimeout(a.ctx, readTimeout)
	defer cancel()
	changed, err := a.acts.Changed(ctx)
	return changesChecked{changed: changed, err: err}
}

func (a asks) readQueue(r queueRequest) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(a.ctx, readTimeout)
		defer cancel()
		answer := r.read(ctx, a.acts, ledger.At(a.clock()))
		if answer.err == nil {
			answer.counts, answer.err = a.acts.Counts(ctx)
		}
		answer.at = ledger.At(a.clock())
		return answer
	}
}

func (a asks) readItem(key string) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(a.ctx, readTimeout)
		defer cancel()
		item, err := a.acts.Item(ctx, key)
		return itemRead{key: key, item: item, err: err}
	}
}

// lookUp goes on when the screen is left; Run waits for it.
func (a asks) lookUp(key string) tea.Cmd {
	return func() tea.Msg {
		job := a.work.begin("the lookup of "+wording.Safe(key), key)
		if job == nil {
			return nil
		}
		defer job.end()
		done, err := a.acts.Lookup(a.work.ctx, key)
		job.done = true
		return lookupEnded{key: key, done: done, err: err}
	}
}

// perform does what was confirmed. It too goes on when the screen is left.
func (a asks) perform(act act) tea.Cmd {
	return func() tea.Msg {
		job := a.work.begin("the act \""+actWords[act.name].title+"\" for "+wording.Safe(act.key), act.key)
		if job == nil {
			return nil
		}
		defer job.end()
		done, err := act.do(a.work.ctx, a.acts)
		job.done = true
		return actEnded{act: act, done: done, err: err}
	}
}

func (a asks) recheck(dialog int, key string) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(a.ctx, readTimeout)
		defer cancel()
		permission, err := a.acts.Recheck(ctx, key)
		return permissionRechecked{dialog: dialog, permission: permission, err: err}
	}
}
