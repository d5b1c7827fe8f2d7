package sqlite

import (
	"context"
	"fmt"
	"testing"

	"triage/ledger"
)

// roleAttemptAndStall is a sender that is killed between its commit and its call.
func roleAttemptAndStall(ctx context.Context, path string) error {
	db, err := Open(ctx, path, Options{})
	if err != nil {
		return err
	}
	a, err := db.StartAttempt(ctx, ledger.Attempt{OpKey: "k"})
	if err != nil {
		return err
	}
	fmt.Println("committed", a.AttemptID)
	return stall()
}

// An attempt that was committed is there after the sender was killed, and stands in
// the way of another.
func TestAttemptOutlivesItsSender(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path := newLedger(t)
	db, err := Open(ctx, path, Options{})
	must(t, err)
	defer func() { _ = db.Close() }()
	_, err = db.Begin(ctx, newIntent("k"))
	must(t, err)

	cmd := child(t, self(t), "attempt and stall", path)
	stdin, err := cmd.StdinPipe()
	must(t, err)
	defer func() { _ = stdin.Close() }()
	id := startUntil(t, cmd, "committed")
	kill(t, cmd)

	h, err := db.History(ctx, "k", ledger.WallClock())
	must(t, err)
	if len(h.Attempts) != 1 || h.Attempts[0].AttemptID != id || h.Attempts[0].Finished() || h.Intent.Derived.InFlight != id {
		t.Errorf("got attempts %+v and in flight %q, want the open attempt %s", h.Attempts, h.Intent.Derived.InFlight, id)
	}
	if _, err := db.StartAttempt(ctx, ledger.Attempt{OpKey: "k"}); ledger.CodeOf(err) != ledger.AttemptInFlight {
		t.Errorf("a second attempt: got %v, want %s", err, ledger.AttemptInFlight)
	}
	isSound(t, path)
}
