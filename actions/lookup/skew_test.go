package lookup

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"triage/ledger"
)

func TestClockAhead(t *testing.T) {
	at := func(d time.Duration) string { return noon.Add(d).Format(http.TimeFormat) }
	for _, c := range []struct {
		name   string
		header http.Header
		trip   time.Duration
		want   time.Duration
	}{
		{"the same", http.Header{"Date": {at(0)}}, 0, 0},
		{"a second behind is rounding", http.Header{"Date": {at(-time.Second)}}, 0, 0},
		{"a second ahead is told by nobody", http.Header{"Date": {at(time.Second)}}, 0, 0},
		{"two seconds behind", http.Header{"Date": {at(-2 * time.Second)}}, 0, -2 * time.Second},
		{"two seconds ahead", http.Header{"Date": {at(2 * time.Second)}}, 0, 2 * time.Second},
		{"ahead of the middle", http.Header{"Date": {at(10 * time.Second)}}, 4 * time.Second, 8 * time.Second},
		{"explained by the way", http.Header{"Date": {at(5 * time.Second)}}, 4 * time.Second, 0}, // middle 2 s: 3 s, not more than 1 s + 2 s
		{"just not explained", http.Header{"Date": {at(6 * time.Second)}}, 4 * time.Second, 4 * time.Second},
		{"far in the future", http.Header{"Date": {"Fri, 31 Dec 9999 23:59:59 GMT"}}, 0, 1 << 62},
		{"several", http.Header{"Date": {at(0), at(-time.Hour)}}, 0, -time.Hour},
		{"none", http.Header{}, 0, 0},
		{"no date", http.Header{"Date": {"soon"}}, 0, 0},
		{"from a cache", http.Header{"Date": {at(-time.Hour)}, "Age": {"3600"}}, 0, 0},
		{"our clock was set back meanwhile", http.Header{"Date": {at(0)}}, -time.Hour, 0},
	} {
		got := clockAhead(c.header, noon, noon.Add(c.trip))
		if c.want == 1<<62 && got < 200*365*24*time.Hour || c.want != 1<<62 && got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestAWrongClockIsRecorded(t *testing.T) {
	for ahead, want := range map[time.Duration]int64{0: 0, time.Hour: 3600_000, -2 * time.Second: -2000} {
		configured := target(server(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Date", noon.Add(ahead).Format(http.TimeFormat))
			w.WriteHeader(404)
			fmt.Fprint(w, `{}`)
		}))
		a := look(t, configured, WithClock(func() ledger.Millis { return ledger.At(noon) }))
		if a.Outcome != ledger.LookupNotFound || a.Evidence.SkewMS != want || a.Evidence.Replayed {
			t.Errorf("%s ahead: %+v, want %d ms", ahead, a, want)
		}
	}
}
