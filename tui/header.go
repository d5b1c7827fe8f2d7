package tui

import (
	"fmt"

	"triage/actions/wording"
)

// headerLines: which ledger and environment this is, what is in doubt, and how
// fresh the screen is. More lines appear only when it is not.
func (m *Model) headerLines(width int) []line {
	t := m.theme
	name := line{{"triage", t.strong}, {"  " + wording.FitMiddle(wording.Safe(m.options.LedgerName), max(width/2, 10)), t.plain}}
	if m.options.ReadOnly {
		name = append(name, span{"  READ-ONLY", t.warn})
	}
	right := line{}
	if item := m.intent.item; item != nil && item.Target.Environment != "" {
		right = append(right, span{wording.Safe(item.Target.Name) + ": " + wording.Safe(item.Target.Environment), t.strong}, span{"  ", t.plain})
	}
	right = append(right, m.liveMark())
	if name.width()+right.width() >= width { // that it is stale must not be cut off
		right = right[len(right)-1:]
	}
	if room := width - right.width() - 1; name.width() > room {
		name = name.cut(room)
	}
	out := []line{both(name, right, width), m.countLine()}
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

func (m *Model) liveMark() span {
	switch {
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
	return append(out, span{wording.Number(int64(c.InFlight)) + " in flight", t.muted})
}
