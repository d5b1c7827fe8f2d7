package tui

import (
	"cmp"
	"slices"

	"triage/ledger"
)

// queue is the list on the left: a window of the ledger's queue, and which key
// is selected. The selection follows the key, never the row.
type queue struct {
	filter ledger.StateFilter
	needle string // text filter, "" for none
	shown  view   // what rows are of: never shown under another title
	failed error  // why what is to be shown could not be read; nil where it was

	rows    []ledger.QueueRow
	start   windowStart
	starts  []windowStart
	more    bool
	scanned int
	counts  ledger.Counts
	read    ledger.Millis // when rows and counts were read; none: never

	selected string // key, "" where there are no rows
	ghost    string // key of a row that left the queue and is shown until one moves on
	top      int    // first row on the screen
	height   int    // rows on the screen

	asked   int  // number of the newest request
	waiting bool // it has no answer yet
	again   bool // and something has changed since it was made
}

// view is what a list is of.
type view struct {
	filter ledger.StateFilter
	needle string
}

func newQueue() queue { return queue{filter: ledger.FilterOpen, height: 1} }

// index is the selected row, -1 without one.
func (q *queue) index() int { return q.find(q.selected) }

func (q *queue) find(key string) int {
	return slices.IndexFunc(q.rows, func(r ledger.QueueRow) bool { return r.Intent.OpKey == key })
}

// request asks for the window as it is now; its number makes older ones stale.
func (q *queue) request(p pick) queueRequest {
	q.asked++
	q.waiting, q.again = true, false
	return queueRequest{
		n: q.asked, filter: q.filter, needle: q.needle,
		start: q.start, starts: q.starts, rows: q.span(), pick: p,
	}
}

// span is how many rows the window holds or is to hold.
func (q *queue) span() int {
	rows := (len(q.rows) + pageRows - 1) / pageRows * pageRows
	return min(max(rows, pageRows), windowRows)
}

// apply takes an answer in. It returns false for one that is not the newest.
func (q *queue) apply(a queueRead) bool {
	if a.request.n != q.asked {
		return false
	}
	q.waiting, q.failed = false, nil
	of := view{a.request.filter, a.request.needle}
	if a.err != nil {
		if q.shown != of { // another list's rows tell nothing about this one
			q.rows, q.more, q.selected, q.ghost, q.failed = nil, false, "", "", a.err
		}
		return true
	}
	q.shown = of
	line := q.index() - q.top
	var kept *ledger.QueueRow
	if i := q.index(); i >= 0 {
		row := q.rows[i]
		kept = &row
	}
	q.rows, q.more, q.scanned, q.counts, q.read = a.rows, a.more, a.scanned, a.counts, a.at
	q.start, q.starts, q.ghost = a.request.start, a.starts, ""
	q.choose(a.request.pick, kept)
	q.scrollTo(q.index() - max(line, 0))
	return true
}

// choose selects a row of a new window.
func (q *queue) choose(p pick, kept *ledger.QueueRow) {
	switch {
	case p == pickLast && len(q.rows) > 0:
		q.selected = q.rows[len(q.rows)-1].Intent.OpKey
	case p == pickSame && kept != nil && q.index() < 0:
		q.keepGhost(*kept)
	case p == pickFirst || q.index() < 0:
		q.selected = ""
		if len(q.rows) > 0 {
			q.selected = q.rows[0].Intent.OpKey
		}
	}
}

// keepGhost shows a row on that is no longer in the queue, where it was.
func (q *queue) keepGhost(row ledger.QueueRow) {
	at, _ := slices.BinarySearchFunc(q.rows, row.Cursor, func(r ledger.QueueRow, c ledger.Cursor) int {
		return byPlace(r.Cursor, c)
	})
	q.rows = slices.Insert(slices.Clone(q.rows), at, row)
	q.ghost = row.Intent.OpKey
}

func byPlace(a, b ledger.Cursor) int {
	return cmp.Or(cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.OpKey, b.OpKey))
}

// update shows a row as its intent was read last.
func (q *queue) update(h ledger.History, stuck bool) {
	at := q.find(h.Intent.OpKey)
	if at < 0 {
		return
	}
	row := &q.rows[at]
	row.Intent, row.Stuck, row.Claim = h.Intent, stuck, h.Claim
	for _, l := range slices.Backward(h.Lookups) {
		if l.Finished() {
			row.LastLookup = l.Outcome
			return
		}
	}
}

// empty forgets the rows, for a list of another kind. The key stays selected, in
// case it is in that list too.
func (q *queue) empty() { q.rows, q.more, q.ghost, q.top = nil, false, "", 0 }

// move selects the row so many rows away. It returns false where it stayed.
func (q *queue) move(by int) bool {
	if len(q.rows) == 0 {
		return false
	}
	i := q.index()
	to := min(max(i+by, 0), len(q.rows)-1)
	if to == i {
		return false
	}
	q.selected = q.rows[to].Intent.OpKey
	q.leaveGhost()
	q.follow()
	return true
}

// leaveGhost forgets the row that left the queue, once another is selected.
func (q *queue) leaveGhost() {
	if q.ghost == "" || q.ghost == q.selected {
		return
	}
	if at := q.find(q.ghost); at >= 0 {
		q.rows = slices.Delete(slices.Clone(q.rows), at, at+1)
		if at < q.top {
			q.top--
		}
	}
	q.ghost = ""
}

// follow scrolls as little as shows the selected row.
func (q *queue) follow() {
	i := max(q.index(), 0)
	switch {
	case i < q.top:
		q.scrollTo(i)
	case i >= q.top+q.height:
		q.scrollTo(i - q.height + 1)
	default:
		q.scrollTo(q.top)
	}
}

// scrollTo makes a row the first on the screen, leaving no empty lines below.
func (q *queue) scrollTo(top int) {
	q.top = max(min(top, len(q.rows)-q.height), 0)
	if i := q.index(); i >= 0 {
		q.top = max(min(q.top, i), i-q.height+1, 0)
	}
}

// resize sets how many rows fit on the screen.
func (q *queue) resize(height int) {
	if height = max(height, 1); height != q.height {
		q.height = height
		q.follow()
	}
}

// next asks for the neighbouring window when the selection comes near an edge
// of this one, and nil otherwise.
func (q *queue) next() *queueRequest {
	if q.needle != "" || q.waiting {
		return nil
	}
	const near = 20
	i := q.index()
	switch {
	case q.more && i >= len(q.rows)-near && len(q.rows) < windowRows:
		r := q.request(pickSame)
		r.rows = min(len(q.rows)/pageRows*pageRows+pageRows, windowRows)
		return &r
	case q.more && i >= len(q.rows)-near && len(q.rows) > pageRows:
		r := q.request(pickSame)
		last := q.rows[pageRows-1].Cursor
		r.starts = append(slices.Clone(q.starts), q.start)
		r.start = windowStart{after: &last, before: q.start.before + pageRows}
		return &r
	case len(q.starts) > 0 && i < near:
		r := q.request(pickSame)
		r.start, r.starts = q.starts[len(q.starts)-1], q.starts[:len(q.starts)-1]
		return &r
	}
	return nil
}

// first asks for the top of the queue.
func (q *queue) first(p pick) queueRequest {
	q.start, q.starts = windowStart{}, nil
	r := q.request(p)
	r.rows = pageRows
	return r
}

// last asks for the end of the queue.
func (q *queue) last() queueRequest {
	r := q.request(pickLast)
	r.toEnd = true
	return r
}
