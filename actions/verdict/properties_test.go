package verdict

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"triage/ledger"
)

// TestMain makes random histories the same ones on every run. A seed given on the
// command line still counts.
func TestMain(m *testing.M) {
	flag.Parse()
	given := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
	for name, value := range map[string]string{"rapid.seed": "20270115", "rapid.checks": "1500", "rapid.nofailfile": "true"} {
		if !given[name] {
			if err := flag.Set(name, value); err != nil {
				panic(err)
			}
		}
	}
	os.Exit(m.Run())
}

// anyDuration is a promise of up to an hour, or none.
func anyDuration(t *rapid.T, name string, most time.Duration) *time.Duration {
	if rapid.IntRange(0, 9).Draw(t, name+" promised") == 0 {
		return nil
	}
	return dur(time.Duration(rapid.Int64Range(0, int64(most)).Draw(t, name)))
}

// near is an instant around those that matter.
func near(t *rapid.T, name string) ledger.Millis {
	return t0 + ledger.Millis(rapid.Int64Range(-10_000, 400_000).Draw(t, name))
}

func anyTerms(t *rapid.T) Terms {
	return Terms{
		Promises: Promises{
			AttemptTimeout: anyDuration(t, "T", time.Minute), SettlesWithin: anyDuration(t, "S", time.Minute),
			LookupLag: anyDuration(t, "G", time.Minute), KeyRetention: anyDuration(t, "R", 20*time.Minute),
			LookupRetention: rapid.SampledFrom([]*time.Duration{nil, nil, dur(10 * time.Minute)}).Draw(t, "lookup_retention"),
			ClockSkew:       anyDuration(t, "K", 10*time.Second),
			AbsenceIsProof:  rapid.IntRange(0, 9).Draw(t, "absence") > 0, FoundIsFinal: rapid.Bool().Draw(t, "final"),
			RefusalIsFinal: rapid.Bool().Draw(t, "refusal"),
			LookupBy:       rapid.SampledFrom([]LookupBy{"", ByKey, ByKey, ByContent}).Draw(t, "by"),
			SameKey:        rapid.SampledFrom([]SameKey{ReturnsOriginal, ReturnsOriginal, SameKeyNone, ""}).Draw(t, "same key"),
			Receipt:        rapid.SampledFrom([]ReceiptKind{"", OwnReceipt, KeyAsReceipt}).Draw(t, "receipt"),
			Since:          rapid.SampledFrom([]ledger.Millis{0, 0, 0, t0, t0 + 1000}).Draw(t, "since"),
			Canary:         rapid.SampledFrom([]string{"", "", "probe-1"}).Draw(t, "canary"),
		},
		HasLookup: rapid.IntRange(0, 9).Draw(t, "has lookup") > 0, Connector: "http", Environment: "production",
		LookupTimeout: time.Duration(rapid.Int64Range(0, int64(5*time.Second)).Draw(t, "timeout")),
	}
}

func anyAttempt(t *rapid.T, i int) ledger.Attempt {
	a := ledger.Attempt{AttemptID: fmt.Sprintf("at-%d", i+1), N: i + 1, StartedAt: near(t, "began"), Seq: int64(10*i + rapid.IntRange(1, 9).Draw(t, "seq"))}
	a.Outcome = rapid.SampledFrom([]ledger.Outcome{"", ledger.OutcomeUnknown, ledger.OutcomeUnknown, ledger.OutcomeNotSent, ledger.OutcomeRejected, ledger.OutcomeDelivered}).Draw(t, "outcome")
	if a.Outcome != "" {
		a.FinishedAt = near(t, "finished")
		a.Cause = rapid.SampledFrom([]string{"timeout", "timeout", "abandoned"}).Draw(t, "cause")
	}
	if a.Outcome == ledger.OutcomeDelivered {
		a.Receipt = rapid.SampledFrom([]string{"R-1", "R-2", ""}).Draw(t, "receipt")
	}
	return a
}

