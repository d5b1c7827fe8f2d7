package actions_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"triage/actions"
	"triage/actions/verdict"
	"triage/ledger"
)

// open lists the keys of the queue, in its order.
func (b *workbench) open() []string {
	b.t.Helper()
	rows, err := b.desk.Queue(b.t.Context(), ledger.FilterOpen, nil, 0)
	if err != nil {
		b.t.Fatal(err)
	}
	var keys []string
	for _, r := range rows {
		keys = append(keys, r.Intent.OpKey)
	}
	return keys
}

func TestDisputeTakesAReceiptBack(t *testing.T) {
	b := newBench(t)
	b.uncertain("other")
	b.uncertain("k")
	b.marked("k", "wrong")
	done, err := b.desk.Dispute(t.Context(), actions.DisputeRequest{Request: b.request("k")})
	if err != nil {
		t.Fatal(err)
	}
	i := done.Item.Intent
	if i.State != ledger.Delivered || i.Receipt != "wrong" || !i.Contradicted() || done.Decision.Receipt != "wrong" {
		t.Errorf("%+v, decision %+v", i, done.Decision)
	}
	if keys := b.open(); !slices.Equal(keys, []string{"k", "other"}) {
		t.Errorf("the queue is %v", keys)
	}
	b.later()
	b.says(ledger.LookupNotFound)
	if v := b.lookup("k").Item.Verdict; v.Kind != verdict.Absent || !v.Allows(verdict.ActReissue) {
		t.Errorf("disputed and then proven absent: %s, safe %v", v.Kind, v.Safe)
	}
	if _, err := b.desk.Acknowledge(t.Context(), b.request("k")); err != nil {
		t.Fatal(err)
	}
	if keys := b.open(); !slices.Equal(keys, []string{"other"}) {
		t.Errorf("the queue is %v after it was acknowledged", keys)
	}
	b.verified()
}

func TestADisputeNamesAReceiptThatStands(t *testing.T) {
	b := newBench(t)
	b.uncertain("k")
	b.found("rcpt-1", "")
	b.lookup("k")
	before := b.item("k")
	_, err := b.desk.Dispute(t.Context(), actions.DisputeRequest{Request: b.request("k"), Receipt: "rcpt-2"})
	b.refused(err, actions.Denied, actions.CodeReceiptMismatch, before)
	before = b.item("k")
	_, err = b.desk.Dispute(t.Context(), actions.DisputeRequest{Request: b.request("k")})
	if r := b.refused(err, actions.Denied, "receipt_required", before); !strings.Contains(r.Do, "rcpt-1") {
		t.Errorf("nobody is told which receipt could be meant: %q", r.Do)
	}
	b.disputed("k", " rcpt-1 ")
	before = b.item("k")
	_, err = b.desk.Dispute(t.Context(), actions.DisputeRequest{Request: b.request("k"), Receipt: "rcpt-1"})
	b.refused(err, actions.Denied, actions.CodeNoReceipt, before)
	b.verified()
}

func TestSetAsideLeavesTheQueueAndKeepsItsState(t *testing.T) {
	b := newBench(t)
	b.uncertain("k")
	b.says(ledger.LookupAmbiguous)
	if v := b.lookup("k").Item.Verdict; !v.Allows(verdict.ActSetAside) {
		t.Fatalf("no way out of %s: safe %v", v.Kind, v.Safe)
	}
	done, err := b.desk.SetAside(t.Context(), b.request("k"))
	if err != nil {
		t.Fatal(err)
	}
	if done.Item.Intent.State != ledger.Unknown || len(b.open()) != 0 {
		t.Errorf("state %s, queue %v", done.Item.Intent.State, b.open())
	}
	before := b.item("k")
	_, err = b.desk.SetAside(t.Context(), b.request("k"))
	b.refused(err, actions.Denied, actions.CodeSetAside, before)
	// It can still be settled.
	b.found("rcpt-1", content)
	if i := b.lookup("k").Item.Intent; i.State != ledger.Delivered {
		t.Errorf("found, and %s", i.State)
	}
	b.verified()
}

