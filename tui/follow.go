package tui

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"triage/actions"
	"triage/actions/verdict"
	"triage/actions/wording"
	"triage/ledger"
)

// How the screen follows the ledger. A tick asks cheaply whether anyone has
// written, and only then, or when time itself has changed something, is anything
// read again. Nothing is held between two readings.

func (m *Model) onTick() tea.Cmd {
	cmds := []tea.Cmd{m.asks.tick(m.options.Tick)}
	if !m.live.checking {
		m.live.checking = true
		cmds = append(cmds, m.asks.checkChanges)
	}
	return tea.Batch(cmds...)
}

func (m *Model) onChanges(a changesChecked) tea.Cmd {
	m.live.checking = false
	switch {
	case a.err != nil:
		m.live.trouble = a.err
		return nil
	case a.changed || m.live.trouble != nil || due(m.queue.read, m.now):
		return m.refresh()
	case m.intent.aged(m.now):
		return m.readIntent()
	}
	return nil
}

// refresh reads queue, counts and intent again.
func (m *Model) refresh() tea.Cmd { return tea.Batch(m.readQueue(), m.readIntent(), m.readReview()) }

// readQueue reads the window again. While an answer is awaited it only notes that
// another reading is due: one at a time.
func (m *Model) readQueue() tea.Cmd {
	if m.queue.waiting {
		m.queue.again = true
		return nil
	}
	return m.asks.readQueue(m.queue.request(pickSame))
}

func (m *Model) onQueue(a queueRead) tea.Cmd {
	again := m.queue.again
	if !m.queue.apply(a) {
		return nil
	}
	if m.live.trouble = a.err; a.err != nil {
		return m.turnTo()
	}
	cmds := []tea.Cmd{m.turnTo(), m.readConcern(), m.asks.readMarks(m.marks.follow(&m.queue))}
	if again {
		cmds = append(cmds, m.readQueue())
	} else if r := m.queue.next(); r != nil {
		cmds = append(cmds, m.asks.readQueue(*r))
	}
	return tea.Batch(cmds...)
}

// turnTo makes the selected key the right pane's subject.
func (m *Model) turnTo() tea.Cmd {
	if m.queue.selected == m.intent.key {
		return nil
	}
	m.intent.turn(m.queue.selected)
	return m.readIntent()
}

// readIntent reads the selected intent, one at a time: while the keys run ahead
// down the list only the last of them is read.
func (m *Model) readIntent() tea.Cmd {
	switch {
	case m.intent.key == "":
		return nil
	case m.intent.asked != "":
		m.intent.again = true
		return nil
	}
	m.intent.asked, m.intent.again = m.intent.key, false
	return m.asks.readItem(m.intent.key)
}

func (m *Model) onItem(a itemRead) tea.Cmd {
	again := m.intent.again
	if m.intent.take(a) && a.err == nil {
		m.show(a.item)
	}
	if again && m.intent.asked == "" {
		return m.readIntent()
	}
	return nil
}

// show brings what was read to the row and to an open dialog.
func (m *Model) show(item actions.Item) {
	m.queue.update(item.History, item.Stuck)
	m.outdate(item)
	if f, ok := m.over.(*form); ok && f.key == item.Intent.OpKey {
		f.notice(item)
	}
}

// startLookup asks the receiver at once, in the background.
func (m *Model) startLookup() tea.Cmd {
	key := m.intent.key
	m.lookups[key] = m.now
	m.status = hint("Looking up " + wording.Safe(m.intent.item.Intent.Target) + ". You can go on; the answer will be shown here.")
	return m.asks.lookUp(key)
}

func (m *Model) onLookup(a lookupEnded) tea.Cmd {
	delete(m.lookups, a.key)
	m.backToTop(a.key)
	m.tell(actWords[verdict.ActLookup].title, a.key, a.done, a.err)
	return m.refresh()
}

// backToTop brings the verdict into sight, which an act on this key has changed.
func (m *Model) backToTop(key string) {
	if key == m.intent.key {
		m.intent.top = 0
	}
}

func (m *Model) onAct(a actEnded) tea.Cmd {
	if f, ok := m.over.(*form); ok && f.id == a.act.id {
		if a.err != nil {
			f.refused(m, a.err)
			if d, ok := f.subject.(*reissueDecision); ok {
				d.refused(f, a.err)
			}
			return m.refresh()
		}
		m.over = nil
	}
	m.backToTop(a.act.key)
	m.tell(actWords[a.act.name].title, a.act.key, a.done, a.err)
	return m.refresh()
}

// tell says at the foot what an act came to.
func (m *Model) tell(title, key string, done actions.Done, err error) {
	about := wording.FitMiddle(wording.Safe(key), 40) + ": " // it stays shown while one moves on
	c := &concern{key: key, what: "“" + title + "”", at: m.now}
	defer func() { m.status.about = c }()
	if err == nil {
		if done.Item.Intent.OpKey == key {
			seen := done.Item.Seen()
			c.seen = &seen
		}
		words := m.said(done.Text)
		if done.NewKey != "" && !strings.Contains(done.Text, done.NewKey) {
			words += " New key: " + wording.Safe(done.NewKey)
		}
		if m.status = result(about+words, m.now); done.Lookup.Outcome == ledger.LookupFailed {
			m.status = trouble(about+words, m.now)
		}
		return
	}
	what := " did not happen. "
	var refusal *actions.Refusal
	if errors.As(err, &refusal) && refusal.Kind == actions.Denied {
		what = " was refused. "
	}
	c.what += strings.TrimSuffix(what, ". ")
	m.status = trouble(about+title+what+m.said(refusalText(err)), m.now)
}

func (m *Model) onRecheck(a permissionRechecked) {
	f, ok := m.over.(*form)
	if !ok || f.id != a.dialog {
		return
	}
	if d, ok := f.subject.(*reissueDecision); ok {
		d.rechecked(a)
	}
}
