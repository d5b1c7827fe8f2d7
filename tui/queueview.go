package tui

import (
	"fmt"
	"strings"

	"triage/actions/verdict"
	"triage/actions/wording"
	"triage/ledger"
)

// wideRow is from which width a row of the queue takes one line instead of two.
const wideRow = 96

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
	case m.queue.failed != nil:
		return "not read: see why"
	case m.queue.read.IsNone(), m.queue.waiting && len(m.queue.rows) == 0 && m.queue.shown.filter != m.queue.filter:
		return "reading …"
	case m.queue.needle != "":
		return "no row shows that text"
	}
	return "none"
}

// rowLines draw one row: symbol and word for the state, age, target, key,
// attempts, the last lookup, claim.
func (m *Model) rowLines(row ledger.QueueRow, width int) []line {
	t := m.theme
	i := row.Intent
	symbol, words, style := t.stateMark(i, row.Stuck, m.now)
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
	first = m.withLast(first, row, who, width)
	target := wording.Fit(wording.Safe(i.Target), max(width/3, 8))
	room := max(width-3-wording.Width(target)-2, 1)
	second := line{{bar, t.accent}, {m.markSign(i.OpKey), t.warn}, {" " + target + "  ", t.muted}, {wording.FitMiddle(wording.Safe(i.OpKey), room), name}}
	return []line{first, second}
}

// markSign shows that a row is marked.
func (m *Model) markSign(key string) string {
	if m.marks.has(key) {
		return marked
	}
	return " "
}

const marked = "*"

// withLast puts at the end of a row what the receiver answered last, how often it
// was tried and who is on it: as much of it as there is room for.
func (m *Model) withLast(first line, row ledger.QueueRow, who string, width int) line {
	t := m.theme
	tries, last := shortAttempts(row.Intent.Derived.Attempts), m.rowAnswer(row)
	tails := []string{tries}
	switch wish := rowWish(row); {
	case wish != "" && last != "":
		tails = []string{wish + ", " + last + ", " + tries, wish + ", " + tries, wish, tries}
	case wish != "":
		tails = []string{wish + ", " + tries, wish, tries}
	case last != "":
		tails = []string{last + ", " + tries, last, tries}
	}
	for _, tail := range tails {
		end := line{{tail, t.plain}, {who, t.accent}}
		if first.width()+1+end.width() <= width {
			return both(first, end, width)
		}
	}
	return both(first, line{{strings.TrimPrefix(who, " "), t.accent}}, width)
}

// rowAnswer says what the receiver's last answer comes to where the verdict was read,
// and the bare answer where only the row is known.
func (m *Model) rowAnswer(row ledger.QueueRow) string {
	answer := rowLookup(row)
	kind := m.rowKind(row)
	words, ok := answerWords[kind]
	if !ok || answer == "" || kind == verdict.NoLookup && row.LastLookup != "" {
		return answer
	}
	return words
}

// answerWords are the verdicts that say more than the answer does.
var answerWords = map[verdict.Kind]string{
	verdict.PayloadConflict: "other content",
	verdict.WrongOwner:      "someone else's",
	verdict.Withdrawn:       "undone since",
	verdict.FoundUnverified: "not verified",
	verdict.Refused:         "refused",
	verdict.Absent:          "proven absent",
	verdict.NoLookup:        "no lookup",
}

// rowLookup says what the receiver answered last, while that is worth a word: beside a
// state that is settled it would only seem to speak against it. What was found and left
// the intent open is not proven to be it.
func rowLookup(row ledger.QueueRow) string {
	i := row.Intent
	switch {
	case i.State.Final() && !i.Contradicted(), i.Superseded() && row.LastLookup == "":
		return ""
	case row.LastLookup == ledger.LookupFound && !i.State.Final():
		return "unproven find"
	}
	if words, ok := lookupWords[row.LastLookup]; ok {
		return words
	}
	return wording.Safe(string(row.LastLookup))
}

// rowWish says that somebody does not want it sent any more, while that decides what may
// be done about it.
func rowWish(row ledger.QueueRow) string {
	if i := row.Intent; i.CancelRequestedAt.IsNone() || i.State.Final() || i.Superseded() {
		return ""
	}
	return "cancel wished"
}

func (m *Model) wideLine(bar, symbol, words, age, who string, row ledger.QueueRow, state, name look, width int) line {
	t := m.theme
	const stateCells, ageCells, targetCells, attemptCells, lastCells = 22, 10, 17, 9, 14
	keyCells := width - 3 - stateCells - ageCells - targetCells - attemptCells - lastCells
	last := span{m.rowAnswer(row), t.plain}
	if wish := rowWish(row); wish != "" {
		last = span{wish, t.warn}
	}
	if who != "" {
		last = span{strings.TrimPrefix(who, " "), t.accent}
	}
	cell := func(s string, cells int) string { return wording.Pad(wording.Fit(s, cells-1), cells) }
	return line{
		{bar, t.accent},
		{m.markSign(row.Intent.OpKey) + " ", t.warn},
		{cell(symbol+" "+words, stateCells), state},
		{cell(age, ageCells), name},
		{cell(wording.Safe(row.Intent.Target), targetCells), t.muted},
		{wording.Pad(wording.FitMiddle(wording.Safe(row.Intent.OpKey), keyCells-1), keyCells), name},
		{cell(shortAttempts(row.Intent.Derived.Attempts), attemptCells), t.plain},
		{wording.Fit(last.text, lastCells), last.style},
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
