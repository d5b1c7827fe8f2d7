package budget

import (
	"reflect"
	"slices"
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

func pending(most int, deadline ledger.Millis) ledger.Intent {
	return ledger.Intent{State: ledger.Pending, MaxAttempts: most, DeadlineAt: deadline}
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
		b := Of(pending(3, deadline), []ledger.Attempt{try(1, "app", 0, 1000)}, honoured(), t0)
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
	for now, told := range map[ledger.Millis]int{latest: 1, latest + 1: 1, latest + 2: 0} { // a deadline that has passed admits nothing
		b := Of(pending(3, latest+1), []ledger.Attempt{try(1, "app", 0, 1000)}, honoured(), now)
		if got := b.Warnings("inbox"); len(got) != told {
			t.Errorf("%+d ms from the deadline it warns %q", now-latest-1, got)
		}
	}
}

// TestWhatALateDeadlineMeans: who may still act on it.
func TestWhatALateDeadlineMeans(t *testing.T) {
	one := []ledger.Attempt{try(1, "app", 0, 1000)}
	const own, decided = "A late retry may then act a second time.", "A retry has to begin before that."
	for name, tc := range map[string]struct {
		intent ledger.Intent
		words  string
	}{
		"by itself":       {pending(3, latest+3_600_000), own},
		"UNKNOWN":         {ledger.Intent{State: ledger.Unknown, MaxAttempts: 3, DeadlineAt: latest + 3_600_000}, decided},
		"no max_attempts": {pending(0, latest+3_600_000), decided},
		"delivered":       {ledger.Intent{State: ledger.Delivered, MaxAttempts: 3, DeadlineAt: latest + 3_600_000}, ""},
		"replaced":        {ledger.Intent{State: ledger.Unknown, SupersededBy: "k~1", MaxAttempts: 3, DeadlineAt: latest + 3_600_000}, ""},
		"cancelled":       {ledger.Intent{State: ledger.Pending, CancelRequestedAt: t0, MaxAttempts: 3, DeadlineAt: latest + 3_600_000}, ""},
	} {
		b := Of(tc.intent, one, honoured(), t0+2000)
		got := strings.Join(b.Warnings("inbox"), "")
		if (got == "") != (tc.words == "") || !strings.HasSuffix(got, tc.words) {
			t.Errorf("%s: it warns %q, want the end %q", name, got, tc.words)
		}
		if tc.words != "" && !strings.Contains(got, "outlives the key by 1 h") {
			t.Errorf("%s: it warns %q", name, got)
		}
		if b.Outlives != time.Hour+time.Millisecond {
			t.Errorf("%s: outlives by %s", name, b.Outlives)
		}
	}
	for state, words := range map[ledger.State]string{
		ledger.Pending: "No deadline is set, so nothing ends", ledger.Unknown: "No deadline is set, so nothing ends", ledger.Failed: "",
	} {
		b := Of(ledger.Intent{State: state, MaxAttempts: 3}, one, honoured(), t0+2000)
		if got := b.Deadline(); !strings.HasPrefix(got, words) || (got == "") != (words == "") || len(b.Warnings("inbox")) != 0 {
			t.Errorf("%s without a deadline: %q, warnings %q", state, got, b.Warnings("inbox"))
		}
	}
}

// TestUnknownRetention: a sender that may go on by itself, and a receiver of which nobody
// knows how long it honours the key.
func TestUnknownRetention(t *testing.T) {
	one := []ledger.Attempt{try(1, "app", 0, 1000)}
	own := pending(3, t0+60_000)
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
		for _, i := range []ledger.Intent{{}, {State: ledger.Unknown, MaxAttempts: 3, DeadlineAt: t0 + 60_000}, pending(1, t0+60_000)} {
			if quiet := Of(i, one, p, t0+10_000).Warnings("inbox"); len(quiet) != 0 {
				t.Errorf("%s: a sender that may not retry by itself is warned of: %q", name, quiet)
			}
		}
	}
}

