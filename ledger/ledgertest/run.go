// Package ledgertest is the conformance suite of the delivery ledger: what every
// engine owes through the Go interfaces, whatever database stands behind it. What an
// engine owes to programs that use no Go, it tests on its own.
package ledgertest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"triage/ledger"
)

// Run puts an engine through the suite. open returns a new, empty ledger, which the
// suite closes.
func Run(t *testing.T, open func(t testing.TB) ledger.Ledger) {
	for _, c := range []struct {
		name string
		test func(s *suite)
	}{
		{"begin", begin},
		{"attempts", attempts},
		{"outcomes", outcomes},
		{"late evidence", lateEvidence},
		{"budgets", budgets},
		{"sendable", sendable},
		{"lookups", lookups},
		{"decisions", decisions},
		{"settling", settling},
		{"replacing", replacing},
		{"contradictions", contradictions},
		{"queue pages", queuePages},
		{"queue order and filters", queueFilters},
		{"what left the queue", left},
		{"search", search},
		{"clock skew", clockSkew},
		{"history", history},
		{"journal", journal},
		{"what changed between", changes},
		{"as it stood", asItStood},
		{"acts roll back", rollback},
		{"one of many attempts", oneOfManyAttempts},
		{"one of many replacements", oneOfManyReplacements},
		{"waiting can be given up", waitingInside},
		{"random histories", randomHistories},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &suite{T: t, ctx: context.Background(), now: ledger.WallClock()}
			s.Ledger = open(t)
			defer func() { _ = s.Close() }()
			c.test(s)
			if t.Failed() {
				return
			}
			report, err := s.Verify(s.ctx)
			s.must(err)
			for _, f := range report.Findings {
				t.Errorf("verify afterwards found %+v", f)
			}
		})
	}
}

// suite is one test's ledger and the short words that the tests are written in.
type suite struct {
	*testing.T
	ledger.Ledger
	ctx context.Context
	now ledger.Millis
}

const (
	hash1 = "1111111111111111111111111111111111111111111111111111111111111111"
	hash2 = "2222222222222222222222222222222222222222222222222222222222222222"
)

func fresh(key string) ledger.NewIntent {
	return ledger.NewIntent{OpKey: key, Task: "weekly report", Stage: "monday", Principal: "agent-1", Target: "inbox", PayloadSHA256: hash1, UpdatedBy: "sender-1"}
}

func (s *suite) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// refused expects an error with the ledger's own code.
func (s *suite) refused(what string, err error, code ledger.Code) {
	s.Helper()
	if ledger.CodeOf(err) != code || !strings.Contains(fmt.Sprint(err), string(code)) {
		s.Errorf("%s: got %v, want %s", what, err, code)
	}
}

func (s *suite) fails(what string, err, want error) {
	s.Helper()
	if !errors.Is(err, want) {
		s.Errorf("%s: got %v, want %v", what, err, want)
	}
}

func (s *suite) begin(key string) ledger.Intent {
	s.Helper()
	i, err := s.Begin(s.ctx, fresh(key))
	s.must(err)
	return i
}

func (s *suite) start(key string) ledger.Attempt {
	s.Helper()
	a, err := s.StartAttempt(s.ctx, ledger.Attempt{OpKey: key})
	s.must(err)
	return a
}

func (s *suite) finish(a ledger.Attempt, r ledger.Result) ledger.Intent {
	s.Helper()
	i, err := s.Finish(s.ctx, a.AttemptID, r)
	s.must(err)
	return i
}

// inDoubt begins an intent whose one attempt has an unknown outcome.
func (s *suite) inDoubt(key string) ledger.Intent {
	s.Helper()
	s.begin(key)
	return s.finish(s.start(key), ledger.Result{Outcome: ledger.OutcomeUnknown, Cause: "timeout"})
}

func (s *suite) get(key string) ledger.Intent {
	s.Helper()
	i, err := s.Get(s.ctx, key)
	s.must(err)
	return i
}

// is expects the state of an intent and whether it is contradicted.
func (s *suite) is(key string, state ledger.State, contradicted bool) {
	s.Helper()
	if i := s.get(key); i.State != state || i.Contradicted() != contradicted {
		s.Errorf("%s: got %s, contradicted %v; want %s, contradicted %v", key, i.State, i.Contradicted(), state, contradicted)
	}
}

// decision is what the tests decide, by ann, now.
func (s *suite) decision(key string, kind ledger.DecisionKind) ledger.Decision {
	return ledger.Decision{OpKey: key, Kind: kind, At: s.now, Operator: "ann", Reason: "because", Facts: "{}"}
}

func (s *suite) decide(d ledger.Decision) ledger.Decision {
	s.Helper()
	s.must(s.Act(s.ctx, func(t ledger.Tx) (err error) {
		d, err = t.Decide(d)
		return err
	}))
	return d
}

// settle decides and settles in one act, as an operator's action does.
func (s *suite) settle(key string, kind ledger.DecisionKind, to ledger.State, receipt string) error {
	return s.Act(s.ctx, func(t ledger.Tx) error {
		h, err := t.History(key, s.now)
		if err != nil {
			return err
		}
		d := s.decision(key, kind)
		d.Receipt = receipt
		if _, err := t.Decide(d); err != nil {
			return err
		}
		return t.Settle(key, h.Intent.Version, to, receipt, ledger.ByOperator, "ann")
	})
}

func (s *suite) reissue(key, newKey string) error {
	return s.Act(s.ctx, func(t ledger.Tx) error {
		d := s.decision(key, ledger.Reissue)
		d.NewOpKey = newKey
		if _, err := t.Decide(d); err != nil {
			return err
		}
		_, err := t.Succeed(fresh(newKey), key, s.now)
		return err
	})
}

func (s *suite) look(key string, found ledger.Lookup) {
	s.Helper()
	found.OpKey, found.Actor, found.Connector = key, "ann", "http"
	started, err := s.StartLookup(s.ctx, found)
	s.must(err)
	found.LookupID, found.FinishedAt = started.LookupID, s.now
	s.must(s.Act(s.ctx, func(t ledger.Tx) error { return t.FinishLookup(found) }))
}

func (s *suite) history(key string) ledger.History {
	s.Helper()
	h, err := s.History(s.ctx, key, s.now)
	s.must(err)
	return h
}
