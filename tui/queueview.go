package tui

import (
	"fmt"
	"strings"

	"triage/actions/wording"
	"triage/ledger"
)

// wideRow is from which width a row of the queue takes one line instead of two.
const wideRow = 84

// rowHeight is how many lines a row takes.
func rowHeight(width int) int {
	if width >= wideRow {
		return 1
	}
	return 2
}

// queueLines draw the rows on the screen, exactly height lines.
func (m *Model) queueLines(width, height int) []line {
	q := &m.queue
	var out []line
	for i := q.top; i < len(q.rows) && len(out)+rowHeight(width) <= height; i++ {
		out = append(out, m.rowLines(q.rows[i], width)...)
	}
	if len(q.rows) == 0 {
		out = append(out, text(" "+m.emptyWords(), m.theme.muted))
	}
	for len(out) < height {
		out = append(out, nil)
	}
	return out[:height]
}

func (m *Model) emptyWords() string {
	switch {
	case m.queue.read.IsNone():
		return "reading …"
	case m.queue.needle != "":
		return "no row shows that text"
	}
	return "none"
}

// rowLines draw one row: symbol and word for the state, age, target, key,
// attempts, claim.
func (m *Model) rowLines(row ledger.QueueRow, width int) []line {
	t := m.theme
	i := row.Intent
	symbol, words, style := t.stateMark(i, row.Stuck)
	bar, name := " ", t.plain
	if i.OpKey == m.queue.selected {
		bar, name = t.glyphs.bar, t.strong
	}
	age := m.age(i.CreatedAt)
	who := m.rowWho(row)
	if rowHeight(width) == 1 {
		return []line{m.wideLine(bar, symbol, words, age, who, row, style, name, width)}
	}
	first := line{{bar, t.accent}, {symbol + " " + words, style}, {"  " + age, name}}
	first = both(first, line{{shortAttempts(i.Derived.Attempts), t.plain}, {who, t.accent}}, width)
	target := wording.Fit(wording.Safe(i.Target), max(width/3, 8))
	room := max(width-3-wording.Width(target)-2, 1)
	second := line{{bar, t.accent}, {"  " + target + "  ", t.muted}, {wording.FitMiddle(wording.Safe(i.OpKey), room), name}}
	return []line{first, second}
}

func (m *Model) wideLine(bar, symbol, words, age, who string, row ledger.QueueRow, state, name look, width int) line {
	t := m.theme
	const stateCells, ageCells, targetCells, attemptCells, whoCells = 22, 10, 17, 9, 11
	keyCells := width - 1 - stateCells - ageCells - targetCells - attemptCells - whoCells
	cell := func(s string, cells int) string { return wording.Pad(wording.Fit(s, cells-1), cells) }
	return line{
		{bar, t.accent},
		{cell(symbol+" "+words, stateCells), state},
		{cell(age, ageCells), name},
		{cell(wording.Safe(row.Intent.Target), targetCells), t.muted},
		{wording.Pad(wording.FitMiddle(wording.Safe(row.Intent.OpKey), keyCells-1), keyCells), name},
		{cell(shortAttempts(row.Intent.Derived.Attempts), attemptCells), t.plain},
		{wording.Fit(strings.TrimPrefix(who, " "), whoCells), t.accent},
	}
}

// rowWho says who is on it: a running lookup, or a claim.
func (m *Model) rowWho(row ledger.QueueRow) string {
	if _, ok := m.lookups[row.Intent.OpKey]; ok {
		return " looking"
	}
	if row.Claim != nil {
		return " @" + wording.Fit(wording.Safe(row.Claim.Operator), 10)
	}
	return ""
}

func shortAttempts(n int) string {
	switch n {
	case 0:
		return "unsent"
	case 1:
		return "1 try"
	}
	return wording.Number(int64(n)) + " tries"
}

const filterLabel = "  filter /"

// queueTitle names what the list shows, and keeps an active filter in sight. It
// says where the cursor stands while a filter is typed, -1 otherwise.
func (m *Model) queueTitle(width int) (title line, cursor int) {
	t := m.theme
	q := &m.queue
	title, cursor = text(string(q.filter), t.strong), -1
	switch room := width - title.width() - len(filterLabel) - 3; {
	case m.typing != nil:
		shown, x := m.typing.render(max(room, 2))
		cursor = 2 + title.width() + len(filterLabel) + x
		title = append(title, span{filterLabel + shown, t.warn})
	case q.needle != "":
		title = append(title, span{filterLabel + wording.Safe(q.needle), t.warn})
	}
	if place := m.placeWords(); place != "" && title.width()+4+wording.Width(place) <= width {
		title = append(title, span{"  " + place, t.muted})
	}
	return t.rule(title, width), cursor
}

// placeWords say where in the list one is and whether more follows.
func (m *Model) placeWords() string {
	q := &m.queue
	if len(q.rows) == 0 {
		return ""
	}
	at := q.start.before + q.index() + 1
	var total string
	switch {
	case q.needle != "" && q.more:
		total = fmt.Sprintf("%d or more", len(q.rows))
	case !q.more:
		total = wording.Number(int64(q.start.before + len(q.rows)))
	case q.filter == ledger.FilterOpen:
		total = wording.Number(int64(max(q.counts.Open(), q.start.before+len(q.rows))))
	default:
		total = "many"
	}
	return strings.Join([]string{wording.Number(int64(at)), "of", total}, " ")
}