func TestTimeLeft(t *testing.T) {
	for now, words := range map[ledger.Millis]string{
		t0 + 59_000: "Attempts may start until 2027-01-15 08:01:00.000Z, for 1 s more.",
		t0 + 59_999: "Attempts may start until 2027-01-15 08:01:00.000Z, for 1 ms more.",
		t0 + 60_000: "This is the last instant at which an attempt may start: the deadline is 2027-01-15 08:01:00.000Z.",
		t0 + 60_001: "No attempt may start any more: the deadline passed at 2027-01-15 08:01:00.000Z.",
	} {
		b := Of(ledger.Intent{DeadlineAt: t0 + 60_000}, nil, verdict.Promises{}, now)
		if b.Deadline() != words || b.TimeLeft != (t0+60_000).Sub(now) {
			t.Errorf("at %+d ms: %q, %s left", now-t0-60_000, b.Deadline(), b.TimeLeft)
		}
		if later := Of(ledger.Intent{DeadlineAt: t0 + 60_000}, nil, verdict.Promises{}, t0).At(now); !reflect.DeepEqual(later, b) {
			t.Errorf("counted down to %+d ms: %+v, want %+v", now-t0-60_000, later, b)
		}
	}
	if got := Of(ledger.Intent{State: ledger.Delivered, DeadlineAt: t0 + 60_000}, nil, verdict.Promises{}, t0).Deadline(); !strings.Contains(got, "nothing more is admitted") {
		t.Errorf("of a settled one it says %q", got)
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
	if want := []Nesting{{Outer: "app", Inner: "sdk", Around: 2, Inside: 3, Most: 2}}; !reflect.DeepEqual(b.Nested, want) {
		t.Errorf("nested %+v, want %+v", b.Nested, want)
	}
	if b.Intervals != 4 || b.Shortest != time.Second || b.Typical != 2*time.Second || b.Longest != 36*time.Second || b.Overlaps != 0 || b.Left != 0 {
		t.Errorf("%+v", b)
	}
	if got := b.Spent(); got != "5 attempts, where max_attempts is 4: 2 by app, 3 by sdk; each began 1 s to 36 s after the one before, typically 2 s." {
		t.Errorf("it says %q", got)
	}
	if got := b.Warnings("inbox"); len(got) != 1 || got[0] != "Retries are stacked: sdk tried 3 times inside 2 attempts by app. What each layer may do is multiplied: 2 by app × up to 2 by sdk." {
		t.Errorf("it warns %q", got)
	}
	even := append(slices.Clone(stacked), try(6, "sdk", 44_000, 1000))
	if got := Of(ledger.Intent{}, even, verdict.Promises{}, t0+60_000).Warnings("inbox"); len(got) != 1 || !strings.HasSuffix(got[0], ": 2 by app × 2 by sdk.") {
		t.Errorf("it warns %q", got)
	}
}

// TestIntervals: how far apart attempts began, whatever the order of their rows.
func TestIntervals(t *testing.T) {
	for words, starts := range map[string][]ledger.Millis{
		"1 attempt: 1 by app.": {0},
		"2 attempts: 2 by app; the second began 30 s after the first.":                                            {0, 30_000},
		"3 attempts: 3 by app; each began 30 s after the one before.":                                             {60_000, 0, 30_000},
		"3 attempts: 3 by app; each began 10 s to 50 s after the one before.":                                     {0, 10_000, 60_000},
		"5 attempts: 5 by app; each began 1 s to 1 m after the one before, typically 2 s.":                        {0, 1000, 3000, 63_000, 66_000},
		"2 attempts: 2 by app; the second began 500 ms after the first; 1 began before an earlier one had ended.": {0, 500},
	} {
		var attempts []ledger.Attempt
		for n, start := range starts {
			attempts = append(attempts, try(n+1, "app", start, 1000))
		}
		if got := Of(ledger.Intent{}, attempts, verdict.Promises{}, t0+600_000).Spent(); got != words {
			t.Errorf("it says %q, want %q", got, words)
		}
	}
}

// TestOneInsideAnother: only what rows show to lie inside counts, to the millisecond; and
// one try inside each is no retry.
func TestOneInsideAnother(t *testing.T) {
	app := try(1, "app", 1000, 10_000)
	for name, tc := range map[string]struct {
		inner            ledger.Attempt
		nested, overlaps int
	}{
		"inside":               {try(2, "sdk", 2000, 1000), 1, 0},
		"from its start on":    {try(2, "sdk", 1000, 1000), 1, 0},
		"before it":            {try(2, "sdk", 999, 1000), 0, 1},
		"to its end":           {try(2, "sdk", 2000, 9000), 1, 0},
		"beyond its end":       {try(2, "sdk", 2000, 9001), 0, 1},
		"the same length":      {try(2, "sdk", 1000, 10_000), 0, 1},
		"at its end":           {try(2, "sdk", 11_000, 0), 0, 0},
		"just before its end":  {try(2, "sdk", 10_999, 0), 1, 0},
		"of the same layer":    {try(2, "app", 2000, 1000), 0, 1},
		"without an end":       {ledger.Attempt{N: 2, Layer: "sdk", StartedAt: t0 + 2000}, 0, 1},
		"around it, and later": {try(2, "scheduler", 500, 20_000), 1, 0},
	} {
		b := Of(ledger.Intent{}, []ledger.Attempt{app, tc.inner}, verdict.Promises{}, t0+60_000)
		if len(b.Nested) != tc.nested || b.Overlaps != tc.overlaps {
			t.Errorf("%s: nested %+v, %d overlaps, want %d and %d", name, b.Nested, b.Overlaps, tc.nested, tc.overlaps)
		}
		if got := b.Warnings("inbox"); len(got) != 0 {
			t.Errorf("%s: one try is called a retry: %q", name, got)
		}
	}
	open := []ledger.Attempt{{N: 1, Layer: "app", StartedAt: t0}, try(2, "sdk", 1000, 1000)}
	if b := Of(ledger.Intent{}, open, verdict.Promises{}, t0+60_000); len(b.Nested) != 0 || b.Overlaps != 0 {
		t.Errorf("nothing shows that an attempt without an end was still going on: %+v", b)
	}
}

// TestOverlaps: at the very end of the earlier one nothing overlaps, and an end counts
// though another attempt came between.
func TestOverlaps(t *testing.T) {
	for start, want := range map[ledger.Millis]int{9_999: 1, 10_000: 0, 10_001: 0} {
		for _, layer := range []string{"app", "scheduler"} {
			b := Of(ledger.Intent{}, []ledger.Attempt{try(1, "app", 0, 10_000), try(2, layer, start, 1000)}, verdict.Promises{}, t0+60_000)
			if b.Overlaps != want {
				t.Errorf("second at %d ms by %s: %d overlaps, want %d", start, layer, b.Overlaps, want)
			}
		}
	}
	long := []ledger.Attempt{try(1, "app", 0, 10_000), try(2, "app", 11_000, 1000), try(3, "app", 11_500, 1000)}
	long[0].FinishedAt = t0 + 20_000 // a late sender that came back after all
	if b := Of(ledger.Intent{}, long, verdict.Promises{}, t0+60_000); b.Overlaps != 2 {
		t.Errorf("%d overlaps, want 2", b.Overlaps)
	}
}
