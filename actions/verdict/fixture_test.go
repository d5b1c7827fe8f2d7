package verdict

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"triage/ledger"
)

// The case that every test starts from. One attempt ran from t0 to t0 + 10 s and
// came back without a usable answer. With S = 2 m, G = 30 s and K = 5 s a timely
// lookup begins after t0 + 165 s; with R = 24 h it finishes before t0 + 24 h − 5 s.
const (
	t0     = ledger.Millis(1_800_000_000_000) // 2027-01-15 08:00:00Z
	ended  = t0 + 10_000
	opens  = ended + 120_000 + 30_000 + 5_000
	closes = t0 + 86_400_000 - 5_000
	due    = opens + 60_000 // everything is due by then
)

var (
	hash  = strings.Repeat("ab", 32)
	other = strings.Repeat("cd", 32)
)

func dur(d time.Duration) *time.Duration { return &d }
func yes() *bool                         { b := true; return &b }
func no() *bool                          { b := false; return &b }

// scene is an evidence with terms and a present, that tests alter.
type scene struct {
	ev    Evidence
	terms Terms
	now   ledger.Millis
}

func base(changes ...func(*scene)) scene {
	s := scene{
		ev: Evidence{
			Intent: ledger.Intent{
				OpKey: "op-1", Task: "weekly", Principal: "agent-1", Target: "report-inbox",
				PayloadSHA256: hash, State: ledger.Unknown, CreatedAt: t0 - 1000, Version: 3,
			},
			Attempts: []ledger.Attempt{{
				AttemptID: "at-1", OpKey: "op-1", N: 1, StartedAt: t0, FinishedAt: ended,
				Outcome: ledger.OutcomeUnknown, Cause: "timeout", Seq: 10,
			}},
		},
		terms: Terms{
			Promises: Promises{
				AttemptTimeout: dur(30 * time.Second), SettlesWithin: dur(2 * time.Minute), LookupLag: dur(30 * time.Second),
				KeyRetention: dur(24 * time.Hour), ClockSkew: dur(5 * time.Second),
				AbsenceIsProof: true, FoundIsFinal: true, RefusalIsFinal: true, SameKey: ReturnsOriginal,
			},
			HasLookup: true, Connector: "http", Environment: "production", LookupTimeout: 5 * time.Second,
		},
		now: due,
	}
	for _, change := range changes {
		change(&s)
	}
	return s
}

func (s scene) judge() Verdict { return Judge(s.ev, s.terms, s.now) }

// lookup is a finished lookup that counts, from began for one second; seq orders
// it after what is there.
func lookup(seq int64, outcome ledger.LookupOutcome, began ledger.Millis) ledger.Lookup {
	return ledger.Lookup{
		LookupID: fmt.Sprintf("look-%04d", seq), OpKey: "op-1", StartedAt: began, FinishedAt: began + 1000,
		Actor: "alice", Connector: "http", Environment: "production", Outcome: outcome, Seq: seq,
	}
}

// found is a lookup that proves the delivery; alterations take that away.
func found(seq int64, began ledger.Millis, changes ...func(*ledger.Lookup)) ledger.Lookup {
	l := lookup(seq, ledger.LookupFound, began)
	l.Receipt, l.PayloadSHA256, l.Evidence = "R-1", hash, `{"key":"op-1"}`
	for _, change := range changes {
		change(&l)
	}
	return l
}

func missed(seq int64, began ledger.Millis) ledger.Lookup {
	return lookup(seq, ledger.LookupNotFound, began)
}

// with adds lookups to the scene.
func with(lookups ...ledger.Lookup) func(*scene) {
	return func(s *scene) { s.ev.Lookups = append(s.ev.Lookups, lookups...) }
}

// decided adds decisions to the scene.
func decided(decisions ...ledger.Decision) func(*scene) {
	return func(s *scene) { s.ev.Decisions = append(s.ev.Decisions, decisions...) }
}

// attempt alters the scene's first attempt.
func attempt(change func(*ledger.Attempt)) func(*scene) {
	return func(s *scene) { change(&s.ev.Attempts[0]) }
}

// neverFinished turns the attempt into an orphan of a PENDING intent.
func neverFinished(s *scene) {
	s.ev.Intent.State = ledger.Pending
	a := &s.ev.Attempts[0]
	a.FinishedAt, a.Outcome, a.Cause = 0, "", ""
}

func promise(change func(*Promises)) func(*scene) {
	return func(s *scene) { change(&s.terms.Promises) }
}

func abandoned(seq int64, at ledger.Millis, killed bool) ledger.Decision {
	return ledger.Decision{
		DecisionID: fmt.Sprintf("dec-%d", seq), OpKey: "op-1", At: at, Operator: "bob", Kind: ledger.AbandonAttempt,
		Reason: "kill -9 on host a, process gone", Seq: seq,
		Facts: fmt.Sprintf(`{"attempt_id":"at-1","sender_killed":%t,"version":3}`, killed),
	}
}

// wantKind fails with the reasons, which tell what the rules thought.
func wantKind(t *testing.T, v Verdict, want Kind) {
	t.Helper()
	if v.Kind != want {
		t.Fatalf("verdict %s, want %s; because:\n%s", v.Kind, want, strings.Join(v.Because, "\n"))
	}
}

func wantActs(t *testing.T, which string, got []Act, want ...Act) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Fatalf("%s: %v, want %v", which, got, want)
	}
}

// wantReason looks for words among the reasons.
func wantReason(t *testing.T, v Verdict, words string) {
	t.Helper()
	if !strings.Contains(strings.Join(v.Because, "\n"), words) {
		t.Fatalf("no reason says %q; because:\n%s", words, strings.Join(v.Because, "\n"))
	}
}
