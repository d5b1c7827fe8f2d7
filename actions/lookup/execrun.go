package lookup

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"time"
)

const (
	maxPrinted = 1 << 20  // bytes of standard output
	maxStderr  = 16 << 10 // bytes of standard error that are kept; what follows is read and dropped
	// lastGrace is how long a program that was asked to end may take before it is killed.
	lastGrace = 100 * time.Millisecond
)

// ran is what running a program came to.
type ran struct {
	stdout  []byte
	stderr  []byte
	tooMuch bool // stdout went on past what was read
	code    int
	failure *failure // it did not come to its own end, or printed too much
}

// run runs a program and waits until it has ended *and* everyone who could still print
// for it has: a helper that it left behind may hold the pipe, and what it would print
// belongs to the answer. When the context ends, the whole process group is asked to end
// and killed soon after. No terminal is handed on.
func run(ctx context.Context, argv, env []string, stdin []byte) ran {
	if f := givenUp(ctx, ctx.Err()); f != nil {
		return ran{failure: f}
	}
	cmd := exec.Command(argv[0], argv[1:]...) //nolint:gosec,noctx // the operator's own command; the context ends its whole group below
	cmd.Env, cmd.Dir = env, string(os.PathSeparator)
	cmd.Stdin = bytes.NewReader(stdin)
	cmd.WaitDelay = lastGrace // for a question that nobody reads and somebody holds
	detach(cmd)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return ran{failure: fail("not_started", "The program could not be started.")}
	}
	aside, err := cmd.StderrPipe()
	if err != nil {
		return ran{failure: fail("not_started", "The program could not be started.")}
	}
	if err := cmd.Start(); err != nil {
		return ran{failure: notStarted(err)}
	}
	p := &process{cmd: cmd, out: out, aside: aside, read: make(chan struct{}), full: make(chan struct{})}
	go p.listen()
	return p.await(ctx)
}

func notStarted(err error) *failure {
	f := fail("not_started", "The program could not be started.")
	if cause := systemWord(err); cause != "" {
		f.text = "The program could not be started: " + cause + "."
	}
	return f
}

// systemWord is the system's own word for an error, without paths.
func systemWord(err error) string {
	var path *os.PathError
	switch {
	case errors.As(err, &path):
		return path.Err.Error()
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, os.ErrNotExist):
		return "it is not there"
	case errors.Is(err, os.ErrPermission):
		return "permission denied"
	}
	return ""
}

// process is a program that was started.
type process struct {
	cmd        *exec.Cmd
	out, aside io.ReadCloser
	read       chan struct{} // closed when both pipes are at their end
	full       chan struct{} // closed when there is more output than is read
	ran        ran
}

// listen reads both pipes to their ends.
func (p *process) listen() {
	defer close(p.read)
	errs := make(chan []byte)
	go func() {
		kept, _ := io.ReadAll(io.LimitReader(p.aside, maxStderr)) // what came before an error is kept
		_, _ = io.Copy(io.Discard, p.aside)                       // so that the program is never held up by it
		errs <- kept
	}()
	printed, _ := io.ReadAll(io.LimitReader(p.out, maxPrinted+1)) // the pipe ends with the program, or is closed
	p.ran.stdout = printed[:min(len(printed), maxPrinted)]
	if len(printed) > maxPrinted {
		p.ran.tooMuch = true
		close(p.full)
	}
	p.ran.stderr = <-errs
}

// await waits for the program's end or brings it about.
func (p *process) await(ctx context.Context) ran {
	var err error
	ended := make(chan struct{})
	select {
	case <-p.read:
		go func() {
			defer close(ended)
			err = p.cmd.Wait() // both pipes are read, and Wait may close them
		}()
	case <-p.full:
		p.stop()
		_ = p.cmd.Wait() // it was killed
		p.ran.failure = fail("too_large", "The program printed more than %d bytes.", maxPrinted)
		return p.ran
	case <-ctx.Done():
		p.stop()
		_ = p.cmd.Wait() // it was killed
		p.ran.failure = lateProgram(ctx)
		return p.ran
	}
	select {
	case <-ended:
		p.conclude(err)
	case <-ctx.Done():
		kill(p.cmd)
		<-ended
		p.ran.failure = lateProgram(ctx)
	}
	return p.ran
}

// stop ends the whole group, and closes the pipes: somebody who left the group may
// still hold them.
func (p *process) stop() {
	end(p.cmd)
	last := time.NewTimer(lastGrace)
	defer last.Stop()
	select {
	case <-p.read:
	case <-last.C:
	}
	kill(p.cmd)
	p.out.Close()
	p.aside.Close()
	<-p.read
}

func lateProgram(ctx context.Context) *failure {
	f := givenUp(ctx, ctx.Err())
	if f.cause == "timeout" {
		f.text = "The program, or a helper that it left behind, had not ended in time, and was killed."
	}
	return f
}

// conclude reads how the program ended.
func (p *process) conclude(err error) {
	p.ran.code = p.cmd.ProcessState.ExitCode()
	var exit *exec.ExitError
	switch {
	case p.ran.code < 0:
		p.ran.failure = fail("killed", "The program was ended by a signal: %s.", p.cmd.ProcessState.String())
	case err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay): // the last: somebody holds the question unread
		p.ran.failure = fail("killed", "How the program ended could not be found out.")
	}
}
