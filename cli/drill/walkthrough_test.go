package drill

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestTheWalkStopsAtAnExitCodeThatIsNotDue(t *testing.T) {
	var out bytes.Buffer
	w := walker{scene: &Scene{LedgerPath: "/tmp/my drill/ledger.db"}, run: func(...string) int { return 4 }, out: &telling{out: &out}}
	err := w.expect(exitDone, "note", "it's", "--reason", "")
	if err == nil || !strings.Contains(err.Error(), "exit code 4; 0 was due") {
		t.Errorf("got %v, want an error that names both codes", err)
	}
	want := "\n$ triage --db '/tmp/my drill/ledger.db' note 'it'\\''s' --reason ''\n(exit code 4)\n"
	if out.String() != want {
		t.Errorf("showed %q, want %q", out.String(), want)
	}
	if err := w.expect(4, "note"); err != nil {
		t.Errorf("the code that was due: %v", err)
	}
}

func TestAnInterruptedWalkSaysThatItWasInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	run := func(...string) int {
		stop()
		return 1 // as a command does that was told to stop
	}
	err := Walk(ctx, &Scene{LedgerPath: "ledger.db"}, run, io.Discard)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
}
