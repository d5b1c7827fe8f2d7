package verdict

import (
	"testing"
	"time"

	"triage/ledger"
)

// openAt checks that an absence is provable from exactly one millisecond after the
// given instant: at it and before it not, after it yes, and that not_before says so.
func openAt(t *testing.T, opens ledger.Millis, changes ...func(*scene)) {
	t.Helper()
	for _, tc := range []struct {
		began ledger.Millis
		want  Kind
	}{{opens - 1, AbsenceInconclusive}, {opens, AbsenceInconclusive}, {opens + 1, Absent}} {
		s := base(append(changes, with(missed(900, tc.began)))...)
		s.now = opens + 10_000
		v := s.judge()
		if v.Kind != tc.want {
			t.Fatalf("lookup at opening %+d ms: %s, want %s; because %q", tc.began-opens, v.Kind, tc.want, v.Because)
		}
	}
	s := base(changes...)
	s.now = t0 + 1
	if v := s.judge(); v.NotBefore != opens+1 {
		t.Fatalf("not before %d, want %d (%+d ms); because %q", v.NotBefore, opens+1, v.NotBefore-opens-1, v.Because)
	}
}

// neverOpens checks that no miss proves anything, and that no verdict says "wait".
func neverOpens(t *testing.T, changes ...func(*scene)) {
	t.Helper()
	s := base(append(changes, with(missed(900, t0+3_600_000)))...)
	s.now = t0 + 3_700_000
	v := s.judge()
	wantKind(t, v, AbsenceInconclusive)
	if !v.NotBefore.IsNone() {
		t.Fatalf("says wait until %s where waiting proves nothing", instant(v.NotBefore))
	}
	if v = base(changes...).judge(); !v.NotBefore.IsNone() {
		t.Fatalf("says wait until %s where waiting proves nothing", instant(v.NotBefore))
	}
}

const (
	settling = 120_000 + 30_000 + 5_000 // S + G + K
	timeout  = 30_000                   // T
)

var noTimeout = promise(func(p *Promises) { p.AttemptTimeout = nil })

// TestEnd reads like design §5, End of an attempt.
func TestEnd(t *testing.T) {
	at := attempt
	killedAt := t0 + 600_000
	t.Run("finished: finished_at", func(t *testing.T) {
		openAt(t, t0+10_000+settling)
	})
	t.Run("rejected and not_sent attempts end like any other", func(t *testing.T) {
		openAt(t, t0+10_000+settling, at(func(a *ledger.Attempt) { a.Outcome = ledger.OutcomeRejected }))
		openAt(t, t0+10_000+settling, at(func(a *ledger.Attempt) { a.Outcome = ledger.OutcomeNotSent }))
	})
	t.Run("finished needs no T", func(t *testing.T) {
		openAt(t, t0+10_000+settling, noTimeout)
	})
	t.Run("never finished: start + T", func(t *testing.T) {
		openAt(t, t0+timeout+settling, neverFinished)
	})
	t.Run("never finished without T: never", func(t *testing.T) {
		neverOpens(t, neverFinished, noTimeout)
	})
	t.Run("abandoned, sender stated to be killed: the decision's time", func(t *testing.T) {
		openAt(t, killedAt+settling, neverFinished, decided(abandoned(20, killedAt, true)))
		openAt(t, killedAt+settling, neverFinished, noTimeout, decided(abandoned(20, killedAt, true)))
	})
	t.Run("abandoned, sender not stated to be killed: start + T, or never", func(t *testing.T) {
		openAt(t, t0+timeout+settling, neverFinished, decided(abandoned(20, killedAt, false)))
		neverOpens(t, neverFinished, noTimeout, decided(abandoned(20, killedAt, false)))
	})
	t.Run("killed, but not how one knows", func(t *testing.T) {
		d := abandoned(20, killedAt, true)
		d.Reason = " "
		neverOpens(t, neverFinished, noTimeout, decided(d))
	})
	t.Run("killed, but another attempt's sender", func(t *testing.T) {
		d := abandoned(20, killedAt, true)
		d.Facts = `{"attempt_id":"at-2","sender_killed":true}`
		neverOpens(t, neverFinished, noTimeout, decided(d))
	})
	t.Run("facts that name no attempt state nothing", func(t *testing.T) {
		for _, facts := range []string{"", "{", `{"sender_killed":true}`, `{"attempt_id":7,"sender_killed":true}`} {
			d := abandoned(20, killedAt, true)
			d.Facts = facts
			neverOpens(t, neverFinished, noTimeout, decided(d))
		}
	})
	t.Run("another kind of decision abandons nothing", func(t *testing.T) {
		d := abandoned(20, killedAt, true)
		d.Kind = ledger.Denied
		neverOpens(t, neverFinished, noTimeout, decided(d))
	})
	t.Run("a decision from before the attempt is not about it", func(t *testing.T) {
		neverOpens(t, neverFinished, noTimeout, decided(abandoned(9, killedAt, true)))
	})
	t.Run("the newest statement counts", func(t *testing.T) {
		openAt(t, killedAt+50_000+settling, neverFinished, noTimeout,
			decided(abandoned(21, killedAt+50_000, true), abandoned(20, killedAt, true)))
		neverOpens(t, neverFinished, noTimeout,
			decided(abandoned(21, killedAt+50_000, false), abandoned(20, killedAt, true)))
	})
	t.Run("a sender that came back after it was abandoned: finished_at", func(t *testing.T) {
		openAt(t, t0+700_000+settling, at(func(a *ledger.Attempt) { a.FinishedAt = t0 + 700_000 }), decided(abandoned(20, killedAt, true)))
	})
	t.Run("finished in the sender's place tells when somebody gave up", func(t *testing.T) {
		gaveUp := at(func(a *ledger.Attempt) { a.Cause = "abandoned" })
		openAt(t, t0+timeout+settling, gaveUp)
		neverOpens(t, gaveUp, noTimeout)
		openAt(t, t0+90_000+settling, gaveUp, at(func(a *ledger.Attempt) { a.FinishedAt = t0 + 90_000 }))
	})
	t.Run("the latest end counts, whichever attempt it is", func(t *testing.T) {
		openAt(t, t0+90_000+settling, func(s *scene) {
			s.ev.Attempts[0].FinishedAt = t0 + 90_000
			s.ev.Attempts = append(s.ev.Attempts, ledger.Attempt{
				AttemptID: "at-2", N: 2, StartedAt: t0 + 2_000, FinishedAt: t0 + 31_000, Outcome: ledger.OutcomeUnknown, Seq: 12,
			})
		})
	})
	t.Run("the latest end counts, the last attempt's too", func(t *testing.T) {
		openAt(t, t0+31_000+settling, func(s *scene) {
			s.ev.Attempts = append(s.ev.Attempts, ledger.Attempt{
				AttemptID: "at-2", N: 2, StartedAt: t0 + 2_000, FinishedAt: t0 + 31_000, Outcome: ledger.OutcomeUnknown, Seq: 12,
			})
		})
	})
	t.Run("one endless attempt is enough", func(t *testing.T) {
		neverOpens(t, noTimeout, func(s *scene) {
			s.ev.Attempts = append(s.ev.Attempts, ledger.Attempt{AttemptID: "at-2", N: 2, StartedAt: t0 + 30_000, Seq: 12})
		})
	})
}

