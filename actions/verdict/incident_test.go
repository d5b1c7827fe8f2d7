package verdict

import (
	"slices"
	"testing"

	"triage/ledger"
)

// TestAnIncidentFromItsStart walks one incident through: what is known at each instant,
// and to the millisecond around each limit. An early miss is never remembered as an
// absence: neither time, nor failures, nor further early misses make one of it.
func TestAnIncidentFromItsStart(t *testing.T) {
	first, second := missed(20, ended+1000), missed(21, opens) // too early, the second by 1 ms
	failed := lookup(22, ledger.LookupFailed, opens+1)
	timely := missed(23, opens+1)
	late := found(24, opens+60_000)
	early := []ledger.Lookup{first, second}
	for _, tc := range []struct {
		name      string
		lookups   []ledger.Lookup
		now       ledger.Millis
		kind      Kind
		notBefore ledger.Millis
		closes    bool // close, new intent and retry are free
	}{
		{"the answer is lost", nil, ended, NeverLookedUp, opens + 1, false},
		{"an early miss", early[:1], first.FinishedAt, AbsenceInconclusive, opens + 1, false},
		{"… 1 ms before the limit", early[:1], opens - 1, AbsenceInconclusive, opens + 1, false},
		{"… at the limit", early[:1], opens, AbsenceInconclusive, opens + 1, false},
		{"… 1 ms after it: a lookup now can prove it, the old miss can't", early[:1], opens + 1, AbsenceInconclusive, opens + 1, false},
		{"a miss that began at the limit", early, second.FinishedAt, AbsenceInconclusive, opens + 1, false},
		{"a lookup that failed", append(slices.Clone(early), failed), failed.FinishedAt, LookupFailed, opens + 1, false},
		{"… and an hour later", append(slices.Clone(early), failed), opens + 3_600_000, LookupFailed, opens + 1, false},
		{"early misses, 5 s before retention ends", early, closes - 5_001, AbsenceInconclusive, opens + 1, false},
		{"… when no whole lookup fits any more", early, closes - 5_000, AbsenceInconclusive, 0, false},
		{"… and ever after", early, closes + 86_400_000, AbsenceInconclusive, 0, false},
		{"a timely miss", append(slices.Clone(early), failed, timely), timely.FinishedAt, Absent, 0, true},
		{"… with a clock K behind", append(slices.Clone(early), failed, timely), timely.FinishedAt - 5_000, Absent, 0, true},
		{"… 1 ms more than K behind", append(slices.Clone(early), failed, timely), timely.FinishedAt - 5_001, AbsenceInconclusive, opens + 1, false},
		{"the last instant for a retry", append(slices.Clone(early), timely), retryUntil - 1, Absent, 0, true},
		{"found after all", append(slices.Clone(early), failed, timely, late), late.FinishedAt, Delivered, 0, false},
		{"… and missed again", append(slices.Clone(early), failed, timely, late, missed(25, opens+120_000)), opens + 125_000, Delivered, 0, false},
	} {
		s := base(with(tc.lookups...))
		s.now = tc.now
		v := s.judge()
		if v.Kind != tc.kind || v.NotBefore != tc.notBefore {
			t.Errorf("%s: %s, not before %d, want %s and %d; because %q", tc.name, v.Kind, v.NotBefore, tc.kind, tc.notBefore, v.Because)
		}
		for _, act := range []Act{ActClose, ActReissue, ActRetry} {
			if v.Allows(act) != tc.closes {
				t.Errorf("%s: %s is free: %v, want %v", tc.name, act, v.Allows(act), tc.closes)
			}
		}
	}
}

// TestKMovesEveryLimit: the same incident under other clocks. K counts once more at each
// end, on the cautious side.
func TestKMovesEveryLimit(t *testing.T) {
	for _, k := range []ledger.Millis{0, 1, 5_000, 60_000} {
		opens, closes := opens-5_000+k, closes+5_000-k
		skew := promise(func(p *Promises) { p.ClockSkew = dur(k.Sub(0)) })
		for _, tc := range []struct {
			name            string
			began, finished ledger.Millis
			want            Kind
		}{
			{"1 ms before it opens", opens - 1, opens + 1000, AbsenceInconclusive},
			{"as it opens", opens, opens + 1000, AbsenceInconclusive},
			{"1 ms after it opens", opens + 1, opens + 1000, Absent},
			{"1 ms before it closes", closes - 1000, closes - 1, Absent},
			{"as it closes", closes - 1000, closes, AbsenceInconclusive},
			{"1 ms after it closes", closes - 1000, closes + 1, AbsenceInconclusive},
		} {
			l := missed(20, tc.began)
			l.FinishedAt = tc.finished
			s := base(skew, with(l))
			s.now = closes + 10_000
			if v := s.judge(); v.Kind != tc.want {
				t.Errorf("K %d ms, %s: %s, want %s; because %q", k, tc.name, v.Kind, tc.want, v.Because)
			}
		}
	}
}
