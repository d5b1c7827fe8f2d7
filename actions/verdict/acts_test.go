package verdict

import (
	"slices"
	"testing"
	"time"

	"triage/ledger"
)

// The key is honoured until t0 + 24 h − 5 s; a retry must be decided before
// t0 + R − T − S − K, strictly.
const (
	keyUntil   = t0 + 86_400_000 - 5_000
	retryUntil = t0 + 86_400_000 - 30_000 - 120_000 - 5_000
)

// proven is the scene of a proven absence.
func proven(changes ...func(*scene)) scene {
	return base(append([]func(*scene){with(missed(20, opens+1))}, changes...)...)
}

// TestKeyClock: first attempt's start + R − K, none where it can't be relied on.
func TestKeyClock(t *testing.T) {
	for _, tc := range []struct {
		name  string
		scene scene
		want  ledger.Millis
	}{
		{"R − K", base(), keyUntil},
		{"K", base(promise(func(p *Promises) { p.ClockSkew = dur(6 * time.Second) })), keyUntil - 1_000},
		{"R finer than 1 ms is cut", base(promise(func(p *Promises) { p.KeyRetention = dur(24*time.Hour + 999_999) })), keyUntil},
		{"R, not lookup_retention", base(promise(func(p *Promises) { p.LookupRetention = dur(time.Hour) })), keyUntil},
		{"from the earliest attempt, sent or not", base(func(s *scene) {
			s.ev.Attempts = append(s.ev.Attempts, ledger.Attempt{AttemptID: "at-0", N: 2, StartedAt: t0 - 7_000, FinishedAt: t0 - 6_000, Outcome: ledger.OutcomeNotSent, Seq: 12})
		}), keyUntil - 7_000},
		{"R unknown", base(promise(func(p *Promises) { p.KeyRetention = nil })), 0},
		{"a negative R is none", base(promise(func(p *Promises) { p.KeyRetention = dur(-time.Hour) })), 0},
		{"the key isn't honoured", base(promise(func(p *Promises) { p.SameKey = SameKeyNone })), 0},
		{"nobody says whether it is", base(promise(func(p *Promises) { p.SameKey = "" })), 0},
		{"no attempts", base(func(s *scene) { s.ev.Attempts = nil }), 0},
		{"whatever the verdict", base(with(found(20, opens+1))), keyUntil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if v := tc.scene.judge(); v.KeySafeUntil != tc.want {
				t.Fatalf("key safe until %d, want %d", v.KeySafeUntil, tc.want)
			}
		})
	}
	v := base(func(s *scene) { s.now = keyUntil - 11_520_000 }).judge()
	if got := v.Known[1]; got != "Same key safe for 3 h 12 m, until 2027-01-16 07:59:55.000Z, by report-inbox's key_retention 24h. That alone makes no retry safe." {
		t.Fatalf("known: %q", v.Known)
	}
	for now, want := range map[ledger.Millis]string{
		keyUntil - 1000: "Same key safe for 1 s, until 2027-01-16 07:59:55.000Z, by report-inbox's key_retention 24h. That alone makes no retry safe.",
		keyUntil - 1:    "Same key safe for 1 ms, until 2027-01-16 07:59:55.000Z, by report-inbox's key_retention 24h. That alone makes no retry safe.",
		keyUntil:        "Same key not safe any more since 2027-01-16 07:59:55.000Z, by report-inbox's key_retention 24h.",
		keyUntil + 1:    "Same key not safe any more since 2027-01-16 07:59:55.000Z, by report-inbox's key_retention 24h.",
	} {
		if v = base(func(s *scene) { s.now = now }).judge(); v.Known[1] != want {
			t.Errorf("%+d ms from its end: %q, want %q", now-keyUntil, v.Known[1], want)
		}
	}
}

