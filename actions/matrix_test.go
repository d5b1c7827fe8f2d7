package actions_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"triage/actions"
	"triage/actions/config"
	"triage/actions/lookup/lookuptest"
	"triage/actions/verdict"
	"triage/ledger"
	"triage/ledger/sqlite"
)

// Each kind of trouble × each connector × each act, on a real ledger, with real
// connectors and receivers: no trouble unlocks a new intent, a retry or a close.

var updateDocs = flag.Bool("update-docs", false, "write docs/matrix.md anew")

const matrixDocs = "../docs/matrix.md"

// cell is what came of one trouble through one connector.
type cell struct {
	trouble, connector string
	outcome            ledger.LookupOutcome
	kind               verdict.Kind
	said               map[string]string // by act: done, or the code of the refusal
	afterProof         verdict.Kind      // where absence had been proven before
}

// matrixActs are the acts, in the table's order.
var matrixActs = []string{"reissue", "reissue with the phrase", "retry", "close", "deliver"}

func TestMatrix(t *testing.T) {
	troubles := lookuptest.Troubles()
	template := matrixLedger(t)
	var mu sync.Mutex
	var cells []cell
	t.Run("troubles", func(t *testing.T) {
		for n, trouble := range troubles {
			if testing.Short() && n%8 != 0 {
				continue
			}
			for connector, setup := range trouble.Targets {
				t.Run(trouble.Name+"/"+connector, func(t *testing.T) {
					t.Parallel()
					c := cell{trouble: trouble.Name, connector: connector, said: map[string]string{}}
					m := &matrix{T: t, target: setup(t), template: template, trouble: trouble}
					b := m.withoutProof(&c)
					if c.outcome == ledger.LookupAmbiguous || b.item(lookuptest.Key).HeldUntil != 0 {
						m.target = setup(t) // one that has shown nothing, and may be asked
						b = m.bench(template)
					}
					m.afterProof(b, &c)
					mu.Lock()
					defer mu.Unlock()
					cells = append(cells, c)
				})
			}
		}
	})
	if t.Failed() || testing.Short() {
		return
	}
	text := matrixText(troubles, cells)
	t.Log("\n" + text)
	if *updateDocs {
		if err := os.WriteFile(matrixDocs, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if on, err := os.ReadFile(matrixDocs); err != nil || string(on) != text {
		t.Errorf("docs/matrix.md is not what the matrix says (%v); run go test ./actions -run Matrix -update-docs", err)
	}
}

// matrix is one cell under test.
type matrix struct {
	*testing.T
	target   config.Target
	template string
	trouble  lookuptest.Trouble
}

// matrixLedger has the troubles' intent: sent an hour ago, its answer lost, under a
// grant that stands. Whatever a receiver says now is timely.
func matrixLedger(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "template.db")
	if _, err := sqlite.Init(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	hourAgo := ledger.WallClock().Add(-time.Hour)
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{Clock: func() ledger.Millis { return hourAgo }})
	if err != nil {
		t.Fatal(err)
	}
	b := &workbench{t: t, path: path, db: db}
	i := lookuptest.Intent()
	b.sql(`INSERT INTO grants (grant_id, principal, target, granted_by, granted_at) VALUES ('g', ?, ?, 'boss', ?)`,
		i.Principal, i.Target, int64(hourAgo))
	if _, err := db.Begin(t.Context(), ledger.NewIntent{
		OpKey: i.OpKey, Task: i.Task, Stage: i.Stage, Principal: i.Principal, Target: i.Target, PayloadSHA256: i.PayloadSHA256, GrantID: "g", UpdatedBy: "sender",
	}); err != nil {
		t.Fatal(err)
	}
	a, err := db.StartAttempt(t.Context(), ledger.Attempt{OpKey: i.OpKey})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Finish(t.Context(), a.AttemptID, ledger.Result{Outcome: ledger.OutcomeUnknown, Cause: "timeout"}); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// bench opens a copy of a closed ledger, with the trouble's target and its real
// connector.
func (m *matrix) bench(from string) *workbench {
	m.Helper()
	raw, err := os.ReadFile(from)
	if err != nil {
		m.Fatal(err)
	}
	path := filepath.Join(m.TempDir(), "ledger.db")
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		m.Fatal(err)
	}
	db, err := sqlite.Open(m.Context(), path, sqlite.Options{})
	if err != nil {
		m.Fatal(err)
	}
	m.Cleanup(func() { _ = db.Close() })
	b := &workbench{t: m.T, path: path, db: db}
	b.desk = deskAt(db, m.target)
	return b
}

// withoutProof: nothing is known but the trouble.
func (m *matrix) withoutProof(c *cell) *workbench {
	b := m.bench(m.template)
	done := b.lookup(lookuptest.Key)
	c.outcome, c.kind = done.Lookup.Outcome, done.Item.Verdict.Kind
	if c.outcome != m.trouble.Want {
		m.Fatalf("the answer is %s, want %s", c.outcome, m.trouble.Want)
	}
	for _, act := range []string{"reissue", "retry", "close"} { // no trouble ever opens one of these
		c.said[act] = m.refusedBy(b, act)
	}
	for _, act := range []string{"reissue with the phrase", "deliver"} {
		c.said[act] = m.undone(b, act)
	}

	v := done.Item.Verdict
	nothingKnown := v.Kind == verdict.LookupFailed || v.Kind == verdict.AbsenceInconclusive
	if opened := c.said["reissue with the phrase"] == "done"; opened != nothingKnown || opened != v.AllowsAtRisk(verdict.ActReissue) {
		m.Errorf("on %s the phrase opens a new intent: %v", v.Kind, opened)
	}
	if opened := c.said["deliver"] == "done"; opened != nothingKnown { // by hand: a person's word, and no proof
		m.Errorf("on %s it is marked delivered by hand: %v", v.Kind, opened)
	}
	return b
}

// afterProof: absence is proven before the trouble. The trouble takes nothing away
// and adds nothing; only an answer that shows something does.
func (m *matrix) afterProof(b *workbench, c *cell) {
	seen := true
	l := ledger.Lookup{
		OpKey: lookuptest.Key, Actor: "olga", Connector: m.target.Lookup.Connector(), Environment: m.target.Environment, CanarySeen: &seen,
	}
	l, err := b.db.StartLookup(m.Context(), l)
	if err != nil {
		m.Fatal(err)
	}
	l.Outcome, l.FinishedAt, l.CanarySeen = ledger.LookupNotFound, l.StartedAt, &seen
	if err := b.db.Act(m.Context(), func(tx ledger.Tx) error { return tx.FinishLookup(l) }); err != nil {
		m.Fatal(err)
	}
	before := b.item(lookuptest.Key).Verdict
	done := b.lookup(lookuptest.Key)
	after := done.Item.Verdict
	c.afterProof = after.Kind
	if before.Kind != verdict.Absent {
		m.Fatalf("the proof before the trouble is none: %s, %v", before.Kind, before.Because)
	}
	if m.trouble.Want == ledger.LookupAmbiguous { // it shows two records: no absence is believed beside that
		if after.Kind != verdict.Ambiguous || after.Allows(verdict.ActReissue) || after.Allows(verdict.ActRetry) || after.Allows(verdict.ActClose) {
			m.Errorf("after %s: %s, safe %v", c.trouble, after.Kind, after.Safe)
		}
		return
	}
	if done.Lookup.ReadEvidence().Heard { // the receiver spoke of it, though nothing it said can be used
		if after.Kind != verdict.LookupFailed || after.Allows(verdict.ActReissue) || after.Allows(verdict.ActRetry) || after.Allows(verdict.ActClose) {
			m.Errorf("after %s, of which the receiver spoke: %s, safe %v", c.trouble, after.Kind, after.Safe)
		}
		return
	}
	if after.Kind != before.Kind || after.Evidence != before.Evidence || !reflect.DeepEqual(after.Safe, before.Safe) || !reflect.DeepEqual(after.ByHand, before.ByHand) || !reflect.DeepEqual(after.AtRisk, before.AtRisk) {
		m.Errorf("the proof was %s by %s, safe %v; after the trouble %s by %s, safe %v", before.Kind, before.Evidence, before.Safe, after.Kind, after.Evidence, after.Safe)
	}
}

// undone tries an act that may go through, in a transaction that is rolled back in the
// end, so that the next one finds the ledger as it was.
func (m *matrix) undone(b *workbench, act string) string {
	m.Helper()
	before := b.item(lookuptest.Key)
	b.desk.Ledger = undoing{b.db}
	said := m.try(b, act)
	b.desk.Ledger = b.db
	if after := b.item(lookuptest.Key); after.Intent != before.Intent || len(after.Decisions) != len(before.Decisions) {
		m.Errorf("%s was not undone: %+v", act, after.Intent)
	}
	return said
}

// undoing is a ledger whose acts are done and then rolled back.
type undoing struct{ *sqlite.DB }

var errUndone = errors.New("undone")

func (u undoing) Act(ctx context.Context, f func(ledger.Tx) error) error {
	err := u.DB.Act(ctx, func(tx ledger.Tx) error {
		if err := f(tx); err != nil {
			return err
		}
		return errUndone
	})
	if errors.Is(err, errUndone) {
		return nil
	}
	return err
}

// refusedBy tries an act that must be refused, and checks that it was.
func (m *matrix) refusedBy(b *workbench, act string) string {
	m.Helper()
	before := b.item(lookuptest.Key)
	said := m.try(b, act)
	after := b.item(lookuptest.Key)
	if said == "done" || after.Intent != before.Intent {
		m.Errorf("%s: %s; %+v", act, said, after.Intent)
	}
	return said
}

// try does an act and says what came of it. Whatever that is, the evidence stays what
// it was.
func (m *matrix) try(b *workbench, act string) string {
	m.Helper()
	before := b.item(lookuptest.Key)
	err := m.act(b, act)
	after := b.item(lookuptest.Key)
	if !reflect.DeepEqual(after.Attempts, before.Attempts) || !reflect.DeepEqual(after.Lookups, before.Lookups) {
		m.Errorf("%s changed the evidence", act)
	}
	var r *actions.Refusal
	switch {
	case err == nil:
		return "done"
	case errors.As(err, &r):
		return r.Code
	}
	m.Errorf("%s: %v", act, err)
	return "error"
}

func (m *matrix) act(b *workbench, act string) error {
	m.Helper()
	var err error
	request := b.request(lookuptest.Key)
	switch act {
	case "reissue":
		_, err = b.desk.Reissue(m.Context(), actions.ReissueRequest{Request: request})
	case "reissue with the phrase":
		_, err = b.desk.Reissue(m.Context(), actions.ReissueRequest{Request: request, AcceptDuplicate: actions.Phrase(m.target)})
	case "retry":
		_, err = b.desk.Retry(m.Context(), request)
	case "close":
		_, err = b.desk.Close(m.Context(), request)
	case "deliver":
		_, err = b.desk.Deliver(m.Context(), actions.DeliverRequest{Request: request, Receipt: lookuptest.Receipt})
	}
	return err
}

// The same acts where a healthy receiver says not found: the matrix can fail.
func TestMatrixWithoutTrouble(t *testing.T) {
	template := matrixLedger(t)
	for connector, setup := range lookuptest.Healthy()[ledger.LookupNotFound] {
		t.Run(connector, func(t *testing.T) {
			t.Parallel()
			m := &matrix{T: t, target: setup(t), template: template}
			b := m.bench(template)
			if v := b.lookup(lookuptest.Key).Item.Verdict; v.Kind != verdict.Absent {
				t.Fatalf("%s: %v", v.Kind, v.Because)
			}
			for _, act := range matrixActs {
				if said := m.undone(b, act); said != "done" {
					t.Errorf("%s: %s", act, said)
				}
			}
		})
	}
}

// matrixText is docs/matrix.md.
func matrixText(troubles []lookuptest.Trouble, cells []cell) string {
	var t strings.Builder
	t.WriteString(matrixIntro)
	order := map[string]int{}
	for n, trouble := range troubles {
		order[trouble.Name] = n
	}
	slices.SortFunc(cells, func(a, b cell) int {
		if a.trouble != b.trouble {
			return order[a.trouble] - order[b.trouble]
		}
		return strings.Compare(a.connector, b.connector)
	})
	t.WriteString("| trouble | connector | answer | verdict | " + strings.Join(matrixActs, " | ") + " | after a proven absence |\n")
	t.WriteString("|" + strings.Repeat(" --- |", 5+len(matrixActs)) + "\n")
	for _, c := range cells {
		fmt.Fprintf(&t, "| %s | %s | %s | `%s` |", c.trouble, c.connector, c.outcome, c.kind)
		for _, act := range matrixActs {
			fmt.Fprintf(&t, " %s |", c.said[act])
		}
		fmt.Fprintf(&t, " `%s` |\n", c.afterProof)
	}
	counts := map[string]bool{}
	for _, c := range cells {
		counts[c.trouble] = true
	}
	fmt.Fprintf(&t, "\n%d kinds of trouble, %d rows.\n", len(slices.Collect(maps.Keys(counts))), len(cells))
	return t.String()
}

const matrixIntro = `# Troubles and acts

Made by ` + "`go test ./actions -run Matrix -update-docs`" + `; do not edit. The same test, without the flag, checks that it
still holds; with ` + "`-v`" + ` it prints the table.

Each kind of trouble that a receiver can make, through each connector that can get into it, with a real receiver, a
real connector and a real ledger: an intent that was sent an hour ago and whose answer was lost, under a grant that
stands, at a receiver that promises everything. Without the trouble, every act in this table would go through.

No trouble opens a new intent (` + "`reissue`" + `), a ` + "`retry`" + ` or a ` + "`close`" + `. Two columns need reading:

- **reissue with the phrase** goes through where the verdict is ` + "`lookup_failed`" + ` or ` + "`absence_inconclusive`" + `: nothing is
  known either way, and the operator types what a duplicate would mean. It is the same with no lookup at all; the
  trouble neither opens nor proves anything. Where something was shown (` + "`ambiguous`" + `), the phrase opens nothing.
- **deliver** is a person's word, backed by a receipt from outside. It is open wherever the evidence is not against it,
  and no lookup is required first.

Neither the act nor its refusal changes a row of evidence. The last column is the verdict where an absence had been
proven before the trouble: it takes nothing away and adds nothing. Only an answer that shows something does: two
records are contrary evidence, whatever was missed before.

`
