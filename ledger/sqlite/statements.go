package sqlite

import (
	"context"
	"database/sql"

	"triage/ledger"
)

// Statement is one query as this package runs it, with its arguments, for a
// measurement that runs the same SQL elsewhere. Arguments are as database/sql takes
// them.
type Statement struct {
	SQL  string
	Args []any
}

// recorder keeps what is asked through it.
type recorder struct {
	querier
	asked []Statement
}

func (r *recorder) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	r.asked = append(r.asked, Statement{SQL: query, Args: args})
	return r.querier.QueryContext(ctx, query, args...)
}

// QueueStatements is what Queue asks.
func QueueStatements(q ledger.QueueQuery) ([]Statement, error) {
	query, err := queueSQL(q.Filter)
	if err != nil {
		return nil, err
	}
	args, err := queueArgs(q)
	return []Statement{{SQL: query, Args: args}}, err
}

// CountsStatements is what Counts asks.
func CountsStatements(stuck ledger.StuckRule, now ledger.Millis) ([]Statement, error) {
	args, err := stuckArgs(stuck, now)
	return []Statement{{SQL: queryCounts, Args: args}}, err
}

// HistoryStatements is what History asks about this intent, inside its read
// transaction.
func (db *DB) HistoryStatements(ctx context.Context, opKey string, now ledger.Millis) ([]Statement, error) {
	r := &recorder{querier: db.read}
	_, err := readHistory(ctx, r, opKey, now)
	return r.asked, err
}

// SearchStatements is what Search asks, where it finds these.
func SearchStatements(q ledger.SearchQuery, found []ledger.Found) ([]Statement, error) {
	args, err := stuckArgs(q.Stuck, q.Now)
	if err != nil {
		return nil, err
	}
	limit := q.Limit
	if limit <= 0 {
		limit = searchPage
	}
	var all []Statement
	for _, s := range searches {
		if s.by != ledger.ByHash || hashPrefix(q.Text) {
			all = append(all, Statement{SQL: s.query, Args: []any{q.Text, q.Text + highest, limit}})
		}
	}
	for _, f := range found {
		all = append(all, Statement{SQL: queryFound, Args: append(args[:len(args):len(args)], sql.Named("key", f.Intent.OpKey))})
	}
	return all, nil
}
