package actions_test

import (
	"strings"
	"testing"

	"triage/actions"
	"triage/actions/verdict"
	"triage/ledger"
)

// sentBack is an UNKNOWN intent whose sender came back with a receipt and then lost the
// state that follows.
func (b *workbench) sentBack(key, receipt string) {
	b.t.Helper()
	b.begin(key)
	a := b.attempt(key)
	b.sql(`UPDATE intents SET state = 'UNKNOWN' WHERE op_key = ?`, key)
	b.sql(`UPDATE attempts SET finished_at = started_at, outcome = 'delivered', receipt = ? WHERE attempt_id = ?`, receipt, a.AttemptID)
}

// A receipt that its sender wrote down is one, however it is spelt: blanks and line
// ends around it are nobody's, and what can't be seen is typed as it is shown. Else
// what was delivered could never be settled.
func TestDeliverTakesTheReceiptThatTheEvidenceNames(t *testing.T) {
	long := strings.Repeat("r", 600)
	for _, tc := range []struct{ recorded, typed, kept string }{
		{"W-1\n", "W-1", "W-1"},
		{"  W-2 ", "W-2", "W-2"},
		{"W\u200b3", `W\u200b3`, "W\u200b3"},
		{"\u200b", `\u200b`, "\u200b"},
		{"soft\u00adtoken", `soft\u00adtoken`, "soft\u00adtoken"},
		{long, long, long},
	} {
		b := newBench(t)
		b.sentBack("k", tc.recorded)
		item := b.item("k")
		if !item.Verdict.Allows(verdict.ActDeliver) {
			t.Fatalf("%q: deliver is not safe: %s %q", tc.recorded, item.Verdict.Kind, item.Verdict.Because)
		}
		done, err := b.desk.Deliver(t.Context(), actions.DeliverRequest{Request: b.request("k"), Receipt: tc.typed})
		if err != nil || done.Item.Intent.State != ledger.Delivered || done.Item.Intent.Receipt != tc.kept {
			t.Errorf("%q typed as %q: %v, %+v", tc.recorded, tc.typed, err, done.Item.Intent)
		}
		b.verified()
	}
}

// A lookup that finds the same receipt without the blanks settles it.
func TestLookupFindsTheSameReceiptWithoutBlanks(t *testing.T) {
	b := newBench(t)
	b.sentBack("k", "W-1\n")
	b.found("W-1", content)
	done := b.lookup("k")
	if i := done.Item.Intent; i.State != ledger.Delivered || i.Receipt != "W-1" || i.SettledBy != ledger.ByLookup || i.Contradicted() {
		t.Errorf("%+v: %s %q", i, done.Item.Verdict.Kind, done.Item.Verdict.Because)
	}
	b.verified()
}

// The intent's own names are the likeliest wrong paste, and prove nothing.
func TestDeliverRefusesTheIntentsOwnNames(t *testing.T) {
	for name, receipt := range map[string]string{"key": "k", "payload hash": content, "payload hash, capitals": strings.ToUpper(content)} {
		b := newBench(t)
		b.uncertain("k")
		before := b.item("k")
		_, err := b.desk.Deliver(t.Context(), actions.DeliverRequest{Request: b.request("k"), Receipt: receipt})
		if r := b.refused(err, actions.Denied, "receipt_required", before); !strings.Contains(r.What, "own "+strings.Fields(name)[0]) {
			t.Errorf("%s: it says %q", name, r.What)
		}
	}
	keyed := inbox()
	keyed.Promises.Receipt = verdict.KeyAsReceipt
	b := newBench(t, keyed)
	b.uncertain("k")
	if _, err := b.desk.Deliver(t.Context(), actions.DeliverRequest{Request: b.request("k"), Receipt: "k"}); err != nil {
		t.Errorf("where the key stands for the receipt: %v", err)
	}
}

// What a lookup found under another intent's own key is that intent's receipt.
func TestDeliverRefusesWhatALookupFoundForAnother(t *testing.T) {
	b := newBench(t)
	b.uncertain("first")
	b.uncertain("k")
	b.found("rcpt-77", "") // its key, and no hash: not proven, and nobody else's
	b.lookup("first")
	before := b.item("k")
	_, err := b.desk.Deliver(t.Context(), actions.DeliverRequest{Request: b.request("k"), Receipt: "rcpt-77"})
	if r := b.refused(err, actions.Denied, actions.CodeReceiptHeld, before); !strings.Contains(r.What, "first") {
		t.Errorf("it says %q", r.What)
	}
	b.marked("k", "rcpt-k")
	if _, err := b.desk.Deliver(t.Context(), actions.DeliverRequest{Request: b.request("first"), Receipt: "rcpt-77"}); err != nil {
		t.Errorf("the one that it belongs to: %v", err)
	}
}

// Refused, then marked by hand, then missed by a timely lookup: the miss speaks against
// the hand, and a new intent is open again (design §3, contradicted).
func TestMarkedAgainstARefusalAndThenMissed(t *testing.T) {
	b := newBench(t)
	b.uncertain("k")
	b.later()
	b.says(ledger.LookupRefused)
	b.lookup("k")
	b.marked("k", "OPS-1")
	b.says(ledger.LookupNotFound)
	done := b.lookup("k")
	if i := done.Item.Intent; !i.Contradicted() || done.Item.Verdict.Kind != verdict.Absent || !done.Item.Verdict.Allows(verdict.ActReissue) {
		t.Errorf("contradicted %v, verdict %s, safe %v", i.Contradicted(), done.Item.Verdict.Kind, done.Item.Verdict.Safe)
	}
	if _, err := b.desk.Reissue(t.Context(), actions.ReissueRequest{Request: b.request("k")}); err != nil {
		t.Error(err)
	}
	b.verified()
}
