package actions_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"triage/actions"
	"triage/actions/config"
	"triage/actions/lookup"
	"triage/actions/verdict"
	"triage/ledger"
)

func TestDeliverByHand(t *testing.T) {
	b := newBench(t)
	b.uncertain("k")
	done, err := b.desk.Deliver(t.Context(), actions.DeliverRequest{
		Request: b.request("k"), Receipt: "  rcpt-9\n", Evidence: "screenshot in INC-7",
	})
	if err != nil {
		t.Fatal(err)
	}
	i := done.Item.Intent
	if i.State != ledger.Delivered || i.Receipt != "rcpt-9" || i.SettledBy != ledger.ByOperator || i.UpdatedBy != "olga" {
		t.Errorf("intent afterwards: %+v", i)
	}
	var facts struct {
		Intent   struct{ Version, Attempts int }
		Verdict  struct{ Kind string }
		Evidence string
		Promises map[string]any
	}
	if err := json.Unmarshal([]byte(done.Decision.Facts), &facts); err != nil {
		t.Fatal(err)
	}
	if facts.Verdict.Kind != "never_looked_up" || facts.Evidence != "screenshot in INC-7" || facts.Promises["lookup_lag"] != "30s" || facts.Intent.Attempts != 1 {
		t.Errorf("facts: %+v", facts)
	}
	b.verified()
}

func TestDeliverRefusesWhatCannotBe(t *testing.T) {
	t.Run("no receipt", func(t *testing.T) {
		b := newBench(t)
		b.uncertain("k")
		before := b.item("k")
		_, err := b.desk.Deliver(t.Context(), actions.DeliverRequest{Request: b.request("k"), Receipt: "  "})
		b.refused(err, actions.Denied, "receipt_required", before)
	})
	t.Run("a receipt that another intent of the target holds", func(t *testing.T) {
		b := newBench(t)
		b.uncertain("first")
		b.uncertain("k")
		if _, err := b.desk.Deliver(t.Context(), actions.DeliverRequest{Request: b.request("first"), Receipt: "rcpt-1"}); err != nil {
			t.Fatal(err)
		}
		before := b.item("k")
		_, err := b.desk.Deliver(t.Context(), actions.DeliverRequest{Request: b.request("k"), Receipt: "rcpt-1"})
		r := b.refused(err, actions.Denied, actions.CodeReceiptHeld, before)
		if !strings.Contains(r.What, "first") {
			t.Errorf("the holder is not named: %s", r.What)
		}
	})
	t.Run("twice", func(t *testing.T) {
		b := newBench(t)
		b.uncertain("k")
		if _, err := b.desk.Deliver(t.Context(), actions.DeliverRequest{Request: b.request("k"), Receipt: "rcpt-1"}); err != nil {
			t.Fatal(err)
		}
		before := b.item("k")
		_, err := b.desk.Deliver(t.Context(), actions.DeliverRequest{Request: b.request("k"), Receipt: "rcpt-2"})
		b.refused(err, actions.Denied, "already_final", before)
	})
	t.Run("no reason", func(t *testing.T) {
		b := newBench(t)
		b.uncertain("k")
		before, request := b.item("k"), b.request("k")
		request.Reason = " \n"
		_, err := b.desk.Deliver(t.Context(), actions.DeliverRequest{Request: request, Receipt: "rcpt-1"})
		b.refused(err, actions.Denied, actions.CodeReasonRequired, before)
	})
}

