package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"triage/actions"
	"triage/actions/verdict"
	"triage/actions/wording"
)

// deliverDecision marks an intent delivered, on an operator's word.
type deliverDecision struct {
	item  actions.Item
	unfit bool // the receipt in evidence holds characters that cannot be seen
}

func (m *Model) openDeliver() tea.Cmd {
	d := &deliverDecision{item: *m.intent.item}
	receipt := newField("Receipt", "The receiver's own id for what it did.", "A receipt is needed: the receiver's own id for what it did.")
	if known := d.item.Verdict.Receipt; known != "" {
		if _, d.unfit = clean(known); !d.unfit {
			receipt.input.SetValue(known)
		}
	}
	m.openForm("Mark delivered", "Mark delivered", d, receipt,
		newField("Reason", "Why you are sure. Goes on record under your name.", "A reason is needed: why you are sure."),
		newField("Evidence", "Where you saw it: a link, a ticket, who told you. May stay empty.", ""))
	return nil
}

func (d *deliverDecision) blocked() string { return "" }

func (d *deliverDecision) content(m *Model, width int) []line {
	t := m.theme
	target := wording.Safe(d.item.Intent.Target)
	var out []line
	if k := d.item.Verdict.Kind; k == verdict.Absent || k == verdict.Refused {
		out = append(out, wrapped("! This contradicts a proof: "+m.said(d.item.Verdict.Headline()), width, t.danger)...)
	}
	out = append(out, wrapped("This says that "+target+" has it, and makes the intent DELIVERED for good. It rests on your word and the receipt.", width, t.plain)...)
	out = append(out, nil)
	out = append(out, m.evidenceLines(d.item, width)...)
	switch known := d.item.Verdict.Receipt; {
	case d.unfit:
		out = append(out, wrapped("The receipt in evidence holds characters that cannot be seen, so it was not filled in: "+wording.Safe(known), width, t.warn)...)
	case known != "":
		out = append(out, wrapped("The receipt was filled in from the evidence. Compare it before you confirm.", width, t.plain)...)
	}
	return append(out, m.twinLines(d.item, width)...)
}

func (d *deliverDecision) confirmed(m *Model, f *form) tea.Cmd {
	request := actions.DeliverRequest{
		Request: f.request(f.fields[1].value()), Receipt: f.fields[0].value(), Evidence: f.fields[2].value(),
	}
	return f.perform(m, verdict.ActDeliver, func(ctx context.Context, acts Acts) (actions.Done, error) {
		return acts.Deliver(ctx, request)
	})
}
