package drill

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"triage/actions"
	"triage/ledger"
)

// errGone is what a writer says whose reader has gone.
var errGone = errors.New("nobody reads any more")

// leaving takes so many bytes and then fails, as a pipe does whose reader ends.
type leaving struct{ room int }

func (w *leaving) Write(p []byte) (int, error) {
	if len(p) <= w.room {
		w.room -= len(p)
		return len(p), nil
	}
	n := w.room
	w.room = 0
	return n, errGone
}

func TestABuildThatNobodyReadsLeavesNothing(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	for _, room := range []int{0, 20, 60} { // in the first line, and in the second
		if _, err := Build(t.Context(), "", &leaving{room}); !errors.Is(err, errGone) {
			t.Errorf("after %d bytes: %v, want %v", room, err, errGone)
		}
	}
	named := filepath.Join(temp, "named")
	if _, err := Build(t.Context(), named, &leaving{60}); !errors.Is(err, errGone) {
		t.Errorf("in a directory of its own: %v, want %v", err, errGone)
	}
	nothingLeft(t, temp)
}

func nothingLeft(t *testing.T, dir string) {
	t.Helper()
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
}

// Wherever the reader goes, the walk ends there, and no command is run that was
// not shown.
func TestAWalkThatNobodyReadsEnds(t *testing.T) {
	s := &Scene{LedgerPath: "ledger.db"}
	var whole bytes.Buffer
	commands := 0
	run := func(...string) int { commands++; return exitDone }
	_ = Walk(t.Context(), s, run, &whole) // to the first command that should be refused
	if commands < 5 {
		t.Fatalf("the walk ended after %d commands", commands)
	}
	for room := range whole.Len() {
		commands = 0
		if err := Walk(t.Context(), s, run, &leaving{room}); !errors.Is(err, errGone) {
			t.Fatalf("after %d bytes: %v, want %v", room, err, errGone)
		}
		if shown := strings.Count(whole.String()[:room], "\n$ "); commands > shown {
			t.Fatalf("after %d bytes %d commands were run, and %d shown", room, commands, shown)
		}
	}
}

func TestTwoDrillsAtOnceShareNothing(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	before := goleak.IgnoreCurrent()
	var scenes [2]*Scene
	var building sync.WaitGroup
	for i := range scenes {
		building.Go(func() {
			var err error
			if scenes[i], err = Build(t.Context(), "", io.Discard); err != nil {
				t.Error(err)
			}
		})
	}
	building.Wait()
	if t.Failed() {
		t.FailNow()
	}
	one, other := scenes[0], scenes[1]
	settle(t, one, acmeReport)
	for s, want := range map[*Scene]string{one: "1 of 10 settled, 0 duplicates, 0 lost", other: "0 of 10 settled, 0 duplicates, 0 lost"} {
		var out bytes.Buffer
		if err := s.Debrief(t.Context(), &out); err != nil || !strings.HasSuffix(out.String(), "\n"+want+"\n") {
			t.Errorf("%v, want %q at the end of\n%s", err, want, out.String())
		}
		if err := s.Debrief(t.Context(), &leaving{out.Len() / 2}); !errors.Is(err, errGone) {
			t.Errorf("a debrief that nobody reads: %v, want %v", err, errGone)
		}
		for range 2 { // closing twice does no harm
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	nothingLeft(t, temp)
	goleak.VerifyNone(t, before)
}

// settle looks one delivery up and wants it DELIVERED.
func settle(t *testing.T, s *Scene, key string) {
	t.Helper()
	desk, err := s.world.desk()
	if err != nil {
		t.Fatal(err)
	}
	done, err := desk.Lookup(t.Context(), key)
	if err != nil || done.Item.Intent.State != ledger.Delivered {
		t.Fatalf("%s is %s (%v), want DELIVERED", key, done.Item.Intent.State, err)
	}
}

// Told to stop at whatever moment, a drill that is still being prepared takes
// everything with it: files, processes and goroutines.
func TestABuildThatIsStoppedLeavesNothing(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	before := goleak.IgnoreCurrent()
	var building sync.WaitGroup
	for i, after := range []time.Duration{0, 20 * time.Millisecond, 100 * time.Millisecond, 300 * time.Millisecond, time.Second} {
		for _, dir := range []string{"", filepath.Join(temp, "named"+string(rune('a'+i)))} {
			building.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), after)
				defer cancel()
				// No build is that fast: it waits until its killed sender counts as stuck.
				if _, err := Build(ctx, dir, io.Discard); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("stopped after %v: %v, want %v", after, err, context.DeadlineExceeded)
				}
			})
		}
	}
	building.Wait()
	nothingLeft(t, temp)
	goleak.VerifyNone(t, before)
}

