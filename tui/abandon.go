package tui

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"triage/actions"
	"triage/actions/verdict"
	"triage/actions/wording"
)

// abandonDecision gives up on an attempt that never finished.
type abandonDecision struct{ item actions.Item }

func (m *Model) openAbandon() tea.Cmd {
	m.openForm("Abandon the open attempt", "I state this: abandon", &abandonDecision{*m.intent.item},
		newField("How known", "How you know that the sender was killed: which process, which host, who saw it.",
			"How you know that the sender was killed is needed."))
	return nil
}

func (d *abandonDecision) blocked() string { return "" }

func (d *abandonDecision) content(m *Model, width int) []line {
	t := m.theme
	out := wrapped("By confirming you state: the sender of this attempt was killed and can send nothing any more.", width, t.strong)
	for _, a := range d.item.Attempts {
		if a.AttemptID == d.item.Intent.Derived.InFlight {
			words := fmt.Sprintf("Attempt %d by %s, begun %s ago: %s (%s)", a.N, wording.Safe(d.item.Intent.UpdatedBy),
				m.age(a.StartedAt), m.attemptWords(a), wording.Safe(a.AttemptID))
			out = append(out, bullet(t, words, width)...)
		}
	}
	out = append(out, nil)
	out = append(out, wrapped("The intent becomes UNKNOWN, since what that attempt did is unknown. A sender that is alive after all can still write its receipt. "+
		"Do not state this of a sender that is merely slow: a later proof of absence counts from this instant.", width, t.plain)...)
	out = append(out, nil)
	return append(out, m.evidenceLines(d.item, width)...)
}

func (d *abandonDecision) confirmed(m *Model, f *form) tea.Cmd {
	request := actions.AbandonRequest{Request: f.request(f.fields[0].value()), SenderKilled: true}
	return f.perform(m, verdict.ActAbandon, func(ctx context.Context, acts Acts) (actions.Done, error) {
		return acts.Abandon(ctx, request)
	})
}
