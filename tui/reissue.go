package tui

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"triage/actions"
	"triage/actions/verdict"
	"triage/actions/wording"
)

// reissueDecision makes a new intent, in three steps: what is known, what the
// live permission recheck found, the reason (and the consent, where it is owed).
type reissueDecision struct {
	item       actions.Item
	step       int
	permission *actions.Permission
	trouble    error  // why the recheck failed
	phrase     string // that has to be typed, "" where none is owed
}

const reissueSteps = 3

func (m *Model) openReissue() tea.Cmd {
	d := &reissueDecision{item: *m.intent.item, step: 1}
	if !d.item.Verdict.Allows(verdict.ActReissue) {
		d.phrase = actions.Phrase(d.item.Target)
	}
	f := m.openForm("New intent, step 1 of 3: what is known", "Go on", d)
	return m.asks.recheck(f.id, f.key)
}

// rechecked takes in the live recheck.
func (d *reissueDecision) rechecked(a permissionRechecked) {
	d.trouble = a.err
	if a.err == nil {
		d.permission = &a.permission
	}
}

func (d *reissueDecision) blocked() string {
	switch {
	case d.step == 1:
		return ""
	case d.trouble != nil:
		return "The permission could not be rechecked, and what is unclear is denied."
	case d.permission == nil:
		return "The permission recheck has not come back yet."
	case !d.permission.Allowed:
		return "Permission is denied: see the lines marked with !."
	}
	return ""
}

func (d *reissueDecision) confirmed(m *Model, f *form) tea.Cmd {
	if d.step < reissueSteps {
		d.goOn(m, f)
		return nil
	}
	request := actions.ReissueRequest{Request: f.request(f.fields[0].value())}
	if len(f.fields) > 1 {
		if request.AcceptDuplicate = f.fields[1].value(); request.AcceptDuplicate != d.phrase {
			f.hint = "What you typed is not the phrase as it is shown above."
			return nil
		}
	}
	return f.perform(m, verdict.ActReissue, func(ctx context.Context, acts Acts) (actions.Done, error) {
		return acts.Reissue(ctx, request)
	})
}

func (d *reissueDecision) goOn(m *Model, f *form) {
	d.step++
	f.title = "New intent, step 2 of 3: permission, rechecked now"
	if d.step == reissueSteps {
		f.title, f.confirm = "New intent, step 3 of 3: reason", "Make the new intent"
		f.fields = []field{newField("Reason", "Why it has to go out again. Goes on record under your name.", "A reason is needed.")}
		d.askConsent(f)
	}
	f.again(m)
}

// askConsent adds the field for the phrase, once.
func (d *reissueDecision) askConsent(f *form) {
	if d.phrase == "" || len(f.fields) != 1 {
		return
	}
	consent := newField("Consent", "Type the phrase that is shown above, as it stands there.", "The phrase that accepts a possible duplicate is needed.")
	consent.typed = true
	f.fields = append(f.fields, consent)
}

// refused learns the phrase from a refusal that wants one.
func (d *reissueDecision) refused(f *form, err error) {
	var refusal *actions.Refusal
	if errors.As(err, &refusal) && refusal.Wants != "" {
		d.phrase = refusal.Wants
		d.askConsent(f)
	}
}

func (d *reissueDecision) content(m *Model, width int) []line {
	switch d.step {
	case 1:
		return d.known(m, width)
	case 2:
		return d.allowed(m, width)
	default:
		return d.consent(m, width)
	}
}

// known: what was looked up and when, and what a duplicate would mean.
func (d *reissueDecision) known(m *Model, width int) []line {
	t := m.theme
	out := m.evidenceLines(d.item, width)
	out = append(out, m.lastLookup(d.item, width)...)
	out = append(out, nil)
	out = append(out, d.duplicate(m, width)...)
	if !d.item.Verdict.Allows(verdict.ActReissue) {
		out = append(out, wrapped("! Absence is not proven. A new intent may deliver this a second time.", width, t.danger)...)
	}
	return append(out, m.twinLines(d.item, width)...)
}

func (d *reissueDecision) duplicate(m *Model, width int) []line {
	words := "Nobody wrote down what a duplicate means for " + wording.Safe(d.item.Intent.Target) + " (duplicate_means)."
	if means := d.item.Target.DuplicateMeans; means != "" {
		words = "If it was delivered after all: " + wording.Safe(means) + "."
	}
	return wrapped(words, width, m.theme.strong)
}

// allowed: what the recheck found, line by line.
func (d *reissueDecision) allowed(m *Model, width int) []line {
	t := m.theme
	switch {
	case d.trouble != nil:
		return wrapped("! The recheck failed, so the answer is no. "+refusalText(d.trouble), width, t.danger)
	case d.permission == nil:
		return wrapped("Rechecking …", width, t.plain)
	}
	var out []line
	for _, c := range d.permission.Checks {
		mark, style := t.glyphs.done+" ", t.plain
		if !c.OK {
			mark, style = "! ", t.danger
		}
		out = append(out, labelled(mark+wording.Safe(c.What), labelWidth, style, wrapped(m.said(c.Found), width-labelWidth, style))...)
	}
	out = append(out, nil)
	at := wording.Clock(d.permission.At, m.now, m.options.Zone)
	if d.permission.Allowed {
		return append(out, wrapped("Allowed, as of "+at+". It is checked again when you confirm.", width, t.good)...)
	}
	return append(out, wrapped("Denied, as of "+at+". Recovery is not a new authorisation: whoever owns the grant has to renew it.", width, t.danger)...)
}

func (d *reissueDecision) consent(m *Model, width int) []line {
	t := m.theme
	out := wrapped("A new intent is made, with a fresh key and the same task, content and grant. This one keeps its state, admits no further attempt and leaves the queue. "+
		"The new one waits for a sender, which may take it at once.", width, t.plain)
	if d.phrase == "" {
		return out
	}
	out = append(out, nil)
	return append(out, d.duplicate(m, width)...)
}

// asks is the phrase, which stays in sight while it is typed.
func (d *reissueDecision) asks(m *Model, width int) []line {
	if d.step < reissueSteps || d.phrase == "" {
		return nil
	}
	t := m.theme
	out := wrapped("Whoever accepts that types this phrase:", width, t.danger)
	return append(out, indented(wrapped(wording.Safe(d.phrase), width-2, t.strong), 2)...)
}
