package verdict

import (
	"testing"

	"triage/ledger"
)

func dispute(seq int64, receipt string) ledger.Decision {
	return ledger.Decision{
		DecisionID: "dec-dispute", OpKey: "op-1", At: opens + 2000, Operator: "carol", Kind: ledger.Dispute,
		Reason: "belongs to last week's report", Receipt: receipt, Facts: "{}", Seq: seq,
	}
}

// TestPrecedence: what outranks what. Lookups are given in the order in which they
// were made.
func TestPrecedence(t *testing.T) {
	at := opens + 1
	sure := func(seq int64) ledger.Lookup { return found(seq, at) }
	conflict := func(seq int64) ledger.Lookup {
		return found(seq, at, func(l *ledger.Lookup) { l.PayloadSHA256 = other })
	}
	unsure := func(seq int64) ledger.Lookup { return found(seq, at, func(l *ledger.Lookup) { l.PayloadSHA256 = "" }) }
	undone := func(seq int64) ledger.Lookup {
		return found(seq, at, func(l *ledger.Lookup) { l.Cause = ledger.CauseWithdrawn })
	}
	working := func(seq int64) ledger.Lookup { return lookup(seq, ledger.LookupInProgress, at) }
	refused := func(seq int64) ledger.Lookup { return lookup(seq, ledger.LookupRefused, at) }
	early := func(seq int64) ledger.Lookup { return lookup(seq, ledger.LookupRefused, opens) }
	absent := func(seq int64) ledger.Lookup { return missed(seq, at) }
	soon := func(seq int64) ledger.Lookup { return missed(seq, opens) }
	failed := func(seq int64) ledger.Lookup { return lookup(seq, ledger.LookupFailed, at) }
	type made = func(int64) ledger.Lookup
	for _, tc := range []struct {
		name    string
		lookups []made
		want    Kind
	}{
		{"delivered, then missed", []made{sure, absent}, Delivered},
		{"delivered, then refused", []made{sure, refused}, Delivered},
		{"delivered, then in progress", []made{sure, working}, Delivered},
		{"delivered, then unverified", []made{sure, unsure}, Delivered},
		{"delivered, then failed", []made{sure, failed}, Delivered},
		{"delivered, then undone", []made{sure, undone}, Withdrawn},
		{"delivered, then other content", []made{sure, conflict}, PayloadConflict},
		{"other content, then missed", []made{conflict, absent}, PayloadConflict},
		{"other content, then unverified", []made{conflict, unsure}, PayloadConflict},
		{"other content, then verified", []made{conflict, sure}, Delivered},
		{"unverified, then missed", []made{unsure, absent}, FoundUnverified},
		{"unverified, then refused", []made{unsure, refused}, FoundUnverified},
		{"unverified, then in progress", []made{unsure, working}, InProgress},
		{"in progress, then unverified", []made{working, unsure}, FoundUnverified},
		{"in progress, then missed", []made{working, absent}, InProgress},
		{"in progress, then refused for good", []made{working, refused}, Refused},
		{"in progress, then refused without proof", []made{working, early}, InProgress},
		{"refused for good, then in progress", []made{refused, working}, InProgress},
		{"refused for good, then missed", []made{refused, absent}, Refused},
		{"refused for good, then refused too early", []made{refused, early}, Refused},
		{"absent, then refused for good", []made{absent, refused}, Refused},
		{"absent, then refused without proof", []made{absent, early}, AbsenceInconclusive},
		{"absent, refused without proof, absent", []made{absent, early, absent}, Absent},
		{"absent, then in progress", []made{absent, working}, InProgress},
		{"absent, then unverified", []made{absent, unsure}, FoundUnverified},
		{"absent, then delivered", []made{absent, sure}, Delivered},
		{"absent, then failed", []made{absent, failed}, Absent},
		{"absent, then an inconclusive miss", []made{absent, soon}, Absent},
		{"an inconclusive miss, then failed", []made{soon, failed}, LookupFailed},
		{"failed, then an inconclusive miss", []made{failed, soon}, AbsenceInconclusive},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := base()
			for i, m := range tc.lookups {
				s.ev.Lookups = append(s.ev.Lookups, m(int64(20+i)))
			}
			wantKind(t, s.judge(), tc.want)
		})
	}
}

