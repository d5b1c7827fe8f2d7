package verdict

import (
	"strings"
	"testing"
	"time"
)

// TestCanProveAbsence: each promise missing by itself, and promises that do not
// add up: T + S + G + lookup timeout + 2K ≥ retention.
func TestCanProveAbsence(t *testing.T) {
	const sum = 30*time.Second + 2*time.Minute + 30*time.Second + 5*time.Second + 2*5*time.Second
	for _, tc := range []struct {
		name   string
		change func(*scene)
		ok     bool
		why    string
	}{
		{"all promised", func(*scene) {}, true, ""},
		{"no lookup", func(s *scene) { s.terms.HasLookup = false }, false, "no lookup is configured"},
		{"absence_is_proof", promise(func(p *Promises) { p.AbsenceIsProof = false }), false, "absence_is_proof"},
		{"by content", promise(func(p *Promises) { p.LookupBy = ByContent }), false, "lookup_by: content"},
		{"settles_within", promise(func(p *Promises) { p.SettlesWithin = nil }), false, "settles_within"},
		{"lookup_lag", promise(func(p *Promises) { p.LookupLag = nil }), false, "lookup_lag"},
		{"retention", promise(func(p *Promises) { p.KeyRetention = nil }), false, "lookup_retention"},
		{"lookup_retention stands in for R", promise(func(p *Promises) { p.KeyRetention, p.LookupRetention = nil, dur(time.Hour) }), true, ""},
		{"clock_skew has a default", promise(func(p *Promises) { p.ClockSkew = nil }), true, ""},
		{"attempt_timeout is missed only by orphans", noTimeout, true, "attempt_timeout is not promised"},
		{"just enough", promise(func(p *Promises) { p.KeyRetention = dur(sum + time.Millisecond) }), true, ""},
		{"not enough", promise(func(p *Promises) { p.KeyRetention = dur(sum) }), false, "come to 3 m 15 s"},
		{"enough, cut to whole milliseconds not", promise(func(p *Promises) { p.KeyRetention = dur(sum + time.Millisecond - 1) }), false, "come to"},
		{"lookup_retention decides", promise(func(p *Promises) { p.LookupRetention = dur(sum) }), false, "come to"},
		{"T counts", promise(func(p *Promises) { p.KeyRetention, p.AttemptTimeout = dur(sum), dur(29*time.Second) }), true, ""},
		{"S counts", promise(func(p *Promises) { p.KeyRetention, p.SettlesWithin = dur(sum), dur(119*time.Second) }), true, ""},
		{"G counts", promise(func(p *Promises) { p.KeyRetention, p.LookupLag = dur(sum), dur(29*time.Second) }), true, ""},
		{"K counts twice", promise(func(p *Promises) { p.KeyRetention, p.ClockSkew = dur(sum-time.Second), dur(4*time.Second) }), true, ""},
		{"the lookup's timeout counts", func(s *scene) {
			s.terms.Promises.KeyRetention, s.terms.LookupTimeout = dur(sum), 4*time.Second
		}, true, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ok, why := base(tc.change).terms.CanProveAbsence()
			if ok != tc.ok || !strings.Contains(why, tc.why) || (tc.why == "") != (why == "") {
				t.Fatalf("%t %q, want %t and %q", ok, why, tc.ok, tc.why)
			}
		})
	}
	ok, why := Terms{}.CanProveAbsence()
	for _, name := range []string{"no lookup", "absence_is_proof", "settles_within", "lookup_lag", "key_retention"} {
		if ok || !strings.Contains(why, name) {
			t.Fatalf("without any promise: %t, and %q does not name %s", ok, why, name)
		}
	}
}

// TestPromisesThatNeverAddUp: then nothing is proven and no verdict says "wait",
// though an attempt that ended early leaves a gap.
func TestPromisesThatNeverAddUp(t *testing.T) {
	short := promise(func(p *Promises) { p.KeyRetention = dur(3 * time.Minute) })
	at := opens + 1 // closes at t0 + 175 s
	v := base(short, with(missed(20, at))).judge()
	wantKind(t, v, AbsenceInconclusive)
	if !v.NotBefore.IsNone() {
		t.Fatal("says wait")
	}
	wantReason(t, v, "come to 3 m 15 s, which is not less than the 3 m")
	wantReason(t, v, "Waiting does not help")
	if v = base(short, func(s *scene) { s.now = t0 + 20_000 }).judge(); !v.NotBefore.IsNone() {
		t.Fatal("says wait where nobody looked")
	}
	wantReason(t, v, "come to 3 m 15 s")
}
