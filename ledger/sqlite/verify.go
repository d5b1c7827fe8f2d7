package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"triage/ledger"
)

// maxFindings bounds how much one check reports; a ledger that is that wrong needs
// no longer list.
const maxFindings = 100

// Names of the checks in a finding.
const (
	checkIntegrity = "integrity"
	checkObjects   = "schema"
	checkJournal   = "journal"
	checkChain     = "chain"
	checkStates    = "states"
	checkDerived   = "derived"
)

// Verify checks the whole ledger: the file itself, the schema, the journal and its
// replay against the tables, the decision chain, states without their decision, and
// the derived columns. It reads everything, in one read transaction and in little
// memory; it writes nothing.
//
// What it can't see: rows cut off at the end of the chain together with their
// events, by someone who can write the file (docs/ledger.md).
func (db *DB) Verify(ctx context.Context) (ledger.VerifyReport, error) {
	var v verifier
	if err := v.integrity(ctx, db); err != nil {
		return ledger.VerifyReport{}, err
	}
	err := db.snapshot(ctx, func(q querier) error {
		v.ctx, v.q = ctx, q
		for _, check := range []func() error{
			v.counts, v.schema, v.journal, v.replay, v.rowsAndEvents, v.chain, v.states, v.derived,
		} {
			if err := check(); err != nil {
				return err
			}
		}
		return nil
	})
	return v.report, mapError(err)
}

// verifier is one verification under way.
type verifier struct {
	ctx    context.Context
	q      querier
	report ledger.VerifyReport
	found  map[string]int
}

func (v *verifier) wrong(check, opKey, format string, args ...any) {
	if v.found == nil {
		v.found = map[string]int{}
	}
	if v.found[check]++; v.found[check] > maxFindings {
		return
	}
	v.report.Findings = append(v.report.Findings, ledger.Finding{Check: check, OpKey: opKey, Detail: fmt.Sprintf(format, args...)})
}

// integrity runs on a connection of its own: it reads every page.
func (v *verifier) integrity(ctx context.Context, db *DB) error {
	conn, err := sql.Open("sqlite", dataSource(db.path, db.how, defaultBusyTimeout, true))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	lines, err := collect(ctx, conn, scanKey, fmt.Sprintf("PRAGMA integrity_check(%d)", maxFindings))
	if err != nil {
		return err
	}
	for _, line := range lines {
		if line != "ok" {
			v.wrong(checkIntegrity, "", "SQLite reports: %s", line)
		}
	}
	return nil
}

func (v *verifier) counts() error {
	for query, into := range map[string]*int64{
		`SELECT count(*) FROM intents`:   &v.report.Intents,
		`SELECT count(*) FROM decisions`: &v.report.Decisions,
		`SELECT count(*) FROM events`:    &v.report.Events,
	} {
		n, err := first(collect(v.ctx, v.q, scanInt, query))
		if err != nil {
			return err
		}
		*into = *n
	}
	return nil
}

// schema compares every table, index, trigger and view with those that this
// program would make.
func (v *verifier) schema() error {
	reference, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return err
	}
	defer func() { _ = reference.Close() }()
	reference.SetMaxOpenConns(1)
	conn, err := reference.Conn(v.ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	for version := 1; version <= SchemaVersion; version++ {
		if err := apply(v.ctx, conn, version); err != nil {
			return err
		}
	}
	want, err := objects(v.ctx, conn)
	if err != nil {
		return err
	}
	have, err := objects(v.ctx, v.q)
	if err != nil {
		return err
	}
	for name, text := range want {
		switch got, ok := have[name]; {
		case !ok:
			v.wrong(checkObjects, "", "%s is missing: its rule no longer holds", name)
		case got != text:
			v.wrong(checkObjects, "", "%s was altered: its rule may no longer hold", name)
		}
	}
	for name := range have {
		if _, ok := want[name]; !ok {
			v.wrong(checkObjects, "", "%s does not belong to a ledger", name)
		}
	}
	return nil
}

// objects maps "type name" to the text that made it. What ANALYZE keeps is left out.
func objects(ctx context.Context, q querier) (map[string]string, error) {
	scan := func(rows *sql.Rows) (pair [2]string, err error) {
		err = rows.Scan(&pair[0], &pair[1])
		return pair, err
	}
	pairs, err := collect(ctx, q, scan, `SELECT type || ' ' || name, coalesce(sql, '') FROM sqlite_schema WHERE name NOT LIKE 'sqlite\_stat%' ESCAPE '\'`)
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for _, p := range pairs {
		all[p[0]] = p[1]
	}
	return all, nil
}

// chain recomputes every hash from the first decision on.
func (v *verifier) chain() error {
	rows, err := v.q.QueryContext(v.ctx, `SELECT `+decisionColumns+`, d.rowid FROM decisions AS d ORDER BY d.rowid`)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	head := ledger.Genesis
	for n := int64(1); rows.Next(); n++ {
		d, err := scanDecision(rows) // its Seq is the rowid here
		if err != nil {
			return err
		}
		if d.Seq != n {
			v.wrong(checkChain, d.OpKey, "decision %s is row %d where row %d is due: a decision before it is gone", d.DecisionID, d.Seq, n)
			n = d.Seq
		}
		if d.PrevHash != head {
			v.wrong(checkChain, d.OpKey, "decision %s does not continue the one before it", d.DecisionID)
		}
		hash, err := ledger.ChainHash(d)
		if err != nil || hash != d.Hash {
			v.wrong(checkChain, d.OpKey, "decision %s (%s by %s) is not what its hash says: it was altered, or its writer computed the hash otherwise", d.DecisionID, d.Kind, d.Operator)
		}
		head = d.Hash
	}
	v.report.Head = head
	return rows.Err()
}
