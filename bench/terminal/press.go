package terminal

import (
	"time"

	uv "github.com/charmbracelet/ultraviolet"
)

// Press is what one key did to the screen.
type Press struct {
	Settled time.Duration // from the key to the last output of its burst that changed the screen
	Bytes   int           // written from the key until it was quiet
	Changed bool          // false: the picture stayed as it was
	Done    bool          // the screen came to what was wanted
}

// Measures of a press. A burst ends with a pause: what comes later is not the key's.
const (
	settle = 60 * time.Millisecond
	pause  = 50 * time.Millisecond
	most   = time.Second
)

// Press sends a key and sees what it does, until the screen is as wanted and quiet; nil
// wants nothing. Rows above skip (the header, whose counts change by themselves) count
// for nothing.
func (t *Terminal) Press(key string, skip int, wanted func(screen string) bool) (Press, error) {
	w := watched{t: t, skip: skip, shown: t.look(skip), from: time.Now(), wanted: wanted}
	written := t.written
	if _, err := t.line.WriteString(key); err != nil {
		return Press{}, err
	}
	for more := true; more && time.Since(w.from) < most; {
		wait := settle
		switch {
		case wanted != nil && !w.Done:
			wait = most
		case wanted == nil && !w.Changed:
			wait = most / 4
		}
		p, ok := t.next(wait)
		if w.came = append(w.came, p); ok && len(t.output) > 0 {
			continue
		}
		w.draw()
		more = ok
	}
	if t.ended {
		return Press{}, ErrEnded
	}
	w.Bytes = t.written - written
	return w.Press, nil
}

// watched is a screen after a key.
type watched struct {
	Press
	t      *Terminal
	skip   int
	shown  []uv.Cell
	came   []piece
	from   time.Time
	last   time.Time // of the burst's last change so far
	over   bool      // the burst is over: it was as wanted, and then paused
	wanted func(string) bool
}

// draw draws what has come, and notes when it last changed the screen.
func (w *watched) draw() {
	for _, p := range w.came {
		w.t.draw(p)
		after := w.t.look(w.skip)
		if same(w.shown, after) {
			continue
		}
		w.shown = after
		w.over = w.over || w.Done && p.at.Sub(w.last) > pause
		if !w.over {
			w.last, w.Changed, w.Settled = p.at, true, p.at.Sub(w.from)
		}
		w.Done = w.Done || w.wanted == nil || w.wanted(w.t.Text())
	}
	w.came = w.came[:0]
}
