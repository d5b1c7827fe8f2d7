package verdict

import (
	"strings"
	"testing"
	"time"

	"triage/ledger"
)

func TestWords(t *testing.T) {
	for d, want := range map[time.Duration]string{
		2 * time.Minute: "2m", 30 * time.Second: "30s", 24 * time.Hour: "24h", 90 * time.Second: "1m30s", 0: "0s",
		7 * 24 * time.Hour: "7d", 36 * time.Hour: "36h", 10 * time.Minute: "10m", 20 * time.Hour: "20h", 1500 * time.Millisecond: "1.5s",
		time.Hour + 10*time.Minute: "1h10m",
	} {
		if got := spelt(&d); got != want {
			t.Errorf("promise of %v is spelt %q, want %q", d, got, want)
		}
	}
	for ms, want := range map[int64]string{
		0: "0 ms", 850: "850 ms", 42_000: "42 s", 10_000: "10 s", 1_500: "1.5 s", 60_000: "1 m", 195_000: "3 m 15 s",
		11_520_000: "3 h 12 m", 86_400_000: "1 d", 187_200_000: "2 d 4 h",
	} {
		if got := length(ms); got != want {
			t.Errorf("%d ms is said %q, want %q", ms, got, want)
		}
	}
	for clause, want := range map[string]string{
		"it began": "It began", "absence_is_proof is not promised": "absence_is_proof is not promised", "": "", "ärger": "Ärger",
	} {
		if clause != "" && capital(clause) != want {
			t.Errorf("%q begins as %q", clause, capital(clause))
		}
	}
}

