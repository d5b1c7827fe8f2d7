package tui

import (
	"fmt"
	"strings"

	"triage/actions"
	"triage/actions/wording"
	"triage/ledger"
)

// axis maps instants to cells, from the first attempt to the last thing that
// happened. It leaves out the time since, which would press everything else into
// one cell.
type axis struct {
	from, to ledger.Millis
	width    int
}

func newAxis(item actions.Item, width int) axis {
	a := axis{width: max(width, 1)}
	include := func(at ledger.Millis) {
		if at.IsNone() {
			return
		}
		if a.from.IsNone() || at < a.from {
			a.from = at
		}
		a.to = max(a.to, at)
	}
	for _, t := range item.Attempts {
		include(t.StartedAt)
		include(t.FinishedAt)
	}
	for _, l := range item.Lookups {
		include(l.StartedAt)
		include(l.FinishedAt)
	}
	return a
}

// cell is where an instant lies, 0 to width-1.
func (a axis) cell(at ledger.Millis) int {
	if a.to <= a.from {
		return 0
	}
	cell := int(float64(at-a.from) / float64(a.to-a.from) * float64(a.width-1))
	return min(max(cell, 0), a.width-1)
}

// attemptLines are the attempts: a line of words each, and a bar on the axis.
func (m *Model) attemptLines(item actions.Item, width int) []line {
	t := m.theme
	out := m.section("Attempts")
	if len(item.Attempts) == 0 {
		return append(out, text("  none: nothing was ever sent", t.plain))
	}
	a := newAxis(item, width-4)
	for _, attempt := range item.Attempts {
		out = append(out, labelled(fmt.Sprintf("  %d", attempt.N), 4, t.strong, wrapped(m.attemptWords(attempt), width-4, t.plain))...)
		out = append(out, line{{spaces(4), t.plain}, {a.bar(attempt, t), t.accent}})
	}
	if marks := a.marks(item.Lookups); marks != "" {
		out = append(out, line{{spaces(4), t.plain}, {marks, t.warn}})
	}
	out = append(out, m.axisEnds(item, a)...)
	return append(out, m.budgetLines(item, width)...)
}

// budgetLines are what the attempts have spent, where there is more to say than the
// rows above show, and what about it can make a duplicate.
func (m *Model) budgetLines(item actions.Item, width int) []line {
	var out []line
	b := item.Budget.At(m.now)
	if b.Attempts > 1 || b.Max > 0 {
		out = append(out, indented(wrapped(m.said(b.Spent()), width-4, m.theme.muted), 4)...)
	}
	if deadline := b.Deadline(); deadline != "" {
		out = append(out, indented(wrapped(m.said(deadline), width-4, m.theme.muted), 4)...)
	}
	for _, warning := range b.Warnings(item.Intent.Target) {
		out = append(out, labelled("  !", 4, m.theme.warn, wrapped(m.said(warning), width-4, m.theme.warn))...)
	}
	return out
}

func (m *Model) attemptWords(a ledger.Attempt) string {
	words := m.when(a.StartedAt) + "  "
	if !a.Finished() {
		words += "never finished"
	} else {
		words += wording.Safe(string(a.Outcome)) + " after " + wording.Precise(a.FinishedAt.Sub(a.StartedAt))
	}
	for _, part := range []pair{{"", a.Cause}, {"layer ", a.Layer}, {"receipt ", a.Receipt}, {"", a.Error}} {
		if part.value != "" {
			words += ", " + part.name + wording.Safe(part.value)
		}
	}
	if a.HTTPStatus != 0 {
		words += fmt.Sprintf(", HTTP %d", a.HTTPStatus)
	}
	return words
}

// bar draws one attempt: closed at its end, or open towards the present.
func (a axis) bar(t ledger.Attempt, look theme) string {
	from := a.cell(t.StartedAt)
	if !t.Finished() {
		return spaces(from) + look.glyphs.span + strings.Repeat(look.glyphs.open, max(a.width-from-2, 0)) + look.glyphs.arrow
	}
	return spaces(from) + strings.Repeat(look.glyphs.span, max(a.cell(t.FinishedAt)-from, 0)+1)
}

// marks put the lookups on the same axis: whether one came after an attempt's end
// is what makes it worth something.
func (a axis) marks(lookups []ledger.Lookup) string {
	if len(lookups) == 0 {
		return ""
	}
	cells := []rune(spaces(a.width))
	for _, l := range lookups {
		cells[a.cell(l.StartedAt)] = 'L'
	}
	return strings.TrimRight(string(cells), " ")
}

// axisEnds name the two ends of the axis, and how long ago the second was.
func (m *Model) axisEnds(item actions.Item, a axis) []line {
	t := m.theme
	rule := strings.Repeat(t.glyphs.dot, a.width)
	until := "now"
	if m.past {
		until = "the instant that is shown"
	}
	words := fmt.Sprintf("%s to %s, then %s until %s", m.when(a.from), m.when(a.to), wording.Age(m.now.Sub(a.to)), until)
	if len(item.Lookups) > 0 {
		words += "; L is a lookup"
	}
	out := []line{{{spaces(4) + rule, t.muted}}}
	return append(out, indented(wrapped(words, a.width, t.muted), 4)...)
}