// TestRetry reads like design §6, retry same key, and §5 on the key clock.
func TestRetry(t *testing.T) {
	now := func(m ledger.Millis) func(*scene) { return func(s *scene) { s.now = m } }
	deadline := func(m ledger.Millis) func(*scene) { return func(s *scene) { s.ev.Intent.DeadlineAt = m } }
	for _, tc := range []struct {
		name  string
		scene scene
		until ledger.Millis // none: retry is not safe
	}{
		{"absent, key honoured", proven(), retryUntil},
		{"one millisecond before it is too late", proven(now(retryUntil - 1)), retryUntil},
		{"at the very instant", proven(now(retryUntil)), 0},
		{"after it", proven(now(retryUntil + 1)), 0},
		{"T", proven(promise(func(p *Promises) { p.AttemptTimeout = dur(31 * time.Second) })), retryUntil - 1_000},
		{"T finer than 1 ms", proven(promise(func(p *Promises) { p.AttemptTimeout = dur(30*time.Second + 1) })), retryUntil - 1},
		{"S", proven(promise(func(p *Promises) { p.SettlesWithin = dur(119 * time.Second) })), retryUntil + 1_000},
		{"K", proven(promise(func(p *Promises) { p.ClockSkew = dur(4 * time.Second) })), retryUntil + 1_000},
		{"R", proven(promise(func(p *Promises) { p.KeyRetention = dur(25 * time.Hour) })), retryUntil + 3_600_000},
		{"R, not lookup_retention", proven(promise(func(p *Promises) { p.LookupRetention = dur(48 * time.Hour) })), retryUntil},
		{"R unknown", proven(promise(func(p *Promises) { p.KeyRetention, p.LookupRetention = nil, dur(24*time.Hour) })), 0},
		{"T unknown", proven(noTimeout), 0},
		{"same key not honoured", proven(promise(func(p *Promises) { p.SameKey = SameKeyNone })), 0},
		{"same key unknown", proven(promise(func(p *Promises) { p.SameKey = "" })), 0},
		{"before the deadline", proven(deadline(due + 1)), retryUntil},
		{"at the deadline", proven(deadline(due)), 0},
		{"after the deadline", proven(deadline(due - 1)), 0},
		{"a cancel is wished", proven(func(s *scene) { s.ev.Intent.CancelRequestedAt = t0 }), 0},
		{"superseded", proven(func(s *scene) { s.ev.Intent.SupersededBy = "op-2" }), 0},
		{"final", proven(func(s *scene) { s.ev.Intent.State = ledger.Failed }), 0},
		{"an orphan that was not abandoned", base(neverFinished, now(opens+200_000), with(missed(21, opens+20_001))), 0},
		{"an orphan that was", base(neverFinished, decided(abandoned(19, t0+60_000, false)), now(opens+200_000), with(missed(21, opens+20_001))), retryUntil},
		{"refused, not absent", base(with(lookup(20, ledger.LookupRefused, opens+1))), 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v := tc.scene.judge()
			if v.RetryUntil != tc.until || v.Allows(ActRetry) != (tc.until != 0) {
				t.Fatalf("%s: retry %t until %d, want until %d; withheld: %s", v.Kind, v.Allows(ActRetry), v.RetryUntil, tc.until, v.Withheld[ActRetry])
			}
			if (v.Withheld[ActRetry] == "") != v.Allows(ActRetry) {
				t.Fatalf("retry %t, and withheld because %q", v.Allows(ActRetry), v.Withheld[ActRetry])
			}
		})
	}
	if v := proven(deadline(due + 1)).judge(); v.SafeUntil != due+1 {
		t.Fatalf("safe until %d, want the deadline", v.SafeUntil)
	}
	if v := proven().judge(); v.SafeUntil != retryUntil {
		t.Fatalf("safe until %d, want the end of retries", v.SafeUntil)
	}
	if v := base().judge(); v.SafeUntil != 0 {
		t.Fatalf("safe until %d where nothing ends", v.SafeUntil)
	}
}

// TestSettledIntents: on final and superseded intents nothing is decided any more;
// looking and noting go on.
func TestSettledIntents(t *testing.T) {
	failed := func(s *scene) { s.ev.Intent.State, s.ev.Intent.SettledBy = ledger.Failed, ledger.ByOperator }
	delivered := func(s *scene) {
		s.ev.Intent.State, s.ev.Intent.SettledBy, s.ev.Intent.Receipt = ledger.Delivered, ledger.BySender, "R-1"
	}
	superseded := func(s *scene) { s.ev.Intent.SupersededBy = "op-2" }
	evidence := map[string]func(*scene){
		"delivered": with(found(20, opens+1)), "absent": with(missed(20, opens+1)), "never looked up": func(*scene) {},
		"refused": with(lookup(20, ledger.LookupRefused, opens+1)), "inconclusive": with(missed(20, opens)),
	}
	for state, settle := range map[string]func(*scene){"failed": failed, "delivered": delivered, "superseded": superseded} {
		for name, e := range evidence {
			t.Run(state+" "+name, func(t *testing.T) {
				v := base(settle, e).judge()
				wantActs(t, "safe", v.Safe, ActLookup, ActNote)
				wantActs(t, "at risk", v.AtRisk)
				if state == "delivered" || name == "delivered" { // a receipt is named, and may be wrong
					wantActs(t, "by hand", v.ByHand, ActDispute)
				} else {
					wantActs(t, "by hand", v.ByHand)
				}
				if !v.RetryUntil.IsNone() || !v.SafeUntil.IsNone() {
					t.Fatal("times for acts that are not open")
				}
			})
		}
	}
}

