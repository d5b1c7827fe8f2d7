package verdict

import (
	"testing"

	"triage/ledger"
)

// TestFound: verified only under the byte-identical key with the equal hash, for
// the right owner, done, with a receipt nobody else holds.
func TestFound(t *testing.T) {
	f := func(changes ...func(*ledger.Lookup)) func(*scene) { return with(found(20, due, changes...)) }
	evidence := func(json string) func(*ledger.Lookup) { return func(l *ledger.Lookup) { l.Evidence = json } }
	owner := func(name string) func(*ledger.Lookup) { return func(l *ledger.Lookup) { l.Owner = name } }
	noReceipt := func(l *ledger.Lookup) { l.Receipt = "" }
	noHash := func(l *ledger.Lookup) { l.PayloadSHA256 = "" }
	accounts := func(s *scene) { s.terms.Accounts = map[string]string{"agent-1": "acct_17"} }
	notPromised := promise(func(p *Promises) { p.FoundIsFinal = false })
	byKey := promise(func(p *Promises) { p.Receipt = KeyAsReceipt })
	held := func(receipt, by string) func(*scene) {
		return func(s *scene) { s.ev.ReceiptHolders = map[string]string{receipt: by} }
	}
	for _, tc := range []struct {
		name  string
		scene scene
		want  Kind
	}{
		{"key not repeated", base(f(evidence(""))), FoundUnverified},
		{"another key repeated", base(f(evidence(`{"key":"op-2"}`))), LookupFailed},
		{"almost the same key", base(f(evidence(`{"key":"OP-1"}`))), LookupFailed},
		{"the key with a space", base(f(evidence(`{"key":"op-1 "}`))), LookupFailed},
		{"the empty key repeated", base(f(evidence(`{"key":""}`))), LookupFailed},
		{"no hash", base(f(noHash)), FoundUnverified},
		{"another hash", base(f(func(l *ledger.Lookup) { l.PayloadSHA256 = other })), PayloadConflict},
		{"another hash, though the key is not repeated", base(f(evidence(""), func(l *ledger.Lookup) { l.PayloadSHA256 = other })), PayloadConflict},
		{"the hash in capitals", base(f(func(l *ledger.Lookup) { l.PayloadSHA256 = "AB" + hash[2:] })), Delivered},
		{"no owner told", base(f(), accounts), Delivered},
		{"the principal itself", base(f(owner("agent-1"))), Delivered},
		{"the principal's account", base(f(owner("acct_17")), accounts), Delivered},
		{"the principal where an account is mapped", base(f(owner("agent-1")), accounts), WrongOwner},
		{"an account where none is mapped", base(f(owner("acct_17"))), WrongOwner},
		{"no receipt", base(f(noReceipt)), FoundUnverified},
		{"a blank receipt", base(f(func(l *ledger.Lookup) { l.Receipt = " " })), FoundUnverified},
		{"no receipt where the key is one", base(f(noReceipt), byKey), Delivered},
		{"receipt held by another intent", base(f(), held("R-1", "op-9")), Ambiguous},
		{"receipt held by this intent", base(f(), held("R-1", "op-1")), Delivered},
		{"another receipt held", base(f(), held("R-2", "op-9")), Delivered},
		{"the key held as receipt where it is one", base(f(noReceipt), byKey, held("op-1", "op-9")), Ambiguous},
		{"undone", base(f(func(l *ledger.Lookup) { l.Cause = "withdrawn" })), Withdrawn},
		{"another cause", base(f(func(l *ledger.Lookup) { l.Cause = "http_500" })), FoundUnverified},
		{"final shown where it is not promised", base(f(evidence(`{"key":"op-1","final":true}`)), notPromised), Delivered},
		{"final not shown where it is not promised", base(f(), notPromised), InProgress},
		{"shown not to be final where it is promised", base(f(evidence(`{"key":"op-1","final":false}`))), InProgress},
		{"other content, and not final either", base(f(func(l *ledger.Lookup) { l.PayloadSHA256 = other }), notPromised), PayloadConflict},
		{"not final and not verified", base(f(noHash), notPromised), InProgress},
		{"by content", base(f(), promise(func(p *Promises) { p.LookupBy = ByContent })), FoundUnverified},
		{"by key, said so", base(f(), promise(func(p *Promises) { p.LookupBy = ByKey })), Delivered},
		{"an outcome that nobody knows", base(with(lookup(20, "maybe", due))), LookupFailed},
	} {
		t.Run(tc.name, func(t *testing.T) { wantKind(t, tc.scene.judge(), tc.want) })
	}
	if v := base(f(noReceipt), byKey).judge(); v.Receipt != "op-1" {
		t.Fatalf("receipt %q where the key is the receipt", v.Receipt)
	}
}

