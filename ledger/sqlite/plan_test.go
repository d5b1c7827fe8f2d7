package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"triage/ledger"
)

// Every query on a screen's path costs what it returns, not what the ledger holds:
// no scan of a table, no temporary sort; with and without ANALYZE.
func TestPlansOfAScreensPath(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path := newLedger(t)
	fill(t, path, someIntents())
	db, err := Open(ctx, path, Options{})
	must(t, err)
	defer func() { _ = db.Close() }()
	queries := screenQueries(t)
	for _, analyzed := range []bool{false, true} {
		if analyzed {
			_, err := db.write.conn.ExecContext(ctx, "ANALYZE")
			must(t, err)
		}
		for name, q := range queries {
			for _, wrong := range costly(plan(t, db.write.conn, q)) {
				t.Errorf("%s (analyzed: %v): %s", name, analyzed, wrong)
			}
		}
	}
}

// The check above finds what it is for: without the queue's index every page and
// the counts walk the table.
func TestPlansShowAMissingIndex(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path := newLedger(t)
	db, err := Open(ctx, path, Options{})
	must(t, err)
	defer func() { _ = db.Close() }()
	_, err = db.write.conn.ExecContext(ctx, "DROP INDEX intents_queue")
	must(t, err)
	for name, q := range screenQueries(t) {
		if found := costly(plan(t, db.write.conn, q)); strings.HasPrefix(name, "queue ") && len(found) == 0 {
			t.Errorf("%s: nothing was found", name)
		}
	}
}

type planned struct {
	query string
	args  []any
}

// screenQueries are the queries behind a screen: the queue and its counts, one
// intent, the journal, what an act asks for, and what a sender asks for.
func screenQueries(t *testing.T) map[string]planned {
	t.Helper()
	all := map[string]planned{}
	for filter := range queueFilters {
		for _, stuck := range []ledger.StuckRule{{}, {PerTarget: map[string]time.Duration{"inbox": 1}}} {
			query, err := queueSQL(filter)
			must(t, err)
			args, err := queueArgs(ledger.QueueQuery{Filter: filter, Now: 1, Stuck: stuck})
			must(t, err)
			all["queue "+string(filter)] = planned{query, args}
			counts, err := stuckArgs(stuck, 1)
			must(t, err)
			all["queue counts"] = planned{queryCounts, counts}
		}
	}
	for name, q := range map[string]ledger.LeftQuery{
		"left, set aside": {SetAside: true}, "left, decided": {Target: "inbox-3", Since: 1},
		"left, next page": {SetAside: true, After: &ledger.LeftCursor{Target: "inbox-3", LastAttemptAt: 1, OpKey: "k"}},
	} {
		query, args := leftQuery(q)
		all[name] = planned{query, args}
	}
	all["retry at"] = planned{queryRetryAt, retryAtArgs("inbox-3", 1)}
	for _, s := range searches {
		all["search "+s.query] = planned{s.query, []any{"a", "b", 1}}
	}
	found, err := stuckArgs(ledger.StuckRule{}, 1)
	must(t, err)
	all["found"] = planned{queryFound, append(found, sql.Named("key", "k"))}
	for name, query := range map[string]string{
		"looked up since": queryLookedUpSince,
		"told up to":      queryToldUpTo, "next event": queryNextEvent, "event count": queryEventCount, "attempts up to": queryAttemptsUpTo,
		"lookups up to": queryLookupsUpTo, "decisions up to": queryDecisionsUpTo, "grant next": queryGrantNext,
		"contradicted before": queryContradictedBefore, "same content": querySameContent, "last intent": queryLastIntent, "begun": queryBegun,
		"twins then": queryTwinsAt, "receipt holder then": queryReceiptHolderAt,
		"event before": queryEventBefore, "changes": queryChanges, "notable": queryNotable,
		// What the triggers ask when evidence comes in: writers wait for it.
		"attempt disagrees": `SELECT 1 FROM attempt_disagreements WHERE attempt_id = json_extract(?1, '$.attempt_id[1]')`,
		"lookup disagrees":  `SELECT 1 FROM lookup_disagreements WHERE lookup_id = json_extract(?1, '$.lookup_id[1]')`,
		"standing retry":    `SELECT 1 FROM standing_retry WHERE op_key = ?1 AND valid_until >= ?2`,
		"standing close":    `SELECT 1 FROM standing_close WHERE op_key = ?1`,
		"held back":         queryHeldBackBy,
		"standing":          queryStanding,
		"borne out":         `SELECT 1 FROM settlement_evidence WHERE op_key = ?1 AND state = ?2 AND settled_by = ?3`,
		"intent":            queryIntent, "attempts": queryAttempts, "lookups": queryLookups, "decisions": queryDecisions,
		"claim": queryClaim, "grant": queryGrant, "events": queryEvents, "twins": queryTwins, "receipt holder": queryReceiptHolder,
		"journal": queryJournal, "last seq": queryLastSeq, "sendable": querySendable, "one attempt": queryAttempt, "one lookup": queryLookup,
		"head": queryHead, "settle": settleIntent, "change state": stateIntent, "finish attempt": finishAttempt, "finish lookup": finishLookup,
	} {
		var args []any
		for range positional(query) {
			args = append(args, 1)
		}
		all[name] = planned{query, args}
	}
	return all
}

