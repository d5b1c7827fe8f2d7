package actions_test

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"triage/actions"
	"triage/actions/config"
	"triage/actions/lookup"
	"triage/actions/verdict"
	"triage/ledger"
	"triage/ledger/sqlite"
)

// workbench is a real ledger with one operator's desk at it, a receiver whose
// answers a test scripts, and a clock that a test moves.
type workbench struct {
	t      *testing.T
	path   string
	db     *sqlite.DB
	desk   *actions.Desk
	answer func(ledger.Intent) lookup.Answer
	ahead  time.Duration // how far the operator's clock has been moved on
}

var content = hexOf("the approved bytes")

func hexOf(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

func duration(d time.Duration) *time.Duration { return &d }

// inbox is a receiver that promises all there is to promise.
func inbox() config.Target {
	return config.Target{
		Name: "inbox", Environment: "test", DuplicateMeans: "the customer gets the report twice",
		Lookup: &config.Lookup{HTTP: &config.HTTP{}, Timeout: time.Second},
		Promises: verdict.Promises{
			AttemptTimeout: duration(30 * time.Second), SettlesWithin: duration(2 * time.Minute), LookupLag: duration(30 * time.Second),
			KeyRetention: duration(24 * time.Hour), AbsenceIsProof: true, FoundIsFinal: true, RefusalIsFinal: true,
			SameKey: verdict.ReturnsOriginal,
		},
	}
}

func newBench(t *testing.T, targets ...config.Target) *workbench {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ledger.db")
	if _, err := sqlite.Init(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	b := &workbench{t: t, path: path, db: db}
	b.desk = deskAt(db, targets...)
	b.desk.Clock = b.clock
	b.desk.Connect = func(config.Target) (lookup.Connector, error) { return b, nil }
	return b
}

func deskAt(l ledger.Operator, targets ...config.Target) *actions.Desk {
	c := &config.Config{Targets: map[string]config.Target{}}
	for _, target := range append([]config.Target{inbox()}, targets...) {
		c.Targets[target.Name] = target
	}
	return &actions.Desk{Ledger: l, Config: c, Operator: actions.Identity{Name: "olga", UID: 1001}, Clock: ledger.WallClock}
}

func (b *workbench) clock() ledger.Millis { return ledger.WallClock().Add(b.ahead) }

// Kind and Look make the workbench its own connector.
func (b *workbench) Kind() string { return "http" }

func (b *workbench) Look(_ context.Context, i ledger.Intent) lookup.Answer { return b.answer(i) }

func (b *workbench) found(receipt, hash string) {
	b.answer = func(i ledger.Intent) lookup.Answer {
		return lookup.Answer{
			Outcome: ledger.LookupFound, Receipt: receipt, PayloadSHA256: hash,
			Evidence: ledger.Evidence{Key: &i.OpKey, Status: 200},
		}
	}
}

func (b *workbench) says(outcome ledger.LookupOutcome) {
	b.answer = func(ledger.Intent) lookup.Answer { return lookup.Answer{Outcome: outcome} }
}

// sql changes the ledger as any program could.
func (b *workbench) sql(query string, args ...any) {
	b.t.Helper()
	db, err := sql.Open("sqlite", "file:"+b.path+"?_pragma=busy_timeout(5000)")
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(b.t.Context(), query, args...); err != nil {
		b.t.Fatal(err)
	}
}

func (b *workbench) grant(id string) {
	b.t.Helper()
	b.sql(`INSERT INTO grants (grant_id, principal, target, payload_sha256, granted_by, granted_at) VALUES (?, 'agent-1', 'inbox', ?, 'boss', ?)`,
		id, content, int64(ledger.WallClock().Add(-time.Hour)))
}

// begin persists an intent under the grant g-<key>.
func (b *workbench) begin(key string) ledger.Intent {
	b.t.Helper()
	b.grant("g-" + key)
	i, err := b.db.Begin(b.t.Context(), ledger.NewIntent{
		OpKey: key, Task: "weekly report", Stage: "send", Principal: "agent-1", Target: "inbox",
		PayloadSHA256: content, GrantID: "g-" + key, UpdatedBy: "sender",
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return i
}

func (b *workbench) attempt(key string) ledger.Attempt {
	b.t.Helper()
	a, err := b.db.StartAttempt(b.t.Context(), ledger.Attempt{OpKey: key})
	if err != nil {
		b.t.Fatal(err)
	}
	return a
}

// uncertain leaves an UNKNOWN intent: sent once, the answer lost.
func (b *workbench) uncertain(key string) {
	b.t.Helper()
	b.begin(key)
	a := b.attempt(key)
	if _, err := b.db.Finish(b.t.Context(), a.AttemptID, ledger.Result{Outcome: ledger.OutcomeUnknown, Cause: "timeout"}); err != nil {
		b.t.Fatal(err)
	}
}

// later moves the operator's clock past everything that could still land.
func (b *workbench) later() { b.ahead = 10 * time.Minute }

// provenAbsent leaves an UNKNOWN intent that a timely lookup did not find.
func (b *workbench) provenAbsent(key string) {
	b.t.Helper()
	b.uncertain(key)
	b.later()
	b.says(ledger.LookupNotFound)
	b.lookup(key)
	if k := b.item(key).Verdict.Kind; k != verdict.Absent {
		b.t.Fatalf("verdict is %s, want absent: %v", k, b.item(key).Verdict.Because)
	}
}

// marked leaves an intent that was marked delivered by hand.
func (b *workbench) marked(key, receipt string) {
	b.t.Helper()
	if _, err := b.desk.Deliver(b.t.Context(), actions.DeliverRequest{Request: b.request(key), Receipt: receipt}); err != nil {
		b.t.Fatal(err)
	}
}

// disputed takes a receipt back; "" is the one that the intent holds.
func (b *workbench) disputed(key, receipt string) {
	b.t.Helper()
	if _, err := b.desk.Dispute(b.t.Context(), actions.DisputeRequest{Request: b.request(key), Receipt: receipt}); err != nil {
		b.t.Fatal(err)
	}
}

func (b *workbench) lookup(key string) actions.Done {
	b.t.Helper()
	done, err := b.desk.Lookup(b.t.Context(), key)
	if err != nil {
		b.t.Fatal(err)
	}
	return done
}

func (b *workbench) item(key string) actions.Item {
	b.t.Helper()
	item, err := b.desk.Item(b.t.Context(), key)
	if err != nil {
		b.t.Fatal(err)
	}
	return item
}

func (b *workbench) request(key string) actions.Request {
	b.t.Helper()
	return actions.Request{OpKey: key, Seen: b.item(key).Seen(), Reason: "because I looked"}
}

// refused checks that err is a refusal with this kind and code, that the intent is
// as it was, and that exactly one denied row was left.
func (b *workbench) refused(err error, kind actions.RefusalKind, code string, before actions.Item) *actions.Refusal {
	b.t.Helper()
	var r *actions.Refusal
	if !errors.As(err, &r) || r.Kind != kind || r.Code != code {
		b.t.Fatalf("got %v, want a refusal %s of kind %d", err, code, kind)
	}
	after := b.item(before.Intent.OpKey)
	if after.Intent != before.Intent {
		b.t.Errorf("a refused act changed the intent:\n%+v\n%+v", before.Intent, after.Intent)
	}
	if got := len(after.Decisions) - len(before.Decisions); got != 1 || after.Decisions[len(after.Decisions)-1].Kind != ledger.Denied {
		b.t.Errorf("a refused act left %d decision rows, want one denied row", got)
	}
	return r
}

// verified checks the whole ledger.
func (b *workbench) verified() {
	b.t.Helper()
	report, err := b.db.Verify(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	for _, f := range report.Findings {
		b.t.Errorf("verify: %s %s: %s", f.Check, f.OpKey, f.Detail)
	}
}
