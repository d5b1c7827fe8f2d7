package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"triage/ledger"
)

const queuePage = 100

// stuckNow is the rule of ledger.StuckRule.Stuck in SQL. :stuck is a JSON object of
// silences in milliseconds by target, :default the silence of the others.
const stuckNow = `(i.state = 'PENDING' AND (i.deadline_at < :now
    OR max(i.created_at, coalesce(i.last_attempt_at, 0))
       <= :now - coalesce((SELECT value FROM json_each(:stuck) WHERE key = i.target), :default)) IS TRUE)`

// aheadNow is the rule of ledger.Ahead in SQL, but for its superseded ones, which
// are not in the queue.
const aheadNow = `(i.state = 'PENDING' AND max(i.created_at, coalesce(i.last_attempt_at, 0)) > :now + :tolerance)`

// awake says that a snooze does not hide the row.
const awake = `(i.snoozed_until IS NULL OR i.snoozed_until <= :now)`

const queueSelect = `SELECT ` + intentColumns + `,
  ` + stuckNow + `, i.last_outcome, i.last_cause,
  (SELECT l.outcome FROM lookups AS l WHERE l.op_key = i.op_key AND l.outcome IS NOT NULL ORDER BY l.seq DESC LIMIT 1),
  c.operator, c.claimed_at, c.expires_at, coalesce(i.queue, 3), i.rowid
FROM intents AS i
LEFT JOIN claims AS c ON c.op_key = i.op_key AND c.expires_at > :now
`

const queueOrder = `
  AND (i.queue, i.created_at, i.op_key) > (:rank, :created, :key)
ORDER BY i.queue, i.created_at, i.op_key
LIMIT :limit`

// queueFilters are pages over the queue's own index, which is as small as the
// queue is. The predicate on queue stands first in each, or SQLite scans.
var queueFilters = map[ledger.StateFilter]string{
	ledger.FilterOpen:         `i.queue IS NOT NULL AND (i.queue = 0 OR (` + awake + ` AND (i.state = 'UNKNOWN' OR ` + stuckNow + ` OR ` + aheadNow + `)))`,
	ledger.FilterUnknown:      `i.queue IS NOT NULL AND i.state = 'UNKNOWN' AND (i.queue = 0 OR ` + awake + `)`,
	ledger.FilterPending:      `i.queue IS NOT NULL AND i.state = 'PENDING' AND (i.queue = 0 OR ` + awake + `)`,
	ledger.FilterStuck:        `i.queue IS NOT NULL AND ` + stuckNow + ` AND (i.queue = 0 OR ` + awake + `)`,
	ledger.FilterContradicted: `i.queue IS NOT NULL AND i.queue = 0`,
	ledger.FilterSnoozed:      `i.queue IS NOT NULL AND i.queue <> 0 AND NOT ` + awake,
}

// tableFilters walk the whole table in the order of begin, a page at a time. They
// are for commands, never on a screen's path.
var tableFilters = map[ledger.StateFilter]string{
	ledger.FilterSuperseded: `i.superseded_by IS NOT NULL`,
	ledger.FilterDelivered:  `i.state = 'DELIVERED'`,
	ledger.FilterFailed:     `i.state = 'FAILED'`,
	ledger.FilterAll:        `TRUE`,
}

const tableOrder = `
  AND i.rowid > :row
ORDER BY i.rowid
LIMIT :limit`

// Queue returns one page of intents.
func (db *DB) Queue(ctx context.Context, q ledger.QueueQuery) ([]ledger.QueueRow, error) {
	query, err := queueSQL(q.Filter)
	if err != nil {
		return nil, err
	}
	args, err := queueArgs(q)
	if err != nil {
		return nil, err
	}
	return collect(ctx, db.read, scanQueueRow, query, args...)
}

func queueSQL(f ledger.StateFilter) (string, error) {
	if f == "" {
		f = ledger.FilterOpen
	}
	if where, ok := queueFilters[f]; ok {
		return queueSelect + "WHERE " + where + queueOrder, nil
	}
	if where, ok := tableFilters[f]; ok {
		return queueSelect + "WHERE " + where + tableOrder, nil
	}
	return "", fmt.Errorf("no state filter is called %q", f)
}

