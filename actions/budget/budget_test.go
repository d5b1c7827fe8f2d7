package budget

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"triage/actions/verdict"
	"triage/ledger"
)

const t0 = ledger.Millis(1_800_000_000_000) // 2027-01-15 08:00:00Z

func dur(d time.Duration) *time.Duration { return &d }

// honoured: R 1 h, T 30 s, S 2 m, K 5 s, so that the last safe start is before
// t0 + 57 m 25 s.
func honoured() verdict.Promises {
	return verdict.Promises{
		AttemptTimeout: dur(30 * time.Second), SettlesWithin: dur(2 * time.Minute), KeyRetention: dur(time.Hour),
		ClockSkew: dur(5 * time.Second), SameKey: verdict.ReturnsOriginal,
	}
}

const latest = t0 + 3_600_000 - 30_000 - 120_000 - 5_000

func try(n int, layer string, start, length ledger.Millis) ledger.Attempt {
	return ledger.Attempt{N: n, Layer: layer, StartedAt: t0 + start, FinishedAt: t0 + start + length, Outcome: ledger.OutcomeUnknown}
}

// TestOutlivesTheKey: the deadline itself still admits an attempt, and one that begins
// at the latest safe start is too late already.
func TestOutlivesTheKey(t *testing.T) {
	for deadline, want := range map[ledger.Millis]time.Duration{
		latest - 1: 0, latest: time.Millisecond, latest + 1: 2 * time.Millisecond, 0: 0,
	} {
		b := Of(ledger.Intent{MaxAttempts: 3, DeadlineAt: deadline}, []ledger.Attempt{try(1, "app", 0, 1000)}, honoured(), t0)
		if b.LatestStart != latest || b.Outlives != want {
			t.Errorf("deadline %+d ms from the latest start: outlives by %s, want %s; latest start %d, want %d", deadline-latest, b.Outlives, want, b.LatestStart, latest)
		}
		if told := strings.Contains(strings.Join(b.Warnings("inbox"), ""), "outlives the key"); told != (want > 0) {
			t.Errorf("deadline %+d ms: told %v: %q", deadline-latest, told, b.Warnings("inbox"))
		}
	}
	spent := Of(ledger.Intent{MaxAttempts: 1, DeadlineAt: latest + 1}, []ledger.Attempt{try(1, "app", 0, 1000)}, honoured(), t0)
	if spent.Outlives != 0 || spent.Left != 0 {
		t.Errorf("nothing is left to spend: %+v", spent)
	}
	if over := Of(ledger.Intent{MaxAttempts: 3, DeadlineAt: latest + 1}, []ledger.Attempt{try(1, "app", 0, 1000)}, honoured(), latest+2); len(over.Warnings("inbox")) != 0 {
		t.Errorf("a deadline that has passed admits nothing: %q", over.Warnings("inbox"))
	}
}

// TestUnknownRetention: a sender that may go on by itself, and a receiver of which nobody
// knows how long it honours the key.
func TestUnknownRetention(t *testing.T) {
	one := []ledger.Attempt{try(1, "app", 0, 1000)}
	own := ledger.Intent{MaxAttempts: 3, DeadlineAt: t0 + 60_000}
	for name, tc := range map[string]struct {
		change func(*verdict.Promises)
		words  string
	}{
		"R":        {func(p *verdict.Promises) { p.KeyRetention = nil }, "key_retention is not promised"},
		"T":        {func(p *verdict.Promises) { p.AttemptTimeout = nil }, "attempt_timeout is not promised"},
		"S":        {func(p *verdict.Promises) { p.SettlesWithin = nil }, "settles_within is not promised"},
		"same key": {func(p *verdict.Promises) { p.SameKey = "" }, "returns_original is not promised"},
	} {
		p := honoured()
		tc.change(&p)
		b := Of(own, one, p, t0+10_000)
		if got := strings.Join(b.Warnings("inbox"), ""); !b.LatestStart.IsNone() || !strings.Contains(got, tc.words) {
			t.Errorf("%s: latest start %d, warnings %q", name, b.LatestStart, got)
		}
		if quiet := Of(ledger.Intent{}, one, p, t0+10_000).Warnings("inbox"); len(quiet) != 0 {
			t.Errorf("%s: a sender that may not retry by itself is warned of: %q", name, quiet)
		}
	}
}

func TestTimeLeft(t *testing.T) {
	for now, words := range map[ledger.Millis]string{
		t0 + 59_999: "Attempts may start until", t0 + 60_000: "Attempts may start until", t0 + 60_001: "No attempt may start any more",
	} {
		b := Of(ledger.Intent{DeadlineAt: t0 + 60_000}, nil, verdict.Promises{}, now)
		if !strings.HasPrefix(b.Deadline(), words) {
			t.Errorf("at %+d ms: %q", now-t0-60_000, b.Deadline())
		}
	}
	if got := Of(ledger.Intent{}, nil, verdict.Promises{}, t0); got.Deadline() != "" || got.Spent() != "" || len(got.Warnings("inbox")) != 0 {
		t.Errorf("of nothing it says %q, %q, %q", got.Spent(), got.Deadline(), got.Warnings("inbox"))
	}
}

// TestLayers: who tried, how far apart, and where one layer's tries lie inside another's.
func TestLayers(t *testing.T) {
	stacked := []ledger.Attempt{
		try(5, "sdk", 42_000, 1000), try(1, "app", 0, 10_000), try(2, "sdk", 1_000, 2_000), try(3, "sdk", 4_000, 2_000), try(4, "app", 40_000, 10_000),
	}
	b := Of(ledger.Intent{MaxAttempts: 4}, stacked, verdict.Promises{}, t0+60_000)
	if want := []Layer{{"app", 2}, {"sdk", 3}}; !reflect.DeepEqual(b.Layers, want) {
		t.Errorf("layers %+v, want %+v", b.Layers, want)
	}
	if want := []Nesting{{Outer: "app", Inner: "sdk", Around: 2, Inside: 3}}; !reflect.DeepEqual(b.Nested, want) {
		t.Errorf("nested %+v, want %+v", b.Nested, want)
	}
	if b.Intervals != 4 || b.Shortest != time.Second || b.Longest != 36*time.Second || b.Overlaps != 0 || b.Left != 0 {
		t.Errorf("%+v", b)
	}
	if got := b.Spent(); got != "5 attempts, where max_attempts is 4: 2 by app, 3 by sdk; one began 1 s to 36 s after the other." {
		t.Errorf("it says %q", got)
	}
	if got := b.Warnings("inbox"); len(got) != 1 || got[0] != "Retries are stacked: sdk tried 3 times inside 2 attempts by app. What each layer may do is multiplied." {
		t.Errorf("it warns %q", got)
	}
	open := []ledger.Attempt{{N: 1, Layer: "app", StartedAt: t0}, try(2, "sdk", 1000, 1000)}
	if b := Of(ledger.Intent{}, open, verdict.Promises{}, t0+60_000); len(b.Nested) != 0 {
		t.Errorf("nothing shows that an attempt without an end was still going on: %+v", b.Nested)
	}
}

// TestOverlaps: at the very end of the earlier one nothing overlaps.
func TestOverlaps(t *testing.T) {
	for start, want := range map[ledger.Millis]int{9_999: 1, 10_000: 0, 10_001: 0} {
		b := Of(ledger.Intent{}, []ledger.Attempt{try(1, "app", 0, 10_000), try(2, "app", start, 1000)}, verdict.Promises{}, t0+60_000)
		if b.Overlaps != want {
			t.Errorf("second at %d ms: %d overlaps, want %d", start, b.Overlaps, want)
		}
	}
}
