package tui

import (
	"errors"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"triage/actions"
	"triage/actions/wording"
	"triage/ledger"
)

// review is the screen looking back: one intent as it stood at a moment, and what changed
// in the ledger between two. It covers the live screen, has no acts, and says in words
// that it is the past.
type review struct {
	key     string        // whose past; "" while only the list of changes is looked at
	past    *actions.Past // nil until it was read
	trouble error         // why it could not be read
	note    string        // what the last key came to, where it moved nothing

	asked   int  // number of the newest request
	waiting bool // it has no answer yet

	story     bool // the journal up to then, instead of the intent
	top, page int
	bottom    int

	mark  *actions.Moment // where m was pressed
	goTo  *field          // the instant that is being typed
	list  *changeList     // what changed, over the intent; nil: not shown
	under *changeList     // the list that this intent was opened from, nil for none
}

// reviewRead: an intent was read as it stood.
type reviewRead struct {
	n    int
	key  string
	past actions.Past
	err  error
}

const reviewOff = "this is the past, which nothing can be done to; esc leads back to the present"

// openReview begins at the present of the selected intent; where none is selected, with
// what people did in the last day.
func (m *Model) openReview() tea.Cmd {
	r := &review{key: m.intent.key}
	m.over = r
	if r.key == "" {
		return r.openChanges(m)
	}
	return r.read(m, actions.Moment{})
}

// reviewing is the review that covers the screen, also from under its own help; nil if
// there is none.
func (m *Model) reviewing() *review {
	switch over := m.over.(type) {
	case *review:
		return over
	case *pager:
		r, _ := over.under.(*review)
		return r
	}
	return nil
}

// read asks for the intent as it stood at a moment.
func (r *review) read(m *Model, when actions.Moment) tea.Cmd {
	m.reviews++
	r.asked, r.waiting, r.note = m.reviews, true, ""
	return m.asks.readPast(r.asked, r.key, when)
}

// readReview reads the moment again that is looked at: more may have happened since.
func (m *Model) readReview() tea.Cmd {
	r := m.reviewing()
	if r == nil || r.past == nil || r.waiting {
		return nil
	}
	note := r.note
	cmd := r.read(m, r.past.Moment)
	r.note = note
	return cmd
}

// onReview takes an answer in. A moment that can't be shown leaves the one before it in
// sight, with a word why.
func (m *Model) onReview(a reviewRead) {
	r := m.reviewing()
	if r == nil || a.n != r.asked {
		return
	}
	r.waiting = false
	var refusal *actions.Refusal
	switch {
	case a.err == nil:
		if r.past == nil || r.past.Moment.Seq != a.past.Moment.Seq {
			r.top = 0
		}
		r.past, r.trouble = &a.past, nil
	case r.past == nil || r.past.Then.Intent.OpKey != a.key:
		r.past, r.trouble = nil, a.err
	case errors.As(a.err, &refusal):
		r.note = m.said(refusal.What)
	default:
		r.note = "It could not be read. " + readTrouble(a.err)
	}
}

func (r *review) press(m *Model, k tea.KeyPressMsg) tea.Cmd {
	switch {
	case r.goTo != nil:
		return r.typeInstant(m, k)
	case r.list != nil:
		return r.list.press(m, r, k)
	}
	r.note = ""
	for _, b := range reviewBindings() {
		if key.Matches(k, b.Binding) {
			return b.do(m, r)
		}
	}
	r.note = m.noReviewKey(k)
	return nil
}

// noReviewKey says why a key does nothing here.
func (m *Model) noReviewKey(k tea.KeyPressMsg) string {
	for _, b := range m.bindings {
		if key.Matches(k, b.Binding) && b.group == groupActs {
			return b.Help().Key + ": " + b.Help().Desc + " is off: " + reviewOff + "."
		}
	}
	return wording.Fit(wording.Safe(k.String()), 20) + " is no key here; ? lists them."
}

func (r *review) paste(_ *Model, content string) {
	if r.goTo != nil {
		r.note = r.goTo.paste(content)
		return
	}
	r.note = "A paste does nothing here. @ takes an instant to paste."
}

// reviewBinding is one key of the review.
type reviewBinding struct {
	key.Binding
	do func(*Model, *review) tea.Cmd
}

func reviewKey(help, desc string, do func(*Model, *review) tea.Cmd, keys ...string) reviewBinding {
	return reviewBinding{key.NewBinding(key.WithKeys(keys...), key.WithHelp(help, desc)), do}
}

