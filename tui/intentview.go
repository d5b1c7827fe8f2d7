package tui

import (
	"fmt"
	"slices"
	"strings"

	"triage/actions"
	"triage/actions/wording"
	"triage/ledger"
)

// intentLines are everything that the right pane has to say, verdict first.
func (m *Model) intentLines(width int) []line {
	t := m.theme
	p := &m.intent
	switch {
	case p.key == "":
		return m.nothingLines(width)
	case p.item == nil && p.trouble != nil:
		return append(m.keyLines(width), wrapped("! It could not be read. "+readTrouble(p.trouble), width, t.danger)...)
	case p.item == nil:
		return append(m.keyLines(width), text("Reading …", t.muted))
	}
	item := *p.item
	out := m.titleLines(item, width)
	if p.journal {
		return append(out, m.journalLines(item, width)...)
	}
	out = append(out, m.verdictLines(item, width)...)
	out = append(out, m.twinLines(item, width)...)
	for _, section := range []func(actions.Item, int) []line{
		m.identityLines, m.attemptLines, m.lookupLines, m.decisionLines, m.lineageLines,
	} {
		if lines := section(item, width); len(lines) > 0 {
			out = append(append(out, nil), lines...)
		}
	}
	return out
}

// nothingLines stand where no intent is selected.
func (m *Model) nothingLines(width int) []line {
	switch {
	case m.queue.failed != nil:
		return wrapped("! This list ("+string(m.queue.filter)+") could not be read, so no rows are shown. "+readTrouble(m.queue.failed)+
			" o goes on to the next kind; the ledger itself was not touched.", width, m.theme.danger)
	case m.queue.read.IsNone():
		return wrapped("Reading the ledger …", width, m.theme.muted)
	case m.queue.needle != "":
		return wrapped("Nothing in this list shows that text. esc clears the filter.", width, m.theme.plain)
	case m.queue.filter != ledger.FilterOpen:
		return wrapped("No intent is "+string(m.queue.filter)+". o goes on to the next kind.", width, m.theme.plain)
	}
	return wrapped("Nothing is in doubt: no UNKNOWN, no stuck PENDING, nothing contradicted. This screen stays live.", width, m.theme.good)
}

func (m *Model) keyLines(width int) []line {
	return wrapped(wording.Safe(m.intent.key), width, m.theme.strong)
}

// titleLines: state, age, receiver, key, and whatever must not be overlooked.
func (m *Model) titleLines(item actions.Item, width int) []line {
	t := m.theme
	i := item.Intent
	symbol, words, style := t.stateMark(i, item.Stuck, m.now)
	old := " old"
	if i.CreatedAt > m.now {
		old = " of this clock"
	}
	mind := "! "
	if m.past {
		old, mind = old+" then", "! Then: "
	}
	first := line{{symbol + " " + words, style}, {"  " + m.age(i.CreatedAt) + old, t.plain}}
	at := line{{"  at " + place(item), t.plain}}
	out := []line{slices.Concat(first, at)}
	if out[0].width() > width { // which environment it is must not be cut off
		out = append([]line{first}, wrapped("at "+place(item), width, t.plain)...)
	}
	out = append(out, m.keyLines(width)...)
	for _, warning := range m.warnings(item) {
		out = append(out, wrapped(mind+warning, width, t.warn)...)
	}
	if began, ok := m.lookups[i.OpKey]; ok {
		out = append(out, wrapped("Looking it up now, for "+wording.Age(m.now.Sub(began))+" …", width, t.accent)...)
	}
	return append(out, nil)
}

// warnings are what stands beside the verdict and may not be overlooked.
func (m *Model) warnings(item actions.Item) []string {
	i := item.Intent
	var out []string
	if i.Contradicted() {
		out = append(out, "Contradicted since "+m.when(i.ContradictedAt)+": later evidence disagrees with what was decided.")
	}
	if item.SkewAhead > 0 && !item.Clocks.Created {
		out = append(out, "Clock skew: this row is dated "+wording.Duration(item.SkewAhead)+" in the future.")
	}
	for _, told := range item.Clocks.Told {
		out = append(out, "Clock skew: "+m.said(told))
	}
	if wish := item.Verdict.WishToCancel(i); wish != "" {
		out = append(out, m.said(wish))
	}
	if item.Retry != "" {
		out = append(out, m.said(item.Retry))
	}
	if item.Claim != nil {
		out = append(out, wording.Safe(item.Claim.Operator)+" is working on it, until "+m.when(item.Claim.ExpiresAt)+".")
	}
	if m.queue.ghost == i.OpKey {
		out = append(out, "No longer in the queue. It stays shown until you move on.")
	}
	if m.intent.trouble != nil {
		out = append(out, "It could not be read again. "+readTrouble(m.intent.trouble))
	}
	return out
}

