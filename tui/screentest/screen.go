// Package screentest runs a whole terminal program on an emulated terminal, for
// tests and for pictures: it types, waits for what is to be seen, and reads the
// cells. It never looks at raw output, which is made of differences, and it never
// sleeps: it waits until the screen shows something.
package screentest

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// Program is what runs on the terminal. It returns when it has ended.
type Program func(in io.Reader, out io.Writer, width, height int) error

// Patience is how long WaitFor waits before it fails: long, because a slow machine
// is no failure.
const Patience = time.Minute

// Screen is a terminal with a program on it.
type Screen struct {
	t    testing.TB
	term *vt.Emulator
	in   *input
	done chan error

	mu      sync.Mutex    // guards the emulator too
	changed chan struct{} // closed at the next output
	raw     []byte
	modes   map[ansi.Mode]bool // those that the program has set
}

// Start runs a program on a terminal of that size. The test's end stops it with
// ctrl+c and the end of its input.
func Start(t testing.TB, width, height int, p Program) *Screen {
	t.Helper()
	s := newScreen(t, width, height)
	// A program without a terminal sends bare line feeds; make them line ends.
	if _, err := s.term.Write([]byte("\x1b[20h")); err != nil {
		t.Fatal(err)
	}
	s.run(p)
	return s
}

func newScreen(t testing.TB, width, height int) *Screen {
	s := &Screen{
		t: t, term: vt.NewEmulator(width, height), in: newInput(),
		done: make(chan error, 1), changed: make(chan struct{}), modes: map[ansi.Mode]bool{},
	}
	s.term.SetCallbacks(vt.Callbacks{ // they come while output is written, under the lock
		EnableMode:  func(m ansi.Mode) { s.modes[m] = true },
		DisableMode: func(m ansi.Mode) { s.modes[m] = false },
	})
	return s
}

// run runs the program until it ends or the test does.
func (s *Screen) run(p Program) {
	t := s.t
	width, height := s.term.Width(), s.term.Height()
	var replies sync.WaitGroup
	replies.Go(func() { _, _ = io.Copy(s.in, s.term) }) // the terminal's answers to queries
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.done <- p(s.in, output{s}, width, height)
	}()
	t.Cleanup(func() {
		_, _ = s.in.Write([]byte(keys["ctrl+c"]))
		s.in.close()
		select {
		case <-ended:
		case <-time.After(Patience):
			t.Errorf("the program did not end with ctrl+c. The screen:\n%s", s.Text())
		}
		// Only the pipe's writing end may be closed while the copy reads.
		if c, ok := s.term.InputPipe().(io.Closer); ok {
			_ = c.Close()
		}
		replies.Wait()
	})
}

// output is the program's side of the terminal.
type output struct{ s *Screen }

func (o output) Write(p []byte) (int, error) {
	o.s.mu.Lock()
	defer o.s.mu.Unlock()
	n, err := o.s.term.Write(p)
	o.s.raw = append(o.s.raw, p...)
	close(o.s.changed)
	o.s.changed = make(chan struct{})
	return n, err
}

// Type sends text as a person types it.
func (s *Screen) Type(text string) { s.send(text) }

// Paste sends text as a terminal sends a paste.
func (s *Screen) Paste(text string) { s.send("\x1b[200~" + text + "\x1b[201~") }

// Resize makes the terminal another size and tells the program.
func (s *Screen) Resize(width, height int) {
	s.mu.Lock()
	s.term.Resize(width, height)
	s.mu.Unlock()
	s.send(fmt.Sprintf("\x1b[48;%d;%d;0;0t", height, width))
}

// keys are what terminals send for keys that are no characters. Escape goes in
// its unambiguous form, so that it never joins with what follows.
var keys = map[string]string{
	"enter": "\r", "esc": "\x1b[27u", "tab": "\t", "shift+tab": "\x1b[Z", "space": " ", "backspace": "\x7f",
	"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D",
	"home": "\x1b[H", "end": "\x1b[F", "pgup": "\x1b[5~", "pgdown": "\x1b[6~",
	"ctrl+c": "\x03", "ctrl+u": "\x15", "ctrl+z": "\x1a",
}

