package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"triage/actions/wording"
	"triage/ledger"
)

// What the keys for moving and looking do.

func by(n int) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd { return m.moveBy(n) }
}

func byPage(n int) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd {
		if m.intent.focused {
			return m.moveBy(n * max(m.intent.height-1, 1))
		}
		return m.moveBy(n * m.queue.height)
	}
}

// moveBy scrolls the opened intent, or moves the selection.
func (m *Model) moveBy(n int) tea.Cmd {
	if m.intent.focused {
		m.intent.scroll(n)
		return nil
	}
	if !m.queue.move(n) {
		return nil
	}
	cmds := []tea.Cmd{m.turnTo()}
	if r := m.queue.next(); r != nil {
		cmds = append(cmds, m.asks.readQueue(*r))
	}
	return tea.Batch(cmds...)
}

func (m *Model) goFirst() tea.Cmd {
	switch {
	case m.intent.focused:
		m.intent.top = 0
		return nil
	case m.queue.start.after != nil:
		return m.asks.readQueue(m.queue.first(pickFirst))
	}
	return m.moveBy(-len(m.queue.rows))
}

func (m *Model) goLast() tea.Cmd {
	switch {
	case m.intent.focused:
		m.intent.scroll(len(m.intent.lines))
		return nil
	case m.queue.more && m.queue.needle == "":
		m.status = hint("Reading on to the end …")
		return m.asks.readQueue(m.queue.last())
	}
	return m.moveBy(len(m.queue.rows))
}

func (m *Model) openIntent() tea.Cmd {
	if m.intent.key != "" {
		m.intent.focused = true
	}
	return nil
}

// back undoes one thing: the opened intent, then the filter, then the message.
func (m *Model) back() tea.Cmd {
	switch {
	case m.intent.journal:
		m.leaveJournal()
	case m.intent.focused:
		m.intent.focused, m.intent.top = false, 0
	case m.queue.needle != "":
		return m.choose("", m.queue.filter)
	default:
		m.status = status{}
	}
	return nil
}

// toggleJournal shows the journal, over the whole screen where the intent has no
// pane of its own.
func (m *Model) toggleJournal() tea.Cmd {
	if m.intent.journal {
		m.leaveJournal()
		return nil
	}
	m.intent.journal, m.intent.top = true, 0
	if _, pane := m.panes(); pane == 0 {
		m.intent.focused, m.intent.wide = true, true
	}
	return nil
}

func (m *Model) leaveJournal() {
	p := &m.intent
	p.focused = p.focused && !p.wide
	p.journal, p.wide, p.top = false, false, 0
}

func (m *Model) startFilter() tea.Cmd {
	m.intent.focused = false
	f := newField("filter", "", "")
	f.input.SetValue(m.queue.needle)
	m.typing = &f
	return nil
}

// typeFilter narrows the list with every key.
func (m *Model) typeFilter(k tea.KeyPressMsg) tea.Cmd {
	switch k.String() {
	case "enter":
		m.typing = nil
		return nil
	case "esc":
		m.typing = nil
		return m.choose("", m.queue.filter)
	case "up":
		return m.moveBy(-1)
	case "down":
		return m.moveBy(1)
	}
	m.typing.press(k)
	return m.choose(m.typing.value(), m.queue.filter)
}

// nextState shows the next kind of intents.
func (m *Model) nextState() tea.Cmd {
	kinds := kinds()
	next := kinds[(slices.Index(kinds, m.queue.filter)+1)%len(kinds)]
	m.status = hint("Showing: " + string(next) + ". o goes on; " + wording.List(stateNames()) + ".")
	return m.choose(m.queue.needle, next)
}

// kinds are the lists that can hold something: nothing can be snoozed yet.
func kinds() []ledger.StateFilter {
	return slices.DeleteFunc(slices.Clone(ledger.StateFilters), func(f ledger.StateFilter) bool { return f == ledger.FilterSnoozed })
}

func stateNames() []string {
	var names []string
	for _, f := range kinds() {
		names = append(names, string(f))
	}
	return names
}

// choose shows other rows.
func (m *Model) choose(needle string, filter ledger.StateFilter) tea.Cmd {
	if needle == m.queue.needle && filter == m.queue.filter {
		return nil
	}
	if filter != m.queue.filter {
		m.queue.empty()
	}
	m.queue.needle, m.queue.filter = needle, filter
	return m.asks.readQueue(m.queue.first(pickSameOrFirst))
}
