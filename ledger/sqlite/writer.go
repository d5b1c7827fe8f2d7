package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"triage/ledger"
)

// writer owns the one connection that writes. Its statements stay prepared: with
// the triggers, compiling one costs ten times what running it does.
type writer struct {
	db    *sql.DB
	conn  *sql.Conn
	stmts map[string]*sql.Stmt
	turn  chan struct{} // holds one token; who has it may write
}

func newWriter(ctx context.Context, dsn string) (*writer, error) {
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	conn, err := db.Conn(ctx)
	if err != nil {
		_ = db.Close()
		return nil, err
	}
	w := &writer{db: db, conn: conn, stmts: map[string]*sql.Stmt{}, turn: make(chan struct{}, 1)}
	w.turn <- struct{}{}
	return w, nil
}

func (w *writer) close() error {
	<-w.turn // whoever writes finishes first
	for _, s := range w.stmts {
		_ = s.Close()
	}
	_ = w.conn.Close()
	return w.db.Close()
}

// transact runs f inside one immediate transaction and commits durably. An error
// from f, a cancelled context or a panic rolls everything back.
func (w *writer) transact(ctx context.Context, f func(*tx) error) (err error) {
	select {
	case <-w.turn:
		defer func() { w.turn <- struct{}{} }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if _, err := w.conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return mapError(err)
	}
	done := false
	defer func() {
		if !done { // the context may be gone by now; the lock must not stay
			_, _ = w.conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		}
	}()
	if err := f(&tx{ctx: ctx, w: w}); err != nil {
		return mapError(err)
	}
	// Not cancellable: a commit that happened would be reported as one that did not.
	if _, err := w.conn.ExecContext(context.WithoutCancel(ctx), "COMMIT"); err != nil {
		return mapError(err)
	}
	done = true
	return nil
}

func (w *writer) stmt(ctx context.Context, query string) (*sql.Stmt, error) {
	if s, ok := w.stmts[query]; ok {
		return s, nil
	}
	s, err := w.conn.PrepareContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	w.stmts[query] = s
	return s, nil
}

// tx is one immediate write transaction.
type tx struct {
	ctx context.Context
	w   *writer
}

var _ ledger.Tx = (*tx)(nil)

func (t *tx) exec(query string, args ...any) (int64, error) {
	s, err := t.w.stmt(t.ctx, query) //nolint:sqlclosecheck // statements stay prepared until the writer closes
	if err != nil {
		return 0, err
	}
	r, err := s.ExecContext(t.ctx, args...)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

// QueryContext lets the read functions run inside the write transaction.
func (t *tx) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	s, err := t.w.stmt(ctx, query) //nolint:sqlclosecheck // statements stay prepared until the writer closes
	if err != nil {
		return nil, err
	}
	return s.QueryContext(ctx, args...)
}

func (db *DB) transact(ctx context.Context, f func(*tx) error) error {
	if db.write == nil {
		return fmt.Errorf("%w. Nothing was written", ledger.ErrReadOnly)
	}
	return db.write.transact(ctx, f)
}
