package lookup

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"triage/actions/config"
	"triage/ledger"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func TestRetryAfter(t *testing.T) {
	for _, c := range []struct {
		status int
		value  string
		want   time.Duration // after noon; 0: none
	}{
		{429, "120", 2 * time.Minute}, {503, "1", time.Second}, {503, " 30 ", 30 * time.Second},
		{429, "0", 0}, {429, "", 0}, {429, "0.0", 0}, {429, "1.5", 2 * time.Second}, {429, "120.0", 2 * time.Minute},
		{403, "120", 2 * time.Minute}, {403, "", 0}, {401, "120", 0},
		// What can't be read is a wish all the same.
		{429, "-5", time.Minute}, {429, "soon", time.Minute}, {429, "+5", time.Minute}, {429, "5s", time.Minute}, {429, "90s", 90 * time.Second},
		{429, "5m", 5 * time.Minute}, {429, "120 seconds", 2 * time.Minute}, {429, "99999999h", time.Hour}, {429, "1.5.5", time.Minute},
		{429, "3600", time.Hour}, {429, "3601", time.Hour}, {429, "99999999999999999999999", time.Hour},
		{429, "Mon, 30 Nov 2026 12:05:00 GMT", 5 * time.Minute}, {429, "Monday, 30-Nov-26 12:05:00 GMT", 5 * time.Minute},
		{503, "Mon Nov 30 12:05:00 2026", 5 * time.Minute}, {429, "Mon, 30 Nov 2026 11:00:00 GMT", 0},
		{429, "Tue, 30 Nov 2027 12:00:00 GMT", time.Hour}, {429, "2026-11-30T12:05:00Z", 5 * time.Minute}, {429, "Mon, 30 Nov 2026 13:05:00 +0100", 5 * time.Minute}, {429, "2026-11-30T11:05:00Z", time.Minute},
		{200, "120", 0}, {404, "120", 0}, {500, "120", 0}, {302, "120", 0},
	} {
		got := retryAfter(c.status, http.Header{"Retry-After": {c.value}}, noon)
		if c.want == 0 && !got.IsZero() || c.want != 0 && !got.Equal(noon.Add(c.want)) {
			t.Errorf("%d %q: %v", c.status, c.value, got)
		}
	}
}

func TestRetryAfterThatIsNotPlain(t *testing.T) {
	for _, c := range []struct {
		values []string
		date   string
		want   time.Duration // after noon; 0: none
	}{
		{[]string{"5", "120"}, "", 2 * time.Minute}, {[]string{"120", "5"}, "", 2 * time.Minute}, // the later one holds
		{[]string{"soon", "30"}, "", time.Minute}, {[]string{"soon", "90"}, "", 90 * time.Second}, {[]string{"30", "-1"}, "", time.Minute},
		// Joined by a proxy.
		{[]string{"5, 10"}, "", 10 * time.Second}, {[]string{"120,5"}, "", 2 * time.Minute}, {[]string{"5,"}, "", 5 * time.Second},
		{[]string{"5, Mon, 30 Nov 2026 12:02:00 GMT, 7"}, "", 2 * time.Minute}, {[]string{"Mon, 30 Nov 2026 12:02:00 GMT, Monday, 30-Nov-26 12:05:00 GMT"}, "", 5 * time.Minute},
		{[]string{"1e3"}, "", time.Minute}, {[]string{"٣٠"}, "", time.Minute}, {[]string{"0x10"}, "", time.Minute},
		{[]string{"9223372036854775808"}, "", time.Hour}, {[]string{"5", "Tue, 30 Nov 2027 12:00:00 GMT"}, "", time.Hour},
		// A receiver whose clock is two hours behind asks for five minutes.
		{[]string{"Mon, 30 Nov 2026 10:05:00 GMT"}, "Mon, 30 Nov 2026 10:00:00 GMT", 5 * time.Minute},
		{[]string{"Mon, 30 Nov 2026 12:05:00 GMT"}, "Mon, 30 Nov 2026 12:04:00 GMT", 5 * time.Minute},
		{[]string{"Mon, 30 Nov 2026 10:05:00 GMT"}, "yesterday", 0},
	} {
		h := http.Header{"Retry-After": c.values, "Date": {c.date}}
		got := retryAfter(429, h, noon)
		if c.want == 0 && !got.IsZero() || c.want != 0 && !got.Equal(noon.Add(c.want)) {
			t.Errorf("%q at %q: %v, want %s after noon", c.values, c.date, got, c.want)
		}
	}
}

