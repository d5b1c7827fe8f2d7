package sqlite

import (
	"context"
	"database/sql"

	"triage/ledger"
)

// queryRetryAt walks the index of that name, from the receivers' wishes of the last
// hour on; its last term is the index's own, or SQLite would not use it. A wish counts
// for an hour from its answer at most. One that was written down by a clock more than
// an hour ahead is nobody's: it would keep a target shut for as long as it is ahead.
const queryRetryAt = `SELECT max(min(json_extract(l.evidence, '$.retry_at'), l.finished_at + :longest))
FROM lookups AS l CROSS JOIN intents AS i ON i.op_key = l.op_key
WHERE l.finished_at > :now - :longest AND l.finished_at <= :now + :longest
  AND i.target = :target
  AND json_type(l.evidence, '$.retry_at') = 'integer'`

// RetryAt is when a target's receiver may be asked again. See ledger.Reader.
func (db *DB) RetryAt(ctx context.Context, target string, now ledger.Millis) (ledger.Millis, error) {
	found, err := collect(ctx, db.read, scanRetryAt, queryRetryAt, retryAtArgs(target, now)...)
	if err != nil || len(found) == 0 || found[0] <= now {
		return 0, err
	}
	return min(found[0], now.Add(ledger.MaxRetryAfter)), nil
}

func retryAtArgs(target string, now ledger.Millis) []any {
	return []any{sql.Named("longest", ledger.MaxRetryAfter.Milliseconds()), sql.Named("now", int64(now)), sql.Named("target", target)}
}

// scanRetryAt: integers that no column can hold are numbers with a fraction to SQLite.
func scanRetryAt(rows *sql.Rows) (ledger.Millis, error) {
	var at sql.NullFloat64 // exact for every instant that the schema admits
	err := rows.Scan(&at)
	return ledger.Millis(at.Float64), err
}