// Conflicts are notes and handovers; nothing is settled, sent anew or closed on them.
func TestConflictsAllowNothingButANote(t *testing.T) {
	for name, answer := range map[string]lookup.Answer{
		"payload_conflict": {Outcome: ledger.LookupFound, Receipt: "r", PayloadSHA256: hexOf("other")},
		"wrong_owner":      {Outcome: ledger.LookupFound, Receipt: "r", PayloadSHA256: content, Owner: "somebody"},
		"ambiguous":        {Outcome: ledger.LookupAmbiguous},
		"withdrawn":        {Outcome: ledger.LookupFound, Receipt: "r", PayloadSHA256: content, Cause: ledger.CauseWithdrawn},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.uncertain("k")
			b.later()
			b.answer = func(i ledger.Intent) lookup.Answer {
				answer.Evidence.Key = &i.OpKey
				return answer
			}
			if got := b.lookup("k").Item.Verdict.Kind; string(got) != name {
				t.Fatalf("verdict %s", got)
			}
			before := b.item("k")
			phrase := actions.Phrase(before.Target)
			_, err := b.desk.Deliver(t.Context(), actions.DeliverRequest{Request: b.request("k"), Receipt: "r"})
			b.refused(err, actions.Denied, actions.CodeVerdictForbids, before)
			before = b.item("k")
			_, err = b.desk.Reissue(t.Context(), actions.ReissueRequest{Request: b.request("k"), AcceptDuplicate: phrase})
			b.refused(err, actions.Denied, actions.CodeVerdictForbids, before)
			before = b.item("k")
			_, err = b.desk.Close(t.Context(), b.request("k"))
			b.refused(err, actions.Denied, actions.CodeVerdictForbids, before)
			if _, err := b.desk.Note(t.Context(), b.request("k")); err != nil {
				t.Errorf("a note: %v", err)
			}
			b.verified()
		})
	}
}

func TestReissueIsFreeWhereAbsenceIsProven(t *testing.T) {
	b := newBench(t)
	b.provenAbsent("report-7")
	done, err := b.desk.Reissue(t.Context(), actions.ReissueRequest{Request: b.request("report-7")})
	if err != nil {
		t.Fatal(err)
	}
	old, fresh := b.item("report-7").Intent, b.item(done.NewKey).Intent
	if done.NewKey == "report-7" || !strings.HasPrefix(done.NewKey, "report-7~") {
		t.Errorf("the new key %q can't be told from the old one", done.NewKey)
	}
	if old.State != ledger.Unknown || old.SupersededBy != done.NewKey {
		t.Errorf("the old intent: %+v", old)
	}
	want := old
	want.OpKey, want.Supersedes, want.SupersededBy, want.State = fresh.OpKey, "report-7", "", ledger.Pending
	got := []string{fresh.Task, fresh.Stage, fresh.Principal, fresh.Target, fresh.PayloadSHA256, fresh.GrantID, fresh.Supersedes}
	if !slices.Equal(got, []string{want.Task, want.Stage, want.Principal, want.Target, want.PayloadSHA256, want.GrantID, want.Supersedes}) {
		t.Errorf("the successor was not copied: %v", got)
	}
	if !fresh.DeadlineAt.IsNone() || fresh.State != ledger.Pending {
		t.Errorf("deadline %d, state %s", fresh.DeadlineAt, fresh.State)
	}
	before := b.item("report-7")
	_, err = b.desk.Reissue(t.Context(), actions.ReissueRequest{Request: b.request("report-7")})
	r := b.refused(err, actions.Denied, "already_superseded", before)
	if !strings.Contains(r.What, "olga") || !strings.Contains(r.What, done.NewKey) {
		t.Errorf("who won is not told: %s", r.What)
	}
	b.verified()
}

func TestReissueOfAReissueKeepsTheKeyShort(t *testing.T) {
	b := newBench(t)
	long := strings.Repeat("k", 255)
	b.provenAbsent(long)
	done, err := b.desk.Reissue(t.Context(), actions.ReissueRequest{Request: b.request(long)})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(done.NewKey); n != 255 {
		t.Errorf("new key has %d characters", n)
	}
}

