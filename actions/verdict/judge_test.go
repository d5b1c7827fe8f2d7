package verdict

import (
	"testing"

	"triage/ledger"
)

// TestKinds reads like the table of design §5: each kind, when it is said, and
// what is safe then.
func TestKinds(t *testing.T) {
	for _, tc := range []struct {
		name   string
		scene  scene
		kind   Kind
		safe   []Act
		atRisk []Act
		byHand []Act
	}{
		{
			"an attempt came back with a receipt",
			base(attempt(func(a *ledger.Attempt) { a.Outcome, a.Receipt = ledger.OutcomeDelivered, "R-1" })),
			Delivered, []Act{ActDeliver, ActLookup, ActNote}, nil, []Act{ActSetAside, ActDispute},
		},
		{
			"found under the byte-identical key with the equal payload hash",
			base(with(found(20, t0+20_000))),
			Delivered, []Act{ActDeliver, ActLookup, ActNote}, nil, []Act{ActSetAside, ActDispute},
		},
		{
			"found with another hash",
			base(with(found(20, due, func(l *ledger.Lookup) { l.PayloadSHA256 = other }))),
			PayloadConflict, []Act{ActNote, ActSetAside, ActLookup}, nil, []Act{ActDispute},
		},
		{
			"found for another principal",
			base(with(found(20, due, func(l *ledger.Lookup) { l.Owner = "agent-2" }))),
			WrongOwner, []Act{ActNote, ActSetAside, ActLookup}, nil, []Act{ActDispute},
		},
		{
			"several hits",
			base(with(lookup(20, ledger.LookupAmbiguous, due))),
			Ambiguous, []Act{ActNote, ActSetAside, ActLookup}, nil, nil,
		},
		{
			"a receipt that another intent of this target holds",
			base(with(found(20, due)), func(s *scene) { s.ev.ReceiptHolders = map[string]string{"R-1": "op-9"} }),
			Ambiguous, []Act{ActNote, ActSetAside, ActLookup}, nil, []Act{ActDispute},
		},
		{
			"found, but undone since",
			base(with(found(20, due, func(l *ledger.Lookup) { l.Cause = ledger.CauseWithdrawn }))),
			Withdrawn, []Act{ActNote, ActSetAside, ActLookup}, nil, []Act{ActDispute},
		},
		{
			"found, but no hash is told",
			base(with(found(20, due, func(l *ledger.Lookup) { l.PayloadSHA256 = "" }))),
			FoundUnverified, []Act{ActDeliver, ActLookup, ActNote}, nil, []Act{ActSetAside, ActDispute},
		},
		{
			"the receiver is still working on it",
			base(with(lookup(20, ledger.LookupInProgress, due))),
			InProgress, []Act{ActLookup, ActNote}, nil, []Act{ActDeliver, ActSetAside},
		},
		{
			"found where found_is_final isn't promised",
			base(with(found(20, due)), promise(func(p *Promises) { p.FoundIsFinal = false })),
			InProgress, []Act{ActLookup, ActNote}, nil, []Act{ActDeliver, ActSetAside, ActDispute},
		},
		{
			"refused, by a timely lookup",
			base(with(lookup(20, ledger.LookupRefused, opens+1))),
			Refused, []Act{ActReissue, ActClose, ActLookup, ActNote}, nil, []Act{ActDeliver, ActSetAside},
		},
		{
			"not found by a timely lookup",
			base(with(missed(20, opens+1))),
			Absent, []Act{ActRetry, ActReissue, ActClose, ActLookup, ActNote}, nil, []Act{ActDeliver, ActSetAside},
		},
		{
			"not found, and not due yet",
			base(with(missed(20, opens))),
			AbsenceInconclusive, []Act{ActLookup, ActNote}, []Act{ActReissue}, []Act{ActDeliver, ActSetAside},
		},
		{
			"the lookup failed",
			base(with(lookup(20, ledger.LookupFailed, due))),
			LookupFailed, []Act{ActLookup, ActNote}, []Act{ActReissue}, []Act{ActDeliver, ActSetAside},
		},
		{
			"nobody has looked",
			base(),
			NeverLookedUp, []Act{ActLookup, ActNote}, []Act{ActReissue}, []Act{ActDeliver, ActSetAside},
		},
		{
			"PENDING without an attempt",
			base(func(s *scene) { s.ev.Intent.State, s.ev.Attempts = ledger.Pending, nil }),
			NeverSent, []Act{ActClose, ActLookup, ActNote}, nil, []Act{ActDeliver, ActSetAside},
		},
		{
			"the target has no lookup",
			base(func(s *scene) { s.terms.HasLookup, s.terms.Connector = false, "" }),
			NoLookup, []Act{ActDeliver, ActNote}, []Act{ActReissue}, []Act{ActSetAside},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v := tc.scene.judge()
			wantKind(t, v, tc.kind)
			wantActs(t, "safe", v.Safe, tc.safe...)
			wantActs(t, "at risk", v.AtRisk, tc.atRisk...)
			wantActs(t, "by hand", v.ByHand, tc.byHand...)
			if len(v.Because) == 0 || v.Because[0] == "" {
				t.Fatal("a verdict without a reason")
			}
			if v.At != tc.scene.now {
				t.Fatalf("judged at %d, want %d", v.At, tc.scene.now)
			}
		})
	}
}

