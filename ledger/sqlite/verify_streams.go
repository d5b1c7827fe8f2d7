package sqlite

import (
	"database/sql"
	"fmt"

	"triage/ledger"
)

// stream is a table in the order of op_key, one row ahead. Several of them are read
// side by side, so that memory does not grow with the ledger.
type stream[T any] struct {
	what  string // what a row is called in a finding
	rows  *sql.Rows
	scan  func(*sql.Rows) (T, error)
	keyOf func(T) string
	head  T
	more  bool
}

func openStream[T any](v *verifier, what, query string, scan func(*sql.Rows) (T, error), keyOf func(T) string) (*stream[T], error) {
	rows, err := v.q.QueryContext(v.ctx, query) //nolint:rowserrcheck // next sees to it
	if err != nil {
		return nil, err
	}
	s := &stream[T]{what: what, rows: rows, scan: scan, keyOf: keyOf}
	if err := s.next(); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *stream[T]) close() {
	if s != nil {
		_ = s.rows.Close()
	}
}

func (s *stream[T]) next() (err error) {
	if s.more = s.rows.Next(); !s.more {
		return s.rows.Err()
	}
	s.head, err = s.scan(s.rows)
	return err
}

// take returns the rows of one intent. Rows of keys before it have no intent.
func (s *stream[T]) take(v *verifier, key string) (of []T, err error) {
	for s.more && s.keyOf(s.head) < key {
		if err := s.orphan(v); err != nil {
			return nil, err
		}
	}
	for s.more && s.keyOf(s.head) == key {
		of = append(of, s.head)
		if err := s.next(); err != nil {
			return nil, err
		}
	}
	return of, nil
}

// rest: what is left when all intents were read has none.
func (s *stream[T]) rest(v *verifier) error {
	for s.more {
		if err := s.orphan(v); err != nil {
			return err
		}
	}
	return nil
}

func (s *stream[T]) orphan(v *verifier) error {
	v.wrong(checkJournal, s.keyOf(s.head), "there is %s of an intent that is gone", s.what)
	return s.next()
}

// streams are all tables that hang on an intent.
type streams struct {
	events    *stream[told]
	attempts  *stream[ledger.Attempt]
	lookups   *stream[ledger.Lookup]
	decisions *stream[ledger.Decision]
	claims    *stream[ledger.Claim]
}

func openStreams(v *verifier) (s streams, err error) {
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	if s.events, err = openStream(v, "an event", toldColumns+` FROM events WHERE op_key IS NOT NULL ORDER BY op_key, seq`,
		scanTold, func(e told) string { return e.OpKey }); err != nil {
		return s, err
	}
	if s.attempts, err = openStream(v, "an attempt", `SELECT attempt_id, op_key, n, layer, started_at, finished_at, outcome, cause, http_status, error, receipt, seq
FROM attempts ORDER BY op_key, n`,
		scanAttempt, func(a ledger.Attempt) string { return a.OpKey }); err != nil {
		return s, err
	}
	if s.lookups, err = openStream(v, "a lookup", `SELECT `+lookupColumns+` FROM lookups ORDER BY op_key, seq`,
		scanLookup, func(l ledger.Lookup) string { return l.OpKey }); err != nil {
		return s, err
	}
	if s.decisions, err = openStream(v, "a decision", `SELECT `+decisionColumns+`, d.rowid FROM decisions AS d ORDER BY d.op_key, d.rowid`,
		scanDecision, func(d ledger.Decision) string { return d.OpKey }); err != nil {
		return s, err
	}
	s.claims, err = openStream(v, "a claim", `SELECT op_key, operator, claimed_at, expires_at FROM claims ORDER BY op_key`,
		scanClaim, func(c ledger.Claim) string { return c.OpKey })
	return s, err
}

func (s streams) close() {
	s.events.close()
	s.attempts.close()
	s.lookups.close()
	s.decisions.close()
	s.claims.close()
}

// intents replays the journal of every intent and compares where that leads with the
// row and all that hangs on it.
func (v *verifier) intents() error {
	s, err := openStreams(v)
	if err != nil {
		return err
	}
	defer s.close()
	err = each(v, scanPair, `SELECT op_key, `+intentAsJSON+` FROM intents ORDER BY op_key`, func(pair [2]string) error {
		r := &replay{v: v, key: pair[0]}
		if err := r.gather(s); err != nil {
			return err
		}
		row, err := readRow(pair[1])
		if err != nil {
			return fmt.Errorf("intent %q as JSON: %w", pair[0], err)
		}
		r.run(row)
		return nil
	})
	if err != nil {
		return err
	}
	for _, rest := range []func(*verifier) error{s.events.rest, s.attempts.rest, s.lookups.rest, s.decisions.rest, s.claims.rest} {
		if err := rest(v); err != nil {
			return err
		}
	}
	return nil
}
