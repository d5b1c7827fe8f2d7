package verdict

import (
	"fmt"
	"strings"
	"testing"

	"triage/ledger"
)

// many is an intent with n lookups of one sort each, ids as triage makes them.
func many(n int, outcome ledger.LookupOutcome, changes ...func(*ledger.Lookup)) scene {
	s := base()
	for i := range n {
		l := row(int64(100+i), outcome, changes...)
		l.LookupID = fmt.Sprintf("0195f3c2-%04x-7abc-8def-%012x", i/16, i)
		s.ev.Lookups = append(s.ev.Lookups, l)
	}
	return s
}

var manySorts = []struct {
	name    string
	outcome ledger.LookupOutcome
	change  func(*ledger.Lookup)
}{
	{"absent", ledger.LookupNotFound, func(l *ledger.Lookup) {
		l.Evidence = `{"key":"op-1","status":404,"excerpt":"{\"error\":\"no such report\",\"request\":\"0195f3c2\"}","canary":"before: seen; after: seen"}`
	}},
	{"too early", ledger.LookupNotFound, func(l *ledger.Lookup) { l.StartedAt = t0 }},
	{"failed", ledger.LookupFailed, func(l *ledger.Lookup) { l.Cause = "timeout" }},
	{"delivered", ledger.LookupFound, func(*ledger.Lookup) {}},
	{"unreadable finds", ledger.LookupFound, func(l *ledger.Lookup) { l.Evidence = `{"truncated":1}` }},
	{"elsewhere", ledger.LookupFound, func(l *ledger.Lookup) { l.Environment = "staging" }},
	{"open", "", func(*ledger.Lookup) {}},
}

// BenchmarkJudge: the verdict is found anew inside every write transaction.
func BenchmarkJudge(b *testing.B) {
	for _, sort := range manySorts {
		s := many(20_000, sort.outcome, sort.change)
		s.ev.Lookups = append(s.ev.Lookups, missed(50_000, opens+1))
		b.Run(sort.name, func(b *testing.B) {
			for b.Loop() {
				s.judge()
			}
		})
	}
}

// TestManyLookups: a verdict on many lookups costs in proportion to their number,
// and tells of the newest only.
func TestManyLookups(t *testing.T) {
	const few, times = 400, 5
	for _, sort := range manySorts {
		t.Run(sort.name, func(t *testing.T) {
			cost := func(n int) float64 {
				s := many(n, sort.outcome, sort.change)
				s.ev.Lookups = append(s.ev.Lookups, missed(50_000, opens+1))
				return testing.AllocsPerRun(1, func() { s.judge() })
			}
			if one, all := cost(few), cost(few*times); all > 1.5*times*one {
				t.Fatalf("%d lookups take %.0f allocations, %d take %.0f", few, one, few*times, all)
			}
			s := many(few, sort.outcome, sort.change)
			v := s.judge()
			if len(v.Because) > 12 || len(v.Known) > 12 || len(v.Unknown) > 12 {
				t.Fatalf("%d reasons, %d known, %d unknown", len(v.Because), len(v.Known), len(v.Unknown))
			}
		})
	}
	v := many(20_000, ledger.LookupFound, func(l *ledger.Lookup) { l.Environment = "staging" })
	v.ev.Lookups = append(v.ev.Lookups, missed(50_000, opens+1))
	wantReason(t, v.judge(), "Earlier ones that do not count came upon something too: 19,996.")
}

// TestManyAttemptsAndDecisions: they are counted where they are many.
func TestManyAttemptsAndDecisions(t *testing.T) {
	s := base(with(missed(5000, due)), noTimeout)
	for n := range 1000 {
		s.ev.Attempts = append(s.ev.Attempts, ledger.Attempt{AttemptID: fmt.Sprint("open-", n), N: n + 2, StartedAt: t0 + 1, Seq: int64(11 + n)})
		s.ev.Decisions = append(s.ev.Decisions, dispute(int64(6000+n), fmt.Sprint("R-", n)))
	}
	v := s.judge()
	wantKind(t, v, AbsenceInconclusive)
	wantReason(t, v, "Earlier attempts rule it out too: 996.")
	if len(v.Because) > 12 || len(v.Known) > 12 || !strings.Contains(strings.Join(v.Known, "\n"), "996 earlier decisions") {
		t.Fatalf("%d reasons; known: %q", len(v.Because), v.Known)
	}
}

// TestShortNames: the shortest start of eight characters or more that is its own.
func TestShortNames(t *testing.T) {
	ids := []string{"0195f3c2-0001", "0195f3c2-0002", "abc", "abcdefgh", "abcdefghi", "zwölfmalä-1", "zwölfmalö-1", "zzzzzzzzzzz"}
	s := base()
	for i, id := range ids {
		l := lookup(int64(20+i), ledger.LookupFailed, due)
		l.LookupID = id
		s.ev.Lookups = append(s.ev.Lookups, l, l) // twice the same id is the same name
	}
	r := newReview(s.ev, s.terms, s.now)
	for i, want := range []string{"0195f3c2-0001", "0195f3c2-0002", "abc", "abcdefgh", "abcdefghi", "zwölfmalä", "zwölfmalö", "zzzzzzzz"} {
		if got := r.name(ids[i]).String(); got != want {
			t.Errorf("%s is called %s, want %s", ids[i], got, want)
		}
	}
}
