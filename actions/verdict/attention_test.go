package verdict

import (
	"strings"
	"testing"

	"triage/ledger"
)

func marked(receipt string, seq int64) func(*scene) {
	return func(s *scene) {
		s.ev.Intent.State, s.ev.Intent.SettledBy, s.ev.Intent.Receipt = ledger.Delivered, ledger.ByOperator, receipt
		s.ev.Decisions = append(s.ev.Decisions, ledger.Decision{DecisionID: "d-mark", Kind: ledger.MarkDelivered, Operator: "bob", Receipt: receipt, Reason: "r", Facts: "{}", At: t0 + 50_000, Seq: seq})
	}
}

func contradicted(s *scene) { s.ev.Intent.ContradictedAt = t0 + 60_000 }

func acknowledged(s *scene) {
	contradicted(s)
	s.ev.Intent.Derived.AcknowledgedAt = t0 + 70_000
}

// TestAttention: when set aside, dispute and acknowledge are open, and why not.
func TestAttention(t *testing.T) {
	final := func(s *scene) { s.ev.Intent.State, s.ev.Intent.SettledBy = ledger.Failed, ledger.ByOperator }
	conflict := with(lookup(20, ledger.LookupAmbiguous, due))
	aside := func(s *scene) { s.ev.Intent.Derived.SetAsideAt = t0 + 55_000 }
	const safe, hand = "safe", "by hand"
	for _, tc := range []struct {
		name  string
		scene scene
		act   Act
		open  string // safe, by hand, or the start of why it is withheld
	}{
		{"open, nothing known", base(), ActSetAside, hand},
		{"open, a conflict", base(conflict), ActSetAside, safe},
		{"final", base(final), ActSetAside, "It is FAILED already"},
		{"replaced", base(func(s *scene) { s.ev.Intent.SupersededBy = "op-2" }), ActSetAside, "The intent op-2 has taken its place"},
		{"aside already", base(aside), ActSetAside, "It was set aside at 2027-01-15 08:00:55.000Z already."},
		{"a conflict, aside already", base(conflict, aside), ActSetAside, "It was set aside at"},
		{"open and contradicted", base(contradicted), ActSetAside, "It is contradicted, and stays on top"},
		{"contradicted, and dealt with", base(acknowledged), ActSetAside, hand},

		{"nothing names a receipt", base(), ActDispute, "Nothing here names a receipt"},
		{"marked by hand", base(marked("R-1", 19)), ActDispute, hand},
		{"a lookup names one", base(with(found(20, due))), ActDispute, hand},
		{"a conflict names one", base(with(found(20, due, func(l *ledger.Lookup) { l.Owner = "agent-2" }))), ActDispute, hand},
		{"disputed already", base(marked("R-1", 19), decided(dispute(20, "R-1"))), ActDispute, "The receipt R-1 is disputed already."},
		{"disputed, and another one named", base(marked("R-1", 19), decided(dispute(20, "R-2"))), ActDispute, hand},
		{"disputed, and found again", base(marked("R-1", 19), decided(dispute(20, "R-1")), with(found(21, due))), ActDispute, hand},
		{"found by a lookup that began before it was disputed", base(decided(dispute(21, "R-1")), with(found(20, due))), ActDispute, "The receipt R-1 is disputed already."},

		{"nothing contradicts", base(), ActAcknowledge, "Nothing contradicts"},
		{"contradicted", base(final, contradicted), ActAcknowledge, hand},
		{"open and contradicted", base(contradicted), ActAcknowledge, hand},
		{"dealt with", base(final, acknowledged), ActAcknowledge, "What contradicted it was acknowledged at 2027-01-15 08:01:10.000Z already."},
	} {
		t.Run(string(tc.act)+" "+tc.name, func(t *testing.T) {
			v := tc.scene.judge()
			got := v.Withheld[tc.act]
			switch {
			case v.Allows(tc.act) && !v.AllowsByHand(tc.act) && got == "":
				got = safe
			case v.AllowsByHand(tc.act) && !v.Allows(tc.act) && got == "":
				got = hand
			}
			if got == "" || !strings.HasPrefix(got, tc.open) {
				t.Errorf("%s is %q, want %q", tc.act, got, tc.open)
			}
		})
	}
}

// TestHeldBackByWhatItReplaces: while what an intent replaces is contradicted, the
// ledger takes no attempt of it; the verdict says so and offers nothing that sends.
func TestHeldBackByWhatItReplaces(t *testing.T) {
	before := func(change func(*scene)) func(*scene) {
		return func(s *scene) {
			p := scene{}
			p.ev.Intent = ledger.Intent{OpKey: "op-0", State: ledger.Unknown, SupersededBy: "op-1"}
			change(&p)
			s.ev.HeldBackBy, s.ev.Intent.Supersedes = &p.ev.Intent, "op-0"
		}
	}
	unsent := func(s *scene) { s.ev.Intent.State, s.ev.Attempts = ledger.Pending, nil }
	v := base(unsent, before(contradicted)).judge()
	wantKind(t, v, NeverSent)
	wantReason(t, v, "It replaces op-0, and at 2027-01-15 08:01:00.000Z evidence came up that disagrees with replacing it: no sender may take this one")
	if len(v.Unknown) != 0 {
		t.Errorf("it is known why no sender takes it, and still asked: %v", v.Unknown)
	}
	if !v.Allows(ActClose) {
		t.Errorf("closing it is the way not to send it twice; safe %v", v.Safe)
	}
	absent := proven(before(contradicted)).judge()
	if absent.Allows(ActRetry) || absent.Allows(ActReissue) || !strings.HasPrefix(absent.Withheld[ActReissue], "It replaces op-0") {
		t.Errorf("what was found may be a duplicate of this one; safe %v, withheld %v", absent.Safe, absent.Withheld)
	}
	for name, p := range map[string]func(*scene){"dealt with": acknowledged, "not contradicted": func(*scene) {}} {
		v := proven(before(p)).judge()
		if !v.Allows(ActRetry) || !v.Allows(ActReissue) || strings.Contains(strings.Join(v.Because, " "), "op-0") {
			t.Errorf("%s: safe %v, because %v", name, v.Safe, v.Because)
		}
	}
}

// TestAContradictionIsTold, and whom it holds back.
func TestAContradictionIsTold(t *testing.T) {
	for name, tc := range map[string]struct {
		scene scene
		want  string
	}{
		"contradicted": {base(marked("R-1", 19), contradicted), "Since 2027-01-15 08:01:00.000Z evidence disagrees with what was decided, and nobody has acknowledged that."},
		"replaced":     {base(contradicted, func(s *scene) { s.ev.Intent.SupersededBy = "op-2" }), "Until somebody does, no sender may take op-2, nor what replaces that."},
		"dealt with":   {base(marked("R-1", 19), acknowledged), ""},
	} {
		known := strings.Join(tc.scene.judge().Known, "\n")
		if tc.want == "" && strings.Contains(known, "disagrees") || !strings.Contains(known, tc.want) {
			t.Errorf("%s: known:\n%s", name, known)
		}
	}
}
