package verdict

import (
	"math"
	"testing"
	"time"

	"triage/ledger"
)

// closesAt checks that a miss proves an absence when its lookup finished one
// millisecond before the given instant, and at it or after it not.
func closesAt(t *testing.T, closes ledger.Millis, changes ...func(*scene)) {
	t.Helper()
	for _, tc := range []struct {
		finished ledger.Millis
		want     Kind
	}{{closes - 1, Absent}, {closes, AbsenceInconclusive}, {closes + 1, AbsenceInconclusive}} {
		s := base(append(changes, with(missed(900, tc.finished-1000)))...)
		s.now = closes + 10_000
		v := s.judge()
		if v.Kind != tc.want {
			t.Fatalf("lookup finished at closing %+d ms: %s, want %s; because %q", tc.finished-closes, v.Kind, tc.want, v.Because)
		}
	}
}

// TestRetention: a timely lookup finished before the first attempt's start +
// lookup_retention − K, strictly.
func TestRetention(t *testing.T) {
	const hour = ledger.Millis(3_600_000)
	lookupRetention := func(d time.Duration) func(*scene) {
		return promise(func(p *Promises) { p.LookupRetention = &d })
	}
	t.Run("R by default", func(t *testing.T) { closesAt(t, closes) })
	t.Run("its own", func(t *testing.T) {
		closesAt(t, t0+2*hour-5_000, lookupRetention(2*time.Hour))
		closesAt(t, t0+48*hour-5_000, lookupRetention(48*time.Hour))
	})
	t.Run("its own, without R", func(t *testing.T) {
		closesAt(t, t0+2*hour-5_000, lookupRetention(2*time.Hour), promise(func(p *Promises) { p.KeyRetention = nil }))
	})
	t.Run("K", func(t *testing.T) {
		closesAt(t, t0+24*hour-6_000, promise(func(p *Promises) { p.ClockSkew = dur(6 * time.Second) }))
	})
	t.Run("finer than 1 ms is cut, K is rounded up", func(t *testing.T) {
		closesAt(t, t0+2*hour-5_000, lookupRetention(2*time.Hour+999_999))
		closesAt(t, t0+24*hour-5_001, promise(func(p *Promises) { p.ClockSkew = dur(5*time.Second + 1) }))
	})
	t.Run("from the first attempt, not the last", func(t *testing.T) {
		closesAt(t, closes, func(s *scene) {
			s.ev.Attempts = append(s.ev.Attempts, ledger.Attempt{
				AttemptID: "at-2", N: 2, StartedAt: t0 + hour, FinishedAt: t0 + hour + 1000, Outcome: ledger.OutcomeUnknown, Seq: 12,
			})
		})
	})
	t.Run("from the earliest start, whatever its place", func(t *testing.T) {
		closesAt(t, closes-7_000, func(s *scene) {
			s.ev.Attempts = append(s.ev.Attempts, ledger.Attempt{
				AttemptID: "at-2", N: 2, StartedAt: t0 - 7_000, FinishedAt: t0, Outcome: ledger.OutcomeNotSent, Seq: 12,
			})
		})
	})
	t.Run("unknown has expired", func(t *testing.T) {
		neverOpens(t, promise(func(p *Promises) { p.KeyRetention = nil }))
		neverOpens(t, lookupRetention(-1))
	})
}

// TestHugeDurations: durations at the end of their range saturate instead of
// wrapping round into the past.
func TestHugeDurations(t *testing.T) {
	forever := dur(math.MaxInt64)
	neverOpens(t, promise(func(p *Promises) { p.SettlesWithin = forever }))
	neverOpens(t, promise(func(p *Promises) { p.LookupLag = forever }))
	neverOpens(t, promise(func(p *Promises) { p.ClockSkew = forever }))
	neverOpens(t, promise(func(p *Promises) { p.AttemptTimeout = forever }))
	neverOpens(t, promise(func(p *Promises) {
		p.AttemptTimeout, p.SettlesWithin, p.LookupLag, p.ClockSkew = forever, forever, forever, forever
	}))
	openAt(t, opens, promise(func(p *Promises) { p.KeyRetention = forever }))
	if got := later(math.MaxInt64-1, 5); got != math.MaxInt64 {
		t.Fatalf("later wraps round to %d", got)
	}
	if got := earlier(math.MinInt64+1, 5); got != math.MinInt64 {
		t.Fatalf("earlier wraps round to %d", got)
	}
}

// TestSeq: a timely lookup began after the last attempt row was written, by seq
// and not by clock.
func TestSeq(t *testing.T) {
	at := opens + 1
	for seq, want := range map[int64]Kind{9: NeverLookedUp, 10: NeverLookedUp, 11: Absent} {
		wantKind(t, base(with(missed(seq, at))).judge(), want)
	}
	// A second row written after the lookup, by a clock that says it was long ago.
	late := func(s *scene) {
		s.ev.Attempts = append(s.ev.Attempts, ledger.Attempt{
			AttemptID: "at-2", N: 2, StartedAt: t0 + 1, FinishedAt: t0 + 2, Outcome: ledger.OutcomeUnknown, Seq: 21,
		})
	}
	wantKind(t, base(late, with(missed(20, at))).judge(), NeverLookedUp)
	wantKind(t, base(late, with(missed(22, at))).judge(), Absent)
	wantKind(t, base(late, with(lookup(20, ledger.LookupRefused, at))).judge(), NeverLookedUp)
}

