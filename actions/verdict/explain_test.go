package verdict

import (
	"slices"
	"testing"

	"triage/ledger"
)

// TestExplain: what is known and what is not, in the order in which it happened.
func TestExplain(t *testing.T) {
	v := base(neverFinished, noTimeout,
		promise(func(p *Promises) { p.LookupLag, p.KeyRetention = nil, nil }),
		decided(ledger.Decision{DecisionID: "c", Kind: ledger.CloseNotDelivered, Operator: "bob", At: t0 + 60_000, Reason: "by mistake", Facts: "{}", Seq: 19}),
		with(missed(20, due), found(21, due, func(l *ledger.Lookup) { l.Environment = "staging" })),
		func(s *scene) { s.ev.Intent.CancelRequestedAt = t0 + 5_000 }).judge()
	known := []string{
		"Attempt 1 began at 2027-01-15 08:00:00.000Z and has not come back.",
		"Lookup look-0020 at 2027-01-15 08:03:45.000Z did not find the key.",
		"1 lookup is not counted; the last, look-0021 at 2027-01-15 08:03:45.000Z: it asked the environment staging, and the environment production is configured now.",
		"bob closed it as not delivered at 2027-01-15 08:01:00.000Z: by mistake",
		"It was asked at 2027-01-15 08:00:05.000Z not to send this any more. That undoes nothing: what was sent may still be delivered.",
	}
	unknown := []string{
		"Whether it was delivered, or still will be.",
		"Whether the sender of attempt 1 is still alive.",
		"Until when the key is honoured: key_retention is not promised, so the key may already be forgotten.",
		"lookup_lag is not promised, so a lookup may miss what is there at any time.",
		"Neither lookup_retention nor key_retention is promised, so what was sent may already be forgotten.",
	}
	if !slices.Equal(v.Known, known) {
		t.Errorf("known: %q", v.Known)
	}
	if !slices.Equal(v.Unknown, unknown) {
		t.Errorf("unknown: %q", v.Unknown)
	}
	if v = proven().judge(); len(v.Unknown) != 0 {
		t.Errorf("unknown on a proven absence: %q", v.Unknown)
	}
}

// TestExplainStaysShort: a hundred attempts and lookups don't drown the screen.
func TestExplainStaysShort(t *testing.T) {
	s := base()
	for n := range 100 {
		s.ev.Attempts = append(s.ev.Attempts, ledger.Attempt{AttemptID: "x", N: n + 2, StartedAt: t0 + 1, FinishedAt: t0 + 2, Outcome: ledger.OutcomeUnknown, Seq: int64(11 + n)})
		s.ev.Lookups = append(s.ev.Lookups, lookup(int64(200+n), ledger.LookupFailed, due))
	}
	v := s.judge()
	if len(v.Known) != 11 || v.Known[0] != "97 earlier attempts, the first at 2027-01-15 08:00:00.000Z." || v.Known[5] != "96 earlier lookups." {
		t.Fatalf("%d lines: %q", len(v.Known), v.Known)
	}
	if len(v.Because) > 4 {
		t.Fatalf("%d reasons", len(v.Because))
	}
}

// TestAskedToWait: the receiver's own wish is passed on while it stands.
func TestAskedToWait(t *testing.T) {
	busy := lookup(20, ledger.LookupFailed, due-10_000)
	busy.Cause, busy.Evidence = "http_429", `{"retry_at":1800000285000}` // t0 + 285 s
	wantReason(t, base(with(busy)).judge(), "report-inbox asked not to be asked again before 2027-01-15 08:04:45.000Z.")
	v := base(with(busy), func(s *scene) { s.now = t0 + 285_000 }).judge()
	for _, line := range v.Because {
		if line == "report-inbox asked not to be asked again before 2027-01-15 08:04:45.000Z." {
			t.Fatal("the wish outlives its time")
		}
	}
}

// TestFromHistory: nothing that a verdict depends on is lost on the way.
func TestFromHistory(t *testing.T) {
	s := base(with(found(20, due)), decided(dispute(30, "R-2")), func(s *scene) {
		s.ev.ReceiptHolders, s.ev.Twins = map[string]string{"R-1": "op-9"}, []string{"op-8"}
	})
	got := FromHistory(ledger.History{
		Intent: s.ev.Intent, Attempts: s.ev.Attempts, Lookups: s.ev.Lookups, Decisions: s.ev.Decisions,
		ReceiptHolders: s.ev.ReceiptHolders, Twins: s.ev.Twins,
	})
	wantKind(t, Judge(got, s.terms, s.now), Ambiguous)
	if len(got.Attempts) != 1 || len(got.Decisions) != 1 || len(got.Twins) != 1 {
		t.Fatalf("attempts, decisions or twins were lost: %+v", got)
	}
}

// TestTwinsAreNamedBriefly: many of them are counted.
func TestTwinsAreNamedBriefly(t *testing.T) {
	if got := few([]string{"a", "b", "c", "d", "e"}); got != "a, b, c and 2 more" {
		t.Fatalf("%q", got)
	}
}
