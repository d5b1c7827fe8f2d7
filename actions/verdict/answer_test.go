package verdict

import (
	"strings"
	"testing"

	"triage/ledger"
)

// TestUnusableAnswers: rows of other writers, each by itself due and otherwise in
// order. What is unreadable, about another key or at odds with its outcome proves
// neither that it was delivered nor that it was not.
func TestUnusableAnswers(t *testing.T) {
	all := []ledger.LookupOutcome{ledger.LookupFound, ledger.LookupNotFound, ledger.LookupRefused, ledger.LookupInProgress, ledger.LookupAmbiguous}
	negative := []ledger.LookupOutcome{ledger.LookupNotFound, ledger.LookupRefused}
	miss := negative[:1]
	column := func(json string) func(*ledger.Lookup) { return func(l *ledger.Lookup) { l.Evidence = json } }
	for _, tc := range []struct {
		name     string
		change   func(*ledger.Lookup)
		outcomes []ledger.LookupOutcome
		reason   string
	}{
		{"truncated is a number", column(`{"truncated":1}`), all, "its evidence can't be read (its member truncated"},
		{"key is a number", column(`{"truncated":true,"key":5}`), all, "member key"},
		{"status out of range", column(`{"truncated":true,"status":99999999999999999999}`), all, "member status"},
		{"replayed is text", column(`{"replayed":"true"}`), all, "member replayed"},
		{"a list", column(`[{"truncated":true}]`), all, "no JSON object"},
		{"no JSON", column(`{`), all, "no JSON"},
		{"truncated in two spellings", column(`{"truncated":true,"TRUNCATED":false}`), all, `"TRUNCATED"`},
		{"key twice", column(`{"key":"zz","key":"op-1"}`), all, "key twice"},
		{"key in two spellings", column(`{"key":"zz","KEY":"op-1"}`), all, `"KEY"`},
		{"another key", column(`{"key":"other"}`), all, "was answered about another key, other."},
		{"no key at all", column(`{"key":""}`), all, "about another key"},
		{"status 500", column(`{"key":"op-1","status":500}`), all, "status 500 says nothing"},
		{"status 403", column(`{"key":"op-1","status":403}`), all, "status 403 says nothing"},
		{"status 302", column(`{"status":302}`), all, "status 302 says nothing"},
		{"status 206", column(`{"status":206}`), all, "status 206 says nothing"},
		{"status -1", column(`{"status":-1}`), all, "status -1 says nothing"},
		{"truncated", column(`{"key":"op-1","truncated":true}`), all[:4], "cut off"},
		{"a receipt", func(l *ledger.Lookup) { l.Receipt = "R-1" }, miss, "it names a receipt, R-1"},
		{"a hash", func(l *ledger.Lookup) { l.PayloadSHA256 = hash }, miss, "it names a payload hash"},
		{"an owner", func(l *ledger.Lookup) { l.Owner = "agent-1" }, miss, "it names an owner, agent-1"},
		{"other content", func(l *ledger.Lookup) { l.PayloadSHA256 = other }, negative[1:], "what was refused has the content"},
		{"a final effect", column(`{"final":true}`), negative, "a final effect"},
		{"a cause", func(l *ledger.Lookup) { l.Cause = "http_500" }, miss, "it names a cause, http_500"},
		{"withdrawn", func(l *ledger.Lookup) { l.Cause = ledger.CauseWithdrawn }, miss, "it names a cause, withdrawn"},
		{"an error", column(`{"error":"connection reset"}`), negative, "it tells of an error"},
	} {
		for _, outcome := range tc.outcomes {
			t.Run(tc.name+", "+string(outcome), func(t *testing.T) {
				v := base(with(row(20, outcome, tc.change))).judge()
				wantKind(t, v, LookupFailed)
				wantReason(t, v, tc.reason)
				wantReason(t, v, "That tells nothing about the delivery.")
				if v.Allows(ActClose) || v.Allows(ActReissue) || v.Allows(ActRetry) || v.Allows(ActDeliver) {
					t.Fatalf("safe: %v", v.Safe)
				}
			})
		}
	}
}

// row is a lookup as a careful writer leaves it, altered.
func row(seq int64, outcome ledger.LookupOutcome, changes ...func(*ledger.Lookup)) ledger.Lookup {
	l := lookup(seq, outcome, opens+1)
	if outcome == ledger.LookupFound {
		l = found(seq, opens+1)
	}
	for _, change := range changes {
		change(&l)
	}
	return l
}

// TestUsableAnswers: what no flaw is.
func TestUsableAnswers(t *testing.T) {
	want := map[ledger.LookupOutcome]Kind{
		ledger.LookupNotFound: Absent, ledger.LookupRefused: Refused, ledger.LookupInProgress: InProgress, ledger.LookupAmbiguous: Ambiguous,
	}
	for _, evidence := range []string{
		"", "{}", `{"key":"op-1"}`, `{"key":null,"truncated":null}`, `{"truncated":false,"final":false}`, `{"note":1,"note":2,"sheets":[]}`,
		`{"status":0}`, `{"status":200}`, `{"status":201}`, `{"status":202}`, `{"status":404}`, `{"status":409}`, `{"status":410}`, `{"status":422}`,
		`{"proves":"absent","excerpt":"{\"truncated\":true}","canary":"seen"}`,
	} {
		for outcome, kind := range want {
			t.Run(evidence+" "+string(outcome), func(t *testing.T) {
				wantKind(t, base(with(row(20, outcome, func(l *ledger.Lookup) { l.Evidence = evidence }))).judge(), kind)
			})
		}
	}
	wantKind(t, base(with(row(20, ledger.LookupAmbiguous, func(l *ledger.Lookup) { l.Evidence = `{"truncated":true}` }))).judge(), Ambiguous)
	wantKind(t, base(with(row(20, ledger.LookupFound, func(l *ledger.Lookup) { l.Evidence = `{"key":"op-1","status":202}` }))).judge(), Delivered)
}