// TestWhatDoesNotCount: lookups through another connector or environment or from
// before the promises held prove nothing, and beside a find among them no absence
// is believed.
func TestWhatDoesNotCount(t *testing.T) {
	at := opens + 1
	sql := func(l *ledger.Lookup) { l.Connector = "sql" }
	staging := func(l *ledger.Lookup) { l.Environment = "staging" }
	unnamed := func(l *ledger.Lookup) { l.Environment = "" }
	for name, change := range map[string]func(*ledger.Lookup){"connector": sql, "environment": staging, "no environment": unnamed} {
		t.Run(name, func(t *testing.T) {
			miss := missed(20, at)
			change(&miss)
			v := base(with(miss)).judge()
			wantKind(t, v, NeverLookedUp)
			wantReason(t, v, "does not count, because")
			wantKind(t, base(with(found(20, at, change))).judge(), NeverLookedUp)
			refusal := lookup(20, ledger.LookupRefused, at)
			change(&refusal)
			wantKind(t, base(with(refusal)).judge(), NeverLookedUp)
			for _, outcome := range []ledger.LookupOutcome{ledger.LookupFound, ledger.LookupInProgress, ledger.LookupAmbiguous} {
				for _, seq := range []int64{19, 21} {
					elsewhere := lookup(seq, outcome, at)
					change(&elsewhere)
					v := base(with(missed(20, at), elsewhere)).judge()
					wantKind(t, v, AbsenceInconclusive)
					if !v.NotBefore.IsNone() {
						t.Fatal("waiting does not make the find go away")
					}
					wantKind(t, base(with(lookup(20, ledger.LookupRefused, at), elsewhere)).judge(), AbsenceInconclusive)
				}
			}
			wantKind(t, base(with(missed(20, at), miss)).judge(), Absent)
		})
	}
	t.Run("began before since and K", func(t *testing.T) {
		const k = 5_000 // whose clock since was written by, nobody tells
		for _, tc := range []struct {
			since ledger.Millis
			want  Kind
		}{{at - k + 1, NeverLookedUp}, {at - k, Delivered}, {at - k - 1, Delivered}} {
			s := base(with(found(20, at)), promise(func(p *Promises) { p.Since = tc.since }))
			wantKind(t, s.judge(), tc.want)
		}
	})
	t.Run("no lookup is configured any more", func(t *testing.T) {
		v := base(with(missed(20, at)), func(s *scene) { s.terms.HasLookup = false }).judge()
		wantKind(t, v, NoLookup)
		v = base(with(found(20, at)), func(s *scene) { s.terms.HasLookup = false }).judge()
		wantKind(t, v, NoLookup)
		wantActs(t, "at risk", v.AtRisk)
		wantReason(t, v, "came upon something")
	})
	t.Run("a conflict found elsewhere holds back a delivery", func(t *testing.T) {
		off := func(s *scene) { s.terms.HasLookup = false }
		v := base(off, with(found(20, at, func(l *ledger.Lookup) { l.PayloadSHA256 = other }))).judge()
		if v.Allows(ActDeliver) || v.AllowsByHand(ActDeliver) {
			t.Fatal("deliver is open though other content was found")
		}
		v = base(off, with(found(20, at, func(l *ledger.Lookup) { l.Owner = "acct_17" }))).judge()
		if !v.Allows(ActDeliver) {
			t.Fatal("an owner can't be judged by another account map")
		}
	})
}

// TestSinceAndAttempts: across an attempt from before the promises held nothing
// negative is proven, and there is no key clock. A find is a find.
func TestSinceAndAttempts(t *testing.T) {
	since := func(m ledger.Millis) func(*scene) { return promise(func(p *Promises) { p.Since = m }) }
	at := opens + 1
	const k = 5_000
	wantKind(t, base(with(missed(20, at)), since(t0-k)).judge(), Absent)
	v := base(with(missed(20, at)), since(t0-k+1)).judge()
	wantKind(t, v, AbsenceInconclusive)
	wantReason(t, v, "before the promises surely held")
	if !v.KeySafeUntil.IsNone() || !v.NotBefore.IsNone() {
		t.Fatalf("key clock %d, not before %d; want none of either", v.KeySafeUntil, v.NotBefore)
	}
	wantKind(t, base(with(lookup(20, ledger.LookupRefused, at)), since(t0-k+1)).judge(), AbsenceInconclusive)
	wantKind(t, base(with(found(20, at)), since(t0-k+1)).judge(), Delivered)
	wantKind(t, base(since(t0-k+1), attempt(func(a *ledger.Attempt) { a.Outcome, a.Receipt = ledger.OutcomeDelivered, "R-1" })).judge(), Delivered)
}

