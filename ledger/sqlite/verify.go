package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	driver "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"triage/ledger"
)

// maxFindings bounds how much one check reports; a ledger that is that wrong needs
// no longer list.
const maxFindings = 100

// Names of the checks in a finding.
const (
	checkIntegrity = "integrity" // the file, as SQLite reads it
	checkSchemaIs  = "schema"    // tables, indexes, triggers and views are the ledger's
	checkJournal   = "journal"   // the journal is whole, and tells what the rows say
	checkChain     = "chain"     // decisions follow from each other
	checkStates    = "states"    // no effect without what bears it out
	checkDerived   = "derived"   // what triggers keep, computed again
)

// Verify checks the whole ledger: the file itself, the schema, the journal and its
// replay against the tables, the decision chain, states without what bears them out,
// and the derived columns. It reads everything, in one read transaction and in the
// memory that one intent takes; it writes nothing.
//
// What it can't see is in docs/ledger.md: above all rows cut off at the end of the
// journal together with all that hangs on them, by someone who can write the file.
func (db *DB) Verify(ctx context.Context) (ledger.VerifyReport, error) {
	v := &verifier{ctx: ctx, found: map[string]int{}, report: ledger.VerifyReport{Head: ledger.Genesis, Findings: []ledger.Finding{}}}
	if err := v.check(checkIntegrity, func() error { return v.integrity(db) }); err != nil {
		return ledger.VerifyReport{}, err
	}
	err := db.snapshot(ctx, func(q querier) error {
		v.q = q
		for _, c := range []struct {
			name string
			run  func() error
		}{
			{checkSchemaIs, v.schema}, {checkIntegrity, v.counts}, {checkJournal, v.journal},
			{checkChain, v.chain}, {checkJournal, v.intents}, {checkJournal, v.grants}, {checkStates, v.successors},
		} {
			if err := v.check(c.name, c.run); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return ledger.VerifyReport{}, mapError(err)
	}
	v.more()
	return v.report, nil
}

// verifier is one verification under way.
type verifier struct {
	ctx    context.Context
	q      querier
	report ledger.VerifyReport
	found  map[string]int // findings by check, those beyond maxFindings too
}

func (v *verifier) wrong(check, opKey, format string, args ...any) {
	if v.found[check]++; v.found[check] > maxFindings {
		return
	}
	v.report.Findings = append(v.report.Findings, ledger.Finding{Check: check, OpKey: opKey, Detail: fmt.Sprintf(format, args...)})
}

// more tells how much was left out.
func (v *verifier) more() {
	for _, check := range []string{checkIntegrity, checkSchemaIs, checkJournal, checkChain, checkStates, checkDerived} {
		if left := v.found[check] - maxFindings; left > 0 {
			v.report.Findings = append(v.report.Findings, ledger.Finding{Check: check, Detail: fmt.Sprintf("%d more of this kind", left)})
		}
	}
}

// check runs one check. A ledger that is damaged or altered so far that the check
// can't read it is a finding; only what hinders the reading itself is an error.
func (v *verifier) check(name string, run func() error) error {
	err := run()
	if err == nil || v.ctx.Err() != nil {
		return err
	}
	var native *driver.Error
	if errors.As(err, &native) {
		switch native.Code() & 0xff {
		case lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB, lib.SQLITE_ERROR, lib.SQLITE_MISMATCH:
		default:
			return err
		}
	}
	v.wrong(name, "", "this could not be checked to its end: %v", err)
	return nil
}

// integrity runs on a connection of its own: it reads every page, and every CHECK
// and type with it.
func (v *verifier) integrity(db *DB) error {
	conn, err := sql.Open("sqlite", dataSource(db.path, db.how, defaultBusyTimeout, true))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	rows, err := conn.QueryContext(v.ctx, fmt.Sprintf("PRAGMA integrity_check(%d)", maxFindings))
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		line, err := scanKey(rows)
		if err != nil {
			return err
		}
		if line != "ok" {
			v.wrong(checkIntegrity, "", "SQLite reports: %s", line)
		}
	}
	return rows.Err()
}

func (v *verifier) counts() error {
	for query, into := range map[string]*int64{
		`SELECT count(*) FROM intents`:   &v.report.Intents,
		`SELECT count(*) FROM decisions`: &v.report.Decisions,
		`SELECT count(*) FROM events`:    &v.report.Events,
	} {
		n, err := one(v, scanInt, query)
		if err != nil {
			return err
		}
		*into = n
	}
	return nil
}

// one reads a single row, with the driver's own error.
func one[T any](v *verifier, scan func(*sql.Rows) (T, error), query string) (value T, err error) {
	err = each(v, scan, query, func(found T) error { value = found; return nil })
	return value, err
}

// each hands row after row to f and keeps none.
func each[T any](v *verifier, scan func(*sql.Rows) (T, error), query string, f func(T) error) error {
	rows, err := v.q.QueryContext(v.ctx, query)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		row, err := scan(rows)
		if err != nil {
			return err
		}
		if err := f(row); err != nil {
			return err
		}
	}
	return rows.Err()
}

