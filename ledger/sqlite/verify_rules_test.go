package sqlite

import (
	"context"
	"database/sql"
	"strings"
	"testing"

	"triage/ledger"
)

// weakened runs statements while one object of the schema is another one, and puts it
// back: what a ledger looks like whose rules were out of force for a while.
func weakened(t *testing.T, path, object, instead string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	must(t, err)
	db.SetMaxOpenConns(1)
	defer func() { must(t, db.Close()) }()
	run := func(q string) {
		t.Helper()
		if _, err := db.Exec(q); err != nil {
			t.Fatalf("%v: %s", err, q)
		}
	}
	kind, name, _ := strings.Cut(object, " ")
	var text string
	must(t, db.QueryRow(`SELECT sql FROM sqlite_schema WHERE type = lower(?) AND name = ?`, kind, name).Scan(&text))
	run("DROP " + object)
	if instead != "" {
		run(instead)
	}
	for _, q := range statements {
		run(q)
	}
	if instead != "" {
		run("DROP " + object)
	}
	run(text)
}

// Verify asks the rules again, each as the triggers have it: what got in while one was
// out of force is named.
func TestVerifyAsksTheRulesAgain(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	const blind = `INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('blind', 'k', 2, 1796077269896)`
	quiet := func(view, id string) string {
		return "CREATE VIEW " + view + " (op_key, " + id + ") AS SELECT NULL, NULL WHERE 0"
	}
	found := func(owner, environment string) string {
		return `INSERT INTO lookups (lookup_id, op_key, started_at, finished_at, actor, connector, environment, outcome, receipt, owner)
VALUES (printf('l-%s-%s', '` + owner + `', '` + environment + `'), 'k', 1796077269896, 1796077269897, 'ann', 'http', '` + environment + `', 'found', 'R-1', '` + owner + `')`
	}
	for name, tc := range map[string]struct {
		before          func(s teller)
		object, instead string
		statements      []string
		words           string
	}{
		"a retry that had lapsed because of a lookup": {func(s teller) {
			s.sql(`INSERT INTO attempts (attempt_id, op_key, n, started_at, finished_at, outcome) VALUES ('a', 'k', 1, ?1, ?1, 'unknown')`, s.now)
			s.sql(`UPDATE intents SET state = 'UNKNOWN' WHERE op_key = 'k'`)
			s.retryDecided()
			s.sql(`INSERT INTO lookups (lookup_id, op_key, started_at, finished_at, actor, connector, outcome) VALUES ('l', 'k', ?1, ?1, 'ann', 'http', 'in_progress')`, s.now)
		}, "TRIGGER attempts_guard_insert", "", []string{blind}, "without a retry decision that stood"},
		"a retry that had lapsed because its attempt came back": {func(s teller) {
			s.sql(`INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a', 'k', 1, ?1)`, s.now)
			s.sql(`UPDATE intents SET state = 'UNKNOWN' WHERE op_key = 'k'`)
			s.retryDecided()
			s.sql(`UPDATE attempts SET finished_at = ?1, outcome = 'unknown' WHERE attempt_id = 'a'`, s.now)
		}, "TRIGGER attempts_guard_insert", "", []string{blind}, "without a retry decision that stood"},
		"a successor's successor that did not wait": {func(s teller) {
			s.doubted("k")
			s.replaced("k", "k-2")
			s.doubted("k-2")
			s.replaced("k-2", "k-3")
			s.look("k", ledger.Lookup{Outcome: ledger.LookupFound, Receipt: "R-1", PayloadSHA256: testHash})
		}, "TRIGGER attempts_guard_insert", "", []string{`INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('hasty', 'k-3', 1, 1796077269896)`},
			"was made while k, which it replaces, was contradicted"},
		"a contradiction by another owner": {closedAndFound, "VIEW lookup_disagreements", quiet("lookup_disagreements", "lookup_id"),
			[]string{found("acct-2", "production")}, "nothing marks it contradicted"},
		"a contradiction in another environment": {closedAndFound, "VIEW lookup_disagreements", quiet("lookup_disagreements", "lookup_id"),
			[]string{found("acct-1", "staging")}, "nothing marks it contradicted"},
		"a late receipt": {func(s teller) {
			s.sql(`INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a', 'k', 1, ?1)`, s.now)
			s.sql(`UPDATE intents SET state = 'UNKNOWN' WHERE op_key = 'k'`)
			s.closed()
		}, "VIEW attempt_disagreements", quiet("attempt_disagreements", "attempt_id"),
			[]string{`UPDATE attempts SET finished_at = 1796077269896, outcome = 'unknown', receipt = 'LATE-1' WHERE attempt_id = 'a'`}, "nothing marks it contradicted"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := newLedger(t)
			db, err := Open(ctx, path, Options{})
			must(t, err)
			s := teller{t: t, db: db, now: ledger.WallClock()}
			s.begin("k")
			tc.before(s)
			must(t, db.Close())
			isSound(t, path)
			weakened(t, path, tc.object, tc.instead, tc.statements...)
			var told []string
			for _, f := range verifyFile(t, path).Findings {
				told = append(told, f.Check+": "+f.Detail)
			}
			if !strings.Contains(strings.Join(told, "\n"), tc.words) {
				t.Errorf("verify says %q, want a word that %s", told, tc.words)
			}
		})
	}
}

func (s teller) decided(d ledger.Decision) {
	s.t.Helper()
	must(s.t, s.db.Act(context.Background(), func(t ledger.Tx) error {
		d.OpKey, d.At, d.Operator, d.Reason, d.Facts = "k", s.now, "ann", "test", "{}"
		_, err := t.Decide(d)
		return err
	}))
}

func (s teller) retryDecided() {
	s.decided(ledger.Decision{Kind: ledger.RetrySameKey, Until: s.now + 600_000})
}

func (s teller) closed() {
	s.decided(ledger.Decision{Kind: ledger.CloseNotDelivered})
	s.sql(`UPDATE intents SET state = 'FAILED', settled_by = 'operator' WHERE op_key = 'k'`)
}

// doubted leaves an intent in doubt after its one attempt.
func (s teller) doubted(key string) {
	s.attempt(key, ledger.Result{Outcome: ledger.OutcomeUnknown})
}

func (s teller) replaced(key, successor string) {
	s.decide(ledger.Decision{OpKey: key, Kind: ledger.Reissue, NewOpKey: successor}, func(t ledger.Tx, _ int64) error {
		_, err := t.Succeed(newIntent(successor), key, s.now)
		return err
	})
}

// closedAndFound is an intent that was closed and then found in production, as acct-1's.
func closedAndFound(s teller) {
	s.sql(`INSERT INTO attempts (attempt_id, op_key, n, started_at, finished_at, outcome) VALUES ('a', 'k', 1, ?1, ?1, 'unknown')`, s.now)
	s.sql(`UPDATE intents SET state = 'UNKNOWN' WHERE op_key = 'k'`)
	s.closed()
	s.sql(`INSERT INTO lookups (lookup_id, op_key, started_at, finished_at, actor, connector, environment, outcome, receipt, owner)
VALUES ('first', 'k', ?1, ?1, 'ann', 'http', 'production', 'found', 'R-1', 'acct-1')`, s.now)
}
