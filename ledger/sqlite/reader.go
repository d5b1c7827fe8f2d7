package sqlite

import (
	"context"
	"database/sql"
	"sync"
)

// reader are the connections that only read. Their statements stay prepared: on a
// screen's path compiling one costs several times what running it does. There are as
// many as there are texts of queries in this package, which is few.
type reader struct {
	*sql.DB
	mu    sync.Mutex
	stmts map[string]*sql.Stmt
}

func newReader(db *sql.DB) *reader { return &reader{DB: db, stmts: map[string]*sql.Stmt{}} }

// QueryContext runs a query as one that stays prepared.
func (r *reader) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	s, err := r.stmt(ctx, query) //nolint:sqlclosecheck // statements stay prepared until the ledger closes
	if err != nil {
		return nil, err
	}
	return s.QueryContext(ctx, args...)
}

// stmt is a prepared query. It may wait for a free connection, so that nobody who holds
// one may ask for it, and nobody waits for the lock meanwhile.
func (r *reader) stmt(ctx context.Context, query string) (*sql.Stmt, error) {
	if s := r.known(query); s != nil {
		return s, nil
	}
	s, err := r.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if first, ok := r.stmts[query]; ok { // somebody else was faster
		defer func() { _ = s.Close() }()
		return first, nil
	}
	r.stmts[query] = s
	return s, nil
}

func (r *reader) known(query string) *sql.Stmt {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stmts[query]
}

// Close ends the statements and the connections.
func (r *reader) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.stmts {
		_ = s.Close()
	}
	return r.DB.Close()
}

// snapshot is one read transaction. Queries that are not prepared yet are run as they
// are, and prepared when it is over.
type snapshot struct {
	*sql.Tx
	r       *reader
	unknown []string // not prepared yet
}

// QueryContext runs a query inside the transaction.
func (s *snapshot) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	prepared := s.r.known(query)
	if prepared == nil {
		s.unknown = append(s.unknown, query)
		return s.Tx.QueryContext(ctx, query, args...)
	}
	return s.StmtContext(ctx, prepared).QueryContext(ctx, args...) //nolint:sqlclosecheck // ends with the transaction
}

// snapshot runs f on one consistent state of the ledger.
func (r *reader) snapshot(ctx context.Context, f func(querier) error) error {
	s := &snapshot{r: r}
	if err := s.read(ctx, f); err != nil {
		return err
	}
	r.prepare(ctx, s.unknown)
	return nil
}

// prepare keeps queries for the next time. Where that fails the next one compiles its own.
func (r *reader) prepare(ctx context.Context, queries []string) {
	for _, query := range queries {
		_, _ = r.stmt(ctx, query) //nolint:sqlclosecheck // statements stay prepared until the ledger closes
	}
}

func (s *snapshot) read(ctx context.Context, f func(querier) error) (err error) {
	if s.Tx, err = s.r.BeginTx(ctx, &sql.TxOptions{ReadOnly: true}); err != nil {
		return mapError(err)
	}
	defer func() { _ = s.Rollback() }() // it only read
	return f(s)
}