// TestNeverSent: PENDING, and no attempt or only not_sent ones; nothing that speaks
// of a request that left.
func TestNeverSent(t *testing.T) {
	notSent := attempt(func(a *ledger.Attempt) { a.Outcome = ledger.OutcomeNotSent })
	pending := func(s *scene) { s.ev.Intent.State = ledger.Pending }
	none := func(s *scene) { s.ev.Attempts = nil }
	for _, tc := range []struct {
		name  string
		scene scene
		want  Kind
	}{
		{"only not_sent attempts", base(pending, notSent), NeverSent},
		{"an UNKNOWN intent without attempts was sent by someone", base(none), NeverLookedUp},
		{"an UNKNOWN intent with only not_sent attempts", base(notSent), NeverLookedUp},
		{"a rejected attempt was sent", base(pending, attempt(func(a *ledger.Attempt) { a.Outcome = ledger.OutcomeRejected })), NeverLookedUp},
		{"an attempt in flight may have sent", base(neverFinished), NeverLookedUp},
		{"a miss agrees with it", base(pending, notSent, with(missed(20, opens+1))), NeverSent},
		{"a failure says nothing against it", base(pending, none, with(lookup(20, ledger.LookupFailed, due))), NeverSent},
		{"no lookup is needed for it", base(pending, none, func(s *scene) { s.terms = Terms{} }), NeverSent},
		{"found all the same", base(pending, none, with(found(20, due))), Delivered},
		{"in progress all the same", base(pending, notSent, with(lookup(20, ledger.LookupInProgress, due))), InProgress},
		{"refused all the same, proven", base(pending, notSent, with(lookup(20, ledger.LookupRefused, opens+1))), Refused},
		{"refused all the same, unproven", base(pending, none, with(lookup(20, ledger.LookupRefused, opens+1))), AbsenceInconclusive},
		{"found through another connector", base(pending, none, with(found(20, due, func(l *ledger.Lookup) { l.Connector = "sql" }))), NeverLookedUp},
	} {
		t.Run(tc.name, func(t *testing.T) { wantKind(t, tc.scene.judge(), tc.want) })
	}
}

// TestNeverLookedUp: none has finished since the last attempt, by seq.
func TestNeverLookedUp(t *testing.T) {
	second := func(s *scene) {
		a := s.ev.Attempts[0]
		a.AttemptID, a.N, a.Seq, a.StartedAt, a.FinishedAt = "at-2", 2, 30, opens+10_000, opens+11_000
		s.ev.Attempts = append(s.ev.Attempts, a)
	}
	for _, tc := range []struct {
		name  string
		scene scene
		want  Kind
	}{
		{"a miss before the last attempt", base(second, with(missed(20, opens+1))), NeverLookedUp},
		{"a failure before the last attempt", base(second, with(lookup(29, ledger.LookupFailed, opens+1))), NeverLookedUp},
		{"a failure after it", base(second, with(lookup(31, ledger.LookupFailed, opens+1))), LookupFailed},
		{"one that never finished", base(with(ledger.Lookup{LookupID: "l", StartedAt: due, Connector: "http", Environment: "production", Seq: 20})), NeverLookedUp},
		{"positive evidence from before it still counts", base(second, with(found(20, t0+20_000))), Delivered},
		{"in progress from before it still counts", base(second, with(lookup(20, ledger.LookupInProgress, t0+20_000))), InProgress},
	} {
		t.Run(tc.name, func(t *testing.T) { wantKind(t, tc.scene.judge(), tc.want) })
	}
}

// TestEvidenceNamed: the verdict names the row that decides, and the receipt.
func TestEvidenceNamed(t *testing.T) {
	v := base(with(found(20, due))).judge()
	if v.Evidence != "look-0020" || v.Receipt != "R-1" {
		t.Fatalf("evidence %q receipt %q, want look-0020 and R-1", v.Evidence, v.Receipt)
	}
	v = base(attempt(func(a *ledger.Attempt) { a.Outcome, a.Receipt = ledger.OutcomeDelivered, "R-7" })).judge()
	if v.Evidence != "at-1" || v.Receipt != "R-7" {
		t.Fatalf("evidence %q receipt %q, want at-1 and R-7", v.Evidence, v.Receipt)
	}
	v = base(with(found(20, due, func(l *ledger.Lookup) { l.PayloadSHA256 = other }))).judge()
	if v.Evidence != "look-0020" || v.Receipt != "" {
		t.Fatalf("evidence %q receipt %q, want look-0020 and no receipt for a conflict", v.Evidence, v.Receipt)
	}
	if v = base().judge(); v.Evidence != "" {
		t.Fatalf("evidence %q where nobody looked", v.Evidence)
	}
}