// TestEndOnABrokenClock: within K the later instant counts, beyond it neither is
// believed.
func TestEndOnABrokenClock(t *testing.T) {
	finished := func(m ledger.Millis) func(*scene) {
		return attempt(func(a *ledger.Attempt) { a.FinishedAt = m })
	}
	openAt(t, t0+settling, finished(t0-5_000))
	openAt(t, t0+timeout+settling, finished(t0-5_001))
	neverOpens(t, noTimeout, finished(t0-5_001))
	openAt(t, t0+settling, neverFinished, decided(abandoned(20, t0-5_000, true)))
	openAt(t, t0+timeout+settling, neverFinished, decided(abandoned(20, t0-5_001, true)))
	neverOpens(t, neverFinished, noTimeout, decided(abandoned(20, t0-5_001, true)))
	openAt(t, t0+timeout+settling, attempt(func(a *ledger.Attempt) { a.FinishedAt = 0 }))
}

// TestWaitTerms: each of S, G, K and T moves the opening by itself, and what is
// finer than a millisecond counts as a whole one.
func TestWaitTerms(t *testing.T) {
	const end = t0 + 10_000
	for _, tc := range []struct {
		name  string
		opens ledger.Millis
		with  func(*Promises)
	}{
		{"S", end + 121_000 + 30_000 + 5_000, func(p *Promises) { p.SettlesWithin = dur(121 * time.Second) }},
		{"G", end + 120_000 + 31_000 + 5_000, func(p *Promises) { p.LookupLag = dur(31 * time.Second) }},
		{"K", end + 120_000 + 30_000 + 6_000, func(p *Promises) { p.ClockSkew = dur(6 * time.Second) }},
		{"K by default", end + 120_000 + 30_000 + 5_000, func(p *Promises) { p.ClockSkew = nil }},
		{"K of zero is a promise", end + 120_000 + 30_000, func(p *Promises) { p.ClockSkew = dur(0) }},
		{"a negative K is none", end + 120_000 + 30_000 + 5_000, func(p *Promises) { p.ClockSkew = dur(-time.Hour) }},
		{"S of zero", end + 30_000 + 5_000, func(p *Promises) { p.SettlesWithin = dur(0) }},
		{"S finer than 1 ms", end + 120_001 + 30_000 + 5_000, func(p *Promises) { p.SettlesWithin = dur(2*time.Minute + 1) }},
		{"G finer than 1 ms", end + 120_000 + 30_001 + 5_000, func(p *Promises) { p.LookupLag = dur(30*time.Second + 999_999) }},
		{"K finer than 1 ms", end + 120_000 + 30_000 + 5_001, func(p *Promises) { p.ClockSkew = dur(5*time.Second + 1) }},
	} {
		t.Run(tc.name, func(t *testing.T) { openAt(t, tc.opens, promise(tc.with)) })
	}
	t.Run("T", func(t *testing.T) {
		openAt(t, t0+31_000+settling, neverFinished, promise(func(p *Promises) { p.AttemptTimeout = dur(31 * time.Second) }))
	})
	t.Run("T finer than 1 ms", func(t *testing.T) {
		openAt(t, t0+30_001+settling, neverFinished, promise(func(p *Promises) { p.AttemptTimeout = dur(30*time.Second + 1) }))
	})
	t.Run("unknown or negative is never", func(t *testing.T) {
		neverOpens(t, promise(func(p *Promises) { p.SettlesWithin = nil }))
		neverOpens(t, promise(func(p *Promises) { p.LookupLag = nil }))
		neverOpens(t, promise(func(p *Promises) { p.SettlesWithin = dur(-1) }))
		neverOpens(t, promise(func(p *Promises) { p.LookupLag = dur(-1) }))
		neverOpens(t, neverFinished, promise(func(p *Promises) { p.AttemptTimeout = dur(-1) }))
	})
}
