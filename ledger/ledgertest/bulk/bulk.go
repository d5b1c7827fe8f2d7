// Package bulk fills a new SQLite ledger with millions of intents in minutes, for
// benchmarks. It writes the rows as the triggers would leave them, but without the
// triggers, and puts back afterwards what it took away: the ledger can be opened,
// read and written like any other.
//
// Two things differ from a ledger that grew. What was delivered has a short journal
// (it was begun, an attempt was started), so that ten million intents stay near ten
// gigabytes; `triage verify` says so. What is in doubt has the whole of it.
package bulk

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"strings"

	_ "modernc.org/sqlite" // the driver that the ledger uses too

	"triage/ledger"
)

// Size is how large a ledger is to be.
type Size struct {
	Intents int
	Open    int // of them UNKNOWN, spread evenly; the others are DELIVERED
}

// Fill fills a ledger that was made a moment ago and holds nothing yet. The intents
// were begun within the 90 days before until. No other program may have it open.
//
// Each intent has one attempt. One in doubt has an error text of 95 bytes and one
// lookup that failed. Keys have 24 bytes, receipts 22, tasks about 24.
func Fill(ctx context.Context, path string, size Size, until ledger.Millis) error {
	if size.Open < 1 || size.Intents < size.Open {
		return fmt.Errorf("a ledger of %d intents can't have %d in doubt: between 1 and all of them", size.Intents, size.Open)
	}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?mode=rw")
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	f := &filler{ctx: ctx, conn: conn, size: size, until: until}
	f.run(fast...)
	kept := f.takeAway()
	f.run("BEGIN")
	f.rows()
	f.run(kept...)
	f.run("COMMIT")
	f.run(usual...)
	if f.err != nil {
		return fmt.Errorf("filling %s with %d intents: %w", path, size.Intents, f.err)
	}
	return nil
}

var (
	// Nothing is kept for a crash: what breaks off half-way is thrown away.
	fast = []string{
		"PRAGMA locking_mode = EXCLUSIVE", "PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF",
		"PRAGMA ignore_check_constraints = ON", // the tests look whether they hold
		"PRAGMA cache_size = -1000000",
	}
	usual = []string{"PRAGMA ignore_check_constraints = OFF", "PRAGMA synchronous = FULL", "PRAGMA journal_mode = WAL", "PRAGMA locking_mode = NORMAL"}
)

// filler runs one statement after the other until the first that fails.
type filler struct {
	ctx   context.Context
	conn  *sql.Conn
	size  Size
	until ledger.Millis
	err   error
}

func (f *filler) run(statements ...string) {
	for _, s := range statements {
		if f.err != nil {
			return
		}
		if _, err := f.conn.ExecContext(f.ctx, s); err != nil {
			f.err = fmt.Errorf("%w, in: %.80s", err, s)
		}
	}
}

// takeAway drops triggers and those indexes that can be dropped, and returns what
// makes them again: an index is made faster at once than row by row.
func (f *filler) takeAway() (again []string) {
	if f.err != nil {
		return nil
	}
	rows, err := f.conn.QueryContext(f.ctx,
		`SELECT type, name, sql FROM sqlite_schema WHERE type IN ('index', 'trigger') AND sql IS NOT NULL ORDER BY type, rowid`)
	if err != nil {
		f.err = err
		return nil
	}
	defer func() { _ = rows.Close() }()
	var drop []string
	for rows.Next() {
		var kind, name, text string
		if f.err = rows.Scan(&kind, &name, &text); f.err != nil {
			return nil
		}
		drop, again = append(drop, "DROP "+kind+" "+name), append(again, text)
	}
	f.err = rows.Err()
	_ = rows.Close()
	f.run(drop...)
	return again
}

// rows writes all rows. Intent number i is in doubt if i is a multiple of :every, up
// to :open of them; it has four more events than a delivered one, of two.
func (f *filler) rows() {
	if f.err != nil {
		return
	}
	const window = 90 * 24 * 3600 * 1000 // milliseconds
	every := f.size.Intents / f.size.Open
	arguments := map[string]any{
		":n": f.size.Intents, ":every": every, ":last": every * f.size.Open,
		":from": int64(f.until) - window, ":step": max(1, (window-60_000)/f.size.Intents),
	}
	for _, s := range []string{intents, attempts, lookups, shortEvents, openEvents} {
		var named []any
		for name, value := range arguments {
			if strings.Contains(s, name) {
				named = append(named, sql.Named(name[1:], value))
			}
		}
		if _, err := f.conn.ExecContext(f.ctx, s, named...); err != nil {
			f.err = fmt.Errorf("%w, in: %.60s", err, s)
			return
		}
	}
}
