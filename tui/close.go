package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"triage/actions"
	"triage/actions/verdict"
	"triage/actions/wording"
)

// closeDecision closes an intent as not delivered.
type closeDecision struct{ item actions.Item }

func (m *Model) openClose() tea.Cmd {
	m.openForm("Close as not delivered", "Close", &closeDecision{*m.intent.item},
		newField("Reason", "Why it is not to be delivered any more. Goes on record under your name.", "A reason is needed."))
	return nil
}

func (d *closeDecision) blocked() string { return "" }

func (d *closeDecision) content(m *Model, width int) []line {
	out := wrapped("This says that "+wording.Safe(d.item.Intent.Target)+" does not have it, and makes the intent FAILED for good. Nothing is sent. "+
		"Whoever still needs the delivery wants a new intent instead.", width, m.theme.plain)
	out = append(out, nil)
	return append(out, m.evidenceLines(d.item, width)...)
}

func (d *closeDecision) confirmed(m *Model, f *form) tea.Cmd {
	request := f.request(f.fields[0].value())
	return f.perform(m, verdict.ActClose, func(ctx context.Context, acts Acts) (actions.Done, error) {
		return acts.Close(ctx, request)
	})
}
