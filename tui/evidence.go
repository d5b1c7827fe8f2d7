package tui

import (
	"fmt"

	"triage/actions"
	"triage/actions/wording"
	"triage/ledger"
)

// evidenceLines are a verdict as a dialog repeats it.
func (m *Model) evidenceLines(item actions.Item, width int) []line {
	t := m.theme
	out := wrapped(m.said(item.Verdict.Headline())+" ("+string(item.Verdict.Kind)+")", width, t.strong)
	for _, because := range item.Verdict.Because {
		out = append(out, m.bullet(because, width)...)
	}
	return out
}

// bullet is one foreign sentence with a dot before it.
func (m *Model) bullet(s string, width int) []line {
	t := m.theme
	return labelled(t.glyphs.dot, 2, t.muted, wrapped(m.said(s), width-2, t.plain))
}

// twinLines warn of other intents that the same delivery could belong to.
func (m *Model) twinLines(item actions.Item, width int) []line {
	t := m.theme
	var out []line
	for _, twin := range item.Twins {
		out = append(out, wrapped("! "+wording.Safe(twin)+" has the same target and content, and nobody knows what became of it either.", width, t.danger)...)
	}
	for _, receipt := range sorted(item.ReceiptHolders) {
		out = append(out, wrapped("! Receipt "+wording.Safe(receipt)+" is held by "+wording.Safe(item.ReceiptHolders[receipt])+" already.", width, t.danger)...)
	}
	return out
}

// lastLookup says when the receiver was asked last, and what it answered.
func (m *Model) lastLookup(item actions.Item, width int) []line {
	for i := len(item.Lookups) - 1; i >= 0; i-- {
		l := item.Lookups[i]
		if !l.Finished() {
			continue
		}
		return wrapped(fmt.Sprintf("Last lookup: %s, begun %s, %s ago, by %s.", wording.Safe(string(l.Outcome)),
			wording.Clock(l.StartedAt, m.now, m.options.Zone), wording.Age(m.now.Sub(l.StartedAt)), wording.Safe(l.Actor)), width, m.theme.plain)
	}
	return wrapped("Last lookup: none has ever finished.", width, m.theme.plain)
}

// lookupLine is one lookup in a list.
func (m *Model) lookupLine(l ledger.Lookup) string {
	outcome := wording.Safe(string(l.Outcome))
	if !l.Finished() {
		outcome = "no answer yet"
	}
	words := fmt.Sprintf("%s  %s  by %s via %s", wording.Clock(l.StartedAt, m.now, m.options.Zone), outcome, wording.Safe(l.Actor), wording.Safe(l.Connector))
	if l.Environment != "" {
		words += " (" + wording.Safe(l.Environment) + ")"
	}
	if l.Finished() {
		words += ", " + wording.Precise(l.FinishedAt.Sub(l.StartedAt))
	}
	evidence := l.ReadEvidence()
	for _, part := range [][2]string{
		{"cause", l.Cause}, {"receipt", l.Receipt}, {"owner", l.Owner}, {"sha256", l.PayloadSHA256}, {"said", evidence.Error},
	} {
		if part[1] != "" {
			words += "; " + part[0] + " " + wording.Safe(part[1])
		}
	}
	for _, clause := range wording.Answer(evidence) {
		words += "; " + clause
	}
	if l.CanarySeen != nil {
		words += map[bool]string{true: "; canary seen", false: "; canary NOT seen"}[*l.CanarySeen]
	}
	return words
}
