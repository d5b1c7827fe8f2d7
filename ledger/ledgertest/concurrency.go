package ledgertest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"triage/ledger"
)

// RunTwo puts two handles on one ledger through what two programs do at once. open
// returns both; the suite closes them.
func RunTwo(t *testing.T, open func(t testing.TB) (ledger.Ledger, ledger.Ledger)) {
	a, b := open(t)
	defer func() { _, _ = a.Close(), b.Close() }()
	s := &suite{T: t, Ledger: a, ctx: context.Background(), now: ledger.WallClock()}
	other := &suite{T: t, Ledger: b, ctx: s.ctx, now: s.now}
	for n := range 20 {
		key := fmt.Sprint("k-", n)
		s.begin(key)
		errs := atOnce(
			func() error { _, err := a.StartAttempt(s.ctx, ledger.Attempt{OpKey: key}); return err },
			func() error { _, err := b.StartAttempt(s.ctx, ledger.Attempt{OpKey: key}); return err },
		)
		s.exactlyOne("attempt on "+key, errs, ledger.AttemptInFlight)
		doubt := fmt.Sprint("u-", n)
		s.inDoubt(doubt)
		errs = atOnce(func() error { return s.reissue(doubt, doubt+"-a") }, func() error { return other.reissue(doubt, doubt+"-b") })
		s.exactlyOne("replacement of "+doubt, errs, ledger.AlreadySuperseded)
	}
	waiting(s, other)
	if moved, err := b.Changed(s.ctx); err != nil || !moved {
		t.Errorf("the other handle does not see what was written: %v, %v", moved, err)
	}
	report, err := b.Verify(s.ctx)
	s.must(err)
	for _, f := range report.Findings {
		t.Errorf("verify afterwards found %+v", f)
	}
}

func atOnce(fs ...func() error) []error {
	errs := make([]error, len(fs))
	start := make(chan struct{})
	var wg sync.WaitGroup
	for n, f := range fs {
		wg.Go(func() {
			<-start
			errs[n] = f()
		})
	}
	close(start)
	wg.Wait()
	return errs
}

// exactlyOne went through, and the others were refused with the code.
func (s *suite) exactlyOne(what string, errs []error, code ledger.Code) {
	s.Helper()
	won := 0
	for _, err := range errs {
		switch {
		case err == nil:
			won++
		case ledger.CodeOf(err) != code:
			s.Errorf("%s: got %v, want %s", what, err, code)
		}
	}
	if won != 1 {
		s.Errorf("%s: %d went through, want 1", what, won)
	}
}

func oneOfManyAttempts(s *suite) {
	s.begin("k")
	var all []func() error
	for range 16 {
		all = append(all, func() error {
			_, err := s.StartAttempt(s.ctx, ledger.Attempt{OpKey: "k"})
			return err
		})
	}
	s.exactlyOne("an attempt", atOnce(all...), ledger.AttemptInFlight)
	if got := s.history("k").Attempts; len(got) != 1 {
		s.Errorf("got %d attempts", len(got))
	}
}

func oneOfManyReplacements(s *suite) {
	s.inDoubt("k")
	var all []func() error
	for n := range 16 {
		all = append(all, func() error { return s.reissue("k", fmt.Sprint("k-", n)) })
	}
	s.exactlyOne("a replacement", atOnce(all...), ledger.AlreadySuperseded)
	rows, err := s.Queue(s.ctx, ledger.QueueQuery{Filter: ledger.FilterAll, Now: s.now})
	s.must(err)
	if len(rows) != 2 {
		s.Errorf("got %d intents, want the replaced one and its successor", len(rows))
	}
}

// waiting: who waits for another's act can give up, has then written nothing, and is
// in nobody's way.
func waitingInside(s *suite) { waiting(s, s) }

func waiting(s, other *suite) {
	s.begin("k")
	inside, leave := make(chan struct{}), make(chan struct{})
	done := make(chan error, 1)
	go func() {
		done <- s.Act(s.ctx, func(t ledger.Tx) error {
			close(inside)
			<-leave
			_, err := t.Decide(s.decision("k", ledger.Note))
			return err
		})
	}()
	<-inside
	for _, wait := range []time.Duration{0, 30 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(s.ctx, wait)
		began := time.Now()
		_, err := other.Begin(ctx, fresh("late"))
		s.fails("waiting for another's act", err, context.DeadlineExceeded)
		if took := time.Since(began); took > 5*time.Second {
			s.Errorf("giving up after %v took %v", wait, took)
		}
		cancel()
	}
	if h := other.history("k"); len(h.Decisions) != 0 { // readers don't wait
		s.Errorf("an act that has not ended shows: %+v", h.Decisions)
	}
	close(leave)
	s.must(<-done)
	_, err := s.Get(s.ctx, "late")
	s.fails("what was given up", err, ledger.ErrNoSuchIntent)
	other.begin("late")
	if h := s.history("k"); len(h.Decisions) != 1 {
		s.Errorf("got %+v", h.Decisions)
	}
}
