package actions_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"triage/actions"
	"triage/actions/config"
	"triage/actions/lookup"
	"triage/actions/verdict"
	"triage/ledger"
)

func TestLookupSettlesOnlyWhatIsProven(t *testing.T) {
	for name, c := range map[string]struct {
		answer lookup.Answer
		noKey  bool
		state  ledger.State
		kind   verdict.Kind
	}{
		"found under the key with the same hash": {
			lookup.Answer{Outcome: ledger.LookupFound, Receipt: "rcpt-1", PayloadSHA256: content}, false, ledger.Delivered, verdict.Delivered,
		},
		"found with another hash": {
			lookup.Answer{Outcome: ledger.LookupFound, Receipt: "rcpt-1", PayloadSHA256: hexOf("other")}, false, ledger.Unknown, verdict.PayloadConflict,
		},
		"found without a hash": {
			lookup.Answer{Outcome: ledger.LookupFound, Receipt: "rcpt-1"}, false, ledger.Unknown, verdict.FoundUnverified,
		},
		"found without the key echoed": {
			lookup.Answer{Outcome: ledger.LookupFound, Receipt: "rcpt-1", PayloadSHA256: content}, true, ledger.Unknown, verdict.FoundUnverified,
		},
		"found without a receipt": {
			lookup.Answer{Outcome: ledger.LookupFound, PayloadSHA256: content}, false, ledger.Unknown, verdict.FoundUnverified,
		},
		"found, of another owner": {
			lookup.Answer{Outcome: ledger.LookupFound, Receipt: "rcpt-1", PayloadSHA256: content, Owner: "agent-2"}, false, ledger.Unknown, verdict.WrongOwner,
		},
		"found and withdrawn since": {
			lookup.Answer{Outcome: ledger.LookupFound, Receipt: "rcpt-1", PayloadSHA256: content, Cause: ledger.CauseWithdrawn}, false, ledger.Unknown, verdict.Withdrawn,
		},
		"not found, too early": {
			lookup.Answer{Outcome: ledger.LookupNotFound}, false, ledger.Unknown, verdict.AbsenceInconclusive,
		},
		"an error": {
			lookup.Answer{Outcome: ledger.LookupFailed, Cause: "timeout"}, false, ledger.Unknown, verdict.LookupFailed,
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.uncertain("k")
			b.answer = func(i ledger.Intent) lookup.Answer {
				a := c.answer
				if a.Outcome == ledger.LookupFound && !c.noKey {
					a.Evidence.Key = &i.OpKey
				}
				return a
			}
			done := b.lookup("k")
			if done.Item.Intent.State != c.state || done.Item.Verdict.Kind != c.kind {
				t.Errorf("state %s, verdict %s; want %s, %s", done.Item.Intent.State, done.Item.Verdict.Kind, c.state, c.kind)
			}
			if c.state == ledger.Delivered && (done.Item.Intent.Receipt != "rcpt-1" || done.Item.Intent.SettledBy != ledger.ByLookup) {
				t.Errorf("receipt %q settled by %q", done.Item.Intent.Receipt, done.Item.Intent.SettledBy)
			}
			if got := done.Lookup.ReadEvidence().Proves; got != string(c.kind) {
				t.Errorf("evidence says it proves %q, want %q", got, c.kind)
			}
			b.verified()
		})
	}
}

func TestLookupTurnsAStuckPendingDelivered(t *testing.T) {
	b := newBench(t)
	b.begin("k")
	b.attempt("k") // its sender died
	b.found("rcpt-1", content)
	if done := b.lookup("k"); done.Item.Intent.State != ledger.Delivered {
		t.Errorf("state %s, want DELIVERED", done.Item.Intent.State)
	}
	b.verified()
}

func TestLookupIsFinishedAlthoughWhoeverAskedHasGone(t *testing.T) {
	b := newBench(t)
	b.uncertain("k")
	ctx, cancel := context.WithCancel(t.Context())
	b.answer = func(i ledger.Intent) lookup.Answer {
		cancel() // the screen closes while the receiver thinks
		return lookup.Answer{Outcome: ledger.LookupFound, Receipt: "rcpt-1", PayloadSHA256: content, Evidence: ledger.Evidence{Key: &i.OpKey}}
	}
	if _, err := b.desk.Lookup(ctx, "k"); err != nil {
		t.Fatal(err)
	}
	item := b.item("k")
	if !item.Lookups[0].Finished() || item.Intent.State != ledger.Delivered {
		t.Errorf("lookup %+v, state %s", item.Lookups[0], item.Intent.State)
	}
}

