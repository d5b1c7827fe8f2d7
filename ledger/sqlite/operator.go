package sqlite

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"triage/ledger"
)

const (
	insertLookup = `INSERT INTO lookups (lookup_id, op_key, started_at, actor, connector, environment) VALUES (?, ?, ?, ?, ?, ?)`

	finishLookup = `UPDATE lookups SET finished_at = ?, outcome = ?, canary_seen = ?, receipt = ?, payload_sha256 = ?, owner = ?,
  cause = ?, evidence = ?
WHERE lookup_id = ?`

	queryLookup = `SELECT ` + lookupColumns + ` FROM lookups WHERE lookup_id = ?`

	insertDecision = `INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, receipt, new_op_key, until, facts, prev_hash, hash)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

	settleIntent = `UPDATE intents SET state = ?, receipt = ?, settled_by = ?, updated_by = ? WHERE op_key = ? AND version = ?`
	stateIntent  = `UPDATE intents SET state = ? WHERE op_key = ? AND version = ?`

	queryHead = `SELECT hash FROM chain_head`
)

// StartLookup records a lookup before the call is made.
func (db *DB) StartLookup(ctx context.Context, l ledger.Lookup) (out ledger.Lookup, err error) {
	if l.LookupID == "" {
		l.LookupID = uuid.NewString()
	}
	if l.StartedAt.IsNone() {
		l.StartedAt = db.clock()
	}
	err = db.transact(ctx, func(t *tx) error {
		_, err := t.exec(insertLookup, l.LookupID, l.OpKey, int64(l.StartedAt), l.Actor, l.Connector, orNull(l.Environment))
		if err != nil {
			return err
		}
		found, err := first(collect(ctx, t, scanLookup, queryLookup, l.LookupID))
		switch {
		case err != nil:
			return err
		case found == nil:
			return fmt.Errorf("lookup %s was not recorded: do not ask", l.LookupID)
		}
		out = *found
		return nil
	})
	return out, err
}

// Act runs f inside one immediate write transaction. See ledger.Operator.
func (db *DB) Act(ctx context.Context, f func(ledger.Tx) error) error {
	return db.transact(ctx, func(t *tx) error { return f(t) })
}

// History re-reads everything inside the transaction.
func (t *tx) History(opKey string, now ledger.Millis) (ledger.History, error) {
	return readHistory(t.ctx, t, opKey, now)
}

// ReceiptHolder is another intent of the target that holds the receipt.
func (t *tx) ReceiptHolder(target, receipt, exceptKey string) (string, error) {
	return receiptHolder(t.ctx, t, target, receipt, exceptKey)
}

// Decide appends a decision to the chain.
func (t *tx) Decide(d ledger.Decision) (ledger.Decision, error) {
	if d.DecisionID == "" {
		d.DecisionID = uuid.NewString()
	}
	head, err := collect(t.ctx, t, scanKey, queryHead)
	if err != nil {
		return d, err
	}
	if len(head) != 1 {
		return d, errors.New("the decision chain has no head")
	}
	d.PrevHash = head[0]
	if d.Hash, err = ledger.ChainHash(d); err != nil {
		return d, err
	}
	_, err = t.exec(insertDecision, d.DecisionID, d.OpKey, int64(d.At), d.Operator, string(d.Kind), d.Reason, orNull(d.Receipt),
		orNull(d.NewOpKey), orNullInt(d.Until), d.Facts, d.PrevHash, d.Hash)
	return d, mapError(err)
}

// Settle brings an intent to a final state if its version is still the one given.
func (t *tx) Settle(opKey string, version int64, to ledger.State, receipt string, by ledger.SettledBy, actor string) error {
	n, err := t.exec(settleIntent, string(to), orNull(receipt), string(by), actor, opKey, version)
	return moved(n, err, opKey)
}

func (t *tx) setState(opKey string, version int64, to ledger.State) error {
	n, err := t.exec(stateIntent, string(to), opKey, version)
	return moved(n, err, opKey)
}

func moved(changed int64, err error, opKey string) error {
	if err != nil {
		return mapError(err)
	}
	if changed != 1 {
		return fmt.Errorf("%w: %q", ledger.ErrMoved, opKey)
	}
	return nil
}

// Succeed inserts a new intent that supersedes another.
func (t *tx) Succeed(n ledger.NewIntent, supersedes string, at ledger.Millis) (ledger.Intent, error) {
	return t.begin(n, supersedes, at)
}

// FinishLookup writes what a lookup came to.
func (t *tx) FinishLookup(l ledger.Lookup) error {
	n, err := t.exec(finishLookup, int64(l.FinishedAt), string(l.Outcome), l.CanarySeen, orNull(l.Receipt),
		orNull(l.PayloadSHA256), orNull(l.Owner), orNull(l.Cause), orNull(l.Evidence), l.LookupID)
	if err == nil && n != 1 {
		err = fmt.Errorf("no lookup has the id %q; nothing was written", l.LookupID)
	}
	return mapError(err)
}