// TestAbsentUntilANewAttempt: a proof ends with the attempt after it, and outlives
// retention.
func TestAbsentUntilANewAttempt(t *testing.T) {
	s := base(with(missed(20, opens+1)))
	s.now = closes + 86_400_000
	v := s.judge()
	wantKind(t, v, Absent)
	if v.Allows(ActRetry) {
		t.Fatal("retry long after the key was forgotten")
	}
	s.ev.Attempts = append(s.ev.Attempts, ledger.Attempt{AttemptID: "at-2", N: 2, StartedAt: opens + 5000, FinishedAt: opens + 6000, Outcome: ledger.OutcomeUnknown, Seq: 21})
	wantKind(t, s.judge(), NeverLookedUp)
}

// TestAttemptsAndLookupsDisagree: a sender's receipt proves delivery, but never
// against a conflict.
func TestAttemptsAndLookupsDisagree(t *testing.T) {
	receipt := func(r string) func(*scene) {
		return attempt(func(a *ledger.Attempt) { a.Outcome, a.Receipt = ledger.OutcomeDelivered, r })
	}
	at := opens + 1
	for _, tc := range []struct {
		name  string
		scene scene
		want  Kind
	}{
		{"a miss", base(receipt("R-1"), with(missed(20, at))), Delivered},
		{"a refusal", base(receipt("R-1"), with(lookup(20, ledger.LookupRefused, at))), Delivered},
		{"unverified", base(receipt("R-1"), with(found(20, at, func(l *ledger.Lookup) { l.PayloadSHA256 = "" }))), Delivered},
		{"other content", base(receipt("R-1"), with(found(20, at, func(l *ledger.Lookup) { l.PayloadSHA256 = other }))), PayloadConflict},
		{"undone", base(receipt("R-1"), with(found(20, at, func(l *ledger.Lookup) { l.Cause = ledger.CauseWithdrawn }))), Withdrawn},
		{"the same receipt", base(receipt("R-1"), with(found(20, at))), Delivered},
		{"another receipt", base(receipt("R-2"), with(found(20, at))), Ambiguous},
		{"another receipt where the key is one", base(receipt("R-2"), with(found(20, at)), promise(func(p *Promises) { p.Receipt = KeyAsReceipt })), Delivered},
		{"held by another intent", base(receipt("R-2"), func(s *scene) { s.ev.ReceiptHolders = map[string]string{"R-2": "op-9"} }), Ambiguous},
		{"no receipt", base(receipt("")), FoundUnverified},
		{"no receipt, then missed", base(receipt(""), with(missed(20, at))), FoundUnverified},
		{"no receipt where the key is one", base(receipt(""), promise(func(p *Promises) { p.Receipt = KeyAsReceipt })), Delivered},
		{"a receipt on an unknown outcome", base(attempt(func(a *ledger.Attempt) { a.Receipt = "R-1" }), with(missed(20, at))), FoundUnverified},
		{"two lookups, two receipts", base(with(found(20, at), found(21, at, func(l *ledger.Lookup) { l.Receipt = "R-2" }))), Ambiguous},
	} {
		t.Run(tc.name, func(t *testing.T) { wantKind(t, tc.scene.judge(), tc.want) })
	}
	t.Run("two attempts, two receipts", func(t *testing.T) {
		s := base(receipt("R-1"))
		a := s.ev.Attempts[0]
		a.AttemptID, a.N, a.Seq, a.Receipt = "at-2", 2, 12, "R-2"
		s.ev.Attempts = append(s.ev.Attempts, a)
		wantKind(t, s.judge(), Ambiguous)
		s.ev.Decisions = []ledger.Decision{dispute(30, "R-2")}
		v := s.judge()
		wantKind(t, v, Delivered)
		if v.Receipt != "R-1" {
			t.Fatalf("receipt %q, want the one that nobody disputes", v.Receipt)
		}
	})
}

