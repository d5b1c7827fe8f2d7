package budget

import (
	"fmt"
	"strings"
	"time"

	"triage/actions/wording"
	"triage/ledger"
)

// Spent says in one sentence how much was tried, by whom and how far apart; "" where
// nothing was.
func (b Budget) Spent() string {
	if b.Attempts == 0 {
		return ""
	}
	line := wording.Count(b.Attempts, "attempt", "attempts")
	switch {
	case b.Max > 0 && b.Attempts > b.Max:
		line += fmt.Sprintf(", where max_attempts is %d", b.Max)
	case b.Max > 0:
		line += fmt.Sprintf(" of %d", b.Max)
	}
	var layers []string
	for _, l := range b.Layers {
		layers = append(layers, fmt.Sprintf("%d by %s", l.Attempts, l.Name))
	}
	line += ": " + strings.Join(layers, ", ")
	switch {
	case b.Intervals == 1:
		line += "; the second began " + wording.Duration(b.Shortest) + " after the first"
	case b.Intervals > 1:
		line += fmt.Sprintf("; one began %s to %s after the other", wording.Duration(b.Shortest), wording.Duration(b.Longest))
	}
	if b.Overlaps > 0 {
		line += fmt.Sprintf("; %s before an earlier one had ended", wording.Count(b.Overlaps, "began", "began"))
	}
	return line + "."
}

// Deadline says how much time is left, "" where there is no deadline.
func (b Budget) Deadline() string {
	switch {
	case b.DeadlineAt.IsNone():
		return ""
	case b.TimeLeft < 0:
		return fmt.Sprintf("No attempt may start any more: the deadline passed at %s.", instant(b.DeadlineAt))
	}
	return fmt.Sprintf("Attempts may start until %s, for %s more.", instant(b.DeadlineAt), wording.Wait(b.TimeLeft))
}

// Warnings are what about the budget can make a duplicate, as sentences: retries that
// are stacked, and attempts that are admitted when the receiver may have forgotten the
// key. target is the receiver's name.
func (b Budget) Warnings(target string) []string {
	var all []string
	for _, n := range b.Nested {
		all = append(all, fmt.Sprintf("Retries are stacked: %s tried %s inside %s by %s. What each layer may do is multiplied.",
			n.Inner, times(n.Inside), wording.Count(n.Around, "attempt", "attempts"), n.Outer))
	}
	own := b.Max > 0 && b.Left > 0 && !b.DeadlineAt.IsNone() && b.TimeLeft >= 0 // the sender may go on by itself
	switch {
	case b.Outlives > 0 && b.TimeLeft >= 0:
		all = append(all, fmt.Sprintf("The budget outlives the key: attempts are admitted until %s, and from %s on what they send may land when %s has forgotten the key. A late retry may then act a second time.",
			instant(b.DeadlineAt), instant(b.LatestStart), target))
	case own && b.LatestStart.IsNone() && b.Attempts > 0:
		all = append(all, fmt.Sprintf("Nobody promises that %s still honours the key when the budget is used up (%s). A late retry may act a second time.", target, b.Unbounded))
	}
	return all
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func instant(m ledger.Millis) string { return wording.Instant(m, time.UTC) }
