package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"

	"triage/ledger"
)

// This file reads an intent as it stood at a place in the journal: its row replayed from
// its events, as verify does, and of everything else what was there by then.

const (
	queryToldUpTo   = toldColumns + ` FROM events WHERE op_key = ? AND seq <= ? ORDER BY seq`
	queryNextEvent  = `SELECT seq, at, op_key, kind, actor, detail FROM events WHERE op_key = ? AND seq > ? ORDER BY seq LIMIT 1`
	queryEventCount = `SELECT count(*) FROM events WHERE op_key = ?`

	queryAttemptsUpTo = `SELECT ` + attemptColumns + ` FROM attempts WHERE op_key = ? AND seq <= ? ORDER BY n`
	queryLookupsUpTo  = `SELECT ` + lookupColumns + ` FROM lookups WHERE op_key = ? AND seq <= ? ORDER BY seq`

	queryDecisionsUpTo = `SELECT ` + decisionColumns + `, e.seq
FROM events AS e CROSS JOIN decisions AS d ON d.decision_id = json_extract(e.detail, '$.decision_id')
WHERE e.op_key = ?1 AND d.op_key = ?1 AND e.seq <= ?2
ORDER BY e.seq`

	// What next became of the grant says what it was until then.
	queryGrantNext = toldColumns + ` FROM events
WHERE op_key IS NULL AND json_extract(detail, '$.grant_id[1]') = ? AND seq > ? ORDER BY seq LIMIT 1`

	// The nearest first. What was never contradicted was not then either.
	queryContradictedBefore = `WITH RECURSIVE before (op_key) AS (
  SELECT supersedes FROM intents WHERE op_key = ?
  UNION
  SELECT p.supersedes FROM before JOIN intents AS p ON p.op_key = before.op_key
)
SELECT p.op_key FROM before CROSS JOIN intents AS p ON p.op_key = before.op_key WHERE p.contradicted_at IS NOT NULL`

	// How many intents with the same content or receipt are looked at, so that a ledger
	// in which all have the same costs no more than another.
	candidates = 200

	querySameContent = `SELECT count(*) FROM (
  SELECT 1 FROM intents WHERE substr(payload_sha256, 1, 16) = substr(?1, 1, 16) AND payload_sha256 = ?1 AND rowid <= ?2 LIMIT 200)`
	queryLastIntent = `SELECT max(rowid) FROM intents`
	queryBegun      = `SELECT (SELECT min(e.seq) FROM events AS e WHERE e.op_key = i.op_key) FROM intents AS i WHERE i.rowid <= ? ORDER BY i.rowid DESC LIMIT 1`

	// As queryTwins, of then, the newest first.
	queryTwinsAt = `SELECT few.op_key FROM (
  SELECT op_key, target, superseded_by FROM intents
  WHERE substr(payload_sha256, 1, 16) = substr(?2, 1, 16) AND payload_sha256 = ?2 AND rowid <= ?5
  ORDER BY rowid DESC LIMIT 200) AS few
WHERE few.target = ?1 AND few.op_key <> ?3
  AND (SELECT json_extract(e.detail, '$.state[1]') FROM events AS e
       WHERE e.op_key = few.op_key AND e.seq <= ?4 AND e.kind IN ('begun', 'changed') AND json_type(e.detail, '$.state') IS NOT NULL
       ORDER BY e.seq DESC LIMIT 1) IN ('UNKNOWN', 'PENDING')
  AND NOT (
    EXISTS (SELECT 1 FROM events AS e WHERE e.op_key = few.op_key AND e.seq <= ?4 AND e.kind = 'superseded')
    AND EXISTS (
      SELECT 1 FROM decisions AS d
      WHERE d.op_key = few.op_key AND d.kind = 'reissue' AND d.new_op_key = few.superseded_by
        AND json_extract(d.facts, '$.verdict.kind') IN ('absent', 'refused')))`

	// As queryReceiptHolder, of then.
	queryReceiptHolderAt = `SELECT few.op_key FROM (
  SELECT op_key, target FROM intents WHERE receipt IS NOT NULL AND receipt = ?2 LIMIT 200) AS few
WHERE few.target = ?1 AND few.op_key <> ?3
  AND EXISTS (SELECT 1 FROM events AS e
              WHERE e.op_key = few.op_key AND e.seq <= ?4 AND e.kind = 'changed' AND json_type(e.detail, '$.receipt') IS NOT NULL)
UNION ALL
SELECT few.op_key FROM (
  SELECT attempt_id, op_key, seq FROM attempts WHERE receipt IS NOT NULL AND receipt = ?2 LIMIT 200) AS few
CROSS JOIN intents AS i ON i.op_key = few.op_key
WHERE few.op_key <> ?3 AND i.target = ?1
  AND EXISTS (SELECT 1 FROM events AS e
              WHERE e.op_key = few.op_key AND e.seq > few.seq AND e.seq <= ?4 AND e.kind = 'attempt_finished'
                AND json_extract(e.detail, '$.attempt_id[1]') = few.attempt_id)
UNION ALL
SELECT few.op_key FROM (
  SELECT lookup_id, op_key, seq, outcome, evidence FROM lookups WHERE receipt IS NOT NULL AND receipt = ?2 LIMIT 200) AS few
CROSS JOIN intents AS i ON i.op_key = few.op_key
WHERE few.op_key <> ?3 AND i.target = ?1
  AND few.outcome = 'found' AND json_extract(few.evidence, '$.key') = few.op_key
  AND EXISTS (SELECT 1 FROM events AS e
              WHERE e.op_key = few.op_key AND e.seq > few.seq AND e.seq <= ?4 AND e.kind = 'lookup_finished'
                AND json_extract(e.detail, '$.lookup_id[1]') = few.lookup_id)
LIMIT 1`
)

