package budget

import (
	"fmt"
	"strings"

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
	case b.Intervals > 1 && b.Shortest == b.Longest:
		line += "; each began " + wording.Duration(b.Shortest) + " after the one before"
	case b.Intervals > 1:
		line += fmt.Sprintf("; each began %s to %s after the one before", wording.Duration(b.Shortest), wording.Duration(b.Longest))
		if b.Intervals > 2 {
			line += ", typically " + wording.Duration(b.Typical)
		}
	}
	if b.Overlaps > 0 {
		line += fmt.Sprintf("; %s before an earlier one had ended", wording.Count(b.Overlaps, "began", "began"))
	}
	return line + "."
}

// Deadline says how much time is left, and where max_attempts is set without a
// deadline, what the ledger makes of that. "" where there is nothing to say.
func (b Budget) Deadline() string {
	switch {
	case b.DeadlineAt.IsNone() && b.Max > 0 && b.Sender != SendsNothing:
		return "No deadline is set, so nothing ends this budget in time: after an unknown outcome its sender may not retry by itself."
	case b.DeadlineAt.IsNone():
		return ""
	case b.Sender == SendsNothing && b.TimeLeft >= 0:
		return fmt.Sprintf("The deadline is %s; nothing more is admitted before it either.", instant(b.DeadlineAt))
	case b.TimeLeft == 0:
		return fmt.Sprintf("This is the last instant at which an attempt may start: the deadline is %s.", instant(b.DeadlineAt))
	case b.TimeLeft < 0:
		return fmt.Sprintf("No attempt may start any more: the deadline passed at %s.", instant(b.DeadlineAt))
	}
	return fmt.Sprintf("Attempts may start until %s, for %s more.", instant(b.DeadlineAt), wording.Duration(b.TimeLeft))
}

// Warnings are what about the budget can make a duplicate, as sentences: retries that
// are stacked, and attempts that are admitted when the receiver may have forgotten the
// key. target is the receiver's name.
func (b Budget) Warnings(target string) []string {
	var all []string
	for _, n := range b.Nested {
		if n.Stacked() {
			all = append(all, n.words())
		}
	}
	if late := b.late(target); late != "" && b.TimeLeft >= 0 {
		all = append(all, late)
	}
	return all
}

// words tell of retries that are stacked.
func (n Nesting) words() string {
	each := fmt.Sprintf("%d by %s", n.Most, n.Inner)
	if n.Inside < n.Most*n.Around {
		each = "up to " + each
	}
	return fmt.Sprintf("Retries are stacked: %s tried %s inside %s by %s. What each layer may do is multiplied: %d by %s × %s.",
		n.Inner, times(n.Inside), wording.Count(n.Around, "attempt", "attempts"), n.Outer, n.Around, n.Outer, each)
}

// late says what a budget that outlives the key means: where the sender may go on by
// itself, a late retry may act a second time; where somebody has to decide, that a retry
// ends before the deadline does. "" where neither is so.
func (b Budget) late(target string) string {
	switch {
	case b.Outlives > 0 && b.Sender == SendsAgain:
		return fmt.Sprintf("The budget outlives the key by %s: attempts are admitted until %s, and what they send at %s or later may land when %s has forgotten the key. A late retry may then act a second time.",
			wording.Duration(b.Outlives), instant(b.DeadlineAt), instant(b.LatestStart), target)
	case b.Outlives > 0 && b.Sender == SendsDecided:
		return fmt.Sprintf("The deadline outlives the key by %s: it is %s, and what is sent at %s or later may land when %s has forgotten the key. A retry has to begin before that.",
			wording.Duration(b.Outlives), instant(b.DeadlineAt), instant(b.LatestStart), target)
	case b.LatestStart.IsNone() && b.Attempts > 0 && b.Sender == SendsAgain:
		return fmt.Sprintf("Nobody promises that %s still honours the key when the budget is used up (%s). A late retry may act a second time.", target, b.Unbounded)
	}
	return ""
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// instant is written as verdicts write it, which a screen shows in its own zone.
func instant(m ledger.Millis) string { return m.Time().Format("2006-01-02 15:04:05.000Z07:00") }
