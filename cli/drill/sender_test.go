package drill

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"triage/ledger"
)

func newTestLab(t *testing.T) *lab {
	t.Helper()
	l, err := openLab(t.Context(), filepath.Join(t.TempDir(), "lab"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

func deliver(t *testing.T, l *lab, n ledger.NewIntent, body []byte) ledger.Intent {
	t.Helper()
	intent, err := l.sender.Deliver(t.Context(), n, body)
	if err != nil {
		t.Fatal(err)
	}
	return intent
}

func historyOf(t *testing.T, books ledger.Reader, key string) ledger.History {
	t.Helper()
	h, err := books.History(t.Context(), key, ledger.WallClock())
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestWhatTheLedgerSaysAfterADelivery(t *testing.T) {
	l := newTestLab(t)
	l.sender.Timeout = shortTimeout
	for _, c := range []struct {
		name    string
		script  Script
		state   ledger.State
		outcome ledger.Outcome
		cause   string
		records int
	}{
		{"answered", Script{}, ledger.Delivered, ledger.OutcomeDelivered, "", 1},
		{"refused", Script{Refuse: "paid already"}, ledger.Failed, ledger.OutcomeRejected, "http_422", 0},
		{"refused, answer lost", Script{Refuse: "paid already", Lose: LoseByCut}, ledger.Unknown, ledger.OutcomeUnknown, "connection_reset", 0},
		{"committed, answer lost", Script{Lose: LoseByCut}, ledger.Unknown, ledger.OutcomeUnknown, "connection_reset", 1},
		{"committed, silence", Script{Lose: LoseByHang}, ledger.Unknown, ledger.OutcomeUnknown, "timeout", 1},
		{"never processed", Script{Ignore: true, Lose: LoseByCut}, ledger.Unknown, ledger.OutcomeUnknown, "connection_reset", 0},
	} {
		before := countOf(t, l.receiver)
		l.receiver.Script(c.name, c.script)
		intent := deliver(t, l, l.intent(c.name, weeklyReport), weeklyReport)
		if intent.State != c.state {
			t.Errorf("%s: the intent is %s, want %s", c.name, intent.State, c.state)
		}
		attempts := historyOf(t, l.books, c.name).Attempts
		if len(attempts) != 1 || attempts[0].Outcome != c.outcome || attempts[0].Cause != c.cause {
			t.Errorf("%s: attempts %+v, want one that came to %s, cause %q", c.name, attempts, c.outcome, c.cause)
		}
		if got := countOf(t, l.receiver) - before; got != c.records {
			t.Errorf("%s: the receiver committed %d, want %d", c.name, got, c.records)
		}
	}
}

func TestAnUnreachableReceiverLeavesTheIntentSendable(t *testing.T) {
	l := newTestLab(t)
	url := l.sender.URL
	l.sender.URL = "http://127.0.0.1:1" // nobody listens on tcpmux
	intent := deliver(t, l, l.intent("report-1", weeklyReport), weeklyReport)
	if intent.State != ledger.Pending || intent.Derived.Attempts != 1 {
		t.Fatalf("%s after %d attempts, want PENDING after 1", intent.State, intent.Derived.Attempts)
	}
	l.sender.URL = url
	if intent = deliver(t, l, l.intent("report-1", weeklyReport), weeklyReport); intent.State != ledger.Delivered {
		t.Errorf("%s once the receiver can be reached, want DELIVERED", intent.State)
	}
}

func TestAnUnknownIntentIsNotSentAgain(t *testing.T) {
	l := newTestLab(t)
	n := l.intent("report-1", weeklyReport)
	l.receiver.Script(n.OpKey, Script{Ignore: true, Lose: LoseByCut})
	deliver(t, l, n, weeklyReport)
	if again := deliver(t, l, n, weeklyReport); again.State != ledger.Unknown || again.Derived.Attempts != 1 {
		t.Errorf("the same intent again: %s after %d attempts, want UNKNOWN after 1", again.State, again.Derived.Attempts)
	}
	// A sender that doesn't look at the state is stopped by the ledger.
	_, err := l.sender.Attempt(t.Context(), ledger.Intent{OpKey: n.OpKey, Target: n.Target, PayloadSHA256: n.PayloadSHA256}, weeklyReport)
	if code := ledger.CodeOf(err); code != ledger.DecisionRequired {
		t.Errorf("a blind retry: %v, want %s", err, ledger.DecisionRequired)
	}
	if n := countOf(t, l.receiver); n != 0 {
		t.Errorf("the receiver has %d deliveries, want 0: nothing was sent again", n)
	}
}

func TestRefusalOfARetryDoesNotMakeItFailed(t *testing.T) {
	l := newTestLab(t)
	n := l.intent("report-1", weeklyReport)
	n.MaxAttempts, n.DeadlineAt = 2, ledger.WallClock().Add(time.Minute)
	l.receiver.Script(n.OpKey, Script{Ignore: true, Lose: LoseByCut}, Script{Refuse: "closed for today"})
	if intent := deliver(t, l, n, weeklyReport); intent.State != ledger.Unknown {
		t.Errorf("%s, want UNKNOWN: the first request's outcome is still not known", intent.State)
	}
}

func TestOtherBytesThanApprovedAreNotSent(t *testing.T) {
	l := newTestLab(t)
	_, err := l.sender.Deliver(t.Context(), l.intent("report-1", weeklyReport), changedReport)
	if !errors.Is(err, errOtherBytes) {
		t.Errorf("got %v, want %v", err, errOtherBytes)
	}
	if attempts := historyOf(t, l.books, "report-1").Attempts; len(attempts) != 0 {
		t.Errorf("%d attempts, want none", len(attempts))
	}
}

func TestASenderThatIsToldToStopStillWritesWhatItKnows(t *testing.T) {
	l := newTestLab(t)
	l.sender.Timeout = time.Minute
	lost := make(chan struct{})
	l.receiver.Script("report-1", Script{Lose: LoseByHang, Lost: lost})
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		<-lost
		stop()
	}()
	intent, err := l.sender.Deliver(ctx, l.intent("report-1", weeklyReport), weeklyReport)
	if err != nil || intent.State != ledger.Unknown {
		t.Fatalf("%s (%v), want UNKNOWN", intent.State, err)
	}
	if got := historyOf(t, l.books, "report-1").Attempts[0].Cause; got != "cancelled" {
		t.Errorf("cause %q, want cancelled", got)
	}
}

func TestAKilledSenderLeavesAnUnfinishedAttempt(t *testing.T) {
	l := newTestLab(t)
	lost := make(chan struct{})
	n := l.intent("report-1", weeklyReport)
	l.receiver.Script(n.OpKey, Script{Lose: LoseByHang, Lost: lost})
	err := killAfterCommit(t.Context(), job{
		Ledger: filepath.Join(l.dir, ledgerFile), Name: reporter, URL: l.receiver.URL(), Token: l.sender.Token,
		Timeout: 30 * time.Second, Intent: n, Body: weeklyReport,
	}, lost)
	if err != nil {
		t.Fatal(err)
	}
	h := historyOf(t, l.books, n.OpKey)
	if h.Intent.State != ledger.Pending || len(h.Attempts) != 1 || h.Attempts[0].Finished() {
		t.Errorf("%s with attempts %+v, want PENDING with one that never finished", h.Intent.State, h.Attempts)
	}
	if d, found, err := l.receiver.Get(t.Context(), n.OpKey); err != nil || !found || d.Receipt != "R-1002" {
		t.Errorf("the receiver has %+v (found %v, %v), want the delivery", d, found, err)
	}
	// Nobody else can send it: the dead sender's claim stands.
	_, err = l.sender.Deliver(t.Context(), n, weeklyReport)
	if code := ledger.CodeOf(err); code != ledger.AttemptInFlight {
		t.Errorf("another sender: %v, want %s", err, ledger.AttemptInFlight)
	}
}

func TestASenderThatEndsBeforeItIsKilledIsToldApart(t *testing.T) {
	l := newTestLab(t)
	never := make(chan struct{})
	err := killAfterCommit(t.Context(), job{
		Ledger: filepath.Join(l.dir, "missing.db"), Name: reporter, URL: l.receiver.URL(), Timeout: time.Second,
		Intent: l.intent("report-1", weeklyReport), Body: weeklyReport,
	}, never)
	if err == nil {
		t.Fatal("no error, although the sender could not open its ledger")
	}
}

func TestTheCourierDeliversWhatMayBeSent(t *testing.T) {
	s := &Scene{Dir: t.TempDir()}
	l := newTestLab(t)
	if err := s.writePayloads(); err != nil {
		t.Fatal(err)
	}
	f := fates[1]
	n := f.intent()
	if _, err := l.books.Begin(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	c := courier{books: l.books, senders: map[string]*Sender{reporter: l.sender}, dir: s.Dir}
	if err := c.round(t.Context()); err != nil {
		t.Fatal(err)
	}
	if h := historyOf(t, l.books, n.OpKey); h.Intent.State != ledger.Delivered {
		t.Errorf("%s, want DELIVERED", h.Intent.State)
	}
	if err := c.round(t.Context()); err != nil {
		t.Errorf("with nothing due: %v", err)
	}
}