// HistoryAt reads one intent as it stood once the event seq was written, in one short
// read transaction.
func (db *DB) HistoryAt(ctx context.Context, opKey string, seq int64, now ledger.Millis) (p ledger.Past, err error) {
	err = db.snapshot(ctx, func(q querier) error {
		p, err = readPast(ctx, q, opKey, seq, now)
		return err
	})
	return p, err
}

func readPast(ctx context.Context, q querier, opKey string, seq int64, now ledger.Millis) (p ledger.Past, err error) {
	p.Seq = seq
	r, err := replayUpTo(ctx, q, opKey, seq)
	if err != nil {
		return p, err
	}
	p.History, p.First, p.Nth = r.history(now), r.events[0].Seq, len(r.events)
	if p.Of, err = scalar[int](ctx, q, queryEventCount, opKey); err != nil {
		return p, err
	}
	if p.Next, err = first(collect(ctx, q, scanEvent, queryNextEvent, opKey, seq)); err != nil {
		return p, err
	}
	if p.Intent.GrantID != "" {
		if p.Grant, err = grantAt(ctx, q, p.Intent.GrantID, seq); err != nil {
			return p, err
		}
	}
	if p.Intent.Supersedes != "" {
		if p.HeldBackBy, err = heldBackAt(ctx, q, opKey, seq); err != nil {
			return p, err
		}
	}
	if p.Twins, err = twinsAt(ctx, q, p.Intent, seq); err != nil {
		return p, err
	}
	p.ReceiptHolders, err = receiptHolders(p.History, func(receipt string) (string, error) {
		keys, err := collect(ctx, q, scanKey, queryReceiptHolderAt, p.Intent.Target, receipt, opKey, seq)
		return cmp.Or(append(keys, "")...), err
	})
	return p, err
}

// past is a replay that ended at an event, and the row that it is compared with today.
type past struct {
	*replay
	row   ledger.Intent
	lease values // the claim, nil for none
}

