package tui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"triage/actions"
	"triage/actions/wording"
	"triage/ledger"
)

// marks are the intents that were picked out for a sweep. A mark belongs to its key:
// it stays whatever the list shows, also on an intent that has left the queue, and
// goes only when it is taken off or when a sweep takes it over.
type marks struct {
	keys []string // in the order in which they were marked
	of   map[string]*mark
}

type mark struct {
	place  *ledger.Cursor // where its row was seen last in the open queue; nil: nowhere
	gone   string         // how it stands since it left the queue, in words; "": it has not
	asking bool           // its row is missing, and its intent is being read
}

// marksAtOnce bounds how many intents are read to find out where their rows went.
const marksAtOnce = 20

func (s *marks) has(key string) bool { return s.of[key] != nil }

func (s *marks) add(key string) {
	if s.has(key) {
		return
	}
	if s.of == nil {
		s.of = map[string]*mark{}
	}
	s.keys = append(s.keys, key)
	s.of[key] = &mark{}
}

func (s *marks) remove(key string) {
	delete(s.of, key)
	s.keys = slices.DeleteFunc(s.keys, func(k string) bool { return k == key })
}

// gone counts the marked intents that have left the queue.
func (s *marks) gone() int {
	n := 0
	for _, one := range s.of {
		if one.gone != "" {
			n++
		}
	}
	return n
}

// follow compares the marks with a queue just read. It returns the keys whose rows
// should be there and are not: where they went has to be asked.
func (s *marks) follow(q *queue) (missing []string) {
	for _, key := range s.keys {
		one := s.of[key]
		if at := q.find(key); at >= 0 && q.ghost != key {
			place := q.rows[at].Cursor
			if q.shown.filter == ledger.FilterOpen {
				one.place, one.gone = &place, ""
			}
			continue
		}
		if one.gone == "" && !one.asking && one.place != nil && q.spans(*one.place) && len(missing) < marksAtOnce {
			one.asking = true
			missing = append(missing, key)
		}
	}
	return missing
}

// spans says that the rows at hand are all there are around a place in the open
// queue.
func (q *queue) spans(at ledger.Cursor) bool {
	switch {
	case q.shown != view{filter: ledger.FilterOpen}:
		return false
	case q.start.after != nil && byPlace(at, *q.start.after) <= 0:
		return false
	}
	return !q.more || len(q.rows) > 0 && byPlace(at, q.rows[len(q.rows)-1].Cursor) <= 0
}

// marksRead: the intents of marked rows that were missing were read.
type marksRead struct {
	keys  []string
	items map[string]actions.Item // without those that could not be read
}

func (a asks) readMarks(keys []string) tea.Cmd {
	if len(keys) == 0 {
		return nil
	}
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(a.ctx, readTimeout)
		defer cancel()
		answer := marksRead{keys: keys, items: map[string]actions.Item{}}
		for _, key := range keys {
			if item, err := a.acts.Item(ctx, key); err == nil {
				answer.items[key] = item
			}
		}
		return answer
	}
}

// onMarks tells what became of marked intents whose rows are gone. The marks stay.
func (m *Model) onMarks(a marksRead) {
	var left []string
	for _, key := range a.keys {
		one := m.marks.of[key]
		if one == nil { // taken off meanwhile
			continue
		}
		one.asking = false
		item, read := a.items[key]
		switch {
		case !read: // the next reading tries again
		case inQueue(item):
			one.place = nil // it moved; the list shows it elsewhere
		default:
			one.gone = m.standing(item)
			left = append(left, key)
		}
	}
	if len(left) == 0 || m.status.lasts {
		return // the line above the list counts them all the same
	}
	words := wording.FitMiddle(wording.Safe(left[0]), 40) + " is marked and has left the queue: " + m.marks.of[left[0]].gone + ". Its mark stays; u takes all marks off."
	if len(left) > 1 {
		words = wording.Count(len(left), "marked intent has", "marked intents have") + " left the queue. Their marks stay; L says how each stands, u takes all marks off."
	}
	m.status = hint(words)
}

// inQueue says that an intent belongs into the open queue.
func inQueue(item actions.Item) bool {
	i := item.Intent
	switch {
	case i.Contradicted():
		return true
	case i.State.Final(), i.Superseded(), !i.Derived.SetAsideAt.IsNone(), i.SnoozedUntil > item.Now:
		return false
	}
	return i.State == ledger.Unknown || item.Stuck || ledger.Ahead(i, item.Now)
}

// standing says how an intent stands that is not in the queue.
func (m *Model) standing(item actions.Item) string {
	_, words, _ := m.theme.stateMark(item.Intent, item.Stuck, m.now)
	if item.Intent.State == ledger.Pending && !item.Intent.Superseded() {
		words += ", not stuck"
	}
	return words + ", last written by " + writer(item.Intent.UpdatedBy)
}

// What the keys for marks do.

func (m *Model) markOff() string {
	switch {
	case m.options.ReadOnly:
		return "marks are for sweeps, and the screen was opened with --read-only"
	case m.queue.selected == "":
		return "no intent is selected"
	}
	return ""
}

func (m *Model) toggleMark() tea.Cmd {
	key := m.queue.selected
	if m.marks.has(key) {
		m.marks.remove(key)
		m.status = hint("Unmarked: " + wording.FitMiddle(wording.Safe(key), 40) + ".")
		return nil
	}
	m.marks.add(key)
	m.marks.follow(&m.queue)
	m.status = hint("Marked: " + wording.FitMiddle(wording.Safe(key), 40) + ". L looks up all that are marked; space again unmarks it.")
	return nil
}

func (m *Model) noMarks() string {
	if len(m.marks.keys) == 0 {
		return "nothing is marked"
	}
	return ""
}

func (m *Model) unmarkAll() tea.Cmd {
	m.status = hint("Unmarked: " + wording.Count(len(m.marks.keys), "intent", "intents") + ".")
	m.marks = marks{}
	return nil
}

// markedWords count the marks, "" without any.
func (m *Model) markedWords() string {
	if len(m.marks.keys) == 0 {
		return ""
	}
	words := wording.Number(int64(len(m.marks.keys))) + " marked"
	if n := m.marks.gone(); n > 0 {
		words += " (" + wording.Count(n, "has", "have") + " left the queue)"
	}
	return words
}
