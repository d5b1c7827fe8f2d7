package lookup

import (
	"context"
	"strings"
	"testing"

	"triage/actions/lookup/lookuptest"
	"triage/ledger"
)

// Every connector passes the one suite of hostile receivers: no trouble ever shows a
// delivery, or its absence.
func TestTroublesAreNeverBelieved(t *testing.T) {
	for _, trouble := range lookuptest.Troubles() {
		for connector, setup := range trouble.Targets {
			t.Run(trouble.Name+"/"+connector, func(t *testing.T) {
				t.Parallel()
				target := setup(t)
				c, err := For(target)
				if err != nil {
					t.Fatal(err)
				}
				a := c.Look(context.Background(), lookuptest.Intent())
				if a.Outcome != trouble.Want {
					t.Fatalf("%s (%s: %s), want %s\n%+v", a.Outcome, a.Cause, a.Evidence.Error, trouble.Want, a)
				}
				if causes := trouble.Causes[connector]; causes != "" && !strings.Contains("|"+causes+"|", "|"+a.Cause+"|") {
					t.Errorf("cause %s (%s), want %s\n%+v", a.Cause, a.Evidence.Error, causes, a)
				}
				checkTrouble(t, trouble, a)
			})
		}
	}
}

// checkTrouble: what tells nothing shows nothing, and says so.
func checkTrouble(t *testing.T, trouble lookuptest.Trouble, a Answer) {
	if trouble.Want == ledger.LookupNotFound {
		unseen := a.CanarySeen != nil && !*a.CanarySeen
		if !unseen && !a.Evidence.Replayed && a.Evidence.AsOf.IsNone() {
			t.Errorf("nothing keeps this answer from being believed: %+v", a)
		}
		return
	}
	if a.Receipt != "" || a.PayloadSHA256 != "" || a.Owner != "" || a.Evidence.Error == "" {
		t.Errorf("an answer that tells nothing says %+v", a)
	}
	if kept := a.Evidence.Error + a.Evidence.Excerpt; strings.Contains(kept, "4711+") || strings.Contains(kept, theToken) || strings.Contains(kept, "pass-word-4711") {
		t.Errorf("a secret is kept: %s", kept)
	}
}

// The same receivers without trouble are believed: the suite can fail.
func TestReceiversWithoutTroublesAreBelieved(t *testing.T) {
	for outcome, setups := range lookuptest.Healthy() {
		for connector, setup := range setups {
			t.Run(string(outcome)+"/"+connector, func(t *testing.T) {
				t.Parallel()
				c, err := For(setup(t))
				if err != nil {
					t.Fatal(err)
				}
				if c.Kind() != connector {
					t.Errorf("the connector calls itself %s", c.Kind())
				}
				a := c.Look(context.Background(), lookuptest.Intent())
				if a.Outcome != outcome || a.Cause != "" {
					t.Fatalf("%s (%s: %s), want %s\n%+v", a.Outcome, a.Cause, a.Evidence.Error, outcome, a)
				}
				if outcome == ledger.LookupFound && (a.Receipt != lookuptest.Receipt || a.PayloadSHA256 != lookuptest.Hash ||
					a.Owner != lookuptest.Owner || a.Evidence.Key == nil || *a.Evidence.Key != lookuptest.Key) {
					t.Errorf("%+v", a)
				}
			})
		}
	}
}
