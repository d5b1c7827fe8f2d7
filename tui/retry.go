package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"triage/actions"
	"triage/actions/verdict"
	"triage/actions/wording"
)

// retryDecision lets a sender try once more under the same key.
type retryDecision struct{ item actions.Item }

func (m *Model) openRetry() tea.Cmd {
	m.openForm("Retry under the same key", "Allow one more attempt", &retryDecision{*m.intent.item},
		newField("Reason", "Why it has to go out again. Goes on record under your name.", "A reason is needed."))
	return nil
}

func (d *retryDecision) blocked() string { return "" }

func (d *retryDecision) content(m *Model, width int) []line {
	t := m.theme
	until := "for as long as the key is honoured"
	if at := d.item.Verdict.SafeUntil; !at.IsNone() {
		until = "until " + m.when(at)
	}
	out := wrapped("One more attempt under the same key is allowed "+until+" (so that it still lands while "+wording.Safe(d.item.Intent.Target)+
		" honours the key). A sender takes it; nothing is sent from here.", width, t.plain)
	out = append(out, nil)
	out = append(out, m.evidenceLines(d.item, width)...)
	return append(out, m.twinLines(d.item, width)...)
}

func (d *retryDecision) confirmed(m *Model, f *form) tea.Cmd {
	request := f.request(f.fields[0].value())
	return f.perform(m, verdict.ActRetry, func(ctx context.Context, acts Acts) (actions.Done, error) {
		return acts.Retry(ctx, request)
	})
}
