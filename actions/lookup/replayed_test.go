package lookup

import (
	"net/http"
	"testing"
	"time"

	"triage/ledger"
)

func TestReplayed(t *testing.T) {
	date := func(d time.Duration) string { return noon.Add(d).Format(http.TimeFormat) }
	for _, c := range []struct {
		name, value string
		want        bool
	}{
		{"Idempotent-Replayed", "true", true}, {"Idempotent-Replayed", "TRUE", true}, {"Idempotent-Replayed", "false", false},
		{"Age", "1", true}, {"Age", "0", false}, {"Age", "", false}, {"Age", "old", true},
		{"X-Cache", "Hit from cloudfront", true}, {"X-Cache", "MISS", false},
		{"X-Cache", "MISS, HIT", true}, {"X-Cache", "MISS, MISS", false}, {"X-Cache", "miss from a, hit from b", true}, {"X-Cache", "TCP_MEM_HIT from a1 (Ghost)", true}, {"X-Cache", "TCP_MISS from a1", false}, {"X-Cache", ", hit-stale", true},
		{"CF-Cache-Status", "HIT", true}, {"CF-Cache-Status", "DYNAMIC", false}, {"CF-Cache-Status", "STALE", true}, {"X-Cache-Status", "HIT", true}, {"X-Cache-Status", "BYPASS", false},
		{"Age", "0, 30", true}, {"Cache-Status", "edge; HIT", true},
		{"Cache-Status", "edge; hit; ttl=30", true}, {"Cache-Status", "edge; fwd=miss, origin; hit", true}, {"Cache-Status", "hit; fwd=miss", false}, {"Cache-Status", "edge; hit=?0", false},
		{"Date", date(0), false}, {"Date", date(-6 * time.Second), false}, {"Date", date(-7 * time.Second), true}, {"Date", date(time.Hour), false}, {"Date", "yesterday", true},
		{"Date", "Mon, 30 Nov 2026 12:00:00 +0000", true}, {"Date", "2026-11-30T12:00:00Z", true}, {"Date", "", true},
		{"X-Proxy-Cache", "HIT", true}, {"X-Proxy-Cache", "MISS", false}, {"Akamai-Cache-Status", "Hit from child", true}, {"X-Rack-Cache", "fresh", true}, {"X-Cache-Lookup", "HIT from squid:3128", false},
		{"X-Cache-Hits", "7", true}, {"X-Cache-Hits", "0, 1", true}, {"X-Cache-Hits", "0, 0", false},
		{"X-Varnish", "32770", false}, {"X-Varnish", "32770 3", true}, {"X-Varnish", "5, 7 2", true},
		{"Warning", `110 - "Response is Stale"`, true}, {"Warning", `113 cache "Heuristic, expiration"`, true}, {"Warning", `199 - "110"`, false}, {"Warning", `214 - "Transformation Applied", 111 x "Revalidation Failed"`, true},
		{"Idempotency-Replayed", "true", true}, {"Idempotency-Replayed", "false", false}, {"X-Idempotent-Replay", "True", true}, {"Idempotency-Key", "true", false},
	} {
		if got := replayed(http.Header{http.CanonicalHeaderKey(c.name): {c.value}}, noon, 5*time.Second); got != c.want {
			t.Errorf("%s: %s: %v", c.name, c.value, got)
		}
	}
	for name, values := range map[string][]string{"X-Cache": {"MISS", "HIT"}, "Age": {"0", "9"}, "Cache-Status": {"edge; fwd=miss", "origin; hit"}, "Date": {date(0), date(-time.Hour)}} {
		if !replayed(http.Header{name: values}, noon, 5*time.Second) {
			t.Errorf("%s on two lines: the second is not read", name)
		}
	}
}

func TestAnOldAnswerIsMarked(t *testing.T) {
	address := server(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Date", noon.Format(http.TimeFormat))
		w.WriteHeader(404)
		_, _ = w.Write([]byte(`{}`))
	})
	at := func(now time.Time) Answer {
		return look(t, target(address), WithClock(func() ledger.Millis { return ledger.At(now) }))
	}
	if a := at(noon); a.Evidence.Replayed || a.Outcome != ledger.LookupNotFound {
		t.Errorf("fresh: %+v", a)
	}
	if a := at(noon.Add(time.Minute)); !a.Evidence.Replayed || a.Outcome != ledger.LookupNotFound {
		t.Errorf("old: %+v", a)
	}
}