// positional counts the arguments of a query that numbers them or not.
func positional(query string) int {
	numbered := map[string]bool{}
	plain := 0
	for _, m := range regexp.MustCompile(`\?\d*`).FindAllString(query, -1) {
		if m == "?" {
			plain++
		} else {
			numbered[m] = true
		}
	}
	return plain + len(numbered)
}

func plan(t *testing.T, conn *sql.Conn, q planned) []string {
	t.Helper()
	rows, err := conn.QueryContext(context.Background(), "EXPLAIN QUERY PLAN "+q.query, q.args...)
	must(t, err)
	defer func() { _ = rows.Close() }()
	var lines []string
	for rows.Next() {
		var id, parent, unused int
		var line string
		must(t, rows.Scan(&id, &parent, &unused, &line))
		lines = append(lines, line)
	}
	must(t, rows.Err())
	if len(lines) == 0 {
		t.Fatalf("no plan for %s", q.query)
	}
	return lines
}

// harmlessScan: the queue's own index is as small as the queue, before is one lineage
// and few a bounded number of rows; the rest is one row or what the caller handed in.
var harmlessScan = regexp.MustCompile(`^SCAN (before$|few$|i USING (COVERING )?INDEX intents_queue|CONSTANT ROW|clock|json_each VIRTUAL TABLE|journal_tail|chain_head|settlement_evidence$|\(subquery)`)

func costly(lines []string) (found []string) {
	for _, line := range lines {
		if strings.Contains(line, "TEMP B-TREE") || strings.Contains(line, "AUTOMATIC") ||
			strings.HasPrefix(line, "SCAN ") && !harmlessScan.MatchString(line) {
			found = append(found, line)
		}
	}
	return found
}

// someIntents is as many as a plan needs to show its worst.
func someIntents() int {
	if testing.Short() {
		return 300
	}
	return 1500
}

// fill writes n intents in all states through the triggers, as agents would.
func fill(t testing.TB, path string, n int) {
	t.Helper()
	db, err := sql.Open("sqlite", dataSource(path, access{mode: "rw"}, defaultBusyTimeout, false))
	must(t, err)
	defer func() { _ = db.Close() }()
	tx, err := db.Begin()
	must(t, err)
	now := int64(ledger.WallClock())
	for _, q := range []string{
		`INSERT INTO intents (op_key, task, principal, target, payload_sha256, created_at, updated_at, updated_by)
WITH RECURSIVE c (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < :n)
SELECT printf('k-%07d', i), 'report', 'agent-1', 'inbox-' || (i % 7), printf('%064x', i), :now - 1000 * (:n - i), :now, 's' FROM c`,
		`INSERT INTO attempts (attempt_id, op_key, n, started_at) SELECT 'a-' || op_key, op_key, 1, created_at FROM intents WHERE rowid % 20 > 0`,
		`UPDATE attempts SET finished_at = started_at + 50, outcome = CASE WHEN rowid % 10 = 3 THEN 'unknown' ELSE 'delivered' END,
  receipt = CASE WHEN rowid % 10 = 3 THEN NULL ELSE 'r-' || attempt_id END WHERE rowid % 20 <> 7`,
		`UPDATE intents SET state = 'DELIVERED', receipt = 'r-' || in_flight_was FROM (SELECT op_key AS k, attempt_id AS in_flight_was FROM attempts WHERE outcome = 'delivered') WHERE op_key = k`,
		`UPDATE intents SET state = 'UNKNOWN' WHERE last_outcome = 'unknown'`,
		`INSERT INTO lookups (lookup_id, op_key, started_at, finished_at, actor, connector, outcome) SELECT 'l-' || op_key, op_key, :now, :now, 'ann', 'http', 'not_found' FROM intents WHERE state = 'UNKNOWN'`,
		`INSERT INTO claims (op_key, operator, claimed_at, expires_at) SELECT op_key, 'ann', :now, :now + 60000 FROM intents WHERE state = 'UNKNOWN' AND rowid % 4 = 0`,
	} {
		_, err := tx.Exec(q, sql.Named("n", n), sql.Named("now", now))
		if err != nil {
			t.Fatalf("%v: %s", err, q)
		}
	}
	must(t, tx.Commit())
	var unsettled int
	must(t, db.QueryRow(`SELECT count(*) FROM intents WHERE queue IS NOT NULL`).Scan(&unsettled))
	if unsettled == 0 || unsettled > n/2 {
		t.Fatal(fmt.Sprint("the scene is not as meant: ", unsettled, " in the queue"))
	}
}

// What triggers do doesn't show in a plan: count the steps of SQLite's machine
// instead. A write takes as many in a ledger of 1500 intents as in one of 60.
func TestWritesCostTheSameAtAnySize(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is missing")
	}
	steps := map[int]map[string]int{}
	few, many := 60, someIntents()
	for _, size := range []int{few, many} {
		path := newLedger(t)
		fill(t, path, size)
		out, err := exec.Command(python, "testdata/steps.py", path).Output()
		must(t, err)
		var counted map[string]int
		must(t, json.Unmarshal(out, &counted))
		steps[size] = counted
	}
	if len(steps[few]) < 10 {
		t.Fatalf("counted %v", steps)
	}
	for write, small := range steps[few] {
		if large := steps[many][write]; small == 0 || large > small*11/10 {
			t.Errorf("%s takes %d steps among %d intents and %d among %d", write, small, few, large, many)
		}
	}
	t.Log(steps)
}
