package sqlite

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"triage/ledger"
)

// story writes a ledger in which everything has happened once: every state by every
// hand, every kind of decision, contradictions both ways, claims, grants. All of it
// is legal, and some of it hostile.
func story(t testing.TB) string {
	t.Helper()
	path := newLedger(t)
	db, err := Open(context.Background(), path, Options{})
	must(t, err)
	s := teller{t: t, db: db, now: ledger.WallClock()}
	s.sendersOwn()
	s.byHand()
	s.secondThoughts()
	s.grantsAndClaims()
	s.hostile()
	must(t, db.Close())
	return path
}

type teller struct {
	t   testing.TB
	db  *DB
	now ledger.Millis
}

func (s teller) sql(query string, args ...any) {
	s.t.Helper()
	must(s.t, s.db.transact(context.Background(), func(t *tx) error {
		_, err := t.exec(query, args...)
		return err
	}))
}

func (s teller) begin(key string) {
	s.t.Helper()
	_, err := s.db.Begin(context.Background(), newIntent(key))
	must(s.t, err)
}

// attempt makes one and finishes it, unless the outcome is "".
func (s teller) attempt(key string, r ledger.Result) ledger.Attempt {
	s.t.Helper()
	a, err := s.db.StartAttempt(context.Background(), ledger.Attempt{OpKey: key})
	must(s.t, err)
	if r.Outcome != "" {
		_, err = s.db.Finish(context.Background(), a.AttemptID, r)
		must(s.t, err)
	}
	return a
}

// inDoubt begins an intent whose one attempt has an unknown outcome.
func (s teller) inDoubt(key string) {
	s.t.Helper()
	s.begin(key)
	s.attempt(key, ledger.Result{Outcome: ledger.OutcomeUnknown, Cause: "timeout", Error: "no answer in 30 s", HTTPStatus: 504})
}

// decide takes a decision and does what follows from it, in one transaction.
func (s teller) decide(d ledger.Decision, then func(t ledger.Tx, v int64) error) {
	s.t.Helper()
	d.At, d.Operator, d.Facts = s.now, "ann", "{}"
	if d.Reason == "" {
		d.Reason = "because"
	}
	must(s.t, s.db.Act(context.Background(), func(t ledger.Tx) error {
		h, err := t.History(d.OpKey, s.now)
		if err != nil {
			return err
		}
		if _, err := t.Decide(d); err != nil || then == nil {
			return err
		}
		return then(t, h.Intent.Version)
	}))
}

func (s teller) settle(key string, kind ledger.DecisionKind, to ledger.State, receipt string) {
	s.t.Helper()
	s.decide(ledger.Decision{OpKey: key, Kind: kind, Receipt: receipt}, func(t ledger.Tx, v int64) error {
		return t.Settle(key, v, to, receipt, ledger.ByOperator, "ann")
	})
}

func (s teller) look(key string, l ledger.Lookup) {
	s.t.Helper()
	l.OpKey, l.Actor, l.Connector, l.Environment = key, "ann", "http", "production"
	started, err := s.db.StartLookup(context.Background(), l)
	must(s.t, err)
	if l.Outcome == "" {
		return
	}
	l.LookupID, l.FinishedAt = started.LookupID, s.now
	must(s.t, s.db.Act(context.Background(), func(t ledger.Tx) error { return t.FinishLookup(l) }))
}

func (s teller) sendersOwn() {
	s.begin("delivered")
	s.attempt("delivered", ledger.Result{Outcome: ledger.OutcomeNotSent, Cause: "connection_refused"})
	s.attempt("delivered", ledger.Result{Outcome: ledger.OutcomeDelivered, Receipt: "R-1", HTTPStatus: 201})
	s.begin("refused")
	s.attempt("refused", ledger.Result{Outcome: ledger.OutcomeRejected, HTTPStatus: 422, Error: "no such account"})
	s.begin("in flight")
	s.attempt("in flight", ledger.Result{})
	s.begin("never sent")
	s.inDoubt("unknown")
	s.look("unknown", ledger.Lookup{})
	canary := true
	s.look("unknown", ledger.Lookup{Outcome: ledger.LookupNotFound, CanarySeen: &canary, Evidence: `{"status":404,"proves":"absent"}`, Cause: "lag", Owner: "acct"})
}

func (s teller) byHand() {
	s.inDoubt("marked")
	s.settle("marked", ledger.MarkDelivered, ledger.Delivered, "R-2")
	s.inDoubt("closed")
	s.settle("closed", ledger.CloseNotDelivered, ledger.Failed, "")
	s.inDoubt("looked up")
	s.look("looked up", ledger.Lookup{Outcome: ledger.LookupFound, Receipt: "R-3", PayloadSHA256: testHash})
	s.sql(`UPDATE intents SET state = 'DELIVERED', receipt = 'R-3', settled_by = 'lookup', updated_by = 'ann' WHERE op_key = 'looked up'`)
	s.inDoubt("retried")
	s.decide(ledger.Decision{OpKey: "retried", Kind: ledger.RetrySameKey, Until: s.now + 600_000}, nil)
	s.attempt("retried", ledger.Result{Outcome: ledger.OutcomeDelivered, Receipt: "R-4"})
	s.inDoubt("replaced")
	s.replaced("replaced", "successor")
}

