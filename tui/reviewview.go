package tui

import (
	"errors"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"triage/actions"
	"triage/actions/verdict"
	"triage/actions/wording"
	"triage/ledger"
)

// How the past is drawn. Each line of the header, each title and the first line of the
// pane say in words that it is the past.

// reviewHeader takes the place of the counts, which are the present's.
func (m *Model) reviewHeader(r *review, width int) line {
	t := m.theme
	var tries []string
	switch {
	case r.list != nil:
		tries = []string{"THE PAST: what changed in the ledger", "THE PAST"}
	case r.past == nil:
		tries = []string{"THE PAST: nothing read yet"}
	default:
		at, second := m.fullStamp(r.past.Moment.At), wording.Instant(r.past.Moment.At, m.options.Zone)
		nth := fmt.Sprintf(", %s of %s", wording.Number(int64(r.past.Nth)), wording.Count(r.past.Of, "change", "changes"))
		tries = []string{"AS IT STOOD at " + at + nth, "AS IT STOOD at " + second + nth, "AS IT STOOD at " + second, "AS IT STOOD " + second}
	}
	for _, words := range tries {
		if wording.Width(words) <= width {
			return text(words, t.warn)
		}
	}
	return text(tries[len(tries)-1], t.warn)
}

func (r *review) hints() string {
	switch {
	case r.goTo != nil:
		return "enter goes there · esc cancel"
	case r.list != nil && r.list.request.Notable:
		return "enter opens it · a all changes · ? keys · esc back"
	case r.list != nil:
		return "enter opens it · a fewer changes · ? keys · esc back"
	case r.under != nil:
		return "←/→ change · [/] hour · w changes · ? keys · esc list"
	}
	return "←/→ change · [/] hour · w changes · ? keys · esc present"
}

// busy says that what is shown is about to give way to what was asked for.
func (r *review) busy() bool { return r.waiting || r.list != nil && r.list.waiting }

// lines are a title, the text and, at the foot, what the last key came to.
func (r *review) lines(m *Model, width, height int) ([]line, *tea.Position) {
	t := m.theme
	inner, margin := box(width)
	if width < splitWidth {
		inner, margin = width, 0
	}
	foot, cursor := r.footLines(m, inner)
	room := max(height-1-len(foot), 1)
	var body []line
	title := "the past"
	if r.list != nil {
		body = r.list.lines(m, inner, room)
		title = "what changed"
	} else {
		all := r.body(m, inner)
		r.page, r.bottom = room, max(len(all)-room, 0)
		r.top = min(r.top, r.bottom)
		body, _ = window(all, r.top, room, t)
		if r.story {
			title = "the past: journal up to then"
		}
	}
	out := append([]line{t.rule(text(title, t.strong), inner)}, body...)
	for len(out) < height-len(foot) {
		out = append(out, nil)
	}
	if cursor != nil {
		cursor.X, cursor.Y = cursor.X+margin, len(out)+cursor.Y
	}
	return indented(append(out, foot...), margin), cursor
}

// footLines are the field for an instant, or a word on what the last key came to.
func (r *review) footLines(m *Model, width int) ([]line, *tea.Position) {
	var out []line
	var cursor *tea.Position
	if r.goTo != nil {
		shown, x := r.goTo.render(max(width-20, 10))
		label := r.goTo.label + ": "
		out = append(out, line{{label, m.theme.strong}, {shown, m.theme.plain}})
		cursor = &tea.Position{X: wording.Width(label) + x}
		out = append(out, wrapped(r.goTo.help, width, m.theme.muted)...)
	}
	if r.note != "" {
		note := wrapped(r.note, width, m.theme.strong)
		out = append(out, note[:min(len(note), 3)]...)
	}
	return out, cursor
}

// body is the intent as it stood, or what keeps it from being shown.
func (r *review) body(m *Model, width int) []line {
	switch {
	case r.past == nil && r.trouble != nil:
		return append(wrapped(wording.Safe(r.key), width, m.theme.strong), wrapped("! It could not be read. "+m.said(pastTrouble(r.trouble)), width, m.theme.danger)...)
	case r.past == nil:
		return wrapped("Reading …", width, m.theme.muted)
	}
	then := m.asOf(*r.past)
	out := m.pastLine(*r.past, width)
	title := then.titleLines(r.past.Then, width)
	out = append(append(out, title[:len(title)-1]...), m.changeWords(*r.past, width)...)
	if r.story {
		return append(out, then.journalLines(r.past.Then, width)...)
	}
	out = append(out, then.verdictThen(r.past.Then, width)...)
	for _, section := range []func(actions.Item, int) []line{
		then.identityLines, then.attemptLines, then.lookupLines, then.decisionLines, then.lineageLines,
	} {
		if lines := section(r.past.Then, width); len(lines) > 0 {
			out = append(append(out, nil), lines...)
		}
	}
	return out
}

