package tui

import (
	"strings"
	"testing"
	"time"

	"triage/actions"
	"triage/actions/budget"
	"triage/actions/verdict"
	"triage/ledger"
)

// The key clock counts down while nobody writes and nothing is read, to the millisecond,
// and says that it has passed.
func TestTheKeyClockCountsDownByItself(t *testing.T) {
	desk := scene()
	desk.items[0].Verdict.KeySafeUntil = in(10*time.Second + time.Millisecond)
	d := drive(t, desk, 200, 60)
	d.press("j")
	reads := desk.reads
	for _, step := range []struct {
		pass  time.Duration
		words string
	}{
		{0, "report-inbox remembers this key for 10 s, until 22:15:10 UTC, by its key_retention"},
		{time.Second, "report-inbox remembers this key for 9 s, until"},
		{9 * time.Second, "report-inbox remembers this key for 1 ms, until"},
		{time.Millisecond, "report-inbox may have forgotten this key, since 22:15:10 UTC, by its key_retention"},
		{time.Millisecond, "report-inbox may have forgotten this key, since 22:15:10 UTC, by its key_retention"},
	} {
		d.tick(step.pass)
		d.shows(step.words)
	}
	if desk.reads != reads {
		t.Errorf("the queue was read %d times for it", desk.reads-reads)
	}
}

// So does the deadline.
func TestTheDeadlineCountsDownByItself(t *testing.T) {
	desk := scene()
	i := desk.items[0].Intent
	i.MaxAttempts, i.DeadlineAt = 3, in(10*time.Second)
	desk.items[0].Intent = i
	desk.items[0].Budget = budget.Of(i, desk.items[0].Attempts, verdict.Promises{}, ledger.At(noon))
	d := drive(t, desk, 200, 60)
	d.press("j")
	for _, step := range []struct {
		pass  time.Duration
		words string
	}{
		{0, "Attempts may start until 22:15:10 UTC, for 10 s more."},
		{9 * time.Second, "Attempts may start until 22:15:10 UTC, for 1 s more."},
		{time.Second, "This is the last instant at which an attempt may start: the deadline is 22:15:10 UTC."},
		{time.Millisecond, "No attempt may start any more: the deadline passed at 22:15:10 UTC."},
	} {
		d.tick(step.pass)
		d.shows(step.words)
	}
	d.shows("1 attempt of 3: 1 by app.")
}

// Retries that are stacked, and a budget that outlives the key, stand beside the attempts.
func TestWhatABudgetCanDoIsShown(t *testing.T) {
	desk := scene()
	item := &desk.items[0]
	item.Intent.State, item.Intent.MaxAttempts, item.Intent.DeadlineAt = ledger.Pending, 5, in(24*time.Hour)
	start := item.Attempts[0].StartedAt
	for n := range 2 {
		at := start.Add(time.Duration(1+10*n) * time.Second)
		item.Attempts = append(item.Attempts, ledger.Attempt{N: n + 2, Layer: "sdk", StartedAt: at, FinishedAt: at.Add(9 * time.Second), Outcome: ledger.OutcomeUnknown})
	}
	hour, second := time.Hour, time.Second
	item.Budget = budget.Of(item.Intent, item.Attempts, verdict.Promises{
		AttemptTimeout: &second, SettlesWithin: &second, KeyRetention: &hour, ClockSkew: &second, SameKey: verdict.ReturnsOriginal,
	}, ledger.At(noon))
	d := drive(t, desk, 200, 60)
	d.press("j")
	d.shows("3 attempts of 5: 1 by app, 2 by sdk; each began 1 s to 10 s after the one before.",
		"! Retries are stacked: sdk tried 2 times inside 1 attempt by app.", "1 by app × 2 by sdk.",
		"! The budget outlives the key by 1 d 2 h", "may then act a second time.")
}

// Clock trouble is told once, in words, above the verdict.
func TestClockTroubleIsToldOnceOnTheScreen(t *testing.T) {
	desk := scene()
	desk.items[0].SkewAhead = 3 * time.Minute
	desk.items[0].Clocks = actions.ClockTrouble{
		Largest: 3 * time.Minute, Created: true,
		Told: []string{"It says that it was created at 2026-11-30 22:18:00.000Z, which is 3 m in the future: its age can't be told."},
	}
	d := drive(t, desk, 200, 60)
	d.press("j")
	d.shows("! Clock skew: It says that it was created at 22:18:00 UTC, which is 3 m in the future")
	if screen := d.screen(); strings.Count(screen, "Clock skew:") != 1 || strings.Contains(screen, "this row is dated") {
		t.Errorf("it is told twice:\n%s", screen)
	}
}

// A wish to cancel is a word in the row and a sentence above the verdict, once; it closes
// what would send again, and says why.
func TestAWishToCancelIsShownAsWhatItIs(t *testing.T) {
	for width, row := range map[int]string{80: "cancel wished", 120: "cancel wished, not asked, 1 try", 240: "cancel wished"} {
		desk := scene()
		i := &desk.items[0]
		i.Intent.CancelRequestedAt = ago(time.Minute)
		i.Verdict.AtRisk = nil
		i.Verdict.Known = append(i.Verdict.Known, i.Verdict.WishToCancel(i.Intent))
		i.Verdict.Withheld[verdict.ActReissue] = "It was asked at 2026-11-30 22:14:00.000Z not to send this any more; nothing new is to be sent."
		d := drive(t, desk, width, 60)
		d.press("j")
		d.shows(row, "! It was asked at 22:14:00 UTC")
		flat := strings.Join(strings.Fields(d.screen()), " ")
		if got := strings.Count(flat, "It was asked at"); got != 1 {
			t.Errorf("at %d it is told %d times:\n%s", width, got, d.screen())
		}
		d.press("n")
		d.shows("is off: it was asked at 22:14:00 UTC not to send this")
	}
}

// What is settled says nothing of the wish in its row: nothing is left to decide.
func TestAWishToCancelLeavesTheRowOfWhatIsSettled(t *testing.T) {
	desk := scene()
	desk.items[0].Intent.CancelRequestedAt = ago(time.Minute)
	desk.items[0].Intent.State = ledger.Delivered
	d := drive(t, desk, 120, 60)
	for range 6 {
		d.press("o")
	}
	d.shows("delivered  1 of 1", "! It was asked at 22:14:00 UTC not to send this", "recorded as delivered")
	d.hides("cancel wished")
}
