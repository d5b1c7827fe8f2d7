package recipes_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"testing"
	"time"

	"triage/actions"
	"triage/actions/verdict"
	"triage/ledger"
	"triage/ledger/sqlite"
)

// report is what is delivered, and its hash.
var report = []byte("the weekly report\n")

func hashOf(b []byte) string { sum := sha256.Sum256(b); return hex.EncodeToString(sum[:]) }

// bench is a ledger in which a sender writes what it does, and an operator's desk at it
// with one recipe as the configuration.
type bench struct {
	t      *testing.T
	path   string
	target string
	desk   *actions.Desk
}

// newBench reads the recipe with these variables in place of its addresses and secrets.
func newBench(t *testing.T, recipe string, variables map[string]string) *bench {
	t.Helper()
	c, target := load(t, recipe, func(name string) (string, bool) { v, ok := variables[name]; return v, ok })
	if off := target.LookupOff(); off != "" {
		t.Fatal(off)
	}
	path := filepath.Join(t.TempDir(), "ledger.db")
	if _, err := sqlite.Init(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	return &bench{t: t, path: path, target: target.Name, desk: &actions.Desk{
		Ledger: openLedger(t, path, ledger.WallClock), Config: c, Operator: actions.Identity{Name: "on-call"}, Clock: ledger.WallClock,
	}}
}

func openLedger(t *testing.T, path string, clock ledger.Clock) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// deliver sends the report under a key as a sender has to (docs/agents.md): the intent
// and the attempt are in the ledger before the call. The answer must get lost; the
// sender then writes UNKNOWN. ago sets the sender's clock back, for what was sent then.
func (b *bench) deliver(key string, ago time.Duration, send func(ctx context.Context, key string) error) {
	b.t.Helper()
	db := openLedger(b.t, b.path, func() ledger.Millis { return ledger.WallClock().Add(-ago) })
	_, err := db.Begin(b.t.Context(), ledger.NewIntent{
		OpKey: key, Task: "weekly report", Principal: "agent-1", Target: b.target, PayloadSHA256: hashOf(report), UpdatedBy: "agent-1",
	})
	if err != nil {
		b.t.Fatal(err)
	}
	a, err := db.StartAttempt(b.t.Context(), ledger.Attempt{OpKey: key})
	if err != nil {
		b.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(b.t.Context(), 10*time.Second)
	defer cancel()
	lost := send(ctx, key)
	if lost == nil {
		b.t.Fatalf("the sender of %s got its answer; it was to be lost", key)
	}
	i, err := db.Finish(b.t.Context(), a.AttemptID, ledger.Result{Outcome: ledger.OutcomeUnknown, Cause: "connection_closed", Error: lost.Error()})
	if err != nil || i.State != ledger.Unknown {
		b.t.Fatalf("%s is %s, want UNKNOWN: %v", key, i.State, err)
	}
}

// lookUp asks the receiver, as an operator does.
func (b *bench) lookUp(key string) actions.Done {
	b.t.Helper()
	done, err := b.desk.Lookup(b.t.Context(), key)
	if err != nil {
		b.t.Fatal(err)
	}
	return done
}

// settled: the lookup proved the delivery, and the receipt is the receiver's.
func (b *bench) settled(key, receipt string) {
	b.t.Helper()
	done := b.lookUp(key)
	i := done.Item.Intent
	if i.State != ledger.Delivered || i.SettledBy != ledger.ByLookup || i.Receipt != receipt {
		b.t.Fatalf("%s is %s by %q with receipt %q, want DELIVERED by lookup with %q.\n%s\n%v\n%s",
			key, i.State, i.SettledBy, i.Receipt, receipt, done.Text, done.Item.Verdict.Because, done.Lookup.Evidence)
	}
}

// missing: the receiver does not know it, and that proves this much.
func (b *bench) missing(key string, want verdict.Kind) {
	b.t.Helper()
	done := b.lookUp(key)
	if done.Lookup.Outcome != ledger.LookupNotFound || done.Item.Verdict.Kind != want || done.Item.Intent.State != ledger.Unknown {
		b.t.Fatalf("%s was %s, the verdict %s, the state %s; want not_found, %s, UNKNOWN.\n%v\n%s",
			key, done.Lookup.Outcome, done.Item.Verdict.Kind, done.Item.Intent.State, want, done.Item.Verdict.Because, done.Lookup.Evidence)
	}
}
