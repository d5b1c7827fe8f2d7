package doctor

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"triage/ledger"
	"triage/ledger/sqlite"
)

// What disagreed is told apart: later evidence, an operator's dispute, and what somebody
// has dealt with.
func TestWhatDisagreed(t *testing.T) {
	byLookup := ledger.Event{Kind: "contradicted", Detail: `{"lookup_id": ["l-2", "l-2"], "contradicted_at": [null, 1]}`}
	byAttempt := ledger.Event{Kind: "contradicted", Detail: `{"attempt_id": ["a-2", "a-2"], "contradicted_at": [null, 1]}`}
	dispute, acknowledge, superseded := ledger.Event{Kind: "dispute"}, ledger.Event{Kind: "acknowledge"}, ledger.Event{Kind: "superseded"}
	const open, dealtWith, word = "Later evidence disagreed with what was decided: ", "Later evidence disagreed with what was decided, and somebody acknowledged it or put another intent in its place: ", "Operators disputed receipts, which is their own word and no later evidence: weekly-42."
	for _, c := range []struct {
		name   string
		events []ledger.Event
		harm   Harm
		says   []string
		never  string
	}{
		{"a lookup", []ledger.Event{byLookup}, Duplicate, []string{open + "weekly-42 (a lookup)."}, "disputed"},
		{"an attempt", []ledger.Event{byAttempt}, Duplicate, []string{open + "weekly-42 (an attempt)."}, "disputed"},
		{"a dispute alone", []ledger.Event{dispute}, "", []string{word}, "Later evidence"},
		{"a dispute, dealt with", []ledger.Event{dispute, acknowledge}, "", []string{word}, "Later evidence"},
		{"dealt with", []ledger.Event{byLookup, acknowledge}, "", []string{dealtWith + "weekly-42 (a lookup)."}, open},
		{"replaced", []ledger.Event{byLookup, superseded}, "", []string{dealtWith + "weekly-42 (a lookup)."}, open},
		{"anew", []ledger.Event{byLookup, acknowledge, byAttempt}, Duplicate, []string{open + "weekly-42 (an attempt)."}, "acknowledged it"},
		{"after a dispute", []ledger.Event{dispute, acknowledge, byLookup}, Duplicate, []string{open + "weekly-42 (a lookup).", word}, "acknowledged it"},
		{"replaced before", []ledger.Event{superseded, byLookup}, Duplicate, []string{open + "weekly-42 (a lookup)."}, "acknowledged it"},
		{"so long ago that the line was not read", nil, Duplicate, []string{open + "weekly-42."}, "disputed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			configuration, text := configured(t, sound)
			h := healthy()
			h.Intent.ContradictedAt = start + 50_000
			h.Events = slices.Concat(h.Events, c.events)
			f := question(t, Review(Input{Config: configuration, Text: text, Sample: recorded(h)}), "inbox", 8)
			all := strings.Join(f.Because, "\n")
			if !slices.Equal(f.Harms, harmsOf(c.harm)) || strings.Contains(all, c.never) {
				t.Errorf("%v, want %v without %q\n%s", f.Harms, harmsOf(c.harm), c.never, all)
			}
			for _, says := range c.says {
				if !strings.Contains(all, says) {
					t.Errorf("nothing says %q:\n%s", says, all)
				}
			}
		})
	}
}

// The same from a ledger that writes its journal itself.
func TestWhatDisagreedInALedger(t *testing.T) {
	now, path, ctx := start, filepath.Join(t.TempDir(), "ledger.db"), t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err := sqlite.Init(ctx, path)
	must(err)
	db, err := sqlite.Open(ctx, path, sqlite.Options{Clock: func() ledger.Millis { now++; return now }})
	must(err)
	defer db.Close()
	_, err = db.Begin(ctx, ledger.NewIntent{OpKey: "weekly-42", Task: "t", Principal: "agent-1", Target: "inbox", PayloadSHA256: hash, UpdatedBy: "x"})
	must(err)
	a, err := db.StartAttempt(ctx, ledger.Attempt{OpKey: "weekly-42"})
	must(err)
	_, err = db.Finish(ctx, a.AttemptID, ledger.Result{Outcome: ledger.OutcomeDelivered, Receipt: "R-1"})
	must(err)

	configuration, text := configured(t, sound)
	says := func(when, want string, harm Harm) {
		t.Helper()
		sample, err := Gather(ctx, db, []string{"inbox"}, ledger.StuckRule{Default: time.Hour}, now)
		must(err)
		f := question(t, Review(Input{Config: configuration, Text: text, Sample: sample}), "inbox", 8)
		if all := strings.Join(f.Because, "\n"); !slices.Equal(f.Harms, harmsOf(harm)) || !strings.Contains(all, want) {
			t.Errorf("%s: %v, want %v with %q\n%s", when, f.Harms, harmsOf(harm), want, all)
		}
	}
	decide := func(kind ledger.DecisionKind, receipt string) {
		t.Helper()
		must(db.Act(ctx, func(tx ledger.Tx) error {
			_, err := tx.Decide(ledger.Decision{OpKey: "weekly-42", At: now, Operator: "ann", Kind: kind, Reason: "seen", Receipt: receipt, Facts: "{}"})
			return err
		}))
	}

	decide(ledger.Dispute, "R-1")
	says("disputed", "Operators disputed receipts, which is their own word and no later evidence: weekly-42.", "")
	l, err := db.StartLookup(ctx, ledger.Lookup{OpKey: "weekly-42", Actor: "ann", Connector: "http"})
	must(err)
	l.FinishedAt, l.Outcome, l.Receipt, l.Evidence = now, ledger.LookupFound, "R-2", "{}"
	must(db.Act(ctx, func(tx ledger.Tx) error { return tx.FinishLookup(l) }))
	says("found under another receipt", "Later evidence disagreed with what was decided: weekly-42 (a lookup).", Duplicate)
	decide(ledger.Acknowledge, "")
	says("acknowledged", "and somebody acknowledged it or put another intent in its place: weekly-42 (a lookup).", "")
}