func anyLookup(t *rapid.T, i int) ledger.Lookup {
	l := lookup(int64(10*i+rapid.IntRange(1, 9).Draw(t, "seq")), rapid.SampledFrom([]ledger.LookupOutcome{
		"", ledger.LookupFound, ledger.LookupNotFound, ledger.LookupNotFound, ledger.LookupNotFound, ledger.LookupInProgress,
		ledger.LookupRefused, ledger.LookupAmbiguous, ledger.LookupFailed,
	}).Draw(t, "outcome"), near(t, "looked"))
	l.LookupID = fmt.Sprintf("look-%d", i)
	l.Environment = rapid.SampledFrom([]string{"production", "production", "production", "staging"}).Draw(t, "environment")
	l.CanarySeen = rapid.SampledFrom([]*bool{nil, yes(), yes(), no()}).Draw(t, "canary seen")
	if l.Outcome == ledger.LookupFound {
		l.Receipt = rapid.SampledFrom([]string{"R-1", "R-1", "R-2", ""}).Draw(t, "receipt")
		l.PayloadSHA256 = rapid.SampledFrom([]string{hash, hash, other, ""}).Draw(t, "hash")
		l.Owner = rapid.SampledFrom([]string{"", "", "agent-1", "agent-2"}).Draw(t, "owner")
		l.Cause = rapid.SampledFrom([]string{"", "", ledger.CauseWithdrawn}).Draw(t, "cause")
		l.Evidence = rapid.SampledFrom([]string{`{"key":"op-1"}`, `{"key":"op-1","final":true}`, `{"key":"op-2"}`, ""}).Draw(t, "evidence")
	}
	if rapid.IntRange(0, 5).Draw(t, "flawed") == 0 {
		l.Evidence = rapid.SampledFrom([]string{"[]", `{"truncated":true}`, `{"status":500}`, `{"Key":"op-1"}`, `{"key":"op-2"}`, `{"replayed":true}`}).Draw(t, "flaw")
	}
	return l
}

func anyDecision(t *rapid.T, i int) ledger.Decision {
	d := abandoned(int64(10*i+rapid.IntRange(1, 9).Draw(t, "seq")), near(t, "decided"), rapid.Bool().Draw(t, "killed"))
	d.DecisionID = fmt.Sprintf("dec-%d", i)
	d.Kind = rapid.SampledFrom([]ledger.DecisionKind{ledger.AbandonAttempt, ledger.AbandonAttempt, ledger.Dispute, ledger.MarkDelivered, ledger.Note}).Draw(t, "decision")
	d.Receipt = rapid.SampledFrom([]string{"", "R-1"}).Draw(t, "of")
	return d
}

func anyScene(t *rapid.T) scene {
	s := base()
	i := &s.ev.Intent
	i.State = rapid.SampledFrom([]ledger.State{ledger.Unknown, ledger.Unknown, ledger.Pending, ledger.Delivered, ledger.Failed}).Draw(t, "state")
	i.SettledBy = rapid.SampledFrom([]ledger.SettledBy{ledger.BySender, ledger.ByLookup, ledger.ByOperator}).Draw(t, "settled by")
	i.SupersededBy = rapid.SampledFrom([]string{"", "", "", "op-2"}).Draw(t, "superseded")
	i.CancelRequestedAt = rapid.SampledFrom([]ledger.Millis{0, 0, 0, t0}).Draw(t, "cancelled")
	s.terms = anyTerms(t)
	s.ev.Attempts = nil
	for n := range rapid.IntRange(0, 3).Draw(t, "attempts") {
		s.ev.Attempts = append(s.ev.Attempts, anyAttempt(t, n))
	}
	for n := range rapid.IntRange(0, 5).Draw(t, "lookups") {
		s.ev.Lookups = append(s.ev.Lookups, anyLookup(t, n))
	}
	for n := range rapid.IntRange(0, 2).Draw(t, "decisions") {
		s.ev.Decisions = append(s.ev.Decisions, anyDecision(t, n))
	}
	s.ev.Twins = rapid.SampledFrom([][]string{nil, nil, {"op-8"}}).Draw(t, "twins")
	s.ev.ReceiptHolders = rapid.SampledFrom([]map[string]string{nil, nil, {"R-2": "op-9"}}).Draw(t, "holders")
	s.now = near(t, "now")
	if rapid.Bool().Draw(t, "calm") {
		calm(t, &s)
	}
	return s
}

