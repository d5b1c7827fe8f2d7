package sqlite

import (
	"context"
	"database/sql"

	"triage/ledger"
)

// querier is a connection pool, a read transaction or a write transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// collect runs a query and reads every row with scan.
func collect[T any](ctx context.Context, q querier, scan func(*sql.Rows) (T, error), query string, args ...any) ([]T, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, mapError(err)
	}
	defer func() { _ = rows.Close() }()
	var all []T
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, mapError(err)
		}
		all = append(all, one)
	}
	return all, mapError(rows.Err())
}

// text reads a nullable text column, "" for NULL.
type text struct{ into *string }

func (t text) Scan(v any) error {
	var s sql.NullString
	err := s.Scan(v)
	*t.into = s.String
	return err
}

// number reads a nullable integer column, 0 for NULL.
type number[T ~int | ~int64] struct{ into *T }

func (n number[T]) Scan(v any) error {
	var i sql.NullInt64
	err := i.Scan(v)
	*n.into = T(i.Int64)
	return err
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func orNullInt[T ~int | ~int64](n T) any {
	if n == 0 {
		return nil
	}
	return int64(n)
}

const intentColumns = `i.op_key, i.task, i.stage, i.principal, i.target, i.payload_sha256, i.payload_bytes, i.payload_ref,
  i.grant_id, i.state, i.receipt, i.settled_by, i.max_attempts, i.deadline_at, i.supersedes, i.superseded_by,
  i.contradicted_at, i.snoozed_until, i.cancel_requested_at, i.created_at, i.updated_at, i.updated_by, i.version,
  i.attempt_count, i.last_attempt_at, i.last_attempt_seq, i.in_flight, i.set_aside_at, i.acknowledged_at`

func intentFields(i *ledger.Intent) []any {
	return []any{
		&i.OpKey, &i.Task, &i.Stage, &i.Principal, &i.Target, &i.PayloadSHA256, &i.PayloadBytes, text{&i.PayloadRef},
		text{&i.GrantID}, (*string)(&i.State), text{&i.Receipt}, text{(*string)(&i.SettledBy)},
		number[int]{&i.MaxAttempts}, number[ledger.Millis]{&i.DeadlineAt}, text{&i.Supersedes}, text{&i.SupersededBy},
		number[ledger.Millis]{&i.ContradictedAt}, number[ledger.Millis]{&i.SnoozedUntil},
		number[ledger.Millis]{&i.CancelRequestedAt}, (*int64)(&i.CreatedAt), (*int64)(&i.UpdatedAt), &i.UpdatedBy, &i.Version,
		&i.Derived.Attempts, number[ledger.Millis]{&i.Derived.LastAttemptAt}, number[int64]{&i.Derived.LastAttemptSeq},
		text{&i.Derived.InFlight}, number[ledger.Millis]{&i.Derived.SetAsideAt}, number[ledger.Millis]{&i.Derived.AcknowledgedAt},
	}
}

func scanIntent(rows *sql.Rows) (i ledger.Intent, err error) {
	err = rows.Scan(intentFields(&i)...)
	return i, err
}

// An error text may be of any length, since evidence is never refused for it; more
// than its beginning is not read.
const attemptColumns = `attempt_id, op_key, n, layer, started_at, finished_at, outcome, cause, http_status,
  substr(error, 1, 4096), receipt, seq`

func scanAttempt(rows *sql.Rows) (a ledger.Attempt, err error) {
	err = rows.Scan(&a.AttemptID, &a.OpKey, &a.N, &a.Layer, (*int64)(&a.StartedAt), number[ledger.Millis]{&a.FinishedAt},
		text{(*string)(&a.Outcome)}, text{&a.Cause}, number[int]{&a.HTTPStatus}, text{&a.Error}, text{&a.Receipt},
		number[int64]{&a.Seq})
	return a, err
}

const lookupColumns = `lookup_id, op_key, started_at, finished_at, actor, connector, environment, outcome, canary_seen,
  receipt, payload_sha256, owner, cause, evidence, seq`

func scanLookup(rows *sql.Rows) (l ledger.Lookup, err error) {
	err = rows.Scan(&l.LookupID, &l.OpKey, (*int64)(&l.StartedAt), number[ledger.Millis]{&l.FinishedAt}, &l.Actor, &l.Connector,
		text{&l.Environment}, text{(*string)(&l.Outcome)}, &l.CanarySeen, text{&l.Receipt}, text{&l.PayloadSHA256},
		text{&l.Owner}, text{&l.Cause}, text{&l.Evidence}, number[int64]{&l.Seq})
	return l, err
}

const decisionColumns = `d.decision_id, d.op_key, d.at, d.operator, d.kind, d.reason, d.receipt, d.new_op_key, d.until,
  d.facts, d.prev_hash, d.hash`

func scanDecision(rows *sql.Rows) (d ledger.Decision, err error) {
	err = rows.Scan(&d.DecisionID, &d.OpKey, (*int64)(&d.At), &d.Operator, (*string)(&d.Kind), &d.Reason, text{&d.Receipt},
		text{&d.NewOpKey}, number[ledger.Millis]{&d.Until}, &d.Facts, &d.PrevHash, &d.Hash, number[int64]{&d.Seq})
	return d, err
}

func scanClaim(rows *sql.Rows) (c ledger.Claim, err error) {
	err = rows.Scan(&c.OpKey, &c.Operator, (*int64)(&c.ClaimedAt), (*int64)(&c.ExpiresAt))
	return c, err
}

func scanGrant(rows *sql.Rows) (g ledger.Grant, err error) {
	err = rows.Scan(&g.GrantID, &g.Principal, &g.Target, text{&g.PayloadSHA256}, &g.GrantedBy, (*int64)(&g.GrantedAt),
		number[ledger.Millis]{&g.ExpiresAt}, number[ledger.Millis]{&g.RevokedAt})
	return g, err
}

func scanEvent(rows *sql.Rows) (e ledger.Event, err error) {
	err = rows.Scan(&e.Seq, (*int64)(&e.At), text{&e.OpKey}, &e.Kind, &e.Actor, &e.Detail)
	return e, err
}
