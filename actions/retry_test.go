package actions_test

import (
	"testing"
	"time"

	"triage/actions"
	"triage/ledger"
)

func TestARetryGrantsOneAttemptUnderTheSameKey(t *testing.T) {
	b := newBench(t)
	b.provenAbsent("k")
	first := b.item("k").Attempts[0].StartedAt
	done, err := b.desk.Retry(t.Context(), b.request("k"))
	if err != nil {
		t.Fatal(err)
	}
	// First attempt's start + R − T − S − K, and the instant itself is too late.
	want := first.Add(24*time.Hour - 30*time.Second - 2*time.Minute - 5*time.Second - time.Millisecond)
	if done.Decision.Until != want {
		t.Errorf("until %d, want %d", done.Decision.Until, want)
	}
	sendable, err := b.db.Sendable(t.Context(), 0)
	if err != nil || len(sendable) != 1 || sendable[0] != (ledger.Sendable{OpKey: "k", Why: "retry_decided"}) {
		t.Errorf("sendable: %+v, %v", sendable, err)
	}
	a := b.attempt("k")
	if _, err := b.db.FinishAttempt(t.Context(), a.AttemptID, ledger.Result{Outcome: ledger.OutcomeUnknown}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.db.StartAttempt(t.Context(), ledger.Attempt{OpKey: "k"}); ledger.CodeOf(err) != ledger.DecisionRequired {
		t.Errorf("a second attempt on one decision: %v", err)
	}
	b.verified()
}

func TestARetryEndsBeforeTheDeadlineOfTheIntent(t *testing.T) {
	b := newBench(t)
	b.grant("g")
	deadline := ledger.WallClock().Add(time.Hour)
	if _, err := b.db.Begin(t.Context(), ledger.NewIntent{
		OpKey: "k", Task: "t", Principal: "agent-1", Target: "inbox", PayloadSHA256: content, GrantID: "g", DeadlineAt: deadline,
	}); err != nil {
		t.Fatal(err)
	}
	a := b.attempt("k")
	if _, err := b.db.Finish(t.Context(), a.AttemptID, ledger.Result{Outcome: ledger.OutcomeUnknown}); err != nil {
		t.Fatal(err)
	}
	b.later()
	b.says(ledger.LookupNotFound)
	b.lookup("k")
	done, err := b.desk.Retry(t.Context(), b.request("k"))
	if err != nil || done.Decision.Until != deadline-1 {
		t.Errorf("until %d, want %d; %v", done.Decision.Until, deadline-1, err)
	}
}

func TestARetryIsRefusedWhereTheGrantNoLongerStands(t *testing.T) {
	b := newBench(t)
	b.provenAbsent("k")
	request := b.request("k")
	b.sql(`UPDATE grants SET revoked_at = ?`, int64(ledger.WallClock()))
	before := b.item("k")
	_, err := b.desk.Retry(t.Context(), request)
	b.refused(err, actions.Denied, "not_authorised", before)
}

func TestADecidedRetryLapsesWhenALookupComesUponSomething(t *testing.T) {
	for _, outcome := range []ledger.LookupOutcome{ledger.LookupFound, ledger.LookupInProgress, ledger.LookupRefused, ledger.LookupAmbiguous} {
		b := newBench(t)
		b.provenAbsent("k")
		if _, err := b.desk.Retry(t.Context(), b.request("k")); err != nil {
			t.Fatal(err)
		}
		b.says(ledger.LookupNotFound)
		b.lookup("k") // a further miss takes nothing away
		if sendable, _ := b.db.Sendable(t.Context(), 0); len(sendable) != 1 {
			t.Fatalf("after a further miss: %+v", sendable)
		}
		b.says(outcome)
		b.lookup("k")
		if sendable, _ := b.db.Sendable(t.Context(), 0); len(sendable) != 0 {
			t.Errorf("%s: still sendable: %+v", outcome, sendable)
		}
		if _, err := b.db.StartAttempt(t.Context(), ledger.Attempt{OpKey: "k"}); ledger.CodeOf(err) != ledger.DecisionRequired {
			t.Errorf("%s: %v", outcome, err)
		}
		b.verified()
	}
}