func pastTrouble(err error) string {
	var refusal *actions.Refusal
	if errors.As(err, &refusal) {
		return refusalText(err)
	}
	return readTrouble(err)
}

// asOf is a copy of the screen that draws one intent at the instant it stood so.
func (m *Model) asOf(p actions.Past) *Model {
	then := *m
	then.past, then.now = true, p.Then.Now
	then.lookups, then.queue.ghost = nil, ""
	then.intent = intent{key: p.Then.Intent.OpKey, item: &p.Then}
	return &then
}

// pastLine says that this is the past, and of which instant; where there is no room for
// that the header alone does.
func (m *Model) pastLine(p actions.Past, width int) []line {
	ago := "just now, not followed further"
	if since := m.now.Sub(p.Moment.At); since >= time.Second {
		ago = wording.Age(since) + " ago"
	}
	words := "This is the past, as it stood at " + m.fullStamp(p.Moment.At) + ", " + ago + "."
	if wording.Width(words) > width {
		words = "This is the past: it stood so " + ago + "."
	}
	return wrapped(words, width, m.theme.warn)
}

// changeWords say which change led to what is shown, and what came next.
func (m *Model) changeWords(p actions.Past, width int) []line {
	t := m.theme
	last := fmt.Sprintf("%s of %s: %s", wording.Number(int64(p.Nth)), wording.Number(int64(p.Of)), m.eventWords(p.Last))
	if p.Last.At != p.Moment.At {
		last += ", at " + m.fullStamp(p.Last.At)
	}
	out := labelled("Change", sideWidth, t.strong, wrapped(last, width-sideWidth, t.plain))
	next := "nothing yet: no change came after this one"
	if p.Next != nil {
		next = wording.Precise(p.Next.At.Sub(p.Moment.At)) + " later"
		if _, decided := decisionVerbs[ledger.DecisionKind(p.Last.Kind)]; decided && p.Next.Seq == p.Moment.Seq+1 {
			next += ", in the journal's very next line," // what an act decides and what it brings about are two lines
		}
		next += " " + m.eventWords(*p.Next)
		if changed := m.differences(*p.Next); changed != "" {
			next += ": " + changed
		}
	}
	out = append(out, labelled("Next", sideWidth, t.strong, wrapped(next, width-sideWidth, t.plain))...)
	return append(out, nil)
}

// verdictThen is what the evidence of then proved then. Nothing in it names a key: there
// is nothing to press.
func (m *Model) verdictThen(item actions.Item, width int) []line {
	t := m.theme
	v := item.Verdict
	out := wrapped(m.said(v.Headline())+" ("+string(v.Kind)+")", width, t.strong)
	out = append(out, wrapped("Judged for that instant from what the ledger knew then, by today's configuration.", width, t.muted)...)
	out = append(out, m.saidLines("Because", v.Because, width)...)
	known := without(v.Known, v.Because)
	if why := m.refusedAnew(item); why != "" {
		known = append([]string{strings.Replace(why, "would be refused", "would have been refused", 1)}, known...)
	}
	out = append(out, m.saidLines("Known", known, width)...)
	out = append(out, m.saidLines("Not known", v.Unknown, width)...)
	o := m.offers(item)
	for _, group := range []struct {
		label string
		acts  []verdict.Act
		none  string
	}{{"Was safe", o.safe, "nothing but waiting"}, {"By hand", o.byHand, ""}, {"At risk", o.atRisk, ""}} {
		var titles []string
		for _, act := range group.acts {
			titles = append(titles, actWords[act].title)
		}
		words := strings.Join(titles, ", ")
		if words == "" {
			words = group.none
		}
		if words != "" {
			out = append(out, labelled(group.label, sideWidth, t.strong, wrapped(words, width-sideWidth, t.plain))...)
		}
	}
	if at := v.NotBefore; at > m.now {
		out = append(out, labelled("Waiting", sideWidth, t.strong, wrapped("a lookup could prove more only from "+m.when(at), width-sideWidth, t.plain))...)
	}
	if at := v.KeySafeUntil; keyMatters(item) && !at.IsNone() {
		words := "remembered until " + m.when(at) + " at least, by key_retention"
		if at <= m.now {
			words = "may have been forgotten by then, since " + m.when(at) + ", by key_retention"
		}
		out = append(out, labelled("Key", sideWidth, t.strong, wrapped(words, width-sideWidth, t.plain))...)
	}
	return out
}

