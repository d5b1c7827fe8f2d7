package tui

import (
	"maps"
	"slices"
	"strings"

	"triage/actions"
	"triage/actions/verdict"
	"triage/actions/wording"
	"triage/ledger"
)

func sorted(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

// verdictLines are the first thing that the pane says: what the evidence comes
// to, what is known and not known, what is safe, and when.
func (m *Model) verdictLines(item actions.Item, width int) []line {
	t := m.theme
	v := item.Verdict
	out := wrapped(wording.Safe(v.Headline())+" ("+string(v.Kind)+")", width, t.strong)
	out = append(out, m.saidLines("Because", v.Because, width)...)
	out = append(out, m.saidLines("Known", without(v.Known, v.Because), width)...)
	out = append(out, m.saidLines("Not known", v.Unknown, width)...)
	out = append(out, m.safeLines(item, width)...)
	return append(out, m.clockLines(item, width)...)
}

// saidLines are sentences beside a label.
func (m *Model) saidLines(label string, said []string, width int) []line {
	var body []line
	for _, s := range said {
		body = append(body, bullet(m.theme, s, width-sideWidth)...)
	}
	return labelled(label, sideWidth, m.theme.strong, body)
}

// without leaves out what was said already, and the key clock, which has a line
// of its own that counts down.
func without(said, before []string) []string {
	return slices.DeleteFunc(slices.Clone(said), func(s string) bool {
		return slices.Contains(before, s) || strings.HasPrefix(s, "Same key ")
	})
}

// safeLines name what is safe now by the keys that do it.
func (m *Model) safeLines(item actions.Item, width int) []line {
	t := m.theme
	var out, byHand []line
	for _, act := range item.Verdict.Safe {
		out = append(out, m.actLines(act, actWords[act].safe, width)...)
	}
	if len(out) == 0 {
		out = append(out, text("nothing but waiting", t.plain))
	}
	out = labelled("Safe now", sideWidth, t.strong, out)
	for _, act := range item.Verdict.ByHand {
		byHand = append(byHand, m.actLines(act, actWords[act].safe, width)...)
	}
	out = append(out, labelled("By hand", sideWidth, t.strong, byHand)...)
	var risky []line
	for _, act := range item.Verdict.AtRisk {
		risky = append(risky, m.actLines(act, actWords[act].title+", only with the phrase that accepts a possible duplicate", width)...)
	}
	return append(out, labelled("At risk", sideWidth, t.danger, risky)...)
}

const sideWidth = 11

func (m *Model) actLines(act verdict.Act, words string, width int) []line {
	t := m.theme
	w := actWords[act]
	style := t.plain
	if why := m.actOff(act); why != "" {
		words, style = w.title+" (off: "+why+")", t.muted
	}
	return labelled(w.key, 2, t.accent, wrapped(words, width-sideWidth-2, style))
}

// clockLines say when waiting helps, until when what is safe stays safe, and how
// long the receiver still honours the key.
func (m *Model) clockLines(item actions.Item, width int) []line {
	t := m.theme
	v := item.Verdict
	var out []line
	add := func(label, words string) {
		out = append(out, labelled(label, sideWidth, t.strong, wrapped(words, width-sideWidth, t.plain))...)
	}
	if at := v.NotBefore; !at.IsNone() {
		if at > m.now {
			add("From", "a lookup can prove something from "+m.when(at)+", in "+wording.Wait(at.Sub(m.now)))
		} else {
			add("From", "a lookup begun now can prove something (since "+m.when(at)+")")
		}
	}
	if at := v.SafeUntil; !at.IsNone() {
		add("Until", m.left("what is safe stays safe for ", at, "what was safe is so no longer"))
	}
	if at := v.KeySafeUntil; !at.IsNone() {
		add("Key clock", m.left("same key safe for ", at, "the receiver may have forgotten the key")+" (key_retention of "+wording.Safe(item.Intent.Target)+")")
	} else {
		add("Key clock", "unknown: do not count on the receiver still knowing this key")
	}
	return out
}

func (m *Model) when(at ledger.Millis) string { return wording.Clock(at, m.now, m.options.Zone) }

func (m *Model) left(words string, until ledger.Millis, over string) string {
	if left := until.Sub(m.now); left > 0 {
		return words + wording.Duration(left) + ", until " + m.when(until)
	}
	return over + ": it ended at " + m.when(until)
}