// A canary that brings a Retry-After shuts the gate for the question itself.
func TestACanaryThatIsAskedTooOften(t *testing.T) {
	for name, from := range map[string]int32{"before": 1, "after": 3} {
		var asked atomic.Int32
		now := ledger.At(noon)
		configured := target(server(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Date", noon.Format(http.TimeFormat))
			switch n := asked.Add(1); {
			case n >= from:
				w.Header().Set("Retry-After", "60")
				w.WriteHeader(429)
				fmt.Fprint(w, `{}`)
			case n == 1:
				fmt.Fprint(w, `{"op_key":"probe-1"}`)
			default:
				w.WriteHeader(404)
				fmt.Fprint(w, `{}`)
			}
		}))
		configured.Promises.Canary = "probe-1"
		a := look(t, configured, WithClock(func() ledger.Millis { return now }))
		if a.CanarySeen == nil || *a.CanarySeen || a.Evidence.RetryAt != ledger.At(noon.Add(time.Minute)) || asked.Load() != from {
			t.Errorf("%s: %+v after %d questions", name, a, asked.Load())
		}
		if want := map[string]ledger.LookupOutcome{"before": ledger.LookupFailed, "after": ledger.LookupNotFound}[name]; a.Outcome != want {
			t.Errorf("%s: %s, want %s", name, a.Outcome, want)
		}
		if name == "before" {
			wantFailed(t, a, "http_429")
		}
	}
}

// busy is a receiver that is asked too often from its second question on.
func busy(t *testing.T, asked *atomic.Int32) string {
	return server(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if asked.Add(1) == 1 {
			fmt.Fprint(w, goodBody)
			return
		}
		w.Header().Set("Retry-After", "60")
		w.WriteHeader(429)
		fmt.Fprint(w, `{}`)
	})
}

func TestAReceiverThatWantsQuietGetsIt(t *testing.T) {
	var asked atomic.Int32
	now := ledger.At(noon)
	c := connector(t, target(busy(t, &asked)), WithClock(func() ledger.Millis { return now }))
	if a := c.Look(context.Background(), theIntent); a.Outcome != ledger.LookupFound || !a.Evidence.RetryAt.IsNone() {
		t.Fatalf("%+v", a)
	}
	want := ledger.At(noon.Add(time.Minute))
	a := c.Look(context.Background(), theIntent)
	wantFailed(t, a, "http_429")
	if a.Evidence.RetryAt != want {
		t.Errorf("retry at %v, want %v", a.Evidence.RetryAt.Time(), want.Time())
	}
	a = c.Look(context.Background(), theIntent)
	wantFailed(t, a, "retry_after")
	if a.Evidence.RetryAt != want || asked.Load() != 2 {
		t.Errorf("retry at %v; asked %d times, want 2", a.Evidence.RetryAt.Time(), asked.Load())
	}
	now = want
	wantFailed(t, c.Look(context.Background(), theIntent), "http_429")
	if asked.Load() != 3 {
		t.Errorf("asked %d times, want 3", asked.Load())
	}
}

func TestRateOfATarget(t *testing.T) {
	var asked atomic.Int32
	configured := target(server(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(404)
		fmt.Fprint(w, `{}`)
	}))
	configured.Promises.Canary = "probe-1"
	configured.Lookup.Rate = config.Rate{Count: 1, Per: time.Hour}
	for n := range 2 { // connectors of one target share its rate
		c, err := For(configured)
		if err != nil {
			t.Fatal(err)
		}
		a := c.Look(context.Background(), theIntent)
		if n == 0 {
			if a.Outcome != ledger.LookupNotFound {
				t.Fatalf("the first lookup, its canary included, must pass: %+v", a)
			}
			continue
		}
		wantFailed(t, a, "rate_limited")
		if a.CanarySeen == nil || *a.CanarySeen || a.Evidence.Canary != "not asked for" {
			t.Errorf("%+v", a)
		}
	}
	if asked.Load() != 3 {
		t.Errorf("asked %d times, want 3", asked.Load())
	}
}

func TestTheRateIsWaitedFor(t *testing.T) {
	configured := target(answering(t, 200, goodBody))
	configured.Lookup.Rate = config.Rate{Count: 20, Per: time.Second}
	c := connector(t, configured)
	began := time.Now()
	for range 24 { // 20 at once, then 4 at 50 ms each
		if a := c.Look(context.Background(), theIntent); a.Outcome != ledger.LookupFound {
			t.Fatalf("%+v", a)
		}
	}
	if took := time.Since(began); took < 150*time.Millisecond {
		t.Errorf("24 lookups at 20 a second took %s", took)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for range 30 {
		if a := c.Look(ctx, theIntent); a.Cause != "cancelled" {
			t.Fatalf("%+v", a)
		}
	}
}
