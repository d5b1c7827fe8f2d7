package tui

import (
	"regexp"
	"slices"
	"strings"

	"triage/actions/verdict"
	"triage/actions/wording"
)

// hintLine names the keys that matter now: what the verdict calls safe first, and
// apart from it what is not. Where there is no room whole hints go: first what rests on
// somebody's word alone, then why a lookup is off, and what can do no harm last; none
// is ever cut down to a bare letter.
func (m *Model) hintLine() line {
	t := m.theme
	if m.typing != nil {
		return text("type to filter · enter keeps it · esc clears it", t.muted)
	}
	word, note, both := []verdict.Act{verdict.ActDeliver}, []verdict.Act{verdict.ActNote}, []verdict.Act{verdict.ActNote, verdict.ActLookup}
	var left line
	for _, try := range []struct {
		byHand, drop []verdict.Act
		off          line
	}{
		{nil, nil, m.lookupOffHint()}, {word, nil, m.lookupOffHint()}, {nil, nil, m.lookupOffShort()}, {word, nil, m.lookupOffShort()},
		{word, note, m.lookupOffShort()}, {word, both, m.lookupOffShort()},
	} {
		left = append(m.actHints(try.byHand, try.drop), try.off...)
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
// to drop: from what goes by hand, and from everywhere.
func (m *Model) actHints(byHand, drop []verdict.Act) line {
	item := m.intent.item
	switch {
	case m.options.ReadOnly:
		return line{{"V", m.theme.accent}, {" how it stood, what changed", m.theme.plain}}
	case item == nil:
		return nil
	}
	o := m.offers(*item)
	groups := []line{
		m.hintGroup("safe:", o.safe, drop, m.theme.strong),
		m.hintGroup("by hand:", o.byHand, slices.Concat(rareByHand, byHand, drop), m.theme.strong),
		m.hintGroup("risk:", o.atRisk, drop, m.theme.danger),
	}
	var out line
	for _, g := range groups {
		if len(g) > 0 && len(out) > 0 {
			out = append(out, span{"  ", m.theme.plain})
		}
		out = append(out, g...)
	}
	return out
}

// rareByHand go by hand nearly always and are wanted seldom: the pane and help name
// them, the foot is for what matters now.
var rareByHand = []verdict.Act{verdict.ActSetAside, verdict.ActDispute}

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

// lookupOffHint says that the receiver can't be asked, and why: whoever looks for l
// must not take it for forgotten.
func (m *Model) lookupOffHint() line {
	out := m.lookupOffShort()
	if out == nil || m.intent.item.LookupOff == "" {
		return out
	}
	why := m.intent.item.LookupOff
	if at := fileAndLine.FindStringIndex(why); at != nil {
		why = why[at[1]:] // W and l tell the whole of it
	}
	why, _, _ = strings.Cut(why, ". ")
	why, _, _ = strings.Cut(why, " for target ")
	return append(out, span{": " + wording.Fit(wording.Safe(why), 40), m.theme.plain})
}

func (m *Model) lookupOffShort() line {
	item := m.intent.item
	switch {
	case item == nil || m.options.ReadOnly:
		return nil
	case item.LookupOff != "":
		return line{{"  l", m.theme.accent}, {" look up off", m.theme.warn}}
	case m.heldWords(*item) != "":
		return line{{"  l", m.theme.accent}, {" look up in " + m.heldFor(*item), m.theme.warn}}
	}
	return nil
}

// fileAndLine is where in the configuration something is wrong.
var fileAndLine = regexp.MustCompile(`^\S+:\d+: `)
