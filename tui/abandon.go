package tui

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"triage/actions"
	"triage/actions/verdict"
	"triage/actions/wording"
	"triage/ledger"
)

// abandonDecision gives up on an attempt that never finished, with or without the
// statement that its sender was killed. The statement may be added later.
type abandonDecision struct {
	item    actions.Item
	attempt ledger.Attempt
	again   bool // it was abandoned before, without the statement
}

// What an operator may know of the sender.
const (
	senderKilled  = "The sender was killed (say how below)"
	senderUnknown = "I don't know what became of it"
)

func (m *Model) openAbandon() tea.Cmd {
	d := &abandonDecision{item: *m.intent.item}
	evidence := verdict.FromHistory(d.item.History)
	d.attempt, _ = evidence.Abandonable()
	_, inFlight := evidence.InFlight()
	d.again = !inFlight
	m.openForm("Abandon the open attempt", "Abandon", d,
		newChoice("Sender", "Space, ← or → chooses.", "Choose which it is: the sender was killed, or that is not known.", senderKilled, senderUnknown),
		newField("How you know", "Which process, which host, who saw it; or what you tried in order to find out.", "How you know is needed."))
	return nil
}

func (d *abandonDecision) blocked() string { return "" }

func (d *abandonDecision) content(m *Model, width int) []line {
	t := m.theme
	a := d.attempt
	words := fmt.Sprintf("Attempt %d, written by %s, began %s ago and never came back (%s).", a.N, writer(d.item.Intent.UpdatedBy),
		m.age(a.StartedAt), wording.Safe(a.AttemptID))
	if d.again {
		words += " It was abandoned before, without the statement that its sender was killed; that can be added now."
	}
	out := wrapped(words, width, t.strong)
	out = append(out, m.bullet("Killed: the attempt counts as ended now, and a later proof of absence counts from this instant. Do not state this of a sender that is merely slow.", width)...)
	if d.item.Verdict.Kind == verdict.Absent {
		out = append(out, m.bullet("It is proven absent as things stand. “Killed” takes that proof away until another lookup brings it back; “not known” leaves it.", width)...)
	}
	out = append(out, m.bullet("Not known: "+d.endsAt(m), width)...)
	out = append(out, wrapped("Either way the intent is UNKNOWN then, and nothing is sent. A sender that is alive after all can still write its receipt.", width, t.plain)...)
	out = append(out, nil)
	return append(out, m.evidenceLines(d.item, width)...)
}

// endsAt says when the attempt counts as ended where nobody knows what became of
// its sender (design §5, "End").
func (d *abandonDecision) endsAt(m *Model) string {
	timeout := d.item.Target.Promises.AttemptTimeout
	if timeout == nil {
		return "the attempt never counts as ended, since no attempt_timeout is promised for " + d.item.Intent.Target + "."
	}
	at := wholeSecond(d.attempt.StartedAt.Add(*timeout))
	if at <= m.now {
		return fmt.Sprintf("the attempt counts as ended at its start + attempt_timeout, which was %s.", m.when(at))
	}
	return fmt.Sprintf("the attempt counts as ended only at its start + attempt_timeout, at %s.", m.when(at))
}

func (d *abandonDecision) confirmed(m *Model, f *form) tea.Cmd {
	killed := f.fields[0].value() == senderKilled
	if d.again && !killed {
		f.hint = "That it is not known is on record already: there is nothing to add."
		return nil
	}
	request := actions.AbandonRequest{Request: f.request(f.fields[1].value()), SenderKilled: killed}
	return f.perform(m, verdict.ActAbandon, func(ctx context.Context, acts Acts) (actions.Done, error) {
		return acts.Abandon(ctx, request)
	})
}
