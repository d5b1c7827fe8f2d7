package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"

	"triage/ledger"
)

// What a screen asks for, at 10,000 and at 1,000,000 intents with 2,000 of them open
// in both. It is to cost the same:
//
//	go test ./ledger/sqlite -run '^$' -bench Screen
func BenchmarkScreen(b *testing.B) {
	const open = 2000
	for _, size := range []int{10_000, 1_000_000} {
		b.Run(fmt.Sprintf("intents=%d", size), func(b *testing.B) {
			ctx := context.Background()
			path := bulk(b, size, open)
			db, err := Open(ctx, path, Options{})
			must(b, err)
			defer func() { _ = db.Close() }()
			now := ledger.WallClock()
			counts, err := db.Counts(ctx, ledger.StuckRule{}, now)
			must(b, err)
			if counts.Open() != open {
				b.Fatalf("got %+v, want %d open", counts, open)
			}
			page, err := db.Queue(ctx, ledger.QueueQuery{Now: now})
			must(b, err)
			last := page[len(page)-1].Cursor
			for _, c := range []struct {
				name string
				ask  func() error
			}{
				{"page", func() error { _, err := db.Queue(ctx, ledger.QueueQuery{Now: now}); return err }},
				{"next page", func() error { _, err := db.Queue(ctx, ledger.QueueQuery{Now: now, After: &last}); return err }},
				{"counts", func() error { _, err := db.Counts(ctx, ledger.StuckRule{}, now); return err }},
				{"history", func() error { _, err := db.History(ctx, page[7].Intent.OpKey, now); return err }},
				{"journal", func() error { _, err := db.Journal(ctx, int64(size), 100); return err }},
				{"changed", func() error { _, err := db.Changed(ctx); return err }},
			} {
				b.Run(c.name, func(b *testing.B) {
					for b.Loop() {
						must(b, c.ask())
					}
				})
			}
		})
	}
}

// BenchmarkVerify reads everything; its memory must not grow with the ledger.
func BenchmarkVerify(b *testing.B) {
	for _, size := range []int{1_000, 10_000} {
		b.Run(fmt.Sprintf("intents=%d", size), func(b *testing.B) {
			ctx := context.Background()
			path := newLedger(b)
			fill(b, path, size)
			db, err := Open(ctx, path, Options{})
			must(b, err)
			defer func() { _ = db.Close() }()
			b.ReportAllocs()
			for b.Loop() {
				report, err := db.Verify(ctx)
				must(b, err)
				if len(report.Findings) > 0 {
					b.Fatal(report.Findings)
				}
			}
		})
	}
}

// BenchmarkDelivery is a whole delivery, each of its three commits durable.
func BenchmarkDelivery(b *testing.B) {
	ctx := context.Background()
	db, err := Open(ctx, newLedger(b), Options{})
	must(b, err)
	defer func() { _ = db.Close() }()
	n := 0
	for b.Loop() {
		n++
		_, err := db.Begin(ctx, newIntent(fmt.Sprint("k-", n)))
		must(b, err)
		a, err := db.StartAttempt(ctx, ledger.Attempt{OpKey: fmt.Sprint("k-", n)})
		must(b, err)
		_, err = db.Finish(ctx, a.AttemptID, ledger.Result{Outcome: ledger.OutcomeDelivered, Receipt: fmt.Sprint("r-", n)})
		must(b, err)
	}
}

// bulk makes a ledger of n intents, open of them UNKNOWN and spread evenly. It
// writes the rows as triggers would leave them, but without triggers: a benchmark
// only reads.
func bulk(b *testing.B, n, open int) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "ledger.db")
	_, err := Init(context.Background(), path)
	must(b, err)
	db, err := sql.Open("sqlite", dataSource(path, access{mode: "rw"}, defaultBusyTimeout, false))
	must(b, err)
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(1)
	triggers, err := collect(context.Background(), db, scanKey, `SELECT name FROM sqlite_schema WHERE type = 'trigger'`)
	must(b, err)
	for _, name := range triggers {
		_, err := db.Exec("DROP TRIGGER " + name)
		must(b, err)
	}
	for _, q := range []string{
		`INSERT INTO intents (op_key, task, principal, target, payload_sha256, state, receipt, settled_by, created_at, updated_at, version,
  attempt_count, last_attempt_at, last_attempt_seq, last_outcome, queue)
WITH RECURSIVE c (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < :n)
SELECT printf('k-%08d', i * 7919 % 100000007), 'report', 'agent-1', 'inbox-' || (i % 7), printf('%064x', i),
  iif(i % (:n / :open) = 0, 'UNKNOWN', 'DELIVERED'), iif(i % (:n / :open) = 0, NULL, 'r-' || i), iif(i % (:n / :open) = 0, NULL, 'sender'),
  1796000000000 + i, 1796000000000 + i, 4, 1, 1796000000000 + i, 2 * i,
  iif(i % (:n / :open) = 0, 'unknown', 'delivered'), iif(i % (:n / :open) = 0, 1, NULL) FROM c`,
		`INSERT INTO attempts (attempt_id, op_key, n, started_at, finished_at, outcome, receipt, seq)
SELECT 'a-' || rowid, op_key, 1, created_at, created_at + 50, last_outcome, receipt, last_attempt_seq FROM intents`,
		`INSERT INTO events (seq, at, op_key, kind, actor, detail)
SELECT 2 * rowid - 1, created_at, op_key, 'begun', 'agent-1', '{"version":[null,1]}' FROM intents
UNION ALL SELECT 2 * rowid, created_at, op_key, 'attempt_started', 'agent-1', '{"version":[1,2]}' FROM intents`,
	} {
		_, err := db.Exec(q, sql.Named("n", n), sql.Named("open", open))
		must(b, err)
	}
	return path
}
