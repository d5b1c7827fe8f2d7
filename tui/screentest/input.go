package screentest

import (
	"io"
	"sync"
)

// input is a keyboard line without a bound: whoever types never waits for the
// program, so that the two cannot wait for each other.
type input struct {
	mu     sync.Mutex
	more   *sync.Cond
	queued []byte
	closed bool
}

func newInput() *input {
	i := &input{}
	i.more = sync.NewCond(&i.mu)
	return i
}

func (i *input) Write(p []byte) (int, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.closed {
		return 0, io.ErrClosedPipe
	}
	i.queued = append(i.queued, p...)
	i.more.Broadcast()
	return len(p), nil
}

func (i *input) Read(p []byte) (int, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for len(i.queued) == 0 && !i.closed {
		i.more.Wait()
	}
	if len(i.queued) == 0 {
		return 0, io.EOF
	}
	n := copy(p, i.queued)
	i.queued = i.queued[n:]
	return n, nil
}

func (i *input) close() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.closed = true
	i.more.Broadcast()
}
