package sqlite

import (
	"context"
	"database/sql"
	"sync"

	"triage/ledger"
)

const (
	queryJournal = `SELECT seq, at, op_key, kind, actor, detail FROM events WHERE seq > ? ORDER BY seq LIMIT ?`
	queryLastSeq = `SELECT coalesce(max(seq), 0) FROM events`

	journalPage = 1000

	queryEventBefore = `SELECT at FROM events WHERE seq <= ? ORDER BY seq DESC LIMIT 1`
	queryChanges     = changeColumns + `FROM events AS e ` + changeJoins + `WHERE e.seq > ? AND e.seq <= ? ORDER BY e.seq DESC LIMIT ?`

	// The condition is that of the index, word by word.
	queryNotable = changeColumns + `FROM events AS e INDEXED BY events_notable ` + changeJoins + `
WHERE (e.kind NOT IN ('begun', 'changed', 'attempt_started', 'attempt_finished', 'lookup_started', 'lookup_finished', 'granted')
    OR e.kind = 'changed' AND json_type(e.detail, '$.cancel_requested_at') IS NOT NULL)
  AND e.seq > ? AND e.seq <= ? ORDER BY e.seq DESC LIMIT ?`

	changeColumns = `SELECT e.seq, e.at, e.op_key, e.kind, e.actor, e.detail, i.target, d.reason `
	changeJoins   = `LEFT JOIN intents AS i ON i.op_key = e.op_key
LEFT JOIN decisions AS d ON d.decision_id = json_extract(e.detail, '$.decision_id') AND d.op_key = e.op_key
`

	changesPage = 100
)

// Journal returns events with seq greater than after, oldest first; limit 0 means
// 1000.
func (db *DB) Journal(ctx context.Context, after int64, limit int) ([]ledger.Event, error) {
	if limit <= 0 {
		limit = journalPage
	}
	return collect(ctx, db.read, scanEvent, queryJournal, after, limit)
}

// LastSeq is the newest event's seq, 0 when there is none.
func (db *DB) LastSeq(ctx context.Context) (int64, error) {
	seq, err := first(collect(ctx, db.read, scanInt, queryLastSeq))
	if err != nil || seq == nil {
		return 0, err
	}
	return *seq, nil
}

// SeqAt is the newest event that was written at an instant or before it, 0 where there
// is none: events stand in the order of their instants, so that halving finds it.
func (db *DB) SeqAt(ctx context.Context, at ledger.Millis) (low int64, err error) {
	err = db.snapshot(ctx, func(q querier) error {
		high, err := scalar[int64](ctx, q, queryLastSeq)
		for high > low && err == nil {
			middle := low + (high-low+1)/2
			var written ledger.Millis
			if written, err = scalar[ledger.Millis](ctx, q, queryEventBefore, middle); written <= at {
				low = middle
			} else {
				high = middle - 1
			}
		}
		return err
	})
	return low, err
}

// Changes returns events between two places of the journal, newest first.
func (db *DB) Changes(ctx context.Context, q ledger.ChangesQuery) ([]ledger.Change, error) {
	query, limit := queryChanges, q.Limit
	if q.Notable {
		query = queryNotable
	}
	if limit <= 0 {
		limit = changesPage
	}
	return collect(ctx, db.read, scanChange, query, q.After, q.UpTo, limit)
}

func scanChange(rows *sql.Rows) (c ledger.Change, err error) {
	err = rows.Scan(&c.Seq, (*int64)(&c.At), text{&c.OpKey}, &c.Kind, &c.Actor, &c.Detail, text{&c.Target}, text{&c.Reason})
	return c, err
}

func scanInt(rows *sql.Rows) (n int64, err error) {
	err = rows.Scan(&n)
	return n, err
}

// watcher asks on one connection of its own whether others have committed: the
// pragma compares with what that same connection saw last, and costs microseconds.
type watcher struct {
	dsn  string
	mu   sync.Mutex
	db   *sql.DB
	conn *sql.Conn
	last int64
}

// Changed reports whether another connection has committed since the last call.
// The first call reports true.
func (db *DB) Changed(ctx context.Context) (bool, error) {
	return db.watch.changed(ctx)
}

func (w *watcher) changed(ctx context.Context) (bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.conn == nil {
		if err := w.open(ctx); err != nil {
			return false, mapError(err)
		}
	}
	var version int64
	if err := w.conn.QueryRowContext(ctx, "PRAGMA data_version").Scan(&version); err != nil {
		return false, mapError(err)
	}
	moved := version != w.last
	w.last = version
	return moved, nil
}

func (w *watcher) open(ctx context.Context) error {
	db, err := sql.Open("sqlite", w.dsn)
	if err != nil {
		return err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		_ = db.Close()
		return err
	}
	w.db, w.conn, w.last = db, conn, -1
	return nil
}

func (w *watcher) close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.conn == nil {
		return nil
	}
	_ = w.conn.Close()
	return w.db.Close()
}
