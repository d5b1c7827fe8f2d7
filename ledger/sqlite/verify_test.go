package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"triage/ledger"
)

func verifyFile(t *testing.T, path string) ledger.VerifyReport {
	t.Helper()
	db, err := Open(context.Background(), path, Options{ReadOnly: true})
	must(t, err)
	defer func() { _ = db.Close() }()
	report, err := db.Verify(context.Background())
	must(t, err)
	return report
}

func TestVerifyFindsNothingInAnIntactLedger(t *testing.T) {
	t.Parallel()
	path := story(t)
	report := verifyFile(t, path)
	for _, f := range report.Findings {
		t.Errorf("found %+v", f)
	}
	if report.Intents < 25 || report.Decisions != 23 || report.Events < 120 || len(report.Head) != 64 || report.Head == ledger.Genesis {
		t.Errorf("it looked at too little: %+v", report)
	}
	if empty := verifyFile(t, newLedger(t)); len(empty.Findings) > 0 || empty.Head != ledger.Genesis || empty.Findings == nil {
		t.Errorf("of an empty ledger it says %+v", empty)
	}
}

// tamper changes a copy of a ledger behind the triggers' back and puts them back.
func tamper(t *testing.T, original []byte, statements ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ledger.db")
	write(t, path, original)
	db, err := sql.Open("sqlite", path)
	must(t, err)
	db.SetMaxOpenConns(1)
	defer func() { must(t, db.Close()) }()
	triggers, err := collect(context.Background(), db, scanPair, `SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'`)
	must(t, err)
	run := func(q string) {
		if _, err := db.Exec(q); err != nil {
			t.Fatalf("%v: %s", err, q)
		}
	}
	run("PRAGMA ignore_check_constraints = ON")
	run("PRAGMA synchronous = OFF")
	run("BEGIN")
	for _, trigger := range triggers {
		run("DROP TRIGGER " + trigger[0])
	}
	for _, q := range statements {
		run(q)
	}
	for _, trigger := range triggers {
		run(trigger[1])
	}
	run("COMMIT")
	return path
}

// Every column of every table, changed in one row: something names it.
func TestVerifySeesEveryColumn(t *testing.T) {
	t.Parallel()
	original, err := os.ReadFile(story(t))
	must(t, err)
	rows := map[string]string{
		"intents": `op_key = 'marked'`, "attempts": `op_key = 'marked'`, "lookups": `op_key = 'looked up'`, "decisions": `op_key = 'marked'`,
		"claims": `op_key = 'unknown'`, "grants": `grant_id = 'g'`, "events": `op_key = 'marked' AND kind = 'attempt_started'`,
	}
	empty, err := sql.Open("sqlite", tamper(t, original))
	must(t, err)
	defer func() { _ = empty.Close() }()
	for table, row := range rows {
		columns, err := collect(context.Background(), empty, scanPair, `SELECT name, type FROM pragma_table_info('`+table+`')`)
		must(t, err)
		for _, c := range inStrides(columns) {
			value := fmt.Sprintf("coalesce(%s, '') || 'x'", c[0])
			if c[1] == "INTEGER" {
				value = fmt.Sprintf("coalesce(%s, 1796077269895) + 1", c[0])
			}
			switch table + "." + c[0] {
			case "lookups.evidence", "events.at": // nothing else in the ledger bears them out: docs/ledger.md says so
				continue
			case "events.detail":
				value = `json_set(detail, '$.layer[1]', 'sdk')`
			case "events.seq":
				value = `seq + 100000`
			}
			report := verifyFile(t, tamper(t, original, fmt.Sprintf(`UPDATE %s SET %s = %s WHERE %s`, table, c[0], value, row)))
			if found := besides(report, checkIntegrity); len(found) == 0 {
				t.Errorf("%s.%s: found nothing", table, c[0])
			}
		}
	}
}

func besides(r ledger.VerifyReport, check string) (found []ledger.Finding) {
	for _, f := range r.Findings {
		if f.Check != check {
			found = append(found, f)
		}
	}
	return found
}

// Rows taken away or put in, the journal edited, the chain rewritten, rules broken
// while nobody guarded them: each is found by the check that it concerns, with the
// intent and in words that say what is wrong.
func TestVerifyNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	original, err := os.ReadFile(story(t))
	must(t, err)
	for _, c := range inStrides(tampered) {
		report := verifyFile(t, tamper(t, original, c.statements...))
		named := false
		for _, f := range report.Findings {
			named = named || f.Check == c.check && f.OpKey == c.opKey && strings.Contains(f.Detail, c.words)
		}
		if !named {
			t.Errorf("%s: want %s %q %q, found %d: %+v", c.what, c.check, c.opKey, c.words, len(report.Findings), report.Findings)
		}
	}
}