// age is how long ago something was; an instant in the future is said to be one.
func (m *Model) age(since ledger.Millis) string {
	if since > m.now {
		return wording.Age(since.Sub(m.now)) + " ahead"
	}
	return wording.Age(m.now.Sub(since))
}

func (m *Model) section(name string) []line { return []line{text(name, m.theme.strong)} }

// pair is one named value; pairs without a value are left out.
type pair struct{ name, value string }

func (m *Model) pairs(title string, pairs []pair, width int) []line {
	var out []line
	for _, p := range pairs {
		if p.value != "" {
			out = append(out, labelled("  "+p.name, labelWidth, m.theme.muted, wrapped(p.value, width-labelWidth, m.theme.plain))...)
		}
	}
	if len(out) == 0 {
		return nil
	}
	return append(m.section(title), out...)
}

func (m *Model) identityLines(item actions.Item, width int) []line {
	i, target := item.Intent, item.Target
	size := ""
	if i.PayloadBytes != nil {
		size = wording.Number(*i.PayloadBytes) + " bytes"
	}
	limit := ""
	if i.MaxAttempts > 0 {
		limit = wording.Count(i.MaxAttempts, "attempt", "attempts") + " at most"
	}
	return m.pairs("Identity", []pair{
		{"task", wording.Safe(i.Task)}, {"stage", wording.Safe(i.Stage)}, {"principal", wording.Safe(i.Principal)},
		{"target", wording.Safe(i.Target)}, {"environment", wording.Safe(target.Environment)},
		{"sha256", wording.Safe(i.PayloadSHA256)}, {"payload", size}, {"ref", wording.Safe(i.PayloadRef)},
		{"receipt", wording.Safe(i.Receipt)}, {"settled by", wording.Safe(string(i.SettledBy))},
		{"grant", m.grantWords(item)}, {"created", m.when(i.CreatedAt)}, {"deadline", m.whenSet(i.DeadlineAt)}, {"budget", limit},
		{"version", fmt.Sprintf("%d, written by %s at %s", i.Version, writer(i.UpdatedBy), m.when(i.UpdatedAt))},
		{"console", wording.Safe(strings.ReplaceAll(target.Console, "{op_key}", i.OpKey))},
		{"runbook", wording.Safe(target.Runbook)}, {"contact", wording.Safe(target.Contact)},
	}, width)
}

func (m *Model) whenSet(at ledger.Millis) string {
	if at.IsNone() {
		return ""
	}
	return m.when(at)
}

// grantWords say what authorised this delivery, and whether it still does.
func (m *Model) grantWords(item actions.Item) string {
	g := item.Grant
	switch {
	case item.Intent.GrantID == "":
		return "none: nothing authorises another delivery"
	case g == nil:
		return wording.Safe(item.Intent.GrantID) + ", which does not exist in this ledger"
	}
	words := wording.Safe(g.GrantID) + " by " + wording.Safe(g.GrantedBy)
	switch {
	case !g.RevokedAt.IsNone():
		return words + ", REVOKED at " + m.when(g.RevokedAt)
	case g.ExpiresAt.IsNone():
		return words + ", does not expire"
	case g.ExpiresAt <= m.now:
		return words + ", EXPIRED at " + m.when(g.ExpiresAt)
	}
	return words + ", expires at " + m.when(g.ExpiresAt)
}

func (m *Model) lookupLines(item actions.Item, width int) []line {
	out := m.section("Lookups")
	if len(item.Lookups) == 0 {
		return append(out, text("  none", m.theme.plain))
	}
	for i := len(item.Lookups) - 1; i >= 0; i-- { // the newest is what one looks for
		out = append(out, labelled("  "+m.theme.glyphs.dot, 4, m.theme.muted, wrapped(m.lookupLine(item.Lookups[i]), width-4, m.theme.plain))...)
	}
	return out
}

func (m *Model) decisionLines(item actions.Item, width int) []line {
	if len(item.Decisions) == 0 {
		return nil
	}
	out := m.section("Decisions")
	for i := len(item.Decisions) - 1; i >= 0; i-- {
		d := item.Decisions[i]
		words := fmt.Sprintf("%s  %s by %s: %s", m.when(d.At), wording.Safe(string(d.Kind)), wording.Safe(d.Operator), wording.Safe(d.Reason))
		if d.Receipt != "" {
			words += "; receipt " + wording.Safe(d.Receipt)
		}
		if d.NewOpKey != "" {
			words += "; new key " + wording.Safe(d.NewOpKey)
		}
		if !d.Until.IsNone() {
			words += "; until " + m.when(d.Until)
		}
		out = append(out, labelled("  "+m.theme.glyphs.dot, 4, m.theme.muted, wrapped(words, width-4, m.theme.plain))...)
	}
	return out
}

func (m *Model) lineageLines(item actions.Item, width int) []line {
	return m.pairs("Lineage", []pair{
		{"replaces", wording.Safe(item.Intent.Supersedes)}, {"replaced by", wording.Safe(item.Intent.SupersededBy)},
	}, width)
}
