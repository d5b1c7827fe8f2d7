package tui

import (
	"context"
	"slices"
	"sync"

	tea "charm.land/bubbletea/v2"
)

// work counts acts that are under way. Leaving the screen does not abort them: a
// lookup's answer belongs in the ledger, whoever is still looking.
type work struct {
	mu      sync.Mutex
	running map[string]int // what is being done, in words
	idle    chan struct{}  // closed while nothing runs
	closed  bool           // nothing may begin any more
	broke   []*job         // ended in a panic: nobody knows how far they came
	unsaid  []*job         // ended, and what came of them was not shown yet
	ctx     context.Context
	abort   context.CancelFunc

	// unhurried ends as soon as the screen is left: what goes on step by step ends
	// with the step under way.
	unhurried context.Context
	halt      context.CancelFunc
}

func newWork(ctx context.Context) *work {
	w := &work{running: map[string]int{}, idle: make(chan struct{})}
	close(w.idle)
	w.ctx, w.abort = context.WithCancel(context.WithoutCancel(ctx))
	w.unhurried, w.halt = context.WithCancel(w.ctx)
	return w
}

// job is one act that is under way.
type job struct {
	of   *work
	what string // in words, with its key
	key  string // "" for what is about many
	done bool   // it came back; what did not, and ended, panicked
}

// begin notes that something is under way. It returns nil once the screen has been
// left: too late to begin.
func (w *work) begin(what, key string) *job {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil
	}
	if len(w.running) == 0 {
		w.idle = make(chan struct{})
	}
	w.running[what]++
	return &job{of: w, what: what, key: key}
}

// end notes that the job has ended, one way or the other.
func (j *job) end() {
	w := j.of
	w.mu.Lock()
	defer w.mu.Unlock()
	if j.done {
		w.unsaid = append(w.unsaid, j)
	} else {
		w.broke = append(w.broke, j)
	}
	if w.running[j.what]--; w.running[j.what] == 0 {
		delete(w.running, j.what)
	}
	if len(w.running) == 0 {
		close(w.idle)
	}
}

// shown notes that the screen has taken in what came of a job.
func (w *work) shown(msg tea.Msg) {
	key := ""
	switch msg := msg.(type) {
	case lookupEnded:
		key = msg.key
	case actEnded:
		key = msg.act.key
	case sweepEnded:
	default:
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unsaid = slices.DeleteFunc(w.unsaid, func(j *job) bool { return j.key == key })
}

// account lists the jobs that broke off, and those that ended without the screen
// having shown what came of them.
func (w *work) account() (broke, unsaid []*job) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.broke), slices.Clone(w.unsaid)
}

// leave lets nothing more begin. It lists what is still under way, and returns a
// channel that is closed when nothing is.
func (w *work) leave() ([]string, <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	w.halt()
	var names []string
	for what := range w.running {
		names = append(names, what)
	}
	return names, w.idle
}