func TestVerifySeesAnAlteredSchema(t *testing.T) {
	t.Parallel()
	original, err := os.ReadFile(story(t))
	must(t, err)
	for _, c := range []struct{ statement, words string }{
		{`DROP TRIGGER attempts_guard_insert`, "trigger attempts_guard_insert is missing"},
		{`DROP INDEX intents_queue`, "index intents_queue is missing"},
		{`DROP VIEW sendable`, "view sendable is missing"},
		{`CREATE TRIGGER mine AFTER INSERT ON attempts BEGIN SELECT 1; END`, "trigger mine does not belong"},
		{`CREATE INDEX by_state ON intents (state)`, "index by_state does not belong"},
		{`CREATE TABLE notes (x)`, "table notes does not belong"},
		{`UPDATE sqlite_schema SET sql = replace(sql, 'decision_required', 'never_mind') WHERE name = 'attempts_guard_insert'`, "trigger attempts_guard_insert was altered"},
		{`UPDATE sqlite_schema SET sql = replace(sql, 'length(op_key) BETWEEN 1 AND 255', '1') WHERE name = 'intents'`, "table intents was altered"},
	} {
		path := filepath.Join(t.TempDir(), "ledger.db")
		write(t, path, original)
		alter(t, path, `PRAGMA writable_schema = ON`, c.statement)
		report := verifyFile(t, path)
		if len(report.Findings) != 1 || report.Findings[0].Check != checkSchemaIs || !strings.Contains(report.Findings[0].Detail, c.words) {
			t.Errorf("%s: found %+v", c.statement, report.Findings)
		}
	}
	path := filepath.Join(t.TempDir(), "ledger.db")
	write(t, path, original)
	alter(t, path, `ANALYZE`, `PRAGMA writable_schema = ON`, `UPDATE sqlite_schema SET sql = replace(sql, '-- A writer', '--  Any writer') WHERE type = 'trigger'`)
	if report := verifyFile(t, path); len(report.Findings) > 0 {
		t.Errorf("statistics and comments: found %+v", report.Findings)
	}
}

func alter(t *testing.T, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	must(t, err)
	db.SetMaxOpenConns(1)
	for _, q := range statements {
		if _, err := db.Exec(q); err != nil {
			t.Fatalf("%v: %s", err, q)
		}
	}
	must(t, db.Close())
}

// A damaged file, a table that is gone and a value that can't be are findings, not
// reasons to give up.
func TestVerifyReadsOnThroughDamage(t *testing.T) {
	t.Parallel()
	original, err := os.ReadFile(story(t))
	must(t, err)
	damaged := append([]byte(nil), original...)
	for i := len(damaged) / 2; i < len(damaged)/2+6000; i++ {
		damaged[i] ^= 0x5a
	}
	for what, path := range map[string]string{
		"overwritten pages": func() string {
			p := filepath.Join(t.TempDir(), "ledger.db")
			write(t, p, damaged)
			return p
		}(),
		"a state that isn't one": tamper(t, original, `UPDATE intents SET state = 'LOST' WHERE op_key = 'unknown'`),
	} {
		if report := verifyFile(t, path); len(report.Findings) == 0 || report.Findings[0].Check != checkIntegrity {
			t.Errorf("%s: found %+v", what, report.Findings)
		}
	}
}

func TestVerifyBoundsItsFindings(t *testing.T) {
	t.Parallel()
	path := newLedger(t)
	fill(t, path, 300)
	original, err := os.ReadFile(path) // #nosec G304 -- a test's own file
	must(t, err)
	report := verifyFile(t, tamper(t, original, `UPDATE intents SET task = 'other'`))
	last := report.Findings[len(report.Findings)-1]
	if len(report.Findings) != maxFindings+1 || last.Detail != "200 more of this kind" {
		t.Errorf("found %d, the last %+v", len(report.Findings), last)
	}
}

func TestVerifyCanBeStopped(t *testing.T) {
	t.Parallel()
	path := newLedger(t)
	fill(t, path, 300)
	db, err := Open(context.Background(), path, Options{})
	must(t, err)
	defer func() { _ = db.Close() }()
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := db.Verify(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

// Rules broken while only the guards were away: the journal shows the breach.
func TestVerifySeesWhatTheGuardsWouldHaveRefused(t *testing.T) {
	t.Parallel()
	original, err := os.ReadFile(story(t))
	must(t, err)
	for _, c := range inStrides(unguarded) {
		path := filepath.Join(t.TempDir(), "ledger.db")
		write(t, path, original)
		db, err := sql.Open("sqlite", path)
		must(t, err)
		guards, err := collect(context.Background(), db, scanPair, `SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND name LIKE '%guard%' AND name <> 'events_guard_insert'`)
		must(t, err)
		for _, g := range guards {
			_, err := db.Exec("DROP TRIGGER " + g[0])
			must(t, err)
		}
		if _, err := db.Exec(c.statement); err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		for _, g := range guards {
			_, err := db.Exec(g[1])
			must(t, err)
		}
		must(t, db.Close())
		named := false
		report := verifyFile(t, path)
		for _, f := range report.Findings {
			named = named || f.Check == checkStates && f.OpKey == c.opKey && strings.Contains(f.Detail, c.words)
		}
		if !named {
			t.Errorf("%s: found %+v", c.what, report.Findings)
		}
	}
}
