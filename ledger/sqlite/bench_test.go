package sqlite

import (
	"context"
	"fmt"
	"testing"

	"triage/ledger"
	"triage/ledger/ledgertest/bulk"
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
			path := many(b, size, open)
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

// many makes a ledger of so many intents, open of them UNKNOWN.
func many(b *testing.B, intents, open int) string {
	b.Helper()
	path := newLedger(b)
	must(b, bulk.Fill(context.Background(), path, bulk.Size{Intents: intents, Open: open}, ledger.WallClock()))
	return path
}
