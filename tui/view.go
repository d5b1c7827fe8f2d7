package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// The smallest screen that can be worked on, and from where panes stand side by
// side, also while an intent is opened.
const (
	minWidth, minHeight = 60, 15
	splitWidth          = 76
	lowHeight           = 20 // below it every line counts
	openSplitWidth      = 110
)

func (m *Model) tooSmall() bool { return m.width < minWidth || m.height < minHeight }

// panes are the widths of queue and intent; a pane that is not shown has none.
func (m *Model) panes() (queue, intent int) {
	switch {
	case m.intent.focused && m.width < openSplitWidth:
		return 0, m.width
	case m.width < splitWidth:
		return m.width, 0
	}
	queue = max(m.width*9/20, 34)
	if m.width >= 2*wideRow {
		queue = m.width / 2
	}
	return queue, m.width - queue - 1
}

// layout works out, after every message, what fits and how long the text is, so
// that keys which scroll know their bounds.
func (m *Model) layout() {
	if m.tooSmall() {
		return
	}
	queue, intent := m.panes()
	body := m.bodyHeight()
	m.queue.resize(body / rowHeight(max(queue, 1)))
	if intent > 0 {
		m.intent.show(m.intentLines(intent-2), body)
	}
}

// bodyHeight is what header, title rule, status and hints leave over.
func (m *Model) bodyHeight() int {
	return max(m.height-len(m.headerLines(m.width))-1-len(m.statusLines())-1, 1)
}

func (m *Model) statusLines() []line {
	return m.status.lines(m.theme, m, m.width, max(m.height/3, 2))
}

// View draws the screen: exactly height lines of at most width cells.
func (m *Model) View() tea.View {
	var cursor *tea.Position
	var lines []line
	switch {
	case m.width <= 0 || m.height <= 0:
	case m.tooSmall():
		lines = m.smallLines()
	case m.over != nil:
		lines, cursor = m.overlayLines()
	default:
		lines, cursor = m.screenLines()
	}
	rendered := make([]string, 0, m.height)
	for _, l := range lines[:min(len(lines), max(m.height, 0))] {
		rendered = append(rendered, l.render(m.width))
	}
	for len(rendered) < m.height {
		rendered = append(rendered, spaces(m.width))
	}
	view := tea.NewView(strings.Join(rendered, "\n"))
	view.AltScreen = true
	if cursor != nil {
		view.Cursor = tea.NewCursor(cursor.X, cursor.Y)
	}
	return view
}

func (m *Model) smallLines() []line {
	words := fmt.Sprintf("This window is too small: %d×%d. triage needs %d×%d. Nothing is lost; make it larger, or q leaves.",
		m.width, m.height, minWidth, minHeight)
	return wrapped(words, m.width, m.theme.plain)
}

func (m *Model) screenLines() ([]line, *tea.Position) {
	out := m.headerLines(m.width)
	queue, intent := m.panes()
	height := m.bodyHeight()
	var cursor *tea.Position
	title, x := m.queueTitle(max(queue, 1))
	if x >= 0 && x < queue {
		cursor = &tea.Position{X: x, Y: len(out)}
	}
	out = append(out, m.joined(title, m.intentTitle(intent), queue, intent, m.theme.glyphs.horizontal))
	left, right := m.queueLines(max(queue, 1), height), m.windowed(intent, height)
	for i := range height {
		out = append(out, m.joined(left[i], right[i], queue, intent, m.theme.glyphs.vertical))
	}
	out = append(out, m.statusLines()...)
	return append(out, m.hintLine()), cursor
}

// joined puts the two panes' lines side by side.
func (m *Model) joined(left, right line, queue, intent int, between string) line {
	var out line
	if queue > 0 {
		out = append(out, left.cut(queue)...)
	}
	if queue > 0 && intent > 0 {
		out = append(out, span{between, m.theme.muted})
	}
	if intent > 0 {
		if between == m.theme.glyphs.vertical {
			right = append(line{{" ", m.theme.plain}}, right...)
		}
		out = append(out, right.cut(intent)...)
	}
	return out
}

// windowed is the part of the intent that is scrolled into view.
func (m *Model) windowed(width, height int) []line {
	out := make([]line, height)
	if width == 0 {
		return out
	}
	copy(out, m.intent.lines[min(m.intent.top, len(m.intent.lines)):])
	return out
}

func (m *Model) intentTitle(width int) line {
	if width == 0 {
		return nil
	}
	t := m.theme
	name := "intent"
	if m.intent.journal {
		name = "history"
	}
	title := text(name, t.strong)
	if m.intent.focused {
		title = append(title, span{"  opened, esc back", t.accent})
	}
	if place := m.intent.place(); place != "" {
		title = append(title, span{"  " + place, t.muted})
	}
	return t.rule(title, width)
}

// overHeight is how many lines there are for what lies over the screen.
func (m *Model) overHeight() int { return m.height - len(m.headerLines(m.width)) - 1 }

// overlayLines: the header stays, so that one knows which ledger this is.
func (m *Model) overlayLines() ([]line, *tea.Position) {
	out := m.headerLines(m.width)
	lines, cursor := m.over.lines(m, m.width, m.overHeight())
	if cursor != nil {
		cursor.Y += len(out)
		if cursor.Y >= m.height-1 || cursor.X >= m.width {
			cursor = nil
		}
	}
	out = append(out, lines...)
	for len(out) < m.height-1 {
		out = append(out, nil)
	}
	return append(out, text(m.over.hints(), m.theme.muted)), cursor
}
