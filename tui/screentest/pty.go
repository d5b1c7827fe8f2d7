package screentest

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"

	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"
)

// Terminal is a Screen whose program is a process of its own, on a pseudo-terminal
// that it controls: with line discipline, signals, job control and hangup.
type Terminal struct {
	*Screen
	pty, tty      *os.File
	process       *os.Process
	line          sync.Mutex // over what asks for a file's descriptor and what closes it
	before, after term.State // how the line is set before the program and after it
}

// Command runs a command on a pseudo-terminal of that size. The command must set
// nothing but program, arguments, directory and environment.
func Command(t testing.TB, width, height int, cmd *exec.Cmd) *Terminal {
	t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		t.Skip("this machine has no pseudo-terminals: ", err)
	}
	x := &Terminal{Screen: newScreen(t, width, height), pty: master, tty: slave}
	x.resize(width, height)
	state, err := term.GetState(slave.Fd())
	if err != nil {
		t.Fatal(err)
	}
	x.before = *state
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	x.process = cmd.Process
	x.run(func(in io.Reader, out io.Writer, _, _ int) error { return x.connect(cmd, in, out) })
	return x
}

// connect carries input and output until the command has ended and everything that it
// wrote was shown.
func (x *Terminal) connect(cmd *exec.Cmd, in io.Reader, out io.Writer) error {
	go func() { _, _ = io.Copy(x.pty, in) }() // ends with the input, at the end of the test
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		_, _ = io.Copy(out, x.pty)
	}()
	err := cmd.Wait()
	x.letGo()
	<-drained
	x.HangUp()
	return err
}

// letGo remembers how the line is set and closes it: the last one that has it open, so
// that reading ends.
func (x *Terminal) letGo() {
	x.line.Lock()
	defer x.line.Unlock()
	if state, failed := term.GetState(x.tty.Fd()); failed == nil {
		x.after = *state
	}
	_ = x.tty.Close()
}

// Resize makes the terminal another size, of which the program gets a signal.
func (x *Terminal) Resize(width, height int) {
	x.mu.Lock()
	x.term.Resize(max(width, 1), max(height, 1))
	x.mu.Unlock()
	x.resize(width, height)
}

func (x *Terminal) resize(width, height int) {
	x.line.Lock()
	defer x.line.Unlock()
	size := pty.Winsize{Cols: uint16(width), Rows: uint16(height)} //nolint:gosec // sizes of tests
	if err := pty.Setsize(x.pty, &size); err != nil {
		x.t.Error(err)
	}
}

// HangUp takes the terminal away, as a line that drops does.
func (x *Terminal) HangUp() {
	x.line.Lock()
	defer x.line.Unlock()
	_ = x.pty.Close()
}

// Restored says whether the line is set as it was before the program, now that it has
// ended.
func (x *Terminal) Restored() bool { return x.before == x.after }

// RawLine says whether the line is set otherwise than before the program.
func (x *Terminal) RawLine() bool {
	x.line.Lock()
	defer x.line.Unlock()
	state, err := term.GetState(x.tty.Fd())
	return err == nil && *state != x.before
}

// ExitCode is the command's, once it has ended.
func (x *Terminal) ExitCode() int {
	x.t.Helper()
	var exit *exec.ExitError
	switch err := x.Ended(); {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	default:
		x.t.Fatalf("it did not run: %v", err)
		return -1
	}
}

// Signal sends the program a signal.
func (x *Terminal) Signal(s os.Signal) {
	x.t.Helper()
	if err := x.process.Signal(s); err != nil {
		x.t.Fatal(err)
	}
}