// TestTwins: something unverified is not to be marked delivered while it may just
// as well belong to another intent.
func TestTwins(t *testing.T) {
	unverified := with(found(20, due, func(l *ledger.Lookup) { l.PayloadSHA256 = "" }))
	twins := func(s *scene) { s.ev.Twins = []string{"op-8", "op-7"} }
	v := base(unverified, twins).judge()
	wantKind(t, v, FoundUnverified)
	if v.Allows(ActDeliver) || v.AllowsByHand(ActDeliver) {
		t.Fatal("deliver is open though another intent may own what was found")
	}
	wantReason(t, v, "op-7, op-8")
	if v.Headline() != "Something was found, but it is not proven to be this delivery." {
		t.Fatalf("headline %q", v.Headline())
	}
	if v = base(with(found(20, due)), twins).judge(); !v.Allows(ActDeliver) {
		t.Fatal("a verified find belongs to this key, twins or not")
	}
	nameless := with(found(20, due, func(l *ledger.Lookup) { l.Receipt = "" })) // its key and its content, without a receipt
	if v = base(nameless, twins).judge(); v.Kind != FoundUnverified || !v.Allows(ActDeliver) {
		t.Fatalf("what was found under this very key with this content belongs to no twin: %s, deliver withheld because %q", v.Kind, v.Withheld[ActDeliver])
	}
}

// TestMissesThatAreNoProof: each term of absent and refused by itself.
func TestMissesThatAreNoProof(t *testing.T) {
	at := opens + 1
	miss, refusal := with(missed(20, at)), with(lookup(20, ledger.LookupRefused, at))
	seen := func(b *bool) func(*scene) { return func(s *scene) { s.ev.Lookups[0].CanarySeen = b } }
	canary := promise(func(p *Promises) { p.Canary = "probe-1" })
	for _, tc := range []struct {
		name   string
		scene  scene
		want   Kind
		reason string
	}{
		{"absence_is_proof missing", base(miss, promise(func(p *Promises) { p.AbsenceIsProof = false })), AbsenceInconclusive, "absence_is_proof"},
		{"absence_is_proof is nothing to a refusal", base(refusal, promise(func(p *Promises) { p.AbsenceIsProof = false })), Refused, ""},
		{"refusal_is_final missing", base(refusal, promise(func(p *Promises) { p.RefusalIsFinal = false })), AbsenceInconclusive, "refusal_is_final"},
		{"refusal_is_final is nothing to a miss", base(miss, promise(func(p *Promises) { p.RefusalIsFinal = false })), Absent, ""},
		{"settles_within missing", base(miss, promise(func(p *Promises) { p.SettlesWithin = nil })), AbsenceInconclusive, "settles_within"},
		{"settles_within missing for a refusal", base(refusal, promise(func(p *Promises) { p.SettlesWithin = nil })), AbsenceInconclusive, "settles_within"},
		{"lookup_lag missing", base(miss, promise(func(p *Promises) { p.LookupLag = nil })), AbsenceInconclusive, "lookup_lag"},
		{"lookup_lag missing for a refusal", base(refusal, promise(func(p *Promises) { p.LookupLag = nil })), AbsenceInconclusive, "lookup_lag"},
		{"retention missing", base(miss, promise(func(p *Promises) { p.KeyRetention = nil })), AbsenceInconclusive, "lookup_retention"},
		{"retention missing for a refusal", base(refusal, promise(func(p *Promises) { p.KeyRetention = nil })), AbsenceInconclusive, "lookup_retention"},
		{"attempt_timeout missing under an orphan", base(miss, neverFinished, noTimeout), AbsenceInconclusive, "attempt_timeout"},
		{"asked by content", base(miss, promise(func(p *Promises) { p.LookupBy = ByContent })), AbsenceInconclusive, "lookup_by: content"},
		{"asked by content, refused", base(refusal, promise(func(p *Promises) { p.LookupBy = ByContent })), AbsenceInconclusive, "lookup_by: content"},
		{"asked by something unheard of", base(miss, promise(func(p *Promises) { p.LookupBy = "mood" })), AbsenceInconclusive, "lookup_by"},
		{"too early", base(with(missed(20, opens-42_000))), AbsenceInconclusive, "It began 42 s too early: until 2027-01-15 08:02:45.000Z"},
		{"too early, refused", base(with(lookup(20, ledger.LookupRefused, opens))), AbsenceInconclusive, "It began 1 ms too early"},
		{"canary named and seen", base(miss, canary, seen(yes())), Absent, ""},
		{"canary named and not seen", base(miss, canary, seen(no())), AbsenceInconclusive, "canary"},
		{"canary named and not asked for", base(miss, canary), AbsenceInconclusive, "canary probe-1"},
		{"canary not named, but missed", base(miss, seen(no())), AbsenceInconclusive, "canary"},
		{"canary missed beside a refusal", base(refusal, canary, seen(no())), AbsenceInconclusive, "canary"},
		{"canary not asked for beside a refusal", base(refusal, canary), Refused, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v := tc.scene.judge()
			wantKind(t, v, tc.want)
			wantReason(t, v, tc.reason)
		})
	}
}
