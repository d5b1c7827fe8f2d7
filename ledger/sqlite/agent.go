package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"triage/ledger"
)

const (
	insertIntent = `INSERT INTO intents (op_key, task, stage, principal, target, payload_sha256, payload_bytes, payload_ref,
  grant_id, max_attempts, deadline_at, supersedes, created_at, updated_at, updated_by)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

	insertAttempt = `INSERT INTO attempts (attempt_id, op_key, n, layer, started_at)
VALUES (?1, ?2, coalesce(?3, (SELECT max(n) FROM attempts WHERE op_key = ?2) + 1, 1), ?4, ?5)`

	finishAttempt = `UPDATE attempts SET finished_at = ?, outcome = ?, cause = ?, http_status = ?, error = ?, receipt = ?
WHERE attempt_id = ?`

	queryAttempt  = `SELECT ` + attemptColumns + ` FROM attempts WHERE attempt_id = ?`
	querySendable = `SELECT op_key, why FROM sendable LIMIT ?`
)

// Begin persists the intent as PENDING. See ledger.Agent.
func (db *DB) Begin(ctx context.Context, n ledger.NewIntent) (i ledger.Intent, err error) {
	err = db.transact(ctx, func(t *tx) error {
		i, err = t.begin(n, "", db.clock())
		return err
	})
	return i, err
}

func (t *tx) begin(n ledger.NewIntent, supersedes string, at ledger.Millis) (ledger.Intent, error) {
	by := n.UpdatedBy
	if by == "" {
		by = n.Principal
	}
	_, err := t.exec(insertIntent, n.OpKey, n.Task, n.Stage, n.Principal, n.Target, n.PayloadSHA256, n.PayloadBytes,
		orNull(n.PayloadRef), orNull(n.GrantID), orNullInt(n.MaxAttempts), orNullInt(n.DeadlineAt), orNull(supersedes),
		int64(at), int64(at), by)
	switch {
	case isUnique(err) && supersedes != "":
		return ledger.Intent{}, fmt.Errorf("the key %q stands for an intent already and can't take the place of another. Nothing was written. Choose a fresh key: %w", n.OpKey, err)
	case err != nil && !isUnique(err):
		return ledger.Intent{}, mapError(err)
	}
	return readIntent(t.ctx, t, n.OpKey) // begun before with the same content: what is stored
}

// StartAttempt commits the attempt durably. See ledger.Agent.
func (db *DB) StartAttempt(ctx context.Context, a ledger.Attempt) (out ledger.Attempt, err error) {
	if a.AttemptID == "" {
		a.AttemptID = uuid.NewString()
	}
	if a.Layer == "" {
		a.Layer = "app"
	}
	if a.StartedAt.IsNone() {
		a.StartedAt = db.clock()
	}
	err = db.transact(ctx, func(t *tx) error {
		n, err := t.exec(insertAttempt, a.AttemptID, a.OpKey, orNullInt(a.N), a.Layer, int64(a.StartedAt))
		if err != nil {
			return err
		}
		if n != 1 {
			return errors.New("the attempt was not recorded; do not make the call")
		}
		out, err = t.attempt(a.AttemptID)
		return err
	})
	return out, err
}

func (t *tx) attempt(id string) (ledger.Attempt, error) {
	a, err := first(collect(t.ctx, t, scanAttempt, queryAttempt, id))
	if err != nil {
		return ledger.Attempt{}, err
	}
	if a == nil {
		return ledger.Attempt{}, fmt.Errorf("no attempt has the id %q", id)
	}
	return *a, nil
}

// FinishAttempt writes what an attempt came to, and nothing else. See ledger.Agent.
func (db *DB) FinishAttempt(ctx context.Context, attemptID string, r ledger.Result) (a ledger.Attempt, err error) {
	err = db.transact(ctx, func(t *tx) error {
		a, err = t.finishAttempt(attemptID, r, db.clock())
		return err
	})
	return a, err
}

func (t *tx) finishAttempt(id string, r ledger.Result, at ledger.Millis) (ledger.Attempt, error) {
	n, err := t.exec(finishAttempt, int64(at), string(r.Outcome), orNull(r.Cause), orNullInt(r.HTTPStatus), orNull(r.Error),
		orNull(r.Receipt), id)
	if err != nil {
		return ledger.Attempt{}, mapError(err)
	}
	if n != 1 {
		return ledger.Attempt{}, fmt.Errorf("no attempt has the id %q; nothing was written", id)
	}
	return t.attempt(id)
}

// Finish writes what an attempt came to and settles its intent where that follows.
// See ledger.Agent.
func (db *DB) Finish(ctx context.Context, attemptID string, r ledger.Result) (i ledger.Intent, err error) {
	err = db.transact(ctx, func(t *tx) error {
		a, err := t.finishAttempt(attemptID, r, db.clock())
		if err != nil {
			return err
		}
		if err := t.follow(a); err != nil {
			return err
		}
		i, err = readIntent(t.ctx, t, a.OpKey)
		return err
	})
	return i, err
}

// follow moves the intent to where the finished attempt leads. The evidence stays
// written even where the intent can't follow.
func (t *tx) follow(a ledger.Attempt) error {
	i, err := readIntent(t.ctx, t, a.OpKey)
	if err != nil {
		return err
	}
	switch {
	case i.State.Final():
		return nil
	case a.Outcome == ledger.OutcomeDelivered && strings.TrimSpace(a.Receipt) != "":
		return t.Settle(i.OpKey, i.Version, ledger.Delivered, a.Receipt, ledger.BySender, i.UpdatedBy)
	case i.State != ledger.Pending:
		return nil
	case a.Outcome == ledger.OutcomeRejected:
		return t.followRefusal(i)
	case a.Outcome == ledger.OutcomeUnknown, a.Outcome == ledger.OutcomeDelivered: // delivered, but without a receipt
		return t.setState(i.OpKey, i.Version, ledger.Unknown)
	}
	return nil // not_sent: still PENDING, still sendable
}

// followRefusal: the refusal of a retry proves nothing about an earlier attempt
// whose outcome nobody knows (design §3).
func (t *tx) followRefusal(i ledger.Intent) error {
	attempts, err := collect(t.ctx, t, scanAttempt, queryAttempts, i.OpKey)
	if err != nil {
		return err
	}
	for _, a := range attempts {
		if !a.Finished() || a.Outcome == ledger.OutcomeUnknown {
			return t.setState(i.OpKey, i.Version, ledger.Unknown)
		}
	}
	return t.Settle(i.OpKey, i.Version, ledger.Failed, "", ledger.BySender, i.UpdatedBy)
}

// Get returns one intent, or ledger.ErrNoSuchIntent.
func (db *DB) Get(ctx context.Context, opKey string) (ledger.Intent, error) {
	return readIntent(ctx, db.read, opKey)
}

// Sendable lists what a sender may send now; limit 0 means 100.
func (db *DB) Sendable(ctx context.Context, limit int) ([]ledger.Sendable, error) {
	if limit <= 0 {
		limit = queuePage
	}
	scan := func(rows *sql.Rows) (s ledger.Sendable, err error) {
		err = rows.Scan(&s.OpKey, &s.Why)
		return s, err
	}
	return collect(ctx, db.read, scan, querySendable, limit)
}