// chain recomputes every hash from the first decision on.
func (v *verifier) chain() error {
	due := int64(0)
	return each(v, scanDecision, `SELECT `+decisionColumns+`, d.rowid FROM decisions AS d ORDER BY d.rowid`, func(d ledger.Decision) error {
		if due++; d.Seq != due { // Seq is the rowid here
			v.wrong(checkChain, d.OpKey, "decision %s is number %d where number %d is due: a decision before it is gone", d.DecisionID, d.Seq, due)
			due = d.Seq
		}
		if d.PrevHash != v.report.Head {
			v.wrong(checkChain, d.OpKey, "decision %s does not continue the one before it: one of the two was altered, or one between them is gone", d.DecisionID)
		}
		if hash, err := ledger.ChainHash(d); err != nil || hash != d.Hash {
			v.wrong(checkChain, d.OpKey, "decision %s (%s by %s) is not what its hash says: it was altered, or its writer computed the hash otherwise", d.DecisionID, d.Kind, d.Operator)
		}
		v.report.Head = d.Hash
		return nil
	})
}

// journal: contiguous numbers, a clock that never runs backwards, and no row gone
// from the tables, whose rows are numbered without a gap.
func (v *verifier) journal() error {
	for _, query := range []string{
		`SELECT coalesce(op_key, ''), 'event ' || seq || ' follows event ' || coalesce(prev, 0) || ': events between them are gone'
FROM (SELECT op_key, seq, lag(seq) OVER (ORDER BY seq) AS prev FROM events) WHERE seq <> coalesce(prev, 0) + 1`,
		`SELECT coalesce(op_key, ''), 'event ' || seq || ' is earlier than the one before it'
FROM (SELECT op_key, seq, at, lag(at) OVER (ORDER BY seq) AS prev FROM events) WHERE at < prev`,
		missingRows("intents"), missingRows("attempts"), missingRows("lookups"), missingRows("decisions"), missingRows("claims"), missingRows("grants"),
	} {
		if err := v.ask(checkJournal, query); err != nil {
			return err
		}
	}
	return nil
}

// ask runs a query that returns op_key and what is wrong, a row for each finding.
func (v *verifier) ask(check, query string) error {
	return each(v, scanPair, query, func(found [2]string) error {
		v.wrong(check, found[0], "%s", found[1])
		return nil
	})
}

func scanPair(rows *sql.Rows) (pair [2]string, err error) {
	err = rows.Scan(&pair[0], &pair[1])
	return pair, err
}

func missingRows(table string) string {
	return fmt.Sprintf(`SELECT '', 'the table %[1]s has ' || n || ' rows, and its last one is number ' || last || ': rows are gone or were put in past the triggers'
FROM (SELECT count(*) AS n, coalesce(max(rowid), 0) AS last FROM %[1]s) WHERE n <> last`, table)
}