// TestMarkedByHandAndProvenAbsent: a new intent is then open again (design §3), if
// the proof is newer than the word.
func TestMarkedByHandAndProvenAbsent(t *testing.T) {
	mark := func(seq int64) func(*scene) {
		return func(s *scene) {
			s.ev.Intent.State, s.ev.Intent.SettledBy, s.ev.Intent.Receipt = ledger.Delivered, ledger.ByOperator, "R-1"
			s.ev.Decisions = append(s.ev.Decisions, ledger.Decision{DecisionID: "d", Kind: ledger.MarkDelivered, Operator: "bob", Receipt: "R-1", Reason: "r", Facts: "{}", At: t0 + 50_000, Seq: seq})
		}
	}
	bySender := func(s *scene) { s.ev.Intent.SettledBy = ledger.BySender }
	for _, tc := range []struct {
		name  string
		scene scene
		want  bool
	}{
		{"proven after the word", proven(mark(19)), true},
		{"refused after the word", base(mark(19), with(lookup(20, ledger.LookupRefused, opens+1))), true},
		{"proven before the word", proven(mark(21)), false},
		{"proven before the word, and failed since", proven(mark(21), with(lookup(22, ledger.LookupFailed, due))), false},
		{"not proven", base(mark(19), with(missed(20, opens))), false},
		{"settled by its sender", proven(mark(19), bySender), false},
		{"settled by its sender, disputed, then proven absent", base(mark(17), bySender, decided(dispute(19, "R-1")), with(missed(20, opens+1))), true},
		{"superseded since", proven(mark(19), func(s *scene) { s.ev.Intent.SupersededBy = "op-2" }), false},
		{"a cancel is wished", proven(mark(19), func(s *scene) { s.ev.Intent.CancelRequestedAt = t0 }), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v := tc.scene.judge()
			if v.Allows(ActReissue) != tc.want {
				t.Fatalf("%s: new intent %t, want %t; safe %v", v.Kind, v.Allows(ActReissue), tc.want, v.Safe)
			}
			if v.Allows(ActClose) || v.Allows(ActRetry) || v.Allows(ActDeliver) || v.AllowsAtRisk(ActReissue) {
				t.Fatalf("a final intent admits %v, at risk %v", v.Safe, v.AtRisk)
			}
		})
	}
}

// TestCancelWished: what nobody wants any more is not sent anew, and can still be
// found out and settled.
func TestCancelWished(t *testing.T) {
	cancel := func(s *scene) { s.ev.Intent.CancelRequestedAt = t0 + 5_000 }
	wantActs(t, "absent", proven(cancel).judge().Safe, ActClose, ActLookup, ActNote)
	wantActs(t, "delivered", base(cancel, with(found(20, opens+1))).judge().Safe, ActDeliver, ActLookup, ActNote)
	v := base(cancel).judge()
	wantActs(t, "at risk", v.AtRisk)
	for _, v := range []Verdict{v, proven(cancel).judge(), base(cancel, with(lookup(20, ledger.LookupRefused, opens+1))).judge()} {
		for _, act := range []Act{ActReissue, ActRetry} {
			if v.Withheld[act] != "It was asked at 2027-01-15 08:00:05.000Z not to send this any more; nothing new is to be sent." {
				t.Errorf("%s: %s is withheld because %q", v.Kind, act, v.Withheld[act])
			}
		}
	}
}

// TestWhatAWishToCancelMeans: it undoes nothing, and says no more than is known.
func TestWhatAWishToCancelMeans(t *testing.T) {
	const wish, open = "It was asked at 2027-01-15 08:00:05.000Z not to send this any more", ". That undoes nothing: what was sent may still be delivered."
	state := func(to ledger.State) func(*scene) { return func(s *scene) { s.ev.Intent.State = to } }
	for name, tc := range map[string]struct {
		scene scene
		means string
	}{
		"nobody looked":                {base(), open},
		"missed too early":             {base(with(missed(20, opens))), open},
		"in progress":                  {base(with(lookup(20, ledger.LookupInProgress, due))), open},
		"other content":                {base(with(found(20, due, func(l *ledger.Lookup) { l.PayloadSHA256 = other }))), open},
		"absent":                       {proven(), ". It is proven that nothing was delivered, and nothing more is to be sent."},
		"never sent":                   {base(state(ledger.Pending), func(s *scene) { s.ev.Attempts = nil }), ". Nothing was sent, and no attempt is admitted any more."},
		"found":                        {base(with(found(20, due))), ". That undoes nothing: it was delivered all the same, and to take it back is a new act, with permissions of its own."},
		"found after it was closed":    {base(state(ledger.Failed), with(found(20, due))), ". That undoes nothing: it was delivered all the same, and to take it back is a new act, with permissions of its own."},
		"marked delivered":             {base(state(ledger.Delivered)), ". That undoes nothing: it is recorded as delivered, and to take it back is a new act, with permissions of its own."},
		"closed":                       {proven(state(ledger.Failed)), ", and it is recorded as not delivered."},
		"closed, then something found": {base(state(ledger.Failed), with(lookup(20, ledger.LookupAmbiguous, due))), open},
	} {
		tc.scene.ev.Intent.CancelRequestedAt = t0 + 5_000
		if v := tc.scene.judge(); !slices.Contains(v.Known, wish+tc.means) {
			t.Errorf("%s (%s): %q says nothing of %q", name, v.Kind, v.Known, tc.means)
		}
	}
}