// lines of the list: who did what to which intent, newest first.
func (l *changeList) lines(m *Model, width, height int) []line {
	t := m.theme
	out := wrapped(l.titleWords(m), width, t.strong)
	switch {
	case l.trouble != nil:
		return append(out, wrapped("! It could not be read. "+m.said(pastTrouble(l.trouble)), width, t.danger)...)
	case !l.read:
		return append(out, text("Reading …", t.muted))
	case len(l.changes.Rows) == 0 && l.request.Notable:
		return append(out, wrapped("Nobody decided, claimed or wished anything, and nothing disagreed. a shows what senders and lookups wrote.", width, t.plain)...)
	case len(l.changes.Rows) == 0:
		return append(out, wrapped("Nothing was written between the two.", width, t.plain)...)
	}
	l.rows = max((height-len(out))/2, 1)
	l.top = min(max(l.top, l.at-l.rows+1), l.at)
	for i := l.top; i < len(l.changes.Rows) && i < l.top+l.rows; i++ {
		out = append(out, m.changeLines(l.changes.Rows[i], i == l.at, width)...)
	}
	return out
}

// titleWords say between which instants, what is left out, and whether more lies further
// back.
func (l *changeList) titleWords(m *Model) string {
	from, to := l.request.From.At, l.request.To.At
	if l.read {
		from, to = l.changes.From.At, l.changes.To.At
	}
	words := "Between " + m.fullStamp(from) + " and " + m.fullStamp(to) + ", newest first"
	if l.request.Notable {
		words += ", without what senders and lookups wrote"
	}
	n := len(l.changes.Rows)
	switch {
	case l.read && (l.changes.More || len(l.pages) > 0):
		words += fmt.Sprintf("; %d here, page %d", n, len(l.pages)+1)
		if l.changes.More {
			words += ", more further back"
		}
	case l.read && n > 0:
		words += "; " + wording.Count(n, "change", "changes")
	}
	return words + "."
}

func (m *Model) changeLines(c ledger.Change, selected bool, width int) []line {
	t := m.theme
	bar, look := " ", t.plain
	if selected {
		bar, look = t.glyphs.bar, t.strong
	}
	key := wording.Safe(c.OpKey)
	if c.Target != "" {
		key += "  at " + wording.Safe(c.Target)
	}
	if c.OpKey == "" {
		key = "about a grant, not about one intent"
	}
	second := line{{bar, t.accent}, {"    ", t.plain}, {wording.FitMiddle(key, max(width*3/5, 20)), look}}
	if reason := wording.Safe(c.Reason); reason != "" {
		second = append(second, span{"  reason: " + reason, t.muted})
	}
	return []line{
		{{bar, t.accent}, {" " + m.fullStamp(c.At) + "  ", t.muted}, {m.eventWords(c.Event), look}},
		second,
	}
}

func (m *Model) openReviewHelp(r *review) tea.Cmd {
	m.over = &pager{title: "Keys while you look back", text: (*Model).reviewKeyLines, under: r}
	return nil
}

func (m *Model) reviewKeyLines(width int) []line {
	t := m.theme
	var out []line
	add := func(keys [][2]string) {
		for _, k := range keys {
			out = append(out, labelled("  "+k[0], labelWidth, t.accent, wrapped(k[1], width-labelWidth, t.plain))...)
		}
	}
	out = append(out, text("An intent as it stood", t.strong))
	add(reviewKeyTable())
	out = append(out, text("What changed", t.strong))
	add(changeKeyTable)
	return append(out, wrapped("No act is possible in the past: "+reviewOff+".", width, t.muted)...)
}

// reviewKeyTable are the review's keys as help and docs/keys.md name them.
func reviewKeyTable() [][2]string {
	var out [][2]string
	for _, b := range reviewBindings() {
		if b.Help().Key != "" {
			out = append(out, [2]string{b.Help().Key, b.Help().Desc})
		}
	}
	return out
}

var changeKeyTable = [][2]string{
	{"enter", "the intent of this change, as it stood once it had happened"},
	{"a", "all that was written, or only what people did and what disagreed"},
	{"j k", "down and up, also with pgdn and pgup; on past the end to what lies further back"},
	{"g home", "to the newest"},
	{"esc q w", "back to the intent, or to the present"},
}
