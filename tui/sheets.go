package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"triage/actions"
	"triage/actions/verdict"
	"triage/actions/wording"
)

// sheet describes a dialog of one step: some sentences to read, some fields to fill
// in, one act.
type sheet struct {
	act            verdict.Act
	title, confirm string
	fields         func(item actions.Item) []field // the last one is the reason
	says           func(m *Model, item actions.Item) []string
	twins          bool // warn of other intents that the same delivery could belong to
	anyhow         bool // goes with whatever became of the intent meanwhile
	do             func(ctx context.Context, acts Acts, r actions.Request, item actions.Item, filled []field) (actions.Done, error)
}

// reasonFor is the one field that every decision has.
func reasonFor(help string) func(actions.Item) []field {
	return func(actions.Item) []field {
		return []field{newField("Reason", help+" Goes on record under your name.", "A reason is needed.")}
	}
}

// asked makes an act of a sheet out of one that takes nothing but a reason.
func asked(act func(Acts, context.Context, actions.Request) (actions.Done, error)) func(context.Context, Acts, actions.Request, actions.Item, []field) (actions.Done, error) {
	return func(ctx context.Context, acts Acts, r actions.Request, _ actions.Item, _ []field) (actions.Done, error) {
		return act(acts, ctx, r)
	}
}

// sheets are the dialogs of one step.
var sheets = map[verdict.Act]sheet{
	verdict.ActClose: {
		title: "Close as not delivered", confirm: "Close",
		fields: reasonFor("Why it is not to be delivered any more."),
		says:   closeWords, do: asked(Acts.Close),
	},
	verdict.ActRetry: {
		title: "Retry under the same key", confirm: "Allow one more attempt",
		fields: reasonFor("Why it has to go out again."),
		says:   retryWords, twins: true, do: asked(Acts.Retry),
	},
	verdict.ActSetAside: {
		title: "Set aside", confirm: "Set aside",
		fields: reasonFor("Why nothing more can be done about it now."),
		says:   setAsideWords, do: asked(Acts.SetAside),
	},
	verdict.ActDispute: {
		title: "Dispute the receipt", confirm: "Dispute", fields: disputeFields,
		says: disputeWords, do: dispute,
	},
	verdict.ActAcknowledge: {
		title: "Acknowledge the contradiction", confirm: "Acknowledge",
		fields: reasonFor("What was done about it, or why nothing has to be."),
		says:   acknowledgeWords, do: asked(Acts.Acknowledge),
	},
	verdict.ActNote: {
		title: "Note", confirm: "Write the note", anyhow: true,
		fields: func(actions.Item) []field {
			return []field{newField("Note", "What whoever comes next should know. Not a secret: it stays on record.", "The note is empty.")}
		},
		says: noteWords, do: asked(Acts.Note),
	},
}

func closeWords(_ *Model, item actions.Item) []string {
	return []string{"This says that " + wording.Safe(item.Intent.Target) + " does not have it, and makes the intent FAILED for good. Nothing is sent. " +
		"Whoever still needs the delivery wants a new intent instead."}
}

func retryWords(m *Model, item actions.Item) []string {
	until := "for as long as the key is honoured"
	if at := item.Verdict.SafeUntil; !at.IsNone() {
		until = "until " + m.when(at)
	}
	before := ""
	if item.Retry != "" {
		before = m.said(item.Retry) + " "
	}
	return []string{before + "One more attempt under the same key is allowed " + until + " (so that it still lands while " + wording.Safe(item.Intent.Target) +
		" honours the key). A sender takes it; nothing is sent from here."}
}

func setAsideWords(_ *Model, item actions.Item) []string {
	offered := ""
	if item.Verdict.Kind == verdict.NeverSent {
		offered = ", and no sender is offered it any more"
	}
	return []string{
		"It leaves the queue and stays " + wording.Safe(string(item.Intent.State)) + ". The list “all” (o) goes on showing it, sweeps go on asking about it if it was ever sent, and it can still be settled. Evidence that contradicts a decision brings it back to the top.",
		"This says neither that it was delivered nor that it was not. Nothing is sent" + offered + ".",
	}
}

func acknowledgeWords(_ *Model, item actions.Item) []string {
	after := "It leaves the queue"
	if i := item.Intent; !i.State.Final() && !i.Superseded() {
		after = "It goes back to its place in the queue"
	}
	successor := ""
	if by := item.Intent.SupersededBy; by != "" {
		successor = " A sender may then take " + wording.Safe(by) + ", which replaced it: make sure that this is no duplicate."
	}
	return []string{
		"This says that somebody has dealt with the contradiction. " + after + "; new evidence that disagrees brings it back to the top." + successor,
		"It stays " + wording.Safe(string(item.Intent.State)) + ", and the evidence stays on record. Nothing is sent, and nothing at " + wording.Safe(item.Intent.Target) + " is undone.",
	}
}

func noteWords(*Model, actions.Item) []string {
	return []string{"A note goes on record under your name. It changes nothing about the delivery, and it cannot be taken back."}
}

// openSheet opens the dialog of an act.
func openSheet(act verdict.Act) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd {
		s, item := sheets[act], *m.intent.item
		s.act = act
		f := m.openForm(s.title, s.confirm, &sheetDecision{s, item}, s.fields(item)...)
		f.anyhow = s.anyhow
		return nil
	}
}

// sheetDecision is a sheet about one intent.
type sheetDecision struct {
	sheet
	item actions.Item
}

func (d *sheetDecision) blocked() string { return "" }

func (d *sheetDecision) content(m *Model, width int) []line {
	var out []line
	for _, paragraph := range d.says(m, d.item) {
		out = append(out, wrapped(paragraph, width, m.theme.plain)...)
	}
	out = append(out, nil)
	out = append(out, m.evidenceLines(d.item, width)...)
	if d.twins {
		out = append(out, m.twinLines(d.item, width)...)
	}
	return out
}

func (d *sheetDecision) confirmed(m *Model, f *form) tea.Cmd {
	filled := append([]field(nil), f.fields...)
	request := f.request(filled[len(filled)-1].value())
	return f.perform(m, d.act, func(ctx context.Context, acts Acts) (actions.Done, error) {
		return d.do(ctx, acts, request, d.item, filled)
	})
}