// replayUpTo plays the journal of one intent from its begin. What verify would find
// wrong about it is left to verify.
func replayUpTo(ctx context.Context, q querier, opKey string, seq int64) (past, error) {
	r := past{replay: &replay{v: &verifier{found: map[string]int{}}, key: opKey, is: values{"attempt_count": json.Number("0")}}}
	var err error
	if r.row, err = readIntent(ctx, q, opKey); err != nil {
		return r, err
	}
	if r.events, err = collect(ctx, q, scanTold, queryToldUpTo, opKey, seq); err != nil {
		return r, err
	}
	if len(r.events) == 0 {
		return r, fmt.Errorf("%w: %q was not begun yet", ledger.ErrNoSuchIntent, opKey)
	}
	if r.attempts, err = collect(ctx, q, scanAttempt, queryAttemptsUpTo, opKey, seq); err != nil {
		return r, err
	}
	if r.lookups, err = collect(ctx, q, scanLookup, queryLookupsUpTo, opKey, seq); err != nil {
		return r, err
	}
	if r.decisions, err = collect(ctx, q, scanDecision, queryDecisionsUpTo, opKey, seq); err != nil {
		return r, err
	}
	r.number()
	for _, e := range r.events {
		d, err := e.read()
		switch {
		case err != nil: // no JSON: verify says so
		case e.Kind == "claimed" || e.Kind == "claim_changed":
			r.lease = r.claimed(r.lease, d)
		default:
			r.step(d)
		}
	}
	return r, nil
}

// history is what the replay led to.
func (r past) history(now ledger.Millis) ledger.History {
	h := ledger.History{Intent: r.intent(), Attempts: r.attempts, Lookups: r.lookups, Decisions: r.decisions}
	for i, a := range r.attempts {
		if r.last["attempt "+a.AttemptID] != due("attempt", true) {
			h.Attempts[i] = ledger.Attempt{AttemptID: a.AttemptID, OpKey: a.OpKey, N: a.N, Layer: a.Layer, StartedAt: a.StartedAt, Seq: a.Seq}
		}
	}
	for i, l := range r.lookups {
		if r.last["lookup "+l.LookupID] != due("lookup", true) {
			h.Lookups[i] = ledger.Lookup{
				LookupID: l.LookupID, OpKey: l.OpKey, StartedAt: l.StartedAt, Actor: l.Actor, Connector: l.Connector, Environment: l.Environment, Seq: l.Seq,
			}
		}
	}
	if r.lease != nil && r.lease.instant("expires_at") > now {
		h.Claim = &ledger.Claim{OpKey: r.key, Operator: r.lease.text("operator"), ClaimedAt: r.lease.instant("claimed_at"), ExpiresAt: r.lease.instant("expires_at")}
	}
	for _, e := range r.events[max(len(r.events)-historyEvents, 0):] {
		h.Events = append(h.Events, e.Event)
	}
	h.RetryUntil = r.retryUntil()
	return h
}

// retryUntil is what the view standing_retry said then.
func (r past) retryUntil() (until ledger.Millis) {
	ended := max(r.is.whole("last_attempt_seq"), r.against)
	for _, d := range r.decisions {
		if d.Kind == ledger.RetrySameKey && d.Seq > ended && r.is["superseded_by"] == nil {
			until = max(until, d.Until)
		}
	}
	return until
}

// intent is the row then: what never changes from the row of today, the rest replayed.
// A receipt and a successor are set once, so that the row spells them.
func (r past) intent() ledger.Intent {
	i, is := r.row, r.is
	i.State, i.SettledBy = ledger.State(is.text("state")), ledger.SettledBy(is.text("settled_by"))
	if is["receipt"] == nil {
		i.Receipt = ""
	}
	if is["superseded_by"] == nil {
		i.SupersededBy = ""
	}
	i.ContradictedAt, i.SnoozedUntil = is.instant("contradicted_at"), is.instant("snoozed_until")
	i.CancelRequestedAt, i.UpdatedAt = is.instant("cancel_requested_at"), is.instant("updated_at")
	i.UpdatedBy, i.Version = is.text("updated_by"), is.whole("version")
	i.Derived = ledger.Derived{
		Attempts: int(is.whole("attempt_count")), LastAttemptAt: is.instant("last_attempt_at"), LastAttemptSeq: is.whole("last_attempt_seq"),
		SetAsideAt: is.instant("set_aside_at"), AcknowledgedAt: is.instant("acknowledged_at"),
	}
	for _, a := range r.attempts {
		if is["in_flight"] == asText(a.AttemptID) {
			i.Derived.InFlight = a.AttemptID
		}
	}
	return i
}