// calm takes away what keeps most random histories from proving anything: short
// waits, no find, and a present at which everything is due.
func calm(t *rapid.T, s *scene) {
	p := &s.terms.Promises
	p.SettlesWithin, p.LookupLag, p.AttemptTimeout = dur(20*time.Second), dur(10*time.Second), dur(30*time.Second)
	p.KeyRetention, p.LookupRetention, p.LookupBy, p.Since, p.Canary, p.AbsenceIsProof = dur(20*time.Minute), nil, "", 0, "", true
	s.terms.HasLookup, s.now = true, t0+400_000
	for i := range s.ev.Attempts {
		if a := &s.ev.Attempts[i]; a.Outcome == ledger.OutcomeDelivered {
			a.Outcome, a.Receipt = ledger.OutcomeUnknown, ""
		}
	}
	for i := range s.ev.Lookups {
		l := &s.ev.Lookups[i]
		l.Outcome = rapid.SampledFrom([]ledger.LookupOutcome{ledger.LookupNotFound, ledger.LookupNotFound, ledger.LookupFailed}).Draw(t, "instead")
		l.StartedAt += 60_000
		l.FinishedAt += 60_000
	}
}

func dump(t *rapid.T, v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestPureFunction: the order of rows changes nothing, and nothing is changed.
func TestPureFunction(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyScene(t)
		before := dump(t, s.ev) + dump(t, s.terms)
		v := s.judge()
		if dump(t, s.ev)+dump(t, s.terms) != before {
			t.Fatal("the evidence was changed")
		}
		slices.Reverse(s.ev.Attempts)
		slices.Reverse(s.ev.Decisions)
		s.ev.Lookups = rapid.Permutation(s.ev.Lookups).Draw(t, "order")
		if w := s.judge(); !reflect.DeepEqual(v, w) {
			t.Fatalf("another order, another verdict:\n%+v\n%+v", v, w)
		}
	})
}

// TestFailuresTellNothing: a failed or unfinished lookup changes neither what is
// proven nor what was found, and opens nothing.
func TestFailuresTellNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyScene(t)
		v := s.judge()
		s.ev.Lookups = append(s.ev.Lookups, lookup(1000, rapid.SampledFrom([]ledger.LookupOutcome{ledger.LookupFailed, ""}).Draw(t, "what"), s.now))
		w := s.judge()
		if !undecidedKind(v.Kind) && (v.Kind != w.Kind || v.Evidence != w.Evidence || v.Receipt != w.Receipt || v.RetryUntil != w.RetryUntil) {
			t.Fatalf("a failure turned %s (%s) into %s (%s)", v.Kind, v.Evidence, w.Kind, w.Evidence)
		}
		if !slices.Equal(v.Safe, w.Safe) || !slices.Equal(v.AtRisk, w.AtRisk) {
			t.Fatalf("a failure turned safe %v, at risk %v into %v, %v", v.Safe, v.AtRisk, w.Safe, w.AtRisk)
		}
	})
}

// TestMissesTakeNothingAway: what was found stays found, whatever later lookups
// fail to see.
func TestMissesTakeNothingAway(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyScene(t)
		v := s.judge()
		disputed := slices.ContainsFunc(s.ev.Decisions, func(d ledger.Decision) bool { return d.Kind == ledger.Dispute })
		s.ev.Lookups = append(s.ev.Lookups, lookup(1000, ledger.LookupNotFound, near(t, "missed")))
		w := s.judge()
		positive := v.Kind == Delivered || v.Kind.Conflict() || v.Kind == InProgress || v.Kind == FoundUnverified && !disputed
		if s.terms.HasLookup && (positive || v.Kind == Refused) && v.Kind != w.Kind {
			t.Fatalf("a miss turned %s into %s", v.Kind, w.Kind)
		}
		if v.Kind == Absent && w.Kind != Absent {
			t.Fatalf("a miss turned a proven absence into %s", w.Kind)
		}
	})
}

// TestWithoutAPromiseNothingIsAbsent: take away any one promise, and no absence is
// proven any more.
func TestWithoutAPromiseNothingIsAbsent(t *testing.T) {
	take := map[string]func(*Terms){
		"settles_within":   func(t *Terms) { t.Promises.SettlesWithin = nil },
		"lookup_lag":       func(t *Terms) { t.Promises.LookupLag = nil },
		"retention":        func(t *Terms) { t.Promises.KeyRetention, t.Promises.LookupRetention = nil, nil },
		"absence_is_proof": func(t *Terms) { t.Promises.AbsenceIsProof = false },
		"the key":          func(t *Terms) { t.Promises.LookupBy = ByContent },
		"the lookup":       func(t *Terms) { t.HasLookup = false },
		"environment":      func(t *Terms) { t.Environment = "elsewhere" },
		"connector":        func(t *Terms) { t.Connector = "sql" },
		"since":            func(t *Terms) { t.Promises.Since = t0 + 10_000_000 },
	}
	proven := 0
	rapid.Check(t, func(t *rapid.T) {
		s := anyScene(t)
		if s.judge().Kind == Absent {
			proven++
		}
		for name, change := range take {
			terms := s.terms
			change(&terms)
			if v := Judge(s.ev, terms, s.now); v.Kind == Absent || v.Allows(ActRetry) {
				t.Fatalf("absent without %s", name)
			}
		}
	})
	if proven < 5 { // fewer histories are played under -short
		t.Fatalf("only %d absences in all histories: the check says little", proven)
	}
}

