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
