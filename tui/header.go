package tui

import (
	"fmt"

	"triage/actions/wording"
)

// headerLines: which ledger and environment this is, what is in doubt, and how
// fresh the screen is. More lines appear only when it is not.
func (m *Model) headerLines(width int) []line {
	t := m.theme
	if r := m.reviewing(); r != nil {
		return []line{m.topLine(width), m.reviewHeader(r, width)}
	}
	out := []line{m.topLine(width), m.countLine()}
	if m.activityShown() {
		if activity := m.activityLine(width); activity != nil {
			out = append(out, activity)
		}
	}
	if m.live.trouble != nil {
		words := wrapped(m.staleWords(), width, t.danger)
		most := 2
		if m.height < lowHeight {
			most = 1
		}
		out = append(out, words[:min(len(words), most)]...)
	}
	return out
}

// shortPath is how much of the ledger's path is wanted beside a long environment.
const shortPath = 12

// topLine names the ledger and the environment. Where there is no room the path is cut
// first, then the target's name: production must not be taken for a test, nor a stale
// screen for a live one.
func (m *Model) topLine(width int) line {
	t := m.theme
	name, right := line{{"triage", t.strong}}, line{m.liveMark()}
	var readOnly line
	if m.options.ReadOnly {
		readOnly = line{{"  READ-ONLY", t.warn}}
	}
	left := width - name.width() - readOnly.width() - right.width() - 1
	if where := m.environment(max(left-2-shortPath-2, left/2)); where != "" {
		right = append(line{{where, t.strong}, {"  ", t.plain}}, right...)
		left -= wording.Width(where) + 2
	}
	if room := min(left-2, max(width/2, 10)); room >= 5 {
		name = append(name, span{"  " + wording.FitMiddle(wording.Safe(m.options.LedgerName), room), t.plain})
	}
	return both(append(name, readOnly...), right, width)
}

// environment names the selected intent's target and environment within so many cells,
// the environment whole for as long as it can be; "" where none is configured.
func (m *Model) environment(cells int) string {
	item := m.intent.item
	if r := m.reviewing(); r != nil {
		item = nil
		if r.past != nil && r.list == nil {
			item = &r.past.Then
		}
	}
	if item == nil || item.Target.Environment == "" {
		return ""
	}
	target, environment := wording.Safe(item.Target.Name), wording.Safe(item.Target.Environment)
	if room := cells - wording.Width(environment) - 2; room >= 5 {
		return wording.FitMiddle(target, room) + ": " + environment
	}
	return wording.Fit(environment, cells)
}

func (m *Model) liveMark() span {
	switch {
	case m.reviewing() != nil:
		return span{"PAST", m.theme.warn}
	case m.live.trouble != nil:
		return span{"! STALE", m.theme.danger}
	case m.queue.read.IsNone():
		return span{"reading", m.theme.muted}
	}
	return span{"live", m.theme.good}
}

func (m *Model) staleWords() string {
	if m.queue.read.IsNone() {
		return "! Nothing could be read yet: " + readTrouble(m.live.trouble)
	}
	if m.queue.failed != nil {
		return "! The list “" + string(m.queue.filter) + "” could not be read. " + readTrouble(m.queue.failed)
	}
	return fmt.Sprintf("! Not live, read %s ago, at %s. %s", wording.Age(m.now.Sub(m.queue.read)),
		m.when(m.queue.read), readTrouble(m.live.trouble))
}

// countLine counts what is in doubt. A zero is said too: it is an answer.
func (m *Model) countLine() line {
	t := m.theme
	c := m.queue.counts
	if m.queue.read.IsNone() {
		return nil
	}
	part := func(n int, symbol, words string, style styleOf) span {
		look := t.plain
		if n > 0 {
			look = style(t)
		}
		return span{symbol + " " + wording.Number(int64(n)) + " " + words + "   ", look}
	}
	out := line{
		part(c.Contradicted, "!", "contradicted", dangerStyle), part(c.Unknown, "?", "UNKNOWN", warnStyle),
		part(c.Stuck, "~", "stuck", warnStyle),
	}
	if c.Ahead > 0 {
		out = append(out, part(c.Ahead, "~", "clock ahead", warnStyle))
	}
	if !c.Oldest.IsNone() {
		out = append(out, span{"oldest " + m.age(c.Oldest) + "   ", t.strong})
	}
	return append(out, span{wording.Number(int64(c.InFlight)) + " pending", t.muted})
}