func TestReissueWantsThePhraseWhereNothingIsProven(t *testing.T) {
	b := newBench(t, config.Target{Name: "mute"})
	for name, prepare := range map[string]func(key string){
		"never_looked_up":      func(key string) { b.uncertain(key) },
		"lookup_failed":        func(key string) { b.uncertain(key); b.says(ledger.LookupFailed); b.lookup(key) },
		"absence_inconclusive": func(key string) { b.uncertain(key); b.says(ledger.LookupNotFound); b.lookup(key) },
	} {
		t.Run(name, func(t *testing.T) {
			prepare(name)
			before := b.item(name)
			if string(before.Verdict.Kind) != name {
				t.Fatalf("verdict %s", before.Verdict.Kind)
			}
			for _, phrase := range []string{"", "yes", "i accept that the customer gets the report twice"} {
				_, err := b.desk.Reissue(t.Context(), actions.ReissueRequest{Request: b.request(name), AcceptDuplicate: phrase})
				r := b.refused(err, actions.Denied, actions.CodeConsentRequired, b.itemBeforeDenied(name))
				if r.Wants != "I accept that the customer gets the report twice" {
					t.Errorf("wants %q", r.Wants)
				}
			}
			done, err := b.desk.Reissue(t.Context(), actions.ReissueRequest{Request: b.request(name), AcceptDuplicate: actions.Phrase(before.Target)})
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(done.Decision.Facts, "accepted_duplicate") {
				t.Errorf("the consent is not on record: %s", done.Decision.Facts)
			}
		})
	}
	b.verified()
}

// itemBeforeDenied is the item without its newest denied row, so that refused can
// count it.
func (b *workbench) itemBeforeDenied(key string) actions.Item {
	item := b.item(key)
	item.Decisions = item.Decisions[:len(item.Decisions)-1]
	return item
}

func TestReissueRechecksTheGrantLive(t *testing.T) {
	for name, spoil := range map[string]func(b *workbench){
		"revoked": func(b *workbench) {
			b.sql(`UPDATE grants SET revoked_at = ?`, int64(ledger.WallClock()))
		},
		"expired": func(b *workbench) {
			b.sql(`UPDATE grants SET expires_at = ?`, int64(ledger.WallClock()))
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.provenAbsent("k")
			request := b.request("k") // the operator saw a valid grant
			spoil(b)
			before := b.item("k")
			_, err := b.desk.Reissue(t.Context(), actions.ReissueRequest{Request: request, AcceptDuplicate: actions.Phrase(before.Target)})
			r := b.refused(err, actions.Denied, "not_authorised", before)
			if !strings.Contains(r.What, name) {
				t.Errorf("what was found is not told: %s", r.What)
			}
			b.verified()
		})
	}
}

func TestReissueWithoutAGrantIsDenied(t *testing.T) {
	b := newBench(t)
	if _, err := b.db.Begin(t.Context(), ledger.NewIntent{OpKey: "k", Task: "t", Principal: "p", Target: "inbox", PayloadSHA256: content}); err != nil {
		t.Fatal(err)
	}
	a := b.attempt("k")
	if _, err := b.db.Finish(t.Context(), a.AttemptID, ledger.Result{Outcome: ledger.OutcomeUnknown}); err != nil {
		t.Fatal(err)
	}
	before := b.item("k")
	_, err := b.desk.Reissue(t.Context(), actions.ReissueRequest{Request: b.request("k"), AcceptDuplicate: actions.Phrase(before.Target)})
	b.refused(err, actions.Denied, "not_authorised", before)
}

// A wish to cancel forbids whatever would send again; what is proven can be settled.
func TestAWishToCancelForbidsToSendAgain(t *testing.T) {
	b := newBench(t)
	b.provenAbsent("k")
	b.sql(`UPDATE intents SET cancel_requested_at = ? WHERE op_key = 'k'`, int64(ledger.WallClock()))
	before := b.item("k")
	_, err := b.desk.Reissue(t.Context(), actions.ReissueRequest{Request: b.request("k")})
	b.refused(err, actions.Denied, "not_authorised", before)
	before = b.item("k")
	_, err = b.desk.Retry(t.Context(), b.request("k"))
	b.refused(err, actions.Denied, "not_authorised", before)
	done, err := b.desk.Close(t.Context(), b.request("k"))
	if err != nil || done.Item.Intent.State != ledger.Failed {
		t.Errorf("proven absent and not wanted any more, it is %s: %v", done.Item.Intent.State, err)
	}
	b.verified()
}

