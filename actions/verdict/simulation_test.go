package verdict

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"triage/ledger"
)

// world is a receiver, its senders and its operators in true time, in milliseconds
// since t0. It keeps every promise to the letter and no further; clocks differ by
// up to K. What a verdict says can so be held against what really happened.
type world struct {
	rnd                               *rand.Rand
	terms                             Terms
	timeout, settles, lag, kept, skew int64 // T, S, G, R, K
	hasTimeout                        bool
	ev                                Evidence
	seq                               int64
	clock                             map[string]int64 // how far ahead a writer's clock is
	lands                             int64            // when the effect happens; never if negative
	seen                              int64            // from when a lookup sees it
	first                             int64            // true start of the first attempt
	end                               int64            // true end of the last attempt
}

func newWorld(rnd *rand.Rand) *world {
	w := &world{rnd: rnd, lands: -1, seq: 10, first: -1, clock: map[string]int64{}}
	w.timeout, w.settles, w.lag = 1+rnd.Int64N(60), rnd.Int64N(60), rnd.Int64N(60)
	w.kept, w.skew = 20+rnd.Int64N(600), rnd.Int64N(20)
	w.hasTimeout = rnd.IntN(4) > 0
	for _, who := range []string{"sender", "desk a", "desk b"} {
		w.clock[who] = rnd.Int64N(w.skew+1) - w.skew/2
	}
	// The receiver's own clock is the true one, and so within K of all others.
	ms := func(n int64) *time.Duration { return dur(time.Duration(n) * time.Millisecond) }
	w.terms = Terms{HasLookup: true, Connector: "http", Environment: "production", LookupTimeout: 3 * time.Millisecond, Promises: Promises{
		SettlesWithin: ms(w.settles), LookupLag: ms(w.lag), KeyRetention: ms(w.kept), ClockSkew: ms(w.skew),
		AbsenceIsProof: true, FoundIsFinal: true, SameKey: ReturnsOriginal, Canary: "probe-1",
	}}
	if w.hasTimeout {
		w.terms.Promises.AttemptTimeout = ms(w.timeout)
	}
	w.ev.Intent = base().ev.Intent
	return w
}

func (w *world) tick() int64 { w.seq++; return w.seq }

// says is what a writer's clock shows at a true instant.
func (w *world) says(who string, at int64) ledger.Millis {
	return t0 + 1_000_000 + ledger.Millis(at+w.clock[who])
}

// chance is true once in n.
func (w *world) chance(n int) bool { return w.rnd.IntN(n) == 0 }

// attempt runs one attempt from a true instant on. Its request goes out at any
// time until its end, may be lost, and else lands within S of the end.
func (w *world) attempt(start int64) {
	length := w.rnd.Int64N(w.timeout + 1)
	if !w.hasTimeout && w.chance(3) {
		length += w.rnd.Int64N(300) // no promise, no limit
	}
	w.end = start + length
	if w.first < 0 {
		w.first = start
	}
	n := len(w.ev.Attempts) + 1
	a := ledger.Attempt{AttemptID: fmt.Sprintf("at-%d", n), N: n, StartedAt: w.says("sender", start), Seq: w.tick()}
	if !w.chance(3) {
		a.Outcome, a.Cause, a.FinishedAt = ledger.OutcomeUnknown, "timeout", w.says("sender", w.end)
	}
	w.ev.Attempts = append(w.ev.Attempts, a)
	if w.lands < 0 && w.chance(2) {
		out := start + w.rnd.Int64N(length+1)
		if w.chance(2) {
			out = w.end
		}
		w.lands = out + w.rnd.Int64N(w.end-out+w.settles+1)
		if w.chance(2) {
			w.lands = w.end + w.settles
		}
		w.seen = w.lands + w.rnd.Int64N(w.lag+1)
		if w.chance(2) {
			w.seen = w.lands + w.lag
		}
	}
}