// reviewBindings are all its keys, while an intent is looked at.
func reviewBindings() []reviewBinding {
	return []reviewBinding{
		reviewKey("←", "one change back in this intent", func(m *Model, r *review) tea.Cmd { return r.step(m, -1) }, "left"),
		reviewKey("→", "one change on", func(m *Model, r *review) tea.Cmd { return r.step(m, 1) }, "right"),
		reviewKey("[", "an hour back", func(m *Model, r *review) tea.Cmd { return r.jump(m, -time.Hour) }, "["),
		reviewKey("]", "an hour on, to the present at most", func(m *Model, r *review) tea.Cmd { return r.jump(m, time.Hour) }, "]"),
		reviewKey("home g", "to its first change", (*Model).reviewFirst, "home", "g"),
		reviewKey("end G", "to the present, as it is read now", (*Model).reviewNow, "end", "G"),
		reviewKey("@", "to an instant that you type", (*Model).startInstant, "@"),
		reviewKey("m", "mark this instant", (*Model).markInstant, "m"),
		reviewKey("w", "what changed in the ledger between the mark and here, or in the 24 hours up to here", func(m *Model, r *review) tea.Cmd { return r.openChanges(m) }, "w"),
		reviewKey("H", "its journal up to then, and back", (*Model).toggleStory, "H"),
		reviewKey("j k", "scroll, also with pgdn and pgup", func(_ *Model, r *review) tea.Cmd { return r.scroll(1) }, "j", "down"),
		{key.NewBinding(key.WithKeys("k", "up")), func(_ *Model, r *review) tea.Cmd { return r.scroll(-1) }},
		{key.NewBinding(key.WithKeys("pgdown", "space", "ctrl+f")), func(_ *Model, r *review) tea.Cmd { return r.scroll(max(r.page-2, 1)) }},
		{key.NewBinding(key.WithKeys("pgup", "ctrl+b")), func(_ *Model, r *review) tea.Cmd { return r.scroll(-max(r.page-2, 1)) }},
		reviewKey("?", "these keys", (*Model).openReviewHelp, "?"),
		reviewKey("esc q", "back: to the intent, to the list it was opened from, to the present", (*Model).leaveReview, "esc", "q", "V"),
	}
}

func (r *review) scroll(by int) tea.Cmd {
	r.top = min(max(r.top+by, 0), r.bottom)
	return nil
}

// step goes one change of the intent back or on.
func (r *review) step(m *Model, by int) tea.Cmd {
	if r.past == nil || r.waiting {
		return nil
	}
	to, ok := r.past.After()
	if by < 0 {
		to, ok = r.past.Before()
	}
	switch {
	case ok:
		return r.read(m, to)
	case by < 0:
		r.note = "This is its first change: it did not exist before."
	default:
		r.note = "Nothing has happened to it since: this is its last change. esc leads back to the live screen."
	}
	return nil
}

// jump goes so much time back or on.
func (r *review) jump(m *Model, by time.Duration) tea.Cmd {
	if r.past == nil || r.waiting {
		return nil
	}
	if at := r.past.Moment.At.Add(by); at < m.now {
		return r.read(m, actions.Moment{At: at})
	}
	return m.reviewNow(r)
}

func (m *Model) reviewFirst(r *review) tea.Cmd {
	if r.past == nil {
		return nil
	}
	return r.read(m, actions.Moment{Seq: r.past.First})
}

func (m *Model) reviewNow(r *review) tea.Cmd { return r.read(m, actions.Moment{}) }

func (m *Model) markInstant(r *review) tea.Cmd {
	if r.past == nil {
		return nil
	}
	at := r.past.Moment
	r.mark = &at
	r.note = "Marked " + m.fullStamp(at.At) + ". Go to another instant; w lists what changed in the ledger between the two."
	return nil
}

func (m *Model) toggleStory(r *review) tea.Cmd {
	r.story, r.top = !r.story, 0
	return nil
}

// leaveReview goes back by one: from the journal to the intent, from an intent to the
// list that it was opened from, from there to the present.
func (m *Model) leaveReview(r *review) tea.Cmd {
	switch {
	case r.story:
		return m.toggleStory(r)
	case r.under != nil:
		r.list, r.under, r.waiting = r.under, nil, false
		r.asked = 0 // an answer that is still to come is of no use
		return nil
	}
	m.over = nil
	m.status = hint("Back in the present: this screen is live.")
	return m.refresh()
}

// startInstant asks for an instant.
func (m *Model) startInstant(r *review) tea.Cmd {
	f := newField("To which instant", "2026-11-30 19:03:30, or RFC 3339, or milliseconds; without a zone it is "+m.zoneName(), "")
	r.goTo = &f
	return nil
}

func (r *review) typeInstant(m *Model, k tea.KeyPressMsg) tea.Cmd {
	switch k.String() {
	case "esc":
		r.goTo, r.note = nil, ""
		return nil
	case "enter":
		at, err := wording.ParseInstant(r.goTo.value(), m.options.Zone)
		switch {
		case err != nil:
			r.note = "That is " + err.Error() + "."
			return nil
		case at > m.now:
			r.note = m.fullStamp(at) + " is yet to come."
			return nil
		}
		r.goTo = nil
		return r.read(m, actions.Moment{At: at})
	}
	r.note = ""
	r.goTo.press(k)
	return nil
}

// hearLine takes an instant that was typed as a whole line, where one was asked for.
func (r *review) hearLine(m *Model, text string) (cmd tea.Cmd, taken bool) {
	if r.goTo == nil || text == "" || text == "esc" {
		return nil, false
	}
	r.goTo.input.SetValue("")
	r.note = r.goTo.paste(text)
	return r.typeInstant(m, tea.KeyPressMsg{Code: tea.KeyEnter}), true
}

// fullStamp is an instant with its day and its zone: what is past needs both.
func (m *Model) fullStamp(at ledger.Millis) string { return wording.Stamp(at, 0, m.options.Zone) }

func (m *Model) zoneName() string { return m.now.Time().In(m.options.Zone).Format("MST") }