func (v values) text(name string) string {
	s, _ := v[name].(string)
	return s
}

func (v values) whole(name string) int64 {
	n, _ := v[name].(json.Number)
	whole, _ := n.Int64()
	return whole
}

func (v values) instant(name string) ledger.Millis { return ledger.Millis(v.whole(name)) }

// grantAt is a grant as it stood: what became of it next says what it was before.
func grantAt(ctx context.Context, q querier, id string, seq int64) (*ledger.Grant, error) {
	g, err := first(collect(ctx, q, scanGrant, queryGrant, id))
	if err != nil || g == nil {
		return nil, err
	}
	next, err := first(collect(ctx, q, scanTold, queryGrantNext, id, seq))
	switch {
	case err != nil:
		return nil, err
	case next == nil:
		return g, nil
	case next.Kind == "granted":
		return nil, nil
	}
	d, err := next.read()
	if err != nil {
		return nil, fmt.Errorf("event %d can't be read: %w", next.Seq, err)
	}
	before := values{"expires_at": d.pairs["expires_at"][0], "revoked_at": d.pairs["revoked_at"][0]}
	g.ExpiresAt, g.RevokedAt = before.instant("expires_at"), before.instant("revoked_at")
	return g, nil
}

// heldBackAt is the nearest intent that this one takes the place of that was
// contradicted then, and that nobody had acknowledged.
func heldBackAt(ctx context.Context, q querier, opKey string, seq int64) (*ledger.Intent, error) {
	keys, err := collect(ctx, q, scanKey, queryContradictedBefore, opKey)
	if err != nil {
		return nil, err
	}
	for _, key := range keys {
		r, err := replayUpTo(ctx, q, key, seq)
		if err != nil {
			return nil, err
		}
		if i := r.intent(); i.Contradicted() {
			return &i, nil
		}
	}
	return nil, nil
}

// twinsAt are the twins of then, the oldest first.
func twinsAt(ctx context.Context, q querier, i ledger.Intent, seq int64) ([]string, error) {
	row := int64(1) << 62
	same, err := scalar[int](ctx, q, querySameContent, i.PayloadSHA256, row)
	if err != nil {
		return nil, err
	}
	if same == candidates { // the newest of them may all have been begun later
		if row, err = lastBegun(ctx, q, seq); err != nil {
			return nil, err
		}
	}
	keys, err := collect(ctx, q, scanKey, queryTwinsAt, i.Target, i.PayloadSHA256, i.OpKey, seq, row)
	slices.Reverse(keys)
	return keys[:min(len(keys), 20)], err
}

// lastBegun is the rowid of the last intent that had been begun by then: rows are
// numbered in the order of their begin.
func lastBegun(ctx context.Context, q querier, seq int64) (int64, error) {
	low := int64(0) // begun by then, or none
	high, err := scalar[int64](ctx, q, queryLastIntent)
	for high > low && err == nil {
		middle := low + (high-low+1)/2
		var begun int64
		if begun, err = scalar[int64](ctx, q, queryBegun, middle); begun <= seq {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low, err
}

func scalar[T ~int | ~int64](ctx context.Context, q querier, query string, args ...any) (T, error) {
	n, err := first(collect(ctx, q, func(rows *sql.Rows) (n T, err error) {
		err = rows.Scan(number[T]{&n})
		return n, err
	}, query, args...))
	if err != nil || n == nil {
		return 0, err
	}
	return *n, nil
}
