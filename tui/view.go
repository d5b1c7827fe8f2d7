package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"triage/actions/verdict"
)

// The smallest screen that can be worked on, and from where panes stand side by
// side, also while an intent is opened.
const (
	minWidth, minHeight = 60, 15
	splitWidth          = 76
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
	if below := m.intent.bottom() - m.intent.top; below > 0 {
		title = append(title, span{fmt.Sprintf("  %d more lines below", below), t.muted})
	}
	return t.rule(title, width)
}

// overlayLines: the header stays, so that one knows which ledger this is.
func (m *Model) overlayLines() ([]line, *tea.Position) {
	out := m.headerLines(m.width)
	lines, cursor := m.over.lines(m, m.width, m.height-len(out)-1)
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

// hintLine names the keys that matter now: what the verdict calls safe first, and
// apart from it what is not.
func (m *Model) hintLine() line {
	t := m.theme
	if m.typing != nil {
		return text("type to filter · enter keeps it · esc clears it", t.muted)
	}
	out := m.actHints(true)
	if out.width()+2 > m.width-hintTailMin {
		out = m.actHints(false)
	}
	for _, tail := range m.hintTails() {
		if out.width()+1+tail.width() <= m.width {
			return both(out, tail, m.width)
		}
	}
	return out
}

// hintTails are the other keys, the more of them the more room there is.
func (m *Model) hintTails() []line {
	t := m.theme
	hint := func(key, words string) line { return line{{"  " + key, t.accent}, {" " + words, t.muted}} }
	help, leave, open := hint("?", "help"), hint("q", "leave"), hint("enter", "open")
	if m.intent.focused {
		open = hint("esc", "back")
	}
	return []line{slices.Concat(open, hint("/", "filter"), help, leave), slices.Concat(open, help, leave), slices.Concat(open, help), help}
}

// hintTailMin is what "? help" takes.
const hintTailMin = 8

// actHints are the acts that can be chosen now, by how safe they are; with their
// names where there is room.
func (m *Model) actHints(named bool) line {
	item := m.intent.item
	if item == nil {
		return nil
	}
	v := item.Verdict
	return slices.Concat(
		m.hintGroup("safe:", v.Allows, m.theme.strong, named),
		m.hintGroup("by hand:", v.AllowsByHand, m.theme.strong, named),
		m.hintGroup("at risk:", v.AllowsAtRisk, m.theme.danger, named))
}

func (m *Model) hintGroup(name string, of func(verdict.Act) bool, style look, named bool) line {
	var out line
	for _, b := range m.bindings {
		if b.act == "" || !of(b.act) || b.reason(m) != "" {
			continue
		}
		if out == nil {
			out = line{{name + " ", style}}
		}
		words := "  "
		if named {
			words = " " + actWords[b.act].short + "  "
		}
		out = append(out, span{b.Help().Key, m.theme.accent}, span{words, m.theme.plain})
	}
	return out
}
