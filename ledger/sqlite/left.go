package sqlite

import (
	"context"
	"database/sql"
	"math"

	"triage/ledger"
)

const leftPage = 500

// leftSelect walks the index of that name, which is as small as what people decided.
// Its terms are the index's own, or SQLite would not use it. A first attempt within
// the retention means a last one within it, so that the range on last_attempt_at
// leaves out what is too old without reading it.
const leftSelect = `SELECT ` + intentColumns + `
FROM intents AS i
WHERE i.queue IS NULL AND (i.set_aside_at IS NOT NULL OR i.superseded_by IS NOT NULL OR i.settled_by = 'operator')
  AND (i.superseded_by IS NULL AND i.state IN ('UNKNOWN', 'PENDING')) = `

const (
	queryLeftAside = leftSelect + `1
  AND (i.target, i.last_attempt_at, i.op_key) > (:target, :last, :key)
  AND i.last_attempt_at IS NOT NULL
  AND (:since = 0 OR (SELECT min(a.started_at) FROM attempts AS a WHERE a.op_key = i.op_key) >= :since)
ORDER BY i.target, i.last_attempt_at, i.op_key
LIMIT :limit`

	queryLeftDecided = leftSelect + `0
  AND i.target = :target AND (i.last_attempt_at, i.op_key) > (:last, :key)
  AND (SELECT min(a.started_at) FROM attempts AS a WHERE a.op_key = i.op_key) >= :since
ORDER BY i.last_attempt_at, i.op_key
LIMIT :limit`

	queryLookedUpSince = `SELECT op_key FROM lookups WHERE op_key = ? AND outcome <> 'failed' AND started_at >= ?
  AND started_at <= (SELECT now_ms FROM clock) + 5000 LIMIT 1`
)

// Left returns one page of what left the queue by somebody's decision.
func (db *DB) Left(ctx context.Context, q ledger.LeftQuery) ([]ledger.Intent, error) {
	query, args := leftQuery(q)
	return collect(ctx, db.read, scanIntent, query, args...)
}

func leftQuery(q ledger.LeftQuery) (string, []any) {
	after := ledger.LeftCursor{LastAttemptAt: math.MinInt64}
	query := queryLeftAside
	if !q.SetAside {
		query = queryLeftDecided
		after.Target = q.Target
		after.LastAttemptAt = q.Since - 1
	}
	if q.After != nil {
		after = *q.After
	}
	limit := q.Limit
	if limit <= 0 {
		limit = leftPage
	}
	return query, []any{
		sql.Named("target", after.Target), sql.Named("last", int64(after.LastAttemptAt)), sql.Named("key", after.OpKey),
		sql.Named("since", int64(q.Since)), sql.Named("limit", limit),
	}
}

// LookedUpSince says whether a lookup of the intent has finished that began then or
// later.
func (db *DB) LookedUpSince(ctx context.Context, opKey string, since ledger.Millis) (bool, error) {
	found, err := collect(ctx, db.read, scanKey, queryLookedUpSince, opKey, int64(since))
	return len(found) > 0, err
}
