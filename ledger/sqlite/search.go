package sqlite

import (
	"context"
	"database/sql"
	"strings"

	"triage/ledger"
)

const searchPage = 100

// highest sorts after every character that may follow a beginning.
const highest = "\U0010FFFF"

// Each search walks one index from a text on, as far as it is the beginning. The hash's
// index holds its first 16 digits, so that it is a third as large.
const (
	querySearchKey     = `SELECT op_key FROM intents WHERE op_key BETWEEN ?1 AND ?2 ORDER BY op_key LIMIT ?3`
	querySearchTask    = `SELECT op_key FROM intents WHERE task BETWEEN ?1 AND ?2 ORDER BY task DESC, rowid DESC LIMIT ?3`
	querySearchReceipt = `SELECT op_key FROM intents WHERE receipt IS NOT NULL AND receipt BETWEEN ?1 AND ?2 ORDER BY receipt LIMIT ?3`
	querySearchTried   = `SELECT op_key FROM attempts WHERE receipt IS NOT NULL AND receipt BETWEEN ?1 AND ?2 ORDER BY receipt LIMIT ?3`
	querySearchSeen    = `SELECT op_key FROM lookups WHERE receipt IS NOT NULL AND receipt BETWEEN ?1 AND ?2 ORDER BY receipt LIMIT ?3`
	querySearchHash    = `SELECT op_key FROM intents
WHERE substr(payload_sha256, 1, 16) BETWEEN substr(?1, 1, 16) AND substr(?1, 1, 16) || '` + highest + `'
  AND payload_sha256 BETWEEN ?1 AND ?2
ORDER BY substr(payload_sha256, 1, 16) LIMIT ?3`

	queryFound = queueSelect + `WHERE i.op_key = :key`
)

var searches = []struct {
	by    ledger.SearchField
	query string
}{
	{ledger.ByKey, querySearchKey}, {ledger.ByReceipt, querySearchReceipt}, {ledger.ByReceipt, querySearchTried},
	{ledger.ByReceipt, querySearchSeen}, {ledger.ByHash, querySearchHash}, {ledger.ByTask, querySearchTask},
}

// Search finds intents by the beginning of their key, a receipt, their hash or their
// task, in this order. It costs what it finds.
func (db *DB) Search(ctx context.Context, q ledger.SearchQuery) ([]ledger.Found, error) {
	if q.Text == "" {
		return nil, nil
	}
	limit := q.Limit
	if limit <= 0 {
		limit = searchPage
	}
	args, err := stuckArgs(q.Stuck, q.Now)
	if err != nil {
		return nil, err
	}
	var all []ledger.Found
	known := map[string]bool{}
	for _, s := range searches {
		text := q.Text
		if s.by == ledger.ByHash {
			if text = strings.ToLower(text); !hashPrefix(text) {
				continue
			}
		}
		keys, err := collect(ctx, db.read, scanKey, s.query, text, text+highest, limit)
		if err != nil {
			return nil, err
		}
		for _, key := range keys {
			if known[key] || len(all) == limit {
				continue
			}
			known[key] = true
			row, err := first(collect(ctx, db.read, scanQueueRow, queryFound, append(args, sql.Named("key", key))...))
			if err != nil {
				return nil, err
			}
			if row != nil {
				all = append(all, ledger.Found{QueueRow: *row, By: s.by})
			}
		}
	}
	return all, nil
}

func hashPrefix(text string) bool {
	return len(text) >= ledger.ShortestHash && len(text) <= 64 && strings.Trim(text, "0123456789abcdef") == ""
}
