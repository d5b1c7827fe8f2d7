package sqlite

import (
	"context"
	"testing"

	"triage/ledger"
	"triage/ledger/ledgertest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	ledgertest.Run(t, func(t testing.TB) ledger.Ledger {
		db, err := Open(context.Background(), newLedger(t), Options{})
		must(t, err)
		return db
	})
}

func TestConformanceOfTwoHandles(t *testing.T) {
	t.Parallel()
	ledgertest.RunTwo(t, func(t testing.TB) (ledger.Ledger, ledger.Ledger) {
		path := newLedger(t)
		a, err := Open(context.Background(), path, Options{})
		must(t, err)
		b, err := Open(context.Background(), path, Options{})
		must(t, err)
		return a, b
	})
}