// TestUnbelievableLookups: clocks that stepped back or run ahead, and old answers
// served again, count against a lookup.
func TestUnbelievableLookups(t *testing.T) {
	for _, tc := range []struct {
		name            string
		began, finished ledger.Millis
		want            Kind
	}{
		{"stepped back to the opening", opens + 1000, opens, AbsenceInconclusive},
		{"stepped back to just after it", opens + 1000, opens + 1, Absent},
		{"stepped back from the closing", closes, closes - 1000, AbsenceInconclusive},
		{"stepped back from just before it", closes - 1, closes - 1000, Absent},
		{"finished at an unrecorded time", opens + 1, 0, AbsenceInconclusive},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := missed(20, tc.began)
			l.FinishedAt = tc.finished
			s := base(with(l))
			s.now = closes
			wantKind(t, s.judge(), tc.want)
		})
	}
	t.Run("from the future", func(t *testing.T) {
		for _, tc := range []struct {
			ahead ledger.Millis
			want  Kind
		}{{5_000, Absent}, {5_001, AbsenceInconclusive}} {
			s := base(with(missed(20, opens+10_000)))
			s.now = opens + 11_000 - tc.ahead
			wantKind(t, s.judge(), tc.want)
		}
	})
	t.Run("an old answer served again", func(t *testing.T) {
		l := missed(20, opens+1)
		l.Evidence = `{"replayed":true}`
		v := base(with(l)).judge()
		wantKind(t, v, AbsenceInconclusive)
		wantReason(t, v, "an old one served again")
		wantKind(t, base(with(found(20, opens+1, func(l *ledger.Lookup) { l.Evidence = `{"key":"op-1","replayed":true}` }))).judge(), Delivered)
	})
	t.Run("an attempt from the future", func(t *testing.T) {
		for _, tc := range []struct {
			ahead ledger.Millis
			clock bool
		}{{5_000, true}, {5_001, false}} {
			s := base()
			s.now = t0 - tc.ahead
			if v := s.judge(); v.KeySafeUntil.IsNone() == tc.clock || v.NotBefore.IsNone() == tc.clock {
				t.Fatalf("%d ms ahead: key clock %d, not before %d", tc.ahead, v.KeySafeUntil, v.NotBefore)
			}
		}
	})
	t.Run("no attempt recorded", func(t *testing.T) {
		s := base(with(missed(20, opens+1)), func(s *scene) { s.ev.Attempts = nil })
		v := s.judge()
		wantKind(t, v, AbsenceInconclusive)
		wantReason(t, v, "The ledger records no attempt")
	})
}

// TestNotBefore: only where waiting helps.
func TestNotBefore(t *testing.T) {
	at := func(now ledger.Millis, changes ...func(*scene)) Verdict {
		s := base(changes...)
		s.now = now
		return s.judge()
	}
	late := closes - 5_000 // a lookup begun then may take until the closing
	for _, tc := range []struct {
		name string
		v    Verdict
		want ledger.Millis
	}{
		{"before the opening", at(t0+20_000, with(missed(20, t0+15_000))), opens + 1},
		{"after it: in the past, look up now", at(due, with(missed(20, opens))), opens + 1},
		{"the last instant for a whole lookup", at(late-1, with(missed(20, opens))), opens + 1},
		{"too late for one", at(late, with(missed(20, opens))), 0},
		{"after a failure", at(t0+20_000, with(lookup(20, ledger.LookupFailed, t0+15_000))), opens + 1},
		{"nobody looked", at(t0 + 20_000), opens + 1},
		{"absence is no proof", at(t0+20_000, with(missed(20, t0+15_000)), promise(func(p *Promises) { p.AbsenceIsProof = false })), 0},
		{"nobody looked, neither absence nor refusal is proof", at(t0+20_000, promise(func(p *Promises) { p.AbsenceIsProof, p.RefusalIsFinal = false, false })), 0},
		{"nobody looked, a refusal would be proof", at(t0+20_000, promise(func(p *Promises) { p.AbsenceIsProof = false })), opens + 1},
		{"refused, and a refusal is no proof", at(t0+20_000, with(lookup(20, ledger.LookupRefused, t0+15_000)), promise(func(p *Promises) { p.RefusalIsFinal = false })), 0},
		{"refused too early", at(t0+20_000, with(lookup(20, ledger.LookupRefused, t0+15_000)), promise(func(p *Promises) { p.AbsenceIsProof = false })), opens + 1},
		{"asked by content", at(t0+20_000, promise(func(p *Promises) { p.LookupBy = ByContent })), 0},
		{"proven absent", at(due, with(missed(20, opens+1))), 0},
		{"delivered", at(due, with(found(20, opens+1))), 0},
		{"no lookup", at(t0+20_000, func(s *scene) { s.terms.HasLookup = false }), 0},
		{"in progress: T after the answer that said so", at(due, with(lookup(20, ledger.LookupInProgress, due))), due + 1000 + 30_000},
		{"in progress without T", at(due, noTimeout, with(lookup(20, ledger.LookupInProgress, due))), 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.v.NotBefore != tc.want {
				t.Fatalf("%s: not before %d, want %d; because %q", tc.v.Kind, tc.v.NotBefore, tc.want, tc.v.Because)
			}
		})
	}
}
