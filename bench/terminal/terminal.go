// Package terminal runs a program on a pseudo-terminal and says when its screen
// changed. What the program writes is stamped with the time at which it was read and
// drawn afterwards by an emulator, so that a text is found where a person would see
// it, and drawing is charged to nobody.
package terminal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// Terminal is a pseudo-terminal with a program on it. One goroutine uses it.
type Terminal struct {
	cmd     *exec.Cmd
	line    *os.File
	screen  *vt.Emulator
	output  chan piece
	replies sync.WaitGroup
	started time.Time
	written int // bytes of output so far
	ended   bool
}

type piece struct {
	at   time.Time
	text []byte
}

// ErrEnded says that the program has ended.
var ErrEnded = errors.New("the program has ended")

// Start runs a program on a terminal of that size, in an environment of its own.
func Start(ctx context.Context, width, height int, environ []string, command ...string) (*Terminal, error) {
	t := &Terminal{
		cmd:    exec.CommandContext(ctx, command[0], command[1:]...), //nolint:gosec // running what it is told is what it is for
		screen: vt.NewEmulator(width, height), output: make(chan piece, 1024),
	}
	t.cmd.Env = append([]string{"TERM=xterm-256color", "LANG=C.UTF-8", "PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}, environ...)
	t.started = time.Now()
	line, err := pty.StartWithSize(t.cmd, &pty.Winsize{Rows: uint16(height), Cols: uint16(width)}) //nolint:gosec // terminals are small
	if err != nil {
		return nil, fmt.Errorf("%s on a pseudo-terminal: %w", command[0], err)
	}
	t.line = line
	t.replies.Go(func() { _, _ = io.Copy(line, t.screen) }) // answers to the program's questions
	go t.read()
	return t, nil
}

func (t *Terminal) read() {
	defer close(t.output)
	for {
		text := make([]byte, 64<<10)
		n, err := t.line.Read(text)
		if n > 0 {
			t.output <- piece{time.Now(), text[:n]}
		}
		if err != nil {
			return
		}
	}
}

// PID is the program's process.
func (t *Terminal) PID() int { return t.cmd.Process.Pid }

// Written is how many bytes the program has written, as far as they were looked at.
func (t *Terminal) Written() int { return t.written }

// Close sends the keys by which the program is left, and kills it when it stays.
func (t *Terminal) Close(keys string) {
	_, _ = t.line.WriteString(keys)
	late := time.AfterFunc(3*time.Second, func() { _ = t.cmd.Process.Signal(syscall.SIGKILL) })
	for range t.output {
	}
	_ = t.cmd.Wait()
	late.Stop()
	_ = t.line.Close()
	if c, ok := t.screen.InputPipe().(io.Closer); ok {
		_ = c.Close()
	}
	t.replies.Wait()
}

// next is the next piece of output, within so long; ok is false when none came.
func (t *Terminal) next(within time.Duration) (p piece, ok bool) {
	if t.ended {
		return piece{}, false
	}
	select { // what has come is taken without a timer
	case p, ok = <-t.output:
		t.ended = !ok
	default:
		timer := time.NewTimer(max(within, 0))
		defer timer.Stop()
		select {
		case p, ok = <-t.output:
			t.ended = !ok
		case <-timer.C:
		}
	}
	t.written += len(p.text)
	return p, ok
}

func (t *Terminal) draw(p piece) { _, _ = t.screen.Write(p.text) }

// Until draws until the screen is as wanted and returns how long after the program's
// start the output came that made it so.
func (t *Terminal) Until(what string, within time.Duration, wanted func(screen string) bool) (time.Duration, error) {
	at, err := t.UntilSince(t.started, what, within, wanted)
	return at, err
}

// UntilSince is Until, but from an instant on: less than 0 where the screen came
// before it.
func (t *Terminal) UntilSince(from time.Time, what string, within time.Duration, wanted func(screen string) bool) (time.Duration, error) {
	end := time.Now().Add(within)
	if wanted(t.Text()) {
		return 0, nil
	}
	for {
		p, ok := t.next(time.Until(end))
		switch {
		case ok:
		case t.ended:
			return 0, fmt.Errorf("waited for %s: %w. The screen:\n%s", what, ErrEnded, t.Text())
		default:
			return 0, fmt.Errorf("waited %v for %s. The screen:\n%s", within, what, t.Text())
		}
		t.draw(p)
		if wanted(t.Text()) {
			return p.at.Sub(from), nil
		}
	}
}

// Quiet draws until nothing has come for so long, or until the limit.
func (t *Terminal) Quiet(still, limit time.Duration) {
	end := time.Now().Add(limit)
	for time.Now().Before(end) {
		p, ok := t.next(min(still, time.Until(end)))
		if !ok {
			return
		}
		t.draw(p)
	}
}

func (t *Terminal) look(skip int) []uv.Cell {
	width := t.screen.Width()
	cells := make([]uv.Cell, 0, width*t.screen.Height())
	for y := skip; y < t.screen.Height(); y++ {
		for x := range width {
			if c := t.screen.CellAt(x, y); c != nil {
				cells = append(cells, *c)
			} else {
				cells = append(cells, uv.EmptyCell)
			}
		}
	}
	return cells
}

func same(a, b []uv.Cell) bool {
	for i := range a {
		if a[i].Content != b[i].Content || !a[i].Style.Equal(&b[i].Style) {
			return false
		}
	}
	return true
}

// Text is the screen, a line each, without spaces at the ends of lines.
func (t *Terminal) Text() string {
	var out strings.Builder
	var line bytes.Buffer
	for y := range t.screen.Height() {
		line.Reset()
		for x := range t.screen.Width() {
			switch c := t.screen.CellAt(x, y); {
			case c == nil || c.Content == "" && c.Width == 1:
				line.WriteByte(' ')
			default:
				line.WriteString(c.Content)
			}
		}
		out.Write(bytes.TrimRight(line.Bytes(), " "))
		out.WriteByte('\n')
	}
	return out.String()
}