// TestReasonsNameTheirEvidence pins the sentences that an operator acts on.
func TestReasonsNameTheirEvidence(t *testing.T) {
	for _, tc := range []struct {
		name  string
		scene scene
		want  []string
	}{
		{"too early", base(with(missed(20, opens-42_000)), func(s *scene) { s.now = opens - 40_000 }), []string{
			"Lookup look-002 at 2027-01-15 08:02:03.000Z did not find the key, and that is no proof.",
			"It began 42 s too early: until 2027-01-15 08:02:45.000Z a late request could still have landed unseen (attempt 1 ended at 2027-01-15 08:00:10.000Z; settles_within 2m + lookup_lag 30s + clock_skew 5s after that).",
			"A lookup begun at 2027-01-15 08:02:45.001Z or later can prove that nothing was delivered, if it finishes before 2027-01-16 07:59:55.000Z (key_retention 24h after attempt 1 began at 2027-01-15 08:00:00.000Z, less clock_skew 5s).",
		}},
		{"absent", proven(), []string{
			"Lookup look-002 at 2027-01-15 08:02:45.001Z did not find the key, and that is proof: it began late enough and finished early enough.",
			"It was asked at 2027-01-15 08:02:45.001Z, after 2027-01-15 08:02:45.000Z (when a late request could last have landed unseen: attempt 1 ended at 2027-01-15 08:00:10.000Z; settles_within 2m + lookup_lag 30s + clock_skew 5s after that), and answered at 2027-01-15 08:02:46.001Z, before 2027-01-16 07:59:55.000Z (until when what was sent can be relied on to be findable: key_retention 24h after attempt 1 began at 2027-01-15 08:00:00.000Z, less clock_skew 5s).",
		}},
		{"an orphan, failed", base(neverFinished, with(lookup(20, ledger.LookupFailed, t0+40_000)), func(s *scene) { s.now = t0 + 50_000 }), []string{
			"Lookup look-002 at 2027-01-15 08:00:40.000Z failed. That tells nothing about the delivery.",
			"A lookup begun at 2027-01-15 08:03:05.001Z or later can prove that nothing was delivered (attempt 1 never finished; by attempt_timeout 30s it ended at 2027-01-15 08:00:30.000Z at the latest; settles_within 2m + lookup_lag 30s + clock_skew 5s after that), if it finishes before 2027-01-16 07:59:55.000Z (key_retention 24h after attempt 1 began at 2027-01-15 08:00:00.000Z, less clock_skew 5s).",
		}},
		{"delivered, then missed", base(with(found(20, opens), missed(31, due))), []string{
			"Lookup look-002 at 2027-01-15 08:02:45.000Z found it under the byte-identical key with the equal payload hash and the receipt R-1.",
			"Lookup look-003 at 2027-01-15 08:03:45.000Z did not find the key.",
			"That takes nothing away from what is known.",
		}},
		{"killed", base(neverFinished, decided(abandoned(20, t0+60_000, true)), with(missed(21, t0+60_000)), noTimeout), []string{
			"Lookup look-002 at 2027-01-15 08:01:00.000Z did not find the key, and that is no proof.",
			"It began 2 m 35 s too early: until 2027-01-15 08:03:35.000Z a late request could still have landed unseen (attempt 1 was abandoned at 2027-01-15 08:01:00.000Z by bob, who states that its sender was killed: kill -9 on host a, process gone; settles_within 2m + lookup_lag 30s + clock_skew 5s after that).",
			"A lookup begun now can prove that nothing was delivered, if it finishes before 2027-01-16 07:59:55.000Z (key_retention 24h after attempt 1 began at 2027-01-15 08:00:00.000Z, less clock_skew 5s).",
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := tc.scene.judge().Because
			if strings.Join(got, "\n") != strings.Join(tc.want, "\n") {
				t.Fatalf("because:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(tc.want, "\n"))
			}
		})
	}
}

// TestHeadlines: one plain line, which never lets a miss sound like an absence.
func TestHeadlines(t *testing.T) {
	state := func(to ledger.State, by ledger.SettledBy) func(*scene) {
		return func(s *scene) { s.ev.Intent.State, s.ev.Intent.SettledBy = to, by }
	}
	for _, tc := range []struct {
		scene scene
		want  string
	}{
		{base(with(missed(20, t0+15_000)), func(s *scene) { s.now = t0 + 20_000 }), "Not proven yet: it may be there already, or still arrive."},
		{base(with(missed(20, opens))), "Not proven yet: a lookup now can settle it."},
		{base(with(missed(20, opens)), func(s *scene) { s.terms.LookupOff = "TOKEN is not set." }), "Not proven yet: a lookup could settle it, but none can be made from here now."},
		{base(with(missed(20, opens)), promise(func(p *Promises) { p.AbsenceIsProof = false })), "Not proven, and waiting does not help."},
		{proven(), "Proven absent: it was not delivered."},
		{proven(state(ledger.Delivered, ledger.ByOperator)), "Recorded as DELIVERED by an operator, but: proven absent: it was not delivered."},
		{base(state(ledger.Delivered, ledger.ByLookup)), "Recorded as DELIVERED by a lookup; no evidence here confirms or denies it."},
		{base(state(ledger.Failed, ledger.ByOperator), with(found(20, opens))), "Recorded as FAILED by an operator, but: delivered: a receipt proves it."},
		{base(state(ledger.Failed, ledger.BySender)), "Recorded as FAILED by its sender; no evidence here confirms or denies it."},
		{proven(state(ledger.Failed, ledger.ByOperator)), "Recorded as FAILED by an operator, and the evidence agrees: proven absent: it was not delivered."},
		{base(with(found(20, opens)), func(s *scene) { s.ev.Intent.SupersededBy = "op-2" }), "Replaced by a new intent. Delivered: a receipt proves it."},
		{base(with(lookup(20, ledger.LookupFailed, due))), "The last lookup failed: that tells nothing about the delivery."},
	} {
		if got := tc.scene.judge().Headline(); got != tc.want {
			t.Errorf("headline %q, want %q", got, tc.want)
		}
	}
	for _, k := range Kinds {
		if k.Title() == string(k) || (Verdict{Kind: k}).Headline() == string(k) {
			t.Errorf("%s has no title or no headline of its own", k)
		}
	}
}