// TestSenderMayBeAlive: no new intent at risk beside an attempt that is in flight
// and not known to have ended.
func TestSenderMayBeAlive(t *testing.T) {
	const ends = t0 + 30_000 + 5_000 // T + K
	for _, tc := range []struct {
		name  string
		scene scene
		want  bool
	}{
		{"before its end", base(neverFinished, func(s *scene) { s.now = ends - 1 }), false},
		{"at its end", base(neverFinished, func(s *scene) { s.now = ends }), false},
		{"after its end", base(neverFinished, func(s *scene) { s.now = ends + 1 }), true},
		{"never ending", base(neverFinished, noTimeout), false},
		{"never ending, but abandoned", base(neverFinished, noTimeout, decided(abandoned(20, t0+60_000, false))), true},
		{"abandoned without a statement, before its end", base(neverFinished, decided(abandoned(20, t0+1_000, false)), func(s *scene) { s.now = ends }), false},
		{"abandoned without a statement, after its end", base(neverFinished, decided(abandoned(20, t0+1_000, false)), func(s *scene) { s.now = ends + 1 }), true},
		{"no promise at all, finished", base(func(s *scene) { s.terms = Terms{} }), true},
		{"no promise at all, in flight", base(neverFinished, func(s *scene) { s.terms = Terms{} }), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v := tc.scene.judge()
			if v.AllowsAtRisk(ActReissue) != tc.want {
				t.Fatalf("%s: new intent at risk %t, want %t; withheld: %s", v.Kind, !tc.want, tc.want, v.Withheld[ActReissue])
			}
		})
	}
}

// TestAbandon: left to who knows, and only where something is in flight.
func TestAbandon(t *testing.T) {
	if v := base(neverFinished).judge(); !v.AllowsByHand(ActAbandon) || v.Allows(ActAbandon) {
		t.Fatalf("by hand %v, safe %v", v.ByHand, v.Safe)
	}
	if v := base().judge(); v.AllowsByHand(ActAbandon) || v.Withheld[ActAbandon] != "No attempt is unfinished." {
		t.Fatalf("by hand %v, withheld %q", v.ByHand, v.Withheld[ActAbandon])
	}
	if v := base(neverFinished, decided(abandoned(20, t0+60_000, true))).judge(); v.AllowsByHand(ActAbandon) {
		t.Fatal("abandoned twice")
	}
	if v := base(neverFinished, decided(abandoned(20, t0+60_000, false))).judge(); !v.AllowsByHand(ActAbandon) {
		t.Fatal("the statement that the sender was killed can't be added")
	}
	a, ok := base(neverFinished).ev.InFlight()
	if !ok || a.AttemptID != "at-1" {
		t.Fatalf("in flight: %q, %t", a.AttemptID, ok)
	}
	if _, ok = base().ev.InFlight(); ok {
		t.Fatal("a finished attempt is in flight")
	}
}

// TestLookupOff: where no lookup can be made, none is called safe, and what was
// recorded before counts all the same.
func TestLookupOff(t *testing.T) {
	const why = "Lookups of report-inbox are off: TOKEN is not set."
	off := func(s *scene) { s.terms.LookupOff = why }
	for name, s := range map[string]scene{
		"absent": proven(off), "delivered": base(off, with(found(20, due))), "never looked up": base(off),
		"a conflict": base(off, with(lookup(20, ledger.LookupAmbiguous, due))),
	} {
		v := s.judge()
		if v.Allows(ActLookup) || v.Withheld[ActLookup] != why {
			t.Errorf("%s: safe %v, withheld %q", name, v.Safe, v.Withheld[ActLookup])
		}
		s.terms.LookupOff = ""
		if w := s.judge(); w.Kind != v.Kind || !w.Allows(ActLookup) {
			t.Errorf("%s: %s with lookups off, %s with them on, safe %v", name, v.Kind, w.Kind, w.Safe)
		}
	}
}
