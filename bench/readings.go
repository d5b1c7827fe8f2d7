package main

import (
	"context"
	"fmt"
	"strings"

	"triage/ledger"
	"triage/ledger/sqlite"
)

// filterPage is how many rows the screen's filter reads at once.
const filterPage = 500

// openFilter reads every open row, page by page, and looks in each for a text that
// none has, as the screen's filter does.
func openFilter(ctx context.Context, db *sqlite.DB, now ledger.Millis) (query, error) {
	q := query{name: "open filter, a text in no row", atMost: openReading}
	walk := func(each func(ledger.QueueQuery)) error {
		page := ledger.QueueQuery{Now: now, Limit: filterPage}
		for {
			rows, err := db.Queue(ctx, page)
			if err != nil {
				return err
			}
			each(page)
			for _, row := range rows {
				if seen(row, "no row says this") {
					return fmt.Errorf("%q says it", row.Intent.OpKey)
				}
			}
			if len(rows) < filterPage {
				return nil
			}
			page.After = &rows[len(rows)-1].Cursor
		}
	}
	q.ask = func() error { return walk(func(ledger.QueueQuery) {}) }
	var err error
	walked := walk(func(page ledger.QueueQuery) {
		s, e := sqlite.QueueStatements(page)
		if q.asked = append(q.asked, s...); e != nil {
			err = e
		}
	})
	if err == nil {
		err = walked
	}
	return q, err
}

func seen(row ledger.QueueRow, needle string) bool {
	i := row.Intent
	for _, field := range []string{i.OpKey, i.Target, i.Task, i.Stage, i.Principal, string(i.State), string(row.LastOutcome), row.LastCause} {
		if strings.Contains(strings.ToLower(field), needle) {
			return true
		}
	}
	return false
}

// searchQueries look for one intent in doubt by each thing that a search looks at.
func searchQueries(ctx context.Context, db *sqlite.DB, i ledger.Intent, now ledger.Millis) (all []query, err error) {
	receipt, err := someReceipt(ctx, db, now)
	if err != nil {
		return nil, err
	}
	for _, s := range []struct{ by, text string }{
		{"key", i.OpKey}, {"beginning of a key", i.OpKey[:len(i.OpKey)-2]}, {"task", i.Task}, {"receipt", receipt}, {"hash prefix", i.PayloadSHA256[:12]},
	} {
		ask := ledger.SearchQuery{Text: s.text, Now: now}
		found, err := db.Search(ctx, ask)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("the search by %s finds nothing for %q", s.by, s.text)
		}
		asked, err := sqlite.SearchStatements(ask, found)
		if err != nil {
			return nil, err
		}
		all = append(all, query{
			name: "search by " + s.by, asked: asked,
			ask: func() error { _, err := db.Search(ctx, ask); return err },
		})
	}
	return all, nil
}

// someReceipt is that of the first intent that was delivered.
func someReceipt(ctx context.Context, db *sqlite.DB, now ledger.Millis) (string, error) {
	rows, err := db.Queue(ctx, ledger.QueueQuery{Filter: ledger.FilterDelivered, Now: now, Limit: 1})
	if err != nil {
		return "", err
	}
	if len(rows) == 0 {
		return "", fmt.Errorf("nothing was delivered")
	}
	return rows[0].Intent.Receipt, nil
}
