package tui

import (
	"context"

	"triage/ledger"
)

// Sizes of what the screen holds of the queue. Memory does not grow with it.
const (
	pageRows   = 200
	windowRows = 600
	scanPage   = 500
	scanRows   = 20_000 // rows that a filter text looks through, at most
)

// pick says which row is selected once the answer is there.
type pick int

const (
	pickSame        pick = iota // the key that was selected, shown on even if it left the queue
	pickSameOrFirst             // the same key if it is still there
	pickFirst
	pickLast
)

// queueRequest asks for a window of the queue.
type queueRequest struct {
	n      int // an answer to an earlier number is dropped
	filter ledger.StateFilter
	needle string // only rows in which this text can be seen
	start  windowStart
	starts []windowStart // of the windows before it
	rows   int
	toEnd  bool // go on to the last window
	pick   pick
}

// windowStart is where a window begins.
type windowStart struct {
	after  *ledger.Cursor // nil: at the top
	before int            // rows before it, as they were counted on the way
}

func (r queueRequest) read(ctx context.Context, acts Acts, now ledger.Millis) queueRead {
	switch {
	case r.needle != "":
		return r.scan(ctx, acts, now)
	case r.toEnd:
		return r.walk(ctx, acts)
	}
	rows, err := acts.Queue(ctx, r.filter, r.start.after, r.rows+1)
	answer := queueRead{request: r, rows: rows, starts: r.starts, err: err}
	if len(rows) > r.rows {
		answer.rows, answer.more = rows[:r.rows], true
	}
	return answer
}

// scan looks for the needle from the top of the queue.
func (r queueRequest) scan(ctx context.Context, acts Acts, now ledger.Millis) queueRead {
	answer := queueRead{request: r}
	var after *ledger.Cursor
	for {
		page, err := acts.Queue(ctx, r.filter, after, scanPage)
		if err != nil {
			answer.err = err
			return answer
		}
		for i, row := range page {
			if answer.more = len(answer.rows) == windowRows; answer.more {
				answer.scanned += i
				return answer
			}
			if matches(row, r.needle, now) {
				answer.rows = append(answer.rows, row)
			}
		}
		answer.scanned += len(page)
		if len(page) < scanPage {
			return answer
		}
		if answer.scanned >= scanRows {
			answer.more = true
			return answer
		}
		last := page[len(page)-1].Cursor
		after = &last
	}
}

// walk goes page by page to the end and keeps the last window.
func (r queueRequest) walk(ctx context.Context, acts Acts) queueRead {
	answer := queueRead{request: r, starts: r.starts}
	start, walked := r.start, 0
	for {
		after := start.after
		if n := len(answer.rows); n > 0 {
			after = &answer.rows[n-1].Cursor
		}
		page, err := acts.Queue(ctx, r.filter, after, pageRows)
		if err != nil {
			answer.err = err
			return answer
		}
		answer.rows = append(answer.rows, page...)
		for len(answer.rows) > windowRows {
			answer.starts = append(answer.starts[:len(answer.starts):len(answer.starts)], start)
			last := answer.rows[pageRows-1].Cursor
			start = windowStart{after: &last, before: start.before + pageRows}
			answer.rows = append([]ledger.QueueRow(nil), answer.rows[pageRows:]...)
		}
		answer.request.start = start
		if len(page) < pageRows {
			return answer
		}
		if walked += len(page); walked >= scanRows {
			answer.more = true
			return answer
		}
	}
}
