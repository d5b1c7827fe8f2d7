package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"triage/ledger"
)

// historyEvents bounds how many journal lines of one intent are read at once: the
// newest ones.
const historyEvents = 500

const (
	queryIntent   = `SELECT ` + intentColumns + ` FROM intents AS i WHERE i.op_key = ?`
	queryAttempts = `SELECT ` + attemptColumns + ` FROM attempts WHERE op_key = ? ORDER BY n`
	queryLookups  = `SELECT ` + lookupColumns + ` FROM lookups WHERE op_key = ? ORDER BY seq`

	// decisions have no column of their own for it: the order is the journal's.
	queryDecisions = `SELECT ` + decisionColumns + `, e.seq
FROM events AS e CROSS JOIN decisions AS d ON d.decision_id = json_extract(e.detail, '$.decision_id')
WHERE e.op_key = ?1 AND d.op_key = ?1
ORDER BY e.seq`

	queryClaim      = `SELECT op_key, operator, claimed_at, expires_at FROM claims WHERE op_key = ? AND expires_at > ?`
	queryStanding   = `SELECT max(valid_until) FROM standing_retry WHERE op_key = ?`
	queryHeldBackBy = `SELECT ` + intentColumns + ` FROM intents AS i WHERE i.op_key = (SELECT h.by FROM held_back AS h WHERE h.op_key = ?)`
	queryGrant      = `SELECT grant_id, principal, target, payload_sha256, granted_by, granted_at, expires_at, revoked_at FROM grants WHERE grant_id = ?`
	queryEvents     = `SELECT seq, at, op_key, kind, actor, detail FROM events WHERE op_key = ? ORDER BY seq DESC LIMIT ?`

	// One that was replaced on a proof that it was not delivered is accounted for.
	queryTwins = `SELECT i.op_key FROM intents AS i
WHERE i.state IN ('UNKNOWN', 'PENDING') AND i.target = ? AND i.payload_sha256 = ? AND i.op_key <> ?
  AND NOT EXISTS (
    SELECT 1 FROM decisions AS d
    WHERE d.op_key = i.op_key AND d.kind = 'reissue' AND d.new_op_key = i.superseded_by
      AND json_extract(d.facts, '$.verdict.kind') IN ('absent', 'refused'))
LIMIT 20`

	// Held: recorded as the intent's own, or brought back by one of its attempts.
	queryReceiptHolder = `SELECT op_key FROM intents
WHERE receipt IS NOT NULL AND target = ?1 AND receipt = ?2 AND op_key <> ?3
UNION ALL
SELECT a.op_key FROM attempts AS a CROSS JOIN intents AS i ON i.op_key = a.op_key
WHERE a.receipt IS NOT NULL AND a.receipt = ?2 AND a.op_key <> ?3 AND i.target = ?1
UNION ALL
SELECT l.op_key FROM lookups AS l CROSS JOIN intents AS i ON i.op_key = l.op_key
WHERE l.receipt IS NOT NULL AND l.receipt = ?2 AND l.op_key <> ?3 AND i.target = ?1
  AND l.outcome = 'found' AND json_extract(l.evidence, '$.key') = l.op_key
LIMIT 1`
)

// History reads one intent with all that is recorded about it, in one short read
// transaction.
func (db *DB) History(ctx context.Context, opKey string, now ledger.Millis) (h ledger.History, err error) {
	err = db.snapshot(ctx, func(q querier) error {
		h, err = readHistory(ctx, q, opKey, now)
		return err
	})
	return h, err
}

func (db *DB) snapshot(ctx context.Context, f func(querier) error) error {
	return db.read.snapshot(ctx, f)
}

func readIntent(ctx context.Context, q querier, opKey string) (ledger.Intent, error) {
	found, err := collect(ctx, q, scanIntent, queryIntent, opKey)
	if err != nil {
		return ledger.Intent{}, err
	}
	if len(found) == 0 {
		return ledger.Intent{}, fmt.Errorf("%w: %q", ledger.ErrNoSuchIntent, opKey)
	}
	return found[0], nil
}

func readHistory(ctx context.Context, q querier, opKey string, now ledger.Millis) (h ledger.History, err error) {
	if h.Intent, err = readIntent(ctx, q, opKey); err != nil {
		return h, err
	}
	if h.Attempts, err = collect(ctx, q, scanAttempt, queryAttempts, opKey); err != nil {
		return h, err
	}
	if h.Lookups, err = collect(ctx, q, scanLookup, queryLookups, opKey); err != nil {
		return h, err
	}
	if h.Decisions, err = collect(ctx, q, scanDecision, queryDecisions, opKey); err != nil {
		return h, err
	}
	if h.Events, err = collect(ctx, q, scanEvent, queryEvents, opKey, historyEvents); err != nil {
		return h, err
	}
	reverse(h.Events)
	if h.Claim, err = first(collect(ctx, q, scanClaim, queryClaim, opKey, int64(now))); err != nil {
		return h, err
	}
	if h.Intent.GrantID != "" {
		if h.Grant, err = first(collect(ctx, q, scanGrant, queryGrant, h.Intent.GrantID)); err != nil {
			return h, err
		}
	}
	if slices.ContainsFunc(h.Decisions, func(d ledger.Decision) bool { return d.Kind == ledger.RetrySameKey }) {
		if until, err := first(collect(ctx, q, scanMillis, queryStanding, opKey)); err != nil {
			return h, err
		} else if until != nil {
			h.RetryUntil = *until
		}
	}
	if h.Intent.Supersedes != "" {
		if h.HeldBackBy, err = first(collect(ctx, q, scanIntent, queryHeldBackBy, opKey)); err != nil {
			return h, err
		}
	}
	if h.Twins, err = collect(ctx, q, scanKey, queryTwins, h.Intent.Target, h.Intent.PayloadSHA256, opKey); err != nil {
		return h, err
	}
	h.ReceiptHolders, err = receiptHolders(h, func(receipt string) (string, error) {
		return receiptHolder(ctx, q, h.Intent.Target, receipt, opKey)
	})
	return h, err
}

// receiptHolders asks for every receipt that the evidence names whether another
// intent of the target holds it.
func receiptHolders(h ledger.History, holderOf func(receipt string) (string, error)) (map[string]string, error) {
	named := map[string]bool{}
	for _, a := range h.Attempts {
		named[a.Receipt] = true
	}
	for _, l := range h.Lookups {
		named[l.Receipt] = true
	}
	delete(named, "")
	holders := map[string]string{}
	for receipt := range named {
		holder, err := holderOf(receipt)
		if err != nil {
			return nil, err
		}
		if holder != "" {
			holders[receipt] = holder
		}
	}
	return holders, nil
}

func receiptHolder(ctx context.Context, q querier, target, receipt, except string) (string, error) {
	keys, err := collect(ctx, q, scanKey, queryReceiptHolder, target, receipt, except)
	if err != nil || len(keys) == 0 {
		return "", err
	}
	return keys[0], nil
}

func scanMillis(rows *sql.Rows) (at ledger.Millis, err error) {
	err = rows.Scan(number[ledger.Millis]{&at})
	return at, err
}

func scanKey(rows *sql.Rows) (key string, err error) {
	err = rows.Scan(&key)
	return key, err
}

func first[T any](all []T, err error) (*T, error) {
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return &all[0], nil
}

func reverse(events []ledger.Event) {
	for i, j := 0, len(events)-1; i < j; i, j = i+1, j-1 {
		events[i], events[j] = events[j], events[i]
	}
}
