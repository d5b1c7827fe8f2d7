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
	out := wrapped(m.said(v.Headline())+" ("+string(v.Kind)+")", width, t.strong)
	for _, words := range []string{m.failedWords(item), m.waitWords(item)} {
		if words != "" {
			out = append(out, wrapped(words, width, t.warn)...)
		}
	}
	out = append(out, m.saidLines("Because", v.Because, width)...)
	known := without(v.Known, v.Because)
	if why := m.refusedAnew(item); why != "" {
		known = append([]string{why}, known...)
	}
	out = append(out, m.saidLines("Known", known, width)...)
	out = append(out, m.saidLines("Not known", v.Unknown, width)...)
	out = append(out, m.safeLines(item, width)...)
	return append(out, m.clockLines(item, width)...)
}

// saidLines are sentences beside a label.
func (m *Model) saidLines(label string, said []string, width int) []line {
	var body []line
	for _, s := range said {
		body = append(body, m.bullet(s, width-sideWidth)...)
	}
	return labelled(label, sideWidth, m.theme.strong, body)
}

// without leaves out what was said already, the key clock, which has a line of its own
// that counts down, and a wish to cancel, which stands above the verdict.
func without(said, before []string) []string {
	return slices.DeleteFunc(slices.Clone(said), func(s string) bool {
		return slices.Contains(before, s) || strings.HasPrefix(s, "Same key ") || strings.HasPrefix(s, "It was asked at ")
	})
}

// safeLines name what is safe now by the keys that do it.
func (m *Model) safeLines(item actions.Item, width int) []line {
	t := m.theme
	var out, byHand, risky []line
	o := m.offers(item)
	for _, act := range o.safe {
		out = append(out, m.actLines(act, actWords[act].safe, width)...)
	}
	if len(out) == 0 {
		out = append(out, text("nothing but waiting", t.plain))
	}
	out = labelled("Safe now", sideWidth, t.strong, out)
	for _, act := range o.byHand {
		byHand = append(byHand, m.actLines(act, actWords[act].safe, width)...)
	}
	out = append(out, labelled("By hand", sideWidth, t.strong, byHand)...)
	for _, act := range o.atRisk {
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

// failedWords say in a sentence why the last lookup told nothing, "" where it did.
func (m *Model) failedWords(item actions.Item) string {
	for _, l := range slices.Backward(item.Lookups) {
		switch {
		case !l.Finished():
			continue
		case l.Outcome != ledger.LookupFailed:
			return ""
		}
		why := strings.TrimSuffix(m.said(l.ReadEvidence().Error), ".")
		if why == "" {
			why = "nothing says why"
		}
		if l.Cause != "" {
			why += " (" + wording.Safe(l.Cause) + ")"
		}
		return "The last lookup failed: " + why + "."
	}
	return ""
}

// waitWords say when asking helps, where that is not obvious, or why nobody can be
// asked.
func (m *Model) waitWords(item actions.Item) string {
	v := item.Verdict
	at := wholeSecond(v.NotBefore)
	switch {
	case item.LookupOff != "" && v.Kind != verdict.NoLookup && keyMatters(item):
		return "It can't be looked up: " + strings.TrimSuffix(wording.Safe(item.LookupOff), ".") + "."
	case item.LookupOff != "", at.IsNone():
		return ""
	case at > m.now && v.Kind == verdict.NeverLookedUp:
		return "Not finding it proves something only from " + m.inWords(at) + "."
	case at > m.now:
		return "Ask again from " + m.inWords(at) + ": that can prove more."
	case v.Kind == verdict.NeverLookedUp:
		return ""
	}
	return "Ask again now: that can prove more."
}

// inWords are an instant to come and how long that is from now.
func (m *Model) inWords(at ledger.Millis) string {
	return m.when(at) + " (in " + wording.Wait(at.Sub(m.now)) + ")"
}

// clockLines say until when what is safe stays safe, and how long the receiver
// remembers the key.
func (m *Model) clockLines(item actions.Item, width int) []line {
	t := m.theme
	v := item.Verdict
	var out []line
	add := func(label, words string) {
		out = append(out, labelled(label, sideWidth, t.strong, wrapped(words, width-sideWidth, t.plain))...)
	}
	if at := v.SafeUntil; !at.IsNone() && (item.MaySend.Allowed || !v.Allows(verdict.ActRetry)) {
		add("Until", m.left("what is safe stays safe for ", at, "what was safe is so no longer"))
	}
	if !keyMatters(item) {
		return out
	}
	target := wording.Safe(item.Intent.Target)
	if at := v.KeySafeUntil; !at.IsNone() {
		add("Key", m.left(target+" remembers this key for ", at, target+" may have forgotten this key")+", by its key_retention")
	} else if kept := item.Target.Promises.KeyRetention; len(item.Attempts) == 0 && kept != nil {
		add("Key", target+" remembers this key for "+wording.Duration(*kept)+" from the first attempt on, by its key_retention; there was none yet")
	} else if !slices.ContainsFunc(v.Unknown, func(s string) bool { return strings.HasPrefix(s, "Until when the key is honoured") }) {
		add("Key", "how long "+target+" remembers this key is not known; do not count on it")
	}
	return out
}

// keyMatters: whether the receiver still knows the key bears on nothing where the
// outcome stands, or where something was found that has to be cleared up first.
func keyMatters(item actions.Item) bool {
	k := item.Verdict.Kind
	return !item.Intent.State.Final() && !item.Intent.Superseded() && !k.Conflict() && k != verdict.Delivered
}

func (m *Model) when(at ledger.Millis) string {
	if m.past { // a time of day alone would be taken for today's
		return wording.Instant(at, m.options.Zone)
	}
	return wording.Clock(at, m.now, m.options.Zone)
}

func (m *Model) left(words string, until ledger.Millis, over string) string {
	if left := until.Sub(m.now); left > 0 {
		return words + wording.Duration(left) + ", until " + m.when(until)
	}
	return over + ", since " + m.when(until)
}