// TestBesideUnusableAnswers: an unusable answer takes nothing away from other
// evidence, and one that came upon something lets no absence be believed.
func TestBesideUnusableAnswers(t *testing.T) {
	broken := func(l *ledger.Lookup) { l.Evidence = `{"truncated":1}` }
	foreign := func(l *ledger.Lookup) { l.Evidence = `{"key":"op-2"}` }
	replayed := func(l *ledger.Lookup) { l.Evidence = `{"key":"op-1","replayed":true}` }
	undone := func(l *ledger.Lookup) { l.Cause = ledger.CauseWithdrawn }
	twoHashes := func(l *ledger.Lookup) { l.PayloadSHA256 = other }
	found, missed, refused, working, several := ledger.LookupFound, ledger.LookupNotFound, ledger.LookupRefused, ledger.LookupInProgress, ledger.LookupAmbiguous
	for _, tc := range []struct {
		name          string
		first, second ledger.Lookup
		want          Kind
	}{
		{"delivered, then a broken miss", row(20, found), row(21, missed, broken), Delivered},
		{"delivered, then a broken find", row(20, found), row(21, found, broken), Delivered},
		{"absent, then a broken miss", row(20, missed), row(21, missed, broken), Absent},
		{"absent, then one about another key", row(20, missed), row(21, found, foreign), Absent},
		{"absent, then a refusal about another key", row(20, missed), row(21, refused, foreign), Absent},
		{"absent, then a broken refusal", row(20, missed), row(21, refused, broken), LookupFailed},
		{"absent, then a broken find", row(20, missed), row(21, found, broken), LookupFailed},
		{"a broken find, then missed", row(20, found, broken), row(21, missed), AbsenceInconclusive},
		{"a broken find, then refused", row(20, found, broken), row(21, refused), AbsenceInconclusive},
		{"a broken in progress, then missed", row(20, working, broken), row(21, missed), AbsenceInconclusive},
		{"a broken ambiguous, then missed", row(20, several, broken), row(21, missed), AbsenceInconclusive},
		{"a broken refusal, then missed", row(20, refused, broken), row(21, missed), Absent},
		{"another key found, then missed", row(20, found, foreign), row(21, missed), Absent},
		{"undone, then an old answer that it was there", row(20, found, undone), row(21, found, replayed), Withdrawn},
		{"undone, then found again", row(20, found, undone), row(21, found), Delivered},
		{"an old answer that it was there, then undone", row(20, found, replayed), row(21, found, undone), Withdrawn},
		{"an old answer that it was there, then missed", row(20, found, replayed), row(21, missed), Delivered},
		{"an old answer that it was undone", row(20, found), row(21, found, replayed, undone), Withdrawn},
	} {
		t.Run(tc.name, func(t *testing.T) { wantKind(t, base(with(tc.first, tc.second)).judge(), tc.want) })
	}
	t.Run("no new intent at a risk before somebody missed it", func(t *testing.T) {
		v := base(with(row(20, found, broken))).judge()
		if v.AllowsAtRisk(ActReissue) || !strings.HasPrefix(v.Withheld[ActReissue], "A lookup that does not count here") {
			t.Fatalf("at risk %v, withheld %q", v.AtRisk, v.Withheld[ActReissue])
		}
		if v = base(with(row(20, found, broken), row(21, missed, broken))).judge(); v.AllowsAtRisk(ActReissue) {
			t.Fatal("an unusable miss counts as one")
		}
		if v = base(with(row(20, found, broken), row(21, missed))).judge(); !v.AllowsAtRisk(ActReissue) {
			t.Fatalf("withheld after a miss: %q", v.Withheld[ActReissue])
		}
	})
	t.Run("a conflict in a broken row holds back a delivery", func(t *testing.T) {
		for name, change := range map[string]func(*ledger.Lookup){"hash": twoHashes, "owner": func(l *ledger.Lookup) { l.Owner = "agent-2" }} {
			if v := base(with(row(20, found, broken, change))).judge(); v.AllowsByHand(ActDeliver) || v.Withheld[ActDeliver] == "" {
				t.Errorf("%s: by hand %v", name, v.ByHand)
			}
		}
		if v := base(with(row(20, found, foreign, twoHashes))).judge(); !v.AllowsByHand(ActDeliver) {
			t.Error("another key's content holds back this delivery")
		}
	})
	t.Run("PENDING without an attempt", func(t *testing.T) {
		none := func(s *scene) { s.ev.Intent.State, s.ev.Attempts = ledger.Pending, nil }
		for _, outcome := range []ledger.LookupOutcome{found, working, several, refused} {
			wantKind(t, base(none, with(row(20, outcome, broken))).judge(), LookupFailed)
		}
		wantKind(t, base(none, with(row(20, missed, broken))).judge(), NeverSent)
		wantKind(t, base(none, with(row(20, refused, foreign))).judge(), NeverSent)
	})
}