func TestLookupRowStandsBeforeTheCall(t *testing.T) {
	b := newBench(t)
	b.uncertain("k")
	b.answer = func(ledger.Intent) lookup.Answer {
		rows := b.item("k").Lookups
		if len(rows) != 1 || rows[0].Finished() || rows[0].Actor != "olga" || rows[0].Environment != "test" {
			t.Errorf("while the receiver is asked the ledger has %+v", rows)
		}
		return lookup.Answer{Outcome: ledger.LookupFailed}
	}
	b.lookup("k")
}

func TestLookupDoesNotRaiseTheVersion(t *testing.T) {
	b := newBench(t)
	b.uncertain("k")
	before := b.item("k").Intent.Version
	b.says(ledger.LookupNotFound)
	if after := b.lookup("k").Item.Intent.Version; after != before {
		t.Errorf("version went from %d to %d", before, after)
	}
}

func TestLookupWithoutAWayToAskSaysSo(t *testing.T) {
	missing := inbox()
	missing.Name = "half"
	missing.Lookup.Missing = []config.MissingVariable{{Name: "INBOX_TOKEN", Line: 7}}
	b := newBench(t, config.Target{Name: "mute"}, missing)
	for target, code := range map[string]string{"mute": actions.CodeNoLookup, "half": actions.CodeLookupOff} {
		if _, err := b.db.Begin(t.Context(), ledger.NewIntent{OpKey: target, Task: "t", Principal: "p", Target: target, PayloadSHA256: content}); err != nil {
			t.Fatal(err)
		}
		_, err := b.desk.Lookup(t.Context(), target)
		var r *actions.Refusal
		if !errors.As(err, &r) || r.Code != code || r.Kind != actions.Unusable {
			t.Errorf("%s: %v, want %s", target, err, code)
		}
		if target == "half" && !strings.Contains(r.What, "INBOX_TOKEN") {
			t.Errorf("the missing variable is not named: %s", r.What)
		}
		if n := len(b.item(target).Lookups); n != 0 {
			t.Errorf("%s: %d lookup rows for a lookup that could not be made", target, n)
		}
	}
}

func TestAServiceWithoutReceiptsIsSettledWithTheKey(t *testing.T) {
	plain := inbox()
	plain.Promises.Receipt = verdict.KeyAsReceipt
	b := newBench(t, plain)
	b.uncertain("k")
	b.found("", content)
	done := b.lookup("k")
	if done.Item.Intent.State != ledger.Delivered || done.Item.Intent.Receipt != "k" {
		t.Errorf("state %s, receipt %q", done.Item.Intent.State, done.Item.Intent.Receipt)
	}
}

func TestAReceiptThatAnotherIntentHoldsSettlesNothing(t *testing.T) {
	b := newBench(t)
	b.uncertain("first")
	b.uncertain("second")
	b.found("rcpt-1", content)
	b.lookup("first")
	done := b.lookup("second")
	if done.Item.Intent.State != ledger.Unknown || done.Item.Verdict.Kind != verdict.Ambiguous {
		t.Errorf("state %s, verdict %s; want UNKNOWN, ambiguous", done.Item.Intent.State, done.Item.Verdict.Kind)
	}
}

func TestFoundAfterItWasClosedContradicts(t *testing.T) {
	b := newBench(t)
	b.provenAbsent("k")
	if _, err := b.desk.Close(t.Context(), b.request("k")); err != nil {
		t.Fatal(err)
	}
	b.found("rcpt-late", content)
	item := b.lookup("k").Item
	if !item.Intent.Contradicted() || item.Intent.State != ledger.Failed {
		t.Errorf("contradicted %v, state %s", item.Intent.Contradicted(), item.Intent.State)
	}
	b.verified()
}

func TestFoundAfterItWasReplacedIsDeliveredAndContradicted(t *testing.T) {
	b := newBench(t)
	b.provenAbsent("k")
	if _, err := b.desk.Reissue(t.Context(), actions.ReissueRequest{Request: b.request("k")}); err != nil {
		t.Fatal(err)
	}
	b.found("rcpt-late", content)
	item := b.lookup("k").Item
	if !item.Intent.Contradicted() || item.Intent.State != ledger.Delivered {
		t.Errorf("contradicted %v, state %s", item.Intent.Contradicted(), item.Intent.State)
	}
	b.verified()
}

