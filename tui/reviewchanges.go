package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"triage/actions"
)

// changeList is what changed in the ledger between two moments, newest first, a page at a
// time: memory does not grow with what happened.
type changeList struct {
	request actions.ChangesRequest
	changes actions.Changes
	pages   []int64 // where the pages before this one began (ChangesRequest.Before)
	home    spot    // where it was opened
	read    bool
	trouble error

	asked   int
	waiting bool
	at, top int // selected row, first row on the screen
	rows    int // rows on the screen
}

// spot is an intent and a moment that the review shows.
type spot struct {
	key     string
	past    *actions.Past
	trouble error
}

const (
	changesPage = 100
	aDay        = 24 * time.Hour // how far back the list goes where nothing is marked
)

// openChanges lists what changed between the mark and here, or in the day up to here.
func (r *review) openChanges(m *Model) tea.Cmd {
	here := actions.Moment{At: m.now}
	if r.past != nil {
		here = r.past.Moment
	}
	from, to := actions.Moment{At: here.At.Add(-aDay)}, here
	if r.mark != nil {
		from = *r.mark
	}
	if from.Seq > to.Seq && to.Seq > 0 {
		from, to = to, from
	}
	r.list = &changeList{home: spot{r.key, r.past, r.trouble}, request: actions.ChangesRequest{From: from, To: to, Notable: true, Limit: changesPage}}
	return r.list.ask(m, pickFirst)
}

func (l *changeList) ask(m *Model, p pick) tea.Cmd {
	m.reviews++
	l.asked, l.waiting = m.reviews, true
	return m.asks.readChanges(l.asked, l.request, p)
}

func (m *Model) onChangeList(a changesRead) {
	r := m.reviewing()
	if r == nil || r.list == nil || a.n != r.list.asked {
		return
	}
	l := r.list
	l.waiting, l.trouble = false, a.err
	if a.err != nil {
		return
	}
	l.changes, l.read, l.at, l.top = a.changes, true, 0, 0
	if a.pick == pickLast {
		l.move(len(a.changes.Rows))
	}
}

func (l *changeList) press(m *Model, r *review, k tea.KeyPressMsg) tea.Cmd {
	r.note = ""
	switch k.String() {
	case "j", "down":
		return l.goBy(m, 1)
	case "k", "up":
		return l.goBy(m, -1)
	case "pgdown", "space", "ctrl+f":
		return l.goBy(m, max(l.rows, 1))
	case "pgup", "ctrl+b":
		return l.goBy(m, -max(l.rows, 1))
	case "g", "home":
		l.request.Before, l.pages = 0, nil
		return l.ask(m, pickFirst)
	case "a":
		l.request.Notable, l.request.Before, l.pages = !l.request.Notable, 0, nil
		return l.ask(m, pickFirst)
	case "enter":
		return l.open(m, r)
	case "?":
		return m.openReviewHelp(r)
	case "esc", "q", "w":
		r.list, r.key, r.past, r.trouble, r.top = nil, l.home.key, l.home.past, l.home.trouble, 0
		if r.key == "" {
			return m.leaveReview(r)
		}
	default:
		r.note = m.noReviewKey(k)
	}
	return nil
}

// goBy moves the selection, onto the next or the last page where this one ends.
func (l *changeList) goBy(m *Model, by int) tea.Cmd {
	rows := l.changes.Rows
	switch to := l.at + by; {
	case l.waiting || len(rows) == 0:
	case to >= len(rows) && l.at == len(rows)-1 && l.changes.More:
		l.pages = append(l.pages, l.request.Before)
		l.request.Before = rows[len(rows)-1].Seq
		return l.ask(m, pickFirst)
	case to < 0 && l.at == 0 && len(l.pages) > 0:
		l.request.Before = l.pages[len(l.pages)-1]
		l.pages = l.pages[:len(l.pages)-1]
		return l.ask(m, pickLast)
	default:
		l.move(by)
	}
	return nil
}

func (l *changeList) move(by int) { l.at = max(min(l.at+by, len(l.changes.Rows)-1), 0) }

// open shows the intent of the selected change, as it stood once that had happened.
func (l *changeList) open(m *Model, r *review) tea.Cmd {
	if l.at >= len(l.changes.Rows) {
		return nil
	}
	c := l.changes.Rows[l.at]
	if c.OpKey == "" {
		r.note = "This change is about a grant, not about one intent."
		return nil
	}
	r.under, r.list = l, nil
	r.key, r.past, r.trouble, r.story, r.top = c.OpKey, nil, nil, false, 0
	return r.read(m, actions.Moment{Seq: c.Seq})
}
