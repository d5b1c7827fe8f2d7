package tui

import (
	"slices"

	"triage/actions/verdict"
	"triage/actions/wording"
)

// hintLine names the keys that matter now: what the verdict calls safe first, and
// apart from it what is not. Where there is no room whole hints go, from the
// harmless end; none is ever cut down to a bare letter.
func (m *Model) hintLine() line {
	t := m.theme
	if m.typing != nil {
		return text("type to filter · enter keeps it · esc clears it", t.muted)
	}
	left := m.actHints(nil)
	for _, drop := range [][]verdict.Act{nil, {verdict.ActNote}, {verdict.ActNote, verdict.ActLookup}} {
		left = m.actHints(drop)
		for _, right := range m.hintTails() {
			if gap := m.width - left.width() - right.width(); gap >= 0 {
				return slices.Concat(left, line{{spaces(gap), t.plain}}, right)
			}
		}
	}
	return left
}

// hintTails are the other keys, the fewer of them the less room there is; help goes
// last, for it names all that went.
func (m *Model) hintTails() []line {
	t := m.theme
	hint := func(key, words string) line { return line{{"  " + key, t.accent}, {" " + words, t.muted}} }
	help, leave, open := hint("?", "help"), hint("q", "leave"), hint("enter", "open")
	if m.intent.focused {
		open = hint("esc", "back")
	}
	return []line{slices.Concat(open, hint("/", "filter"), help, leave), slices.Concat(open, help, leave), slices.Concat(open, help), help}
}

// actHints are the acts that can be chosen now, by how safe they are, without those
// to drop.
func (m *Model) actHints(drop []verdict.Act) line {
	item := m.intent.item
	if item == nil {
		return nil
	}
	o := m.offers(*item)
	groups := []line{
		m.hintGroup("safe:", o.safe, drop, m.theme.strong),
		m.hintGroup("by hand:", o.byHand, drop, m.theme.strong),
		m.hintGroup("risk:", o.atRisk, drop, m.theme.danger),
	}
	var out line
	for _, g := range groups {
		if len(g) > 0 && len(out) > 0 {
			out = append(out, span{"  ", m.theme.plain})
		}
		out = append(out, g...)
	}
	return m.lookupHint(out)
}

func (m *Model) hintGroup(name string, of, drop []verdict.Act, style look) line {
	var out line
	for _, b := range m.bindings {
		if b.act == "" || !slices.Contains(of, b.act) || slices.Contains(drop, b.act) || b.reason(m) != "" {
			continue
		}
		before := span{"  ", m.theme.plain}
		if out == nil {
			before = span{name + " ", style}
		}
		out = append(out, before, span{b.Help().Key, m.theme.accent}, span{" " + actWords[b.act].short, m.theme.plain})
	}
	return out
}

// lookupHint says that the receiver can't be asked, with as much of the reason as
// there is room for: whoever looks for l must not take it for forgotten.
func (m *Model) lookupHint(out line) line {
	why := m.intent.item.LookupOff
	if why == "" || m.options.ReadOnly {
		return out
	}
	const help = len("  ? help")
	off := line{{"  l", m.theme.accent}, {" look up is off: ", m.theme.warn}}
	if room := m.width - out.width() - off.width() - help; room >= 16 {
		return slices.Concat(out, off, line{{wording.Fit(wording.Safe(why), room), m.theme.plain}})
	}
	return slices.Concat(out, line{{"  l", m.theme.accent}, {" off", m.theme.warn}})
}