func (s teller) secondThoughts() {
	s.inDoubt("replaced twice")
	s.replaced("replaced twice", "second")
	s.doubted("second")
	s.replaced("second", "third")
	s.look("replaced twice", ledger.Lookup{Outcome: ledger.LookupFound, Receipt: "R-8", PayloadSHA256: testHash})
	s.decide(ledger.Decision{OpKey: "replaced twice", Kind: ledger.Acknowledge}, nil)
	s.doubted("third") // it waited until then

	s.inDoubt("found after all")
	s.settle("found after all", ledger.CloseNotDelivered, ledger.Failed, "")
	s.look("found after all", ledger.Lookup{Outcome: ledger.LookupFound, Receipt: "R-5", PayloadSHA256: testHash})
	s.inDoubt("absent after all")
	s.settle("absent after all", ledger.MarkDelivered, ledger.Delivered, "R-6")
	s.look("absent after all", ledger.Lookup{Outcome: ledger.LookupNotFound, Evidence: `{"proves":"absent"}`})
	s.decide(ledger.Decision{OpKey: "absent after all", Kind: ledger.Acknowledge}, nil)

	s.begin("abandoned")
	late := s.attempt("abandoned", ledger.Result{})
	s.decide(ledger.Decision{OpKey: "abandoned", Kind: ledger.AbandonAttempt, Reason: "the host was rebooted"}, nil)
	s.settle("abandoned", ledger.CloseNotDelivered, ledger.Failed, "")
	_, err := s.db.Finish(context.Background(), late.AttemptID, ledger.Result{Outcome: ledger.OutcomeDelivered, Receipt: "R-7"})
	must(s.t, err)

	s.inDoubt("set aside")
	s.decide(ledger.Decision{OpKey: "set aside", Kind: ledger.SetAside}, nil)
	s.decide(ledger.Decision{OpKey: "set aside", Kind: ledger.Dispute}, nil)
	s.inDoubt("snoozed")
	s.decide(ledger.Decision{OpKey: "snoozed", Kind: ledger.Snooze, Until: s.now + 60_000}, nil)
	for _, kind := range []ledger.DecisionKind{ledger.Note, ledger.Denied, ledger.Propose, ledger.Confirm, ledger.Withdraw, ledger.ClaimItem, ledger.Release, ledger.TakeOver} {
		s.decide(ledger.Decision{OpKey: "snoozed", Kind: kind, Reason: "said\nand \"done\" <&> \u202e"}, nil)
	}
}

func (s teller) grantsAndClaims() {
	s.sql(`INSERT INTO grants (grant_id, principal, target, payload_sha256, granted_by, granted_at) VALUES ('g', 'agent-1', 'inbox', ?, 'boss', ?)`, testHash, int64(s.now))
	s.sql(`UPDATE grants SET expires_at = ?`, int64(s.now)+60_000)
	s.sql(`UPDATE grants SET revoked_at = ?`, int64(s.now))
	s.sql(`INSERT INTO grants (grant_id, principal, target, granted_by, granted_at) VALUES ('h', 'agent-1', 'inbox', 'boss', ?)`, int64(s.now))
	s.sql(`INSERT INTO claims (op_key, operator, claimed_at, expires_at) VALUES ('unknown', 'ann', ?, ?)`, int64(s.now), int64(s.now)+1000)
	s.sql(`UPDATE claims SET operator = 'ben', expires_at = ?`, int64(s.now)+2000)
	s.sql(`UPDATE intents SET cancel_requested_at = ?, updated_at = ?, updated_by = 'agent-2' WHERE op_key = 'never sent'`, int64(s.now), int64(s.now)-5)
}

// hostile writes what the rules let pass and no sane program writes.
func (s teller) hostile() {
	key := `"]}` + "\u202e🚀' OR 1=1 --"
	bytes := int64(1)<<62 + 1
	n := newIntent(key)
	n.Task, n.Stage, n.PayloadBytes, n.PayloadRef, n.MaxAttempts = "\x1b[2J\r\n", "null", &bytes, strings.Repeat("x", 70_000), 9
	_, err := s.db.Begin(context.Background(), n)
	must(s.t, err)
	s.sql(`INSERT INTO attempts (attempt_id, op_key, n, started_at, finished_at, outcome, error, cause)
VALUES (CAST(x'ff' AS TEXT), ?1, 7, 7258118400000, 946684800000, 'not_sent', '', CAST(x'fffe80eda080' AS TEXT)),
       (CAST(x'fe' AS TEXT), ?1, 9000000000, 946684800000, 946684800000, 'unknown', CAST(x'c328' AS TEXT) || char(1, 27, 55296), '"\u0000')`, key)
	s.sql(`INSERT INTO lookups (lookup_id, op_key, started_at, finished_at, actor, connector, outcome, evidence)
VALUES (CAST(x'ff' AS TEXT), ?, 946684800000, 7258118400000, CAST(x'80' AS TEXT), '{}', 'failed', '{"PROVES":"absent","proves":1,"proves":"absent"}')`, key)
	s.sql(`INSERT INTO grants (grant_id, principal, target, granted_by, granted_at) VALUES (CAST(x'ff' AS TEXT), '{', '[', '"', 946684800000)`)
	s.sql(`INSERT INTO claims (op_key, operator, claimed_at, expires_at) VALUES (?, '1', 946684800000, 946684800000)`, key)
	s.sql(`UPDATE intents SET updated_by = CAST(x'ff27' AS TEXT) WHERE op_key = ?`, key)
	s.begin("long-winded")
	s.attempt("long-winded", ledger.Result{Outcome: ledger.OutcomeUnknown, Error: strings.Repeat("é", 40_000)})
	for i := range 10 {
		s.begin(fmt.Sprint("twin-", i))
	}
}
