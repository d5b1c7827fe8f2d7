package bulk_test

import (
	"context"
	"path/filepath"
	"testing"

	"triage/ledger"
	"triage/ledger/ledgertest/bulk"
	"triage/ledger/sqlite"
)

// What was filled is a ledger: its rules are in force, and an agent can go on
// writing.
func TestFill(t *testing.T) {
	ctx := context.Background()
	now := ledger.WallClock()
	db := filled(t, bulk.Size{Intents: 1003, Open: 20}, now)
	counts, err := db.Counts(ctx, ledger.StuckRule{}, now)
	if err != nil || counts.Unknown != 20 || counts.Open() != 20 {
		t.Errorf("counts are %+v, %v; want 20 unknown and nothing else", counts, err)
	}
	seq, err := db.LastSeq(ctx)
	if want := int64(2*1003 + 4*20); err != nil || seq != want {
		t.Errorf("the newest event is %d, %v; want %d", seq, err, want)
	}
	page, err := db.Queue(ctx, ledger.QueueQuery{Now: now})
	if err != nil || len(page) != 20 {
		t.Fatalf("the queue has %d rows, %v", len(page), err)
	}
	h, err := db.History(ctx, page[7].Intent.OpKey, now)
	if err != nil || len(h.Attempts) != 1 || len(h.Lookups) != 1 || len(h.Events) != 6 {
		t.Errorf("the history has %d attempts, %d lookups, %d events, %v; want 1, 1, 6", len(h.Attempts), len(h.Lookups), len(h.Events), err)
	}
	write(t, db)
}

// What is in doubt is sound down to the journal.
func TestFill_verified(t *testing.T) {
	ctx := context.Background()
	report, err := filled(t, bulk.Size{Intents: 30, Open: 30}, ledger.WallClock()).Verify(ctx)
	if err != nil || report.Intents != 30 || report.Events != 180 || len(report.Findings) > 0 {
		t.Errorf("verify says %+v, %v; want 30 intents, 180 events and no finding", report, err)
	}
}

func filled(t *testing.T, size bulk.Size, until ledger.Millis) *sqlite.DB {
	t.Helper()
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "ledger.db")
	if _, err := sqlite.Init(ctx, path); err != nil {
		t.Fatal(err)
	}
	if err := bulk.Fill(ctx, path, size, until); err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func write(t *testing.T, db *sqlite.DB) {
	t.Helper()
	ctx := context.Background()
	hash := "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	if _, err := db.Begin(ctx, ledger.NewIntent{OpKey: "k-new", Task: "t", Principal: "agent", Target: "inbox-1", PayloadSHA256: hash}); err != nil {
		t.Fatal(err)
	}
	a, err := db.StartAttempt(ctx, ledger.Attempt{OpKey: "k-new"})
	if err != nil {
		t.Fatal(err)
	}
	i, err := db.Finish(ctx, a.AttemptID, ledger.Result{Outcome: ledger.OutcomeDelivered, Receipt: "r-new"})
	if err != nil || i.State != ledger.Delivered {
		t.Errorf("the new intent is %s, %v", i.State, err)
	}
}

func TestFill_impossible(t *testing.T) {
	for _, size := range []bulk.Size{{Intents: 10}, {Intents: 3, Open: 4}} {
		if err := bulk.Fill(context.Background(), "nowhere", size, 0); err == nil {
			t.Errorf("%+v was taken", size)
		}
	}
}