func TestCloseOnlyWhereItIsProven(t *testing.T) {
	t.Run("absent", func(t *testing.T) {
		b := newBench(t)
		b.provenAbsent("k")
		done, err := b.desk.Close(t.Context(), b.request("k"))
		if err != nil {
			t.Fatal(err)
		}
		if i := done.Item.Intent; i.State != ledger.Failed || i.SettledBy != ledger.ByOperator {
			t.Errorf("%+v", i)
		}
		b.verified()
	})
	t.Run("refused for good", func(t *testing.T) {
		b := newBench(t)
		b.uncertain("k")
		b.later()
		b.says(ledger.LookupRefused)
		b.lookup("k")
		if _, err := b.desk.Close(t.Context(), b.request("k")); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("never sent", func(t *testing.T) {
		b := newBench(t)
		b.begin("k")
		if _, err := b.desk.Close(t.Context(), b.request("k")); err != nil {
			t.Fatal(err)
		}
		if _, err := b.db.StartAttempt(t.Context(), ledger.Attempt{OpKey: "k"}); ledger.CodeOf(err) != ledger.AlreadyFinal {
			t.Errorf("an attempt after the close: %v", err)
		}
		b.verified()
	})
	t.Run("not looked up", func(t *testing.T) {
		b := newBench(t)
		b.uncertain("k")
		before := b.item("k")
		_, err := b.desk.Close(t.Context(), b.request("k"))
		b.refused(err, actions.Denied, actions.CodeVerdictForbids, before)
	})
	t.Run("a failed lookup is no absence", func(t *testing.T) {
		b := newBench(t)
		b.uncertain("k")
		b.later()
		b.says(ledger.LookupFailed)
		b.lookup("k")
		before := b.item("k")
		_, err := b.desk.Close(t.Context(), b.request("k"))
		b.refused(err, actions.Denied, actions.CodeVerdictForbids, before)
	})
}

func TestAbandon(t *testing.T) {
	b := newBench(t)
	b.begin("k")
	a := b.attempt("k")
	done, err := b.desk.Abandon(t.Context(), actions.AbandonRequest{Request: b.request("k"), SenderKilled: true})
	if err != nil {
		t.Fatal(err)
	}
	if done.Item.Intent.State != ledger.Unknown || done.Item.Intent.Derived.InFlight != "" {
		t.Errorf("%+v", done.Item.Intent)
	}
	facts, ok := verdict.ReadAbandon(done.Decision)
	if !ok || facts.AttemptID != a.AttemptID || !facts.SenderKilled {
		t.Errorf("facts %+v %v", facts, ok)
	}
	// A sender that comes back can still write its receipt.
	i, err := b.db.Finish(t.Context(), a.AttemptID, ledger.Result{Outcome: ledger.OutcomeDelivered, Receipt: "rcpt-1"})
	if err != nil || i.State != ledger.Delivered || i.SettledBy != ledger.BySender {
		t.Errorf("late receipt: %+v, %v", i, err)
	}
	b.verified()
}

// The statement that a sender was killed moves the end of its attempt to now (design §5,
// "End"), so that what was proven absent before has to be proven anew, and it says so.
func TestAbandonTakesAProofAway(t *testing.T) {
	for _, killed := range []bool{true, false} {
		b := newBench(t)
		b.begin("k")
		b.attempt("k")
		b.later()
		b.says(ledger.LookupNotFound)
		b.lookup("k")
		if kind := b.item("k").Verdict.Kind; kind != verdict.Absent {
			t.Fatalf("it is %s before", kind)
		}
		done, err := b.desk.Abandon(t.Context(), actions.AbandonRequest{Request: b.request("k"), SenderKilled: killed})
		if err != nil {
			t.Fatal(err)
		}
		want := map[bool]verdict.Kind{true: verdict.AbsenceInconclusive, false: verdict.Absent}[killed]
		if got := done.Item.Verdict.Kind; got != want || strings.Contains(done.Text, "has to be proven anew") != killed {
			t.Errorf("killed %v: it is %s, want %s; told: %s", killed, got, want, done.Text)
		}
	}
}

func TestAbandonWithNothingInFlight(t *testing.T) {
	b := newBench(t)
	b.uncertain("k")
	before := b.item("k")
	_, err := b.desk.Abandon(t.Context(), actions.AbandonRequest{Request: b.request("k")})
	b.refused(err, actions.Denied, actions.CodeNothingToDo, before)
}

func TestWhatMovedMeanwhileIsTold(t *testing.T) {
	b := newBench(t)
	b.uncertain("k")
	request := b.request("k")
	other := *b.desk
	other.Operator = actions.Identity{Name: "pavel"}
	if _, err := other.Deliver(t.Context(), actions.DeliverRequest{Request: b.request("k"), Receipt: "rcpt-1"}); err != nil {
		t.Fatal(err)
	}
	before := b.item("k")
	_, err := b.desk.Close(t.Context(), request)
	r := b.refused(err, actions.Changed, actions.CodeChanged, before)
	if !strings.Contains(r.What, "pavel") {
		t.Errorf("by whom is not told: %s", r.What)
	}
	t.Run("the verdict alone", func(t *testing.T) {
		b := newBench(t)
		b.uncertain("k")
		request := b.request("k")
		b.says(ledger.LookupFailed)
		b.lookup("k")
		before := b.item("k")
		_, err := b.desk.Deliver(t.Context(), actions.DeliverRequest{Request: request, Receipt: "r"})
		b.refused(err, actions.Changed, actions.CodeChanged, before)
	})
	t.Run("the hash", func(t *testing.T) {
		b := newBench(t)
		b.uncertain("k")
		request := b.request("k")
		request.Seen.PayloadSHA256 = hexOf("other")
		before := b.item("k")
		_, err := b.desk.Deliver(t.Context(), actions.DeliverRequest{Request: request, Receipt: "r"})
		b.refused(err, actions.Changed, actions.CodeChanged, before)
	})
}

func TestAnItemThatSomeoneElseHoldsIsRefused(t *testing.T) {
	b := newBench(t)
	b.uncertain("k")
	b.sql(`INSERT INTO claims (op_key, operator, claimed_at, expires_at) VALUES ('k', 'pavel', ?, ?)`,
		int64(ledger.WallClock()), int64(ledger.WallClock().Add(time.Hour)))
	before := b.item("k")
	_, err := b.desk.Deliver(t.Context(), actions.DeliverRequest{Request: b.request("k"), Receipt: "r"})
	r := b.refused(err, actions.Changed, actions.CodeClaimed, before)
	if !strings.Contains(r.What, "pavel") {
		t.Errorf("who holds it is not told: %s", r.What)
	}
	if _, err := b.desk.Note(t.Context(), b.request("k")); err != nil {
		t.Errorf("a note on a claimed item: %v", err)
	}
}

func TestAReviewerChangesNothing(t *testing.T) {
	b := newBench(t)
	b.uncertain("k")
	b.desk.ReadOnly = true
	b.says(ledger.LookupFailed)
	before := b.item("k")
	_, err1 := b.desk.Note(t.Context(), b.request("k"))
	_, err2 := b.desk.Lookup(t.Context(), "k")
	for _, err := range []error{err1, err2} {
		if err == nil || !strings.HasPrefix(err.Error(), actions.CodeReadOnly) {
			t.Errorf("got %v", err)
		}
	}
	if after := b.item("k"); len(after.Decisions) != 0 || len(after.Lookups) != 0 || after.Intent != before.Intent {
		t.Errorf("a reviewer left traces: %+v", after)
	}
}

func TestAnUnknownKeyIsAFailureAndLeavesNothing(t *testing.T) {
	b := newBench(t)
	_, err := b.desk.Note(t.Context(), actions.Request{OpKey: "nobody", Reason: "x"})
	if err == nil || !strings.HasPrefix(err.Error(), "unknown_intent") {
		t.Errorf("got %v", err)
	}
}