// TestDispute: a disputed receipt proves no delivery any more, and only a proof
// that is newer than the dispute makes the delivery absent.
func TestDispute(t *testing.T) {
	at := opens + 1
	receipt := attempt(func(a *ledger.Attempt) { a.Outcome, a.Receipt = ledger.OutcomeDelivered, "R-1" })
	inFacts := dispute(30, "")
	inFacts.Facts = `{"receipt":"R-1"}`
	for _, tc := range []struct {
		name  string
		scene scene
		want  Kind
	}{
		{"an attempt's receipt", base(receipt, decided(dispute(30, "R-1"))), FoundUnverified},
		{"named in the facts", base(receipt, decided(inFacts)), FoundUnverified},
		{"the intent's own where none is named", base(receipt, decided(dispute(30, "")), func(s *scene) { s.ev.Intent.Receipt = "R-1" }), FoundUnverified},
		{"another receipt", base(receipt, decided(dispute(30, "R-2"))), Delivered},
		{"a lookup's receipt", base(with(found(20, at)), decided(dispute(30, "R-1"))), FoundUnverified},
		{"a lookup's receipt, then a miss", base(with(found(20, at), missed(31, at)), decided(dispute(30, "R-1"))), Absent},
		{"a miss before it", base(receipt, with(missed(20, at)), decided(dispute(30, "R-1"))), FoundUnverified},
		{"a miss after it", base(receipt, with(missed(31, at)), decided(dispute(30, "R-1"))), Absent},
		{"a refusal after it", base(receipt, with(lookup(31, ledger.LookupRefused, at)), decided(dispute(30, "R-1"))), Refused},
		{"an inconclusive miss after it", base(receipt, with(missed(31, opens)), decided(dispute(30, "R-1"))), FoundUnverified},
		{"found again after it, then missed", base(with(found(31, at), missed(32, at)), decided(dispute(30, "R-1"))), FoundUnverified},
		{"a proposal to dispute", base(receipt, decided(func() ledger.Decision { d := dispute(30, "R-1"); d.Kind = ledger.Propose; return d }())), Delivered},
	} {
		t.Run(tc.name, func(t *testing.T) { wantKind(t, tc.scene.judge(), tc.want) })
	}
}

// TestAWordIsNoEvidence: that an operator marked it delivered is known, and weighs
// nothing.
func TestAWordIsNoEvidence(t *testing.T) {
	marked := decided(ledger.Decision{DecisionID: "d", At: opens, Operator: "bob", Kind: ledger.MarkDelivered, Receipt: "R-9", Reason: "seen in the console", Facts: "{}", Seq: 30})
	wantKind(t, base(marked).judge(), NeverLookedUp)
	v := base(marked, with(missed(31, opens+1))).judge()
	wantKind(t, v, Absent)
	if got := v.Known[len(v.Known)-2]; got != "bob marked it delivered with the receipt R-9, by their own word, at 2027-01-15 08:02:45.000Z: seen in the console" {
		t.Fatalf("known: %q", v.Known)
	}
}

// TestHeard: a receiver that spoke of the delivery in an answer that can't be used is
// contrary evidence to a miss before it; a timely miss after it proves anew. One that
// spoke of another key is not.
func TestHeard(t *testing.T) {
	heard := func(seq int64, began ledger.Millis, evidence string) ledger.Lookup {
		l := lookup(seq, ledger.LookupFailed, began)
		l.Cause, l.Evidence = "bad_hash", evidence
		return l
	}
	wantKind(t, base(with(missed(20, opens+1), heard(21, opens+2000, `{"heard":true}`))).judge(), LookupFailed)
	wantKind(t, base(with(missed(20, opens+1), heard(21, opens+2000, `{"key":"op-1","heard":true}`))).judge(), LookupFailed)
	wantKind(t, base(with(missed(20, opens+1), heard(21, opens+2000, `{"key":"op-2","heard":true}`))).judge(), Absent)
	wantKind(t, base(with(missed(20, opens+1), heard(21, opens+2000, `{}`))).judge(), Absent)
	wantKind(t, base(with(missed(20, opens+1), heard(21, opens+2000, `{"heard":true}`), missed(22, opens+4000))).judge(), Absent)
	v := base(with(missed(20, opens+1), heard(21, opens+2000, `{"heard":true}`))).judge()
	if v.Allows(ActRetry) || v.Allows(ActReissue) || v.Allows(ActClose) {
		t.Fatalf("safe %v after the receiver spoke of it", v.Safe)
	}
	neverBegun := func(s *scene) { s.ev.Intent.State, s.ev.Attempts = ledger.Pending, nil }
	wantKind(t, base(neverBegun, with(heard(20, due, `{"heard":true}`))).judge(), LookupFailed)
}

// TestMissBeforeAFind: what does not count here and yet came upon something is not
// cleared up by a miss from before it.
func TestMissBeforeAFind(t *testing.T) {
	elsewhere := func(seq int64) ledger.Lookup {
		return found(seq, opens+2000, func(l *ledger.Lookup) { l.Environment = "staging" })
	}
	if v := base(with(missed(20, opens+1), elsewhere(21))).judge(); v.AllowsAtRisk(ActReissue) {
		t.Fatalf("a new intent at risk after a find: %s %v", v.Kind, v.AtRisk)
	}
	if v := base(with(elsewhere(20), missed(21, opens+4000))).judge(); !v.AllowsAtRisk(ActReissue) {
		t.Fatalf("a miss after the find clears the way for the phrase: %s, withheld because %q", v.Kind, v.Withheld[ActReissue])
	}
}
