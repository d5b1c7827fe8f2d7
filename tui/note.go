package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"triage/actions"
	"triage/actions/verdict"
)

// noteDecision writes down what someone knows. It changes nothing else.
type noteDecision struct{ item actions.Item }

func (m *Model) openNote() tea.Cmd {
	f := m.openForm("Note", "Write the note", &noteDecision{*m.intent.item},
		newField("Note", "What whoever comes next should know. Not a secret: it stays on record.", "The note is empty."))
	f.anyhow = true
	return nil
}

func (d *noteDecision) blocked() string { return "" }

func (d *noteDecision) content(m *Model, width int) []line {
	out := wrapped("A note goes on record under your name. It changes nothing about the delivery, and it cannot be taken back.", width, m.theme.plain)
	out = append(out, nil)
	return append(out, m.evidenceLines(d.item, width)...)
}

func (d *noteDecision) confirmed(m *Model, f *form) tea.Cmd {
	request := f.request(f.fields[0].value())
	return f.perform(m, verdict.ActNote, func(ctx context.Context, acts Acts) (actions.Done, error) {
		return acts.Note(ctx, request)
	})
}