// TestActsKeepTheirBounds: what no verdict may ever open.
func TestActsKeepTheirBounds(t *testing.T) {
	deciding := []Act{ActDeliver, ActReissue, ActRetry, ActClose}
	rapid.Check(t, func(t *rapid.T) {
		s := anyScene(t)
		v := s.judge()
		i := s.ev.Intent
		open := func(a Act) bool { return v.Allows(a) || v.AllowsAtRisk(a) || v.AllowsByHand(a) }
		for _, a := range append(deciding, ActLookup, ActAbandon, ActSetAside, ActDispute, ActAcknowledge) {
			if open(a) == (v.Withheld[a] != "") {
				t.Fatalf("%s: open %t, withheld %q", a, open(a), v.Withheld[a])
			}
		}
		for _, a := range deciding {
			handMade := a == ActReissue && i.State == ledger.Delivered && !i.Superseded() && (v.Kind == Absent || v.Kind == Refused)
			if (v.Kind.Conflict() || i.Superseded() || i.State.Final() && !handMade) && open(a) {
				t.Fatalf("%s is open on %s, %s", a, i.State, v.Kind)
			}
		}
		if !i.CancelRequestedAt.IsNone() && (open(ActRetry) || open(ActReissue)) {
			t.Fatal("something new may be sent though a cancel is wished")
		}
		if v.Allows(ActRetry) && (v.Kind != Absent || s.now >= v.RetryUntil || v.RetryUntil >= v.KeySafeUntil && *s.terms.Promises.AttemptTimeout+*s.terms.Promises.SettlesWithin > 0) {
			t.Fatalf("retry on %s at %d until %d, key until %d", v.Kind, s.now, v.RetryUntil, v.KeySafeUntil)
		}
		if v.Allows(ActReissue) && v.Kind != Absent && v.Kind != Refused || v.AllowsAtRisk(ActReissue) && !undecidedKind(v.Kind) {
			t.Fatalf("new intent on %s", v.Kind)
		}
		if v.Allows(ActClose) && v.Kind != Absent && v.Kind != Refused && v.Kind != NeverSent {
			t.Fatalf("close on %s", v.Kind)
		}
	})
}

// TestWaitingHelps: a lookup that does as not_before says proves what it misses,
// and one that begins a millisecond earlier does not.
func TestWaitingHelps(t *testing.T) {
	waits := 0
	rapid.Check(t, func(t *rapid.T) {
		s := anyScene(t)
		v := s.judge()
		if v.NotBefore.IsNone() || v.Kind == InProgress {
			return
		}
		waits++
		outcome, want := ledger.LookupNotFound, Absent
		if !s.terms.Promises.AbsenceIsProof || slices.ContainsFunc(s.ev.Lookups, func(l ledger.Lookup) bool { return l.Outcome == ledger.LookupRefused }) {
			outcome, want = ledger.LookupRefused, Refused
			if !s.terms.Promises.RefusalIsFinal {
				return
			}
		}
		at := func(began ledger.Millis) Kind {
			l := lookup(1000, outcome, began)
			l.FinishedAt, l.CanarySeen = began+ledger.Millis(roundUp(s.terms.LookupTimeout)), yes()
			ev := s.ev
			ev.Lookups = append(slices.Clone(ev.Lookups), l)
			return Judge(ev, s.terms, l.FinishedAt).Kind
		}
		if got := at(max(v.NotBefore, s.now)); got != want {
			t.Fatalf("the lookup that was waited for came to %s, not %s", got, want)
		}
		if got := at(v.NotBefore - 1); got == want {
			t.Fatalf("a lookup before not_before came to %s", got)
		}
	})
	if waits < 50 {
		t.Fatalf("only %d verdicts say wait: the check says little", waits)
	}
}