func TestTheNewActsKeepToPinsClaimsAndReasons(t *testing.T) {
	acts := map[string]func(*workbench, actions.Request) error{
		"dispute": func(b *workbench, r actions.Request) error {
			_, err := b.desk.Dispute(b.t.Context(), actions.DisputeRequest{Request: r})
			return err
		},
		"acknowledge": func(b *workbench, r actions.Request) error {
			_, err := b.desk.Acknowledge(b.t.Context(), r)
			return err
		},
		"set-aside": func(b *workbench, r actions.Request) error {
			_, err := b.desk.SetAside(b.t.Context(), r)
			return err
		},
	}
	b := newBench(t)
	for name, act := range acts {
		b.uncertain(name)
		if name != "set-aside" {
			b.marked(name, "r-"+name)
		}
		if name == "acknowledge" {
			b.disputed(name, "")
		}
		before, request := b.item(name), b.request(name)
		request.Seen.Version--
		b.refused(act(b, request), actions.Changed, actions.CodeChanged, before)
		before, request = b.item(name), b.request(name)
		request.Reason = " "
		b.refused(act(b, request), actions.Denied, actions.CodeReasonRequired, before)
		b.sql(`INSERT INTO claims (op_key, operator, claimed_at, expires_at) VALUES (?, 'ann', ?, ?)`,
			name, int64(b.clock()), int64(b.clock())+60_000)
		before = b.item(name)
		b.refused(act(b, b.request(name)), actions.Changed, actions.CodeClaimed, before)
	}
	b.verified()
}

// A successor waits as well while what it replaces by way of others is contradicted.
func TestTheWholeLineageWaits(t *testing.T) {
	b := newBench(t)
	keys := []string{"k"}
	for n := range 3 {
		b.provenAbsent(keys[n])
		made, err := b.desk.Reissue(t.Context(), actions.ReissueRequest{Request: b.request(keys[n])})
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, made.NewKey)
	}
	b.found("rcpt-1", content)
	b.lookup(keys[1])
	newest := keys[3]
	held := b.item(newest)
	because := strings.Join(held.Verdict.Because, " ")
	if want := "It replaces " + keys[1] + " by way of " + keys[2] + ", and at "; !strings.Contains(because, want) {
		t.Errorf("it does not say %q: %s", want, because)
	}
	if _, err := b.db.StartAttempt(t.Context(), ledger.Attempt{OpKey: newest}); ledger.CodeOf(err) != ledger.DecisionRequired {
		t.Errorf("an attempt for the newest: %v", err)
	}
	if sendable, err := b.db.Sendable(t.Context(), 0); err != nil || len(sendable) != 0 {
		t.Errorf("sendable: %v, %v", sendable, err)
	}
	_, err := b.desk.Reissue(t.Context(), actions.ReissueRequest{Request: b.request(newest)})
	b.refused(err, actions.Denied, string(ledger.DecisionRequired), held)
	if _, err := b.desk.Acknowledge(t.Context(), b.request(keys[1])); err != nil {
		t.Fatal(err)
	}
	b.attempt(newest)
	b.verified()
}

// A successor waits while what it replaces is contradicted, says so, and may be sent
// once that was acknowledged, which says so too.
func TestASuccessorWaitsUntilTheContradictionIsAcknowledged(t *testing.T) {
	b := newBench(t)
	b.provenAbsent("k")
	made, err := b.desk.Reissue(t.Context(), actions.ReissueRequest{Request: b.request("k")})
	if err != nil {
		t.Fatal(err)
	}
	b.found("rcpt-1", content)
	if i := b.lookup("k").Item.Intent; !i.Contradicted() {
		t.Fatal("found after it was replaced, and nobody is told")
	}
	held := b.item(made.NewKey)
	if because := strings.Join(held.Verdict.Because, " "); !strings.Contains(because, "It replaces k, and at ") {
		t.Errorf("the successor does not say why no sender may take it: %s", because)
	}
	if _, err := b.db.StartAttempt(t.Context(), ledger.Attempt{OpKey: made.NewKey}); ledger.CodeOf(err) != ledger.DecisionRequired {
		t.Errorf("an attempt for the successor: %v", err)
	}
	_, err = b.desk.Reissue(t.Context(), actions.ReissueRequest{Request: b.request(made.NewKey)})
	b.refused(err, actions.Denied, string(ledger.DecisionRequired), held)

	done, err := b.desk.Acknowledge(t.Context(), b.request("k"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(done.Text, "successor "+made.NewKey+" (or what has replaced that since) may be sent again") {
		t.Errorf("the text does not say what it sets free: %s", done.Text)
	}
	if because := strings.Join(b.item(made.NewKey).Verdict.Because, " "); strings.Contains(because, "It replaces") {
		t.Errorf("the successor is held back by nothing, and says: %s", because)
	}
	b.attempt(made.NewKey)
	before := b.item("k")
	_, err = b.desk.Acknowledge(t.Context(), b.request("k"))
	var r *actions.Refusal
	if b.refused(err, actions.Denied, actions.CodeNotContradicted, before); errors.As(err, &r) && !strings.Contains(r.What, "acknowledged at") {
		t.Errorf("acknowledged twice: %v", err)
	}
	b.verified()
}
