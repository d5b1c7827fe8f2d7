package sqlite

import (
	"context"
	"testing"

	"triage/ledger"
)

// A context that ends while a transaction is on its way decides nothing by halves:
// what was reported as done is there, and what was reported as an error is not. The
// driver reports a COMMIT that succeeded as an error where its context ended
// meanwhile, so the COMMIT must not be given one that can end.
func TestCommitIsReportedAsItHappened(t *testing.T) {
	t.Parallel()
	db, err := Open(context.Background(), newLedger(t), Options{})
	must(t, err)
	defer func() { _ = db.Close() }()

	begin := func(key string, end func(cancel context.CancelFunc)) error {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		return db.transact(ctx, func(tx *tx) error {
			in := newIntent(key)
			_, err := tx.exec(`INSERT INTO intents (op_key, task, principal, target, payload_sha256) VALUES (?, ?, ?, ?, ?)`,
				in.OpKey, in.Task, in.Principal, in.Target, in.PayloadSHA256)
			end(cancel)
			return err
		})
	}
	stands := func(key string) bool {
		_, err := db.History(context.Background(), key, ledger.WallClock())
		return err == nil
	}

	if err := begin("cancelled before COMMIT", func(cancel context.CancelFunc) { cancel() }); err != nil {
		t.Errorf("all was written when the context ended, and it was reported as %v", err)
	}
	if !stands("cancelled before COMMIT") {
		t.Error("reported as done, and it is not there")
	}
	for i := range 60 { // while COMMIT runs: somewhere in here
		key := "cancelled during COMMIT " + string(rune('A'+i))
		err := begin(key, func(cancel context.CancelFunc) { go cancel() })
		if err != nil || !stands(key) {
			t.Fatalf("%s: reported %v, and there is %v", key, err, stands(key))
		}
	}
}
