package tui

import (
	"context"
	"sync"
)

// work counts acts that are under way. Leaving the screen does not abort them: a
// lookup's answer belongs in the ledger, whoever is still looking.
type work struct {
	mu      sync.Mutex
	running map[string]int // what is being done, in words
	idle    chan struct{}  // closed while nothing runs
	closed  bool           // nothing may begin any more
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

// begin notes that something is under way; the function it returns, that it
// ended. It returns nil once the screen has been left: too late to begin.
func (w *work) begin(what string) (end func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil
	}
	if len(w.running) == 0 {
		w.idle = make(chan struct{})
	}
	w.running[what]++
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.running[what]--; w.running[what] == 0 {
			delete(w.running, what)
		}
		if len(w.running) == 0 {
			close(w.idle)
		}
	}
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