func TestOfTwoDrillsInOneDirectoryOneIsRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "drill")
	const drills = 8
	var claiming sync.WaitGroup
	got := make([]error, drills)
	for i := range drills {
		claiming.Go(func() { _, got[i] = claimPlace(dir) })
	}
	claiming.Wait()
	claimed := 0
	for _, err := range got {
		if err == nil {
			claimed++
		} else if !strings.Contains(err.Error(), "is not empty") {
			t.Errorf("%v, want a refusal that says why", err)
		}
	}
	if claimed != 1 {
		t.Errorf("%d drills got the directory, want 1", claimed)
	}
}

func TestWhatOthersPutThereIsNotRemoved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "drill")
	p, err := claimPlace(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{ledgerFile, "letter.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.undo(); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 || left[0].Name() != "letter.txt" {
		t.Errorf("left: %v (%v), want the letter alone", left, err)
	}
}

// What operators decide is sent by the courier, once: a retry under the same key,
// and a refused content is refused under any key.
func TestTheCourierSendsWhatWasDecided(t *testing.T) {
	t.Parallel()
	s := buildScene(t, "")
	desk, err := s.world.desk()
	if err != nil {
		t.Fatal(err)
	}
	seen := func(key string) actions.Request {
		done, err := desk.Lookup(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		return actions.Request{OpKey: key, Seen: done.Item.Seen(), Reason: "the receiver has nothing"}
	}
	if _, err := desk.Retry(t.Context(), seen(initechReport)); err != nil {
		t.Fatal(err)
	}
	if _, err := desk.Reissue(t.Context(), actions.ReissueRequest{Request: seen(refusedInvoice)}); err != nil {
		t.Fatal(err)
	}
	if _, err := desk.Close(t.Context(), seen(umbrellaReport)); err != nil {
		t.Fatal(err)
	}
	// Left at once: the debrief waits for what was decided.
	var out bytes.Buffer
	if err := s.Debrief(t.Context(), &out); err != nil {
		t.Fatal(err)
	}

	h := historyOf(t, s.world.books, initechReport)
	d, found, err := s.Receiver.Get(t.Context(), initechReport)
	if err != nil || !found || h.Intent.State != ledger.Delivered || h.Intent.Receipt != d.Receipt || h.Intent.Superseded() {
		t.Errorf("%s is %s with receipt %q; the receiver has %+v (%v)", initechReport, h.Intent.State, h.Intent.Receipt, d, err)
	}
	if len(h.Attempts) != 2 || h.Attempts[1].Outcome != ledger.OutcomeDelivered || h.Attempts[1].N != 2 {
		t.Errorf("attempts %+v, want a second one that delivered", h.Attempts)
	}
	if n, err := s.Receiver.Copies(t.Context(), h.Intent.PayloadSHA256); err != nil || n != 1 {
		t.Errorf("the receiver has it %d times (%v), want once", n, err)
	}
	for _, want := range []string{
		"✓ weekly-report-initech   Sent again under its key; the receiver has it once.\n",
		"– invoice-4711            Refused again under a new key; closing was enough.\n",
		"– weekly-report-umbrella  Never delivered: a new intent was still possible.\n",
		"\n3 of 10 settled, 0 duplicates, 1 lost: weekly-report-umbrella\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the debrief does not say %q:\n%s", want, out.String())
		}
	}
}