func TestMarkedByHandAndThenProvenAbsentOpensANewIntent(t *testing.T) {
	b := newBench(t)
	b.uncertain("k")
	if _, err := b.desk.Deliver(t.Context(), actions.DeliverRequest{Request: b.request("k"), Receipt: "rcpt-wrong"}); err != nil {
		t.Fatal(err)
	}
	b.later()
	b.says(ledger.LookupNotFound)
	item := b.lookup("k").Item
	if !item.Intent.Contradicted() {
		t.Fatalf("not contradicted: verdict %s, %v", item.Verdict.Kind, item.Verdict.Because)
	}
	done, err := b.desk.Reissue(t.Context(), actions.ReissueRequest{Request: b.request("k")})
	if err != nil {
		t.Fatal(err)
	}
	if got := b.item(done.NewKey).Intent.Supersedes; got != "k" {
		t.Errorf("the new intent supersedes %q", got)
	}
	b.verified()
}

// A contradiction that was dealt with does not mute the next one.
func TestADuplicateAfterAnEarlierContradictionIsShown(t *testing.T) {
	b := newBench(t)
	b.uncertain("k")
	if _, err := b.desk.Deliver(t.Context(), actions.DeliverRequest{Request: b.request("k"), Receipt: "rcpt-1"}); err != nil {
		t.Fatal(err)
	}
	b.later()
	b.says(ledger.LookupNotFound)
	b.lookup("k") // proven absent: contradicted
	if _, err := b.desk.Reissue(t.Context(), actions.ReissueRequest{Request: b.request("k")}); err != nil {
		t.Fatal(err)
	}
	if b.item("k").Intent.Contradicted() {
		t.Fatal("replacing it dealt with the contradiction")
	}
	b.found("late", content)
	if !b.lookup("k").Item.Intent.Contradicted() {
		t.Error("delivered after it was replaced, and nobody is told")
	}
	b.verified()
}

func TestWhatIsShownAgainstAHandMadeOutcomeContradicts(t *testing.T) {
	for name, answer := range map[string]lookup.Answer{
		"refused":         {Outcome: ledger.LookupRefused},
		"other content":   {Outcome: ledger.LookupFound, Receipt: "rcpt-1", PayloadSHA256: hexOf("other")},
		"another receipt": {Outcome: ledger.LookupFound, Receipt: "rcpt-2", PayloadSHA256: content},
		"several":         {Outcome: ledger.LookupAmbiguous},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.uncertain("k")
			if _, err := b.desk.Deliver(t.Context(), actions.DeliverRequest{Request: b.request("k"), Receipt: "rcpt-1"}); err != nil {
				t.Fatal(err)
			}
			b.later()
			b.answer = func(i ledger.Intent) lookup.Answer {
				if answer.Outcome == ledger.LookupFound {
					answer.Evidence.Key = &i.OpKey
				}
				return answer
			}
			item := b.lookup("k").Item
			if !item.Intent.Contradicted() {
				t.Errorf("verdict %s contradicts nothing", item.Verdict.Kind)
			}
			b.verified()
		})
	}
}

func TestStillWorkedOnAfterItWasClosedContradicts(t *testing.T) {
	b := newBench(t)
	b.provenAbsent("k")
	if _, err := b.desk.Close(t.Context(), b.request("k")); err != nil {
		t.Fatal(err)
	}
	b.says(ledger.LookupInProgress)
	if !b.lookup("k").Item.Intent.Contradicted() {
		t.Error("nobody is told")
	}
}

func TestAReceiptThatAnotherAttemptBroughtBackIsTaken(t *testing.T) {
	b := newBench(t)
	b.begin("owner")
	a := b.attempt("owner")
	if _, err := b.db.FinishAttempt(t.Context(), a.AttemptID, ledger.Result{Outcome: ledger.OutcomeDelivered, Receipt: "rcpt-1"}); err != nil {
		t.Fatal(err)
	}
	b.uncertain("k")
	before := b.item("k")
	_, err := b.desk.Deliver(t.Context(), actions.DeliverRequest{Request: b.request("k"), Receipt: "rcpt-1"})
	b.refused(err, actions.Denied, actions.CodeReceiptHeld, before)
}

func TestASuccessorOfAProvenAbsenceCanBeMarkedDelivered(t *testing.T) {
	b := newBench(t)
	b.provenAbsent("k")
	done, err := b.desk.Reissue(t.Context(), actions.ReissueRequest{Request: b.request("k")})
	if err != nil {
		t.Fatal(err)
	}
	a := b.attempt(done.NewKey)
	if _, err := b.db.Finish(t.Context(), a.AttemptID, ledger.Result{Outcome: ledger.OutcomeUnknown}); err != nil {
		t.Fatal(err)
	}
	b.found("rcpt-1", "") // a receiver that tells no hash
	b.lookup(done.NewKey)
	if _, err := b.desk.Deliver(t.Context(), actions.DeliverRequest{Request: b.request(done.NewKey), Receipt: "rcpt-1"}); err != nil {
		t.Error(err)
	}
}
