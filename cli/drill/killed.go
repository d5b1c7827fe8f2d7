package drill

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"triage/ledger"
	"triage/ledger/sqlite"
)

// senderVariable tells a process that it was started to be a sender. What it
// holds is no secret; the job itself comes on standard input.
const senderVariable = "TRIAGE_DRILL_SENDER"

// startsSenders is set once SenderMain has run: this program knows how to be a
// sender when it is started again.
var startsSenders bool

// job is what a sender in a process of its own is to deliver.
type job struct {
	Ledger  string
	Name    string
	URL     string
	Token   string
	Timeout time.Duration
	Intent  ledger.NewIntent
	Body    []byte
}

// SenderMain must be the first thing that main, or a TestMain, calls in every
// program that builds a scene: the drill starts its own program again as the
// sender that is going to be killed. In that process it delivers and exits; in
// any other it returns at once.
func SenderMain() {
	startsSenders = true
	if os.Getenv(senderVariable) == "" {
		return
	}
	if err := deliverJob(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func deliverJob(ctx context.Context) error {
	var j job
	if err := json.NewDecoder(os.Stdin).Decode(&j); err != nil {
		return fmt.Errorf("read what to deliver: %w", err)
	}
	books, err := sqlite.Open(ctx, j.Ledger, sqlite.Options{})
	if err != nil {
		return err
	}
	sender := Sender{Books: books, Name: j.Name, URL: j.URL, Token: j.Token, Timeout: j.Timeout}
	_, err = sender.Deliver(ctx, j.Intent, j.Body)
	return errors.Join(err, books.Close())
}

// killAfterCommit starts a sender as a process of its own and kills it, with a
// signal that nothing can catch, when lost says that the receiver has committed.
// The sender is then between its attempt's row and the row's result.
func killAfterCommit(ctx context.Context, j job, lost <-chan struct{}) error {
	if !startsSenders {
		return errors.New("this program can't start a sender: it must call drill.SenderMain first thing")
	}
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program to start it as a sender: %w", err)
	}
	input, err := json.Marshal(j)
	if err != nil {
		return fmt.Errorf("write down what to deliver: %w", err)
	}
	var said bytes.Buffer
	child := exec.CommandContext(ctx, program) //nolint:gosec // this very program
	child.Env = append(os.Environ(), senderVariable+"=1")
	child.Stdin = bytes.NewReader(input)
	child.Stderr = &said
	if err := child.Start(); err != nil {
		return fmt.Errorf("start the sender that is going to be killed: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- child.Wait() }()
	select {
	case <-lost:
	case err := <-ended:
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("the sender that was going to be killed ended by itself: %w: %s", err, said.String())
	}
	killed := child.Process.Kill()
	if err := <-ended; err == nil {
		return errors.New("the sender came to its end before it could be killed")
	}
	switch {
	case ctx.Err() != nil: // it was killed with everything else
		return ctx.Err()
	case killed != nil:
		return fmt.Errorf("kill the sender: %w", killed)
	}
	return nil
}