func queueArgs(q ledger.QueueQuery) ([]any, error) {
	after := ledger.Cursor{Rank: -1}
	if q.After != nil {
		after = *q.After
	}
	limit := q.Limit
	if limit <= 0 {
		limit = queuePage
	}
	args, err := stuckArgs(q.Stuck, q.Now)
	if err != nil {
		return nil, err
	}
	return append(args,
		sql.Named("rank", after.Rank), sql.Named("created", int64(after.CreatedAt)), sql.Named("key", after.OpKey),
		sql.Named("row", after.Row), sql.Named("limit", limit)), nil
}

func stuckArgs(rule ledger.StuckRule, now ledger.Millis) ([]any, error) {
	perTarget := map[string]int64{}
	for target := range rule.PerTarget {
		perTarget[target] = rule.After(target).Milliseconds()
	}
	raw, err := json.Marshal(perTarget)
	if err != nil {
		return nil, fmt.Errorf("stuck rule as JSON: %w", err)
	}
	byDefault := ledger.StuckRule{Default: rule.Default}.After("")
	return []any{
		sql.Named("now", int64(now)), sql.Named("stuck", string(raw)), sql.Named("default", byDefault.Milliseconds()),
		sql.Named("tolerance", ledger.SkewTolerance.Milliseconds()),
	}, nil
}

func scanQueueRow(rows *sql.Rows) (r ledger.QueueRow, err error) {
	var holder string
	var claim ledger.Claim
	fields := append(intentFields(&r.Intent), &r.Stuck, text{(*string)(&r.LastOutcome)}, text{&r.LastCause},
		text{(*string)(&r.LastLookup)}, text{&holder}, number[ledger.Millis]{&claim.ClaimedAt},
		number[ledger.Millis]{&claim.ExpiresAt}, &r.Cursor.Rank, &r.Cursor.Row)
	if err = rows.Scan(fields...); err != nil {
		return r, err
	}
	r.Stuck = r.Stuck && !r.Intent.Superseded()
	r.Cursor.CreatedAt, r.Cursor.OpKey = r.Intent.CreatedAt, r.Intent.OpKey
	if holder != "" {
		claim.OpKey, claim.Operator = r.Intent.OpKey, holder
		r.Claim = &claim
	}
	return r, nil
}

const queryCounts = `SELECT
  count(*) FILTER (WHERE i.queue = 0),
  count(*) FILTER (WHERE i.queue = 1 AND ` + awake + `),
  count(*) FILTER (WHERE i.queue = 2 AND ` + awake + ` AND ` + stuckNow + `),
  count(*) FILTER (WHERE i.queue <> 0 AND NOT ` + awake + `),
  count(*) FILTER (WHERE i.queue = 2 AND ` + awake + ` AND ` + aheadNow + ` AND NOT ` + stuckNow + `),
  count(*) FILTER (WHERE i.queue = 2 AND ` + awake + ` AND NOT ` + aheadNow + ` AND NOT ` + stuckNow + `),
  min(i.created_at) FILTER (WHERE i.queue = 0 OR (` + awake + ` AND (i.queue = 1 OR ` + stuckNow + ` OR ` + aheadNow + `)))
FROM intents AS i WHERE i.queue IS NOT NULL`

// Counts are exact over the open intents; they read the queue's own index only.
func (db *DB) Counts(ctx context.Context, stuck ledger.StuckRule, now ledger.Millis) (ledger.Counts, error) {
	args, err := stuckArgs(stuck, now)
	if err != nil {
		return ledger.Counts{}, err
	}
	scan := func(rows *sql.Rows) (c ledger.Counts, err error) {
		err = rows.Scan(&c.Contradicted, &c.Unknown, &c.Stuck, &c.Snoozed, &c.Ahead, &c.InFlight, number[ledger.Millis]{&c.Oldest})
		return c, err
	}
	c, err := first(collect(ctx, db.read, scan, queryCounts, args...))
	if err != nil || c == nil {
		return ledger.Counts{}, err
	}
	return *c, nil
}