// look asks from a true instant on. What has landed is found from seen on until the
// receiver forgets, which it may do from R after the first attempt began.
func (w *world) look(start int64) {
	who := []string{"desk a", "desk b"}[w.rnd.IntN(2)]
	length := w.rnd.Int64N(4)
	asked := start + w.rnd.Int64N(length+1)
	l := ledger.Lookup{
		LookupID: fmt.Sprintf("look-%d", len(w.ev.Lookups)), Connector: "http", Environment: "production", Actor: who,
		StartedAt: w.says(who, start), FinishedAt: w.says(who, start+length), Seq: w.tick(),
		Outcome: ledger.LookupNotFound, CanarySeen: yes(),
	}
	visible := w.lands >= 0 && asked >= w.seen && asked < w.first+w.kept
	switch fate := w.rnd.IntN(10); {
	case fate == 0:
		l.Environment = "staging" // never knows it
	case fate == 1:
		l.Connector = "file" // an old export
	case fate == 2:
		l.CanarySeen = no() // not allowed to see anything
	case fate == 3:
		l.Outcome = ledger.LookupFailed
	case fate == 4: // a writer that missed what is there, and says so somehow
		l.Evidence = []string{`{"truncated":true}`, `{"truncated":1}`, `{"status":503}`, `{"key":"op-2"}`, "[]"}[w.rnd.IntN(5)]
	case visible:
		l.Outcome, l.Receipt, l.PayloadSHA256, l.Evidence = ledger.LookupFound, "R-1", hash, `{"key":"op-1"}`
	}
	w.ev.Lookups = append(w.ev.Lookups, l)
}

// abandon states that the sender of the last attempt was killed, when it was.
func (w *world) abandon(at int64) {
	last := w.ev.Attempts[len(w.ev.Attempts)-1]
	killed := at >= w.end && w.chance(2)
	d := abandoned(w.tick(), w.says("desk a", at), killed)
	d.Facts = fmt.Sprintf(`{"attempt_id":%q,"sender_killed":%t}`, last.AttemptID, killed)
	w.ev.Decisions = append(w.ev.Decisions, d)
}

// TestVerdictsAgainstTheTruth: over many worlds that keep their promises, nothing
// that landed or still will is ever called absent, a retry that is called safe
// lands while the key is honoured, and delivered is only what landed.
func TestVerdictsAgainstTheTruth(t *testing.T) {
	absent, delivered, retries := 0, 0, 0
	for seed := range uint64(8_000) {
		w := newWorld(rand.New(rand.NewPCG(seed, 20270115)))
		at := int64(0)
		for range 1 + w.rnd.IntN(6) {
			switch {
			case len(w.ev.Attempts) == 0, at > w.end && len(w.ev.Attempts) < 2 && w.chance(4):
				w.attempt(at)
			case w.chance(5):
				w.abandon(at)
			default:
				w.look(at)
			}
			if w.chance(2) { // to the edge of what may be proven
				at = max(at, w.end+w.settles+w.lag+w.skew+w.rnd.Int64N(3)-1)
			}
			at += w.rnd.Int64N(80)
			now := w.says("desk b", at)
			v := Judge(w.ev, w.terms, now)
			switch v.Kind {
			case Absent:
				absent++
				if w.lands >= 0 {
					t.Fatalf("seed %d: absent at %d, but it lands at %d and is seen from %d; because %q", seed, at, w.lands, w.seen, v.Because)
				}
			case Delivered:
				delivered++
				if w.lands < 0 || w.lands > at {
					t.Fatalf("seed %d: delivered at %d, but it lands at %d", seed, at, w.lands)
				}
			}
			if v.Allows(ActRetry) {
				retries++
				start := at + int64(v.RetryUntil-now) - 1 // on the same clock, the last instant allowed
				if landing := start + w.timeout + w.settles; landing >= w.first+w.kept {
					t.Fatalf("seed %d: a retry may land at %d, and the key is honoured until %d", seed, landing, w.first+w.kept)
				}
			}
		}
	}
	if absent < 1000 || delivered < 1000 || retries < 500 {
		t.Fatalf("%d absent, %d delivered, %d retries: the check says little", absent, delivered, retries)
	}
}
