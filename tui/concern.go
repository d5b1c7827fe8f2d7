package tui

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"triage/actions"
	"triage/actions/wording"
	"triage/ledger"
)

// concern is the intent that a message at the foot speaks of, as it was when the
// message was true. “Nothing was sent yet” must not stand above a delivery.
type concern struct {
	key  string
	what string        // what came of which act, to name the message once it is past
	at   ledger.Millis // when
	seen *actions.Seen // nil: not known, the next reading tells
}

// concernRead: the intent that the message speaks of was read, though another is
// selected.
type concernRead struct {
	item actions.Item
	err  error
}

// readConcern reads the intent that the message speaks of, unless it is the selected
// one, which is read anyway.
func (m *Model) readConcern() tea.Cmd {
	c := m.status.about
	if c == nil || c.key == m.intent.key {
		return nil
	}
	a := m.asks
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(a.ctx, readTimeout)
		defer cancel()
		item, err := a.acts.Item(ctx, c.key)
		return concernRead{item: item, err: err}
	}
}

// outdate puts the news in the place of a message that its intent has moved on from.
// A reading from before the message tells nothing about it.
func (m *Model) outdate(item actions.Item) {
	c, now := m.status.about, item.Seen()
	if c == nil || c.key != item.Intent.OpKey || item.Now < c.at {
		return
	}
	if c.seen == nil {
		c.seen = &now
		return
	}
	if *c.seen == now || now.Version < c.seen.Version {
		return
	}
	words := fmt.Sprintf("%s: changed since %s at %s. It is %s now, last written by %s.",
		wording.FitMiddle(wording.Safe(c.key), 40), c.what, m.when(c.at), wording.Safe(string(item.Intent.State)), writer(item.Intent.UpdatedBy))
	if c.seen.Verdict != now.Verdict {
		words += " " + m.said(item.Verdict.Headline())
	}
	c.seen = &now
	m.status = status{text: words, at: m.now, lasts: true, about: c}
}