// Press sends keys by name ("enter", "esc", "ctrl+c"), or as the character they
// are.
func (s *Screen) Press(names ...string) {
	for _, name := range names {
		if sequence, ok := keys[name]; ok {
			s.send(sequence)
			continue
		}
		s.send(name)
	}
}

func (s *Screen) send(text string) {
	if _, err := s.in.Write([]byte(text)); err != nil {
		s.t.Errorf("typing %q: %v", text, err)
	}
}

// WaitFor waits until the screen shows the text, and fails the test with the
// screen if it never does.
func (s *Screen) WaitFor(text string) {
	s.t.Helper()
	s.WaitUntil(fmt.Sprintf("the screen to show %q", text), func(screen string) bool { return strings.Contains(screen, text) })
}

// WaitGone waits until the screen shows the text no longer.
func (s *Screen) WaitGone(text string) {
	s.t.Helper()
	s.WaitUntil(fmt.Sprintf("%q to go away", text), func(screen string) bool { return !strings.Contains(screen, text) })
}

// WaitUntil waits until the screen is as wanted.
func (s *Screen) WaitUntil(what string, wanted func(screen string) bool) {
	s.t.Helper()
	late := time.NewTimer(Patience)
	defer late.Stop()
	for {
		s.mu.Lock()
		changed := s.changed
		s.mu.Unlock()
		if wanted(s.Text()) {
			return
		}
		select {
		case <-changed:
		case <-late.C:
			s.t.Fatalf("waited %v for %s. The screen:\n%s", Patience, what, s.Text())
		}
	}
}

// Ended waits until the program has ended and returns its error.
func (s *Screen) Ended() error {
	s.t.Helper()
	select {
	case err := <-s.done:
		s.done <- err
		return err
	case <-time.After(Patience):
		s.t.Fatalf("waited %v for the program to end. The screen:\n%s", Patience, s.Text())
		return nil
	}
}

// Text is the screen as text, a line each, without spaces at the ends of lines.
func (s *Screen) Text() string {
	var out strings.Builder
	for _, row := range s.Cells() {
		var line strings.Builder
		for _, c := range row {
			line.WriteString(c.Content)
		}
		out.WriteString(strings.TrimRight(line.String(), " "))
		out.WriteByte('\n')
	}
	return out.String()
}

// Cells are the screen's cells, row by row. The second cell of a wide character
// has no content.
func (s *Screen) Cells() [][]uv.Cell {
	s.mu.Lock()
	defer s.mu.Unlock()
	rows := make([][]uv.Cell, s.term.Height())
	for y := range rows {
		rows[y] = make([]uv.Cell, s.term.Width())
		for x := range rows[y] {
			cell := s.term.CellAt(x, y)
			switch {
			case cell == nil:
				rows[y][x] = uv.Cell{Content: " ", Width: 1}
			case cell.Content == "" && cell.Width == 1:
				rows[y][x] = *cell
				rows[y][x].Content = " "
			case cell.Width == 0 && x > 0: // the rest of a wide character looks as it does
				rows[y][x] = uv.Cell{Style: rows[y][x-1].Style}
			default:
				rows[y][x] = *cell
			}
		}
	}
	return rows
}

// Raw is everything that the program has sent so far.
func (s *Screen) Raw() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]byte(nil), s.raw...)
}

// OnAltScreen says whether the program has the alternate screen.
func (s *Screen) OnAltScreen() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.term.IsAltScreen()
}

// CursorHidden says whether the program has hidden the cursor.
func (s *Screen) CursorHidden() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.term.CursorHidden()
}

// PasteBracketed says whether the program has asked for pastes to be marked as such.
func (s *Screen) PasteBracketed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.modes[ansi.ModeBracketedPaste]
}
