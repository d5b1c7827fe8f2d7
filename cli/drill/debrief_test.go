package drill

import (
	"strings"
	"testing"

	"triage/actions/wording"
	"triage/ledger"
)

const judgedAt = ledger.Millis(1_800_000_000_000)

func fateOf(t *testing.T, key string) fate {
	t.Helper()
	for _, f := range fates {
		if f.OpKey == key {
			return f
		}
	}
	t.Fatalf("the drill has no delivery %s", key)
	return fate{}
}

// at is one intent as the ledger has it, of a fate's content.
func at(f fate, state ledger.State, receipt string, by ledger.SettledBy) step {
	return step{History: ledger.History{Intent: ledger.Intent{
		OpKey: f.OpKey, State: state, Receipt: receipt, SettledBy: by, PayloadSHA256: contentHash([]byte(f.body)),
	}}}
}

// with adds what the receiver has under the key.
func (s step) with(d Delivery) step {
	s.got, s.found = d, true
	return s
}

func (s step) noted(kind ledger.DecisionKind) step {
	s.Decisions = append(s.Decisions, ledger.Decision{Kind: kind})
	return s
}

func (s step) lookedUp() step {
	s.Lookups = append(s.Lookups, ledger.Lookup{Outcome: ledger.LookupNotFound})
	return s
}

func (s step) attempts(n int) step {
	s.Attempts = make([]ledger.Attempt, n)
	return s
}

func TestJudgement(t *testing.T) {
	const pending, unknown, delivered, failed = ledger.Pending, ledger.Unknown, ledger.Delivered, ledger.Failed
	const sender, lookup, operator = ledger.BySender, ledger.ByLookup, ledger.ByOperator
	for _, c := range []struct {
		name   string
		key    string
		end    func(f fate, has Delivery) ending // has: the content as the receiver would have it, receipt R-1
		mark   mark
		words  string
		counts string // which of settled, duplicate, lost
	}{
		{"settled by lookup", acmeReport, func(f fate, has Delivery) ending {
			return ending{[]step{at(f, delivered, "R-1", lookup).with(has)}, 1}
		}, markRight, "DELIVERED by lookup; the receiver has it once.", "settled"},
		{"typed the right receipt", acmeReport, func(f fate, has Delivery) ending {
			return ending{[]step{at(f, delivered, "R-1", operator).with(has)}, 1}
		}, markRight, "Marked delivered by hand, with the right receipt.", "settled"},
		{"typed a wrong receipt", acmeReport, func(f fate, has Delivery) ending {
			return ending{[]step{at(f, delivered, "R-7\x1b[2J", operator).with(has)}, 1}
		}, markWrong, `Wrong receipt: the ledger has R-7\x1b[2J, the receiver R-1.`, "settled"},
		{"replaced although it had arrived", acmeReport, func(f fate, has Delivery) ending {
			return ending{[]step{at(f, unknown, "", "").with(has), at(f, delivered, "R-2", sender).with(has)}, 2}
		}, markWrong, "A duplicate: the receiver has it twice.", "settled duplicate"},
		{"three of them", acmeReport, func(f fate, has Delivery) ending {
			return ending{[]step{at(f, unknown, "", "").with(has)}, 3}
		}, markWrong, "A duplicate: the receiver has it 3 times.", "duplicate"},
		{"closed although it had arrived", acmeReport, func(f fate, has Delivery) ending {
			return ending{[]step{at(f, failed, "", operator).with(has)}, 1}
		}, markWrong, "Closed as not delivered, and the receiver has it.", "settled"},
		{"left, arrived", deadSender, func(f fate, has Delivery) ending {
			return ending{[]step{at(f, pending, "", "").with(has).lookedUp()}, 1}
		}, markOpen, "Still PENDING; the receiver has it.", ""},

		{"a new intent", initechReport, func(f fate, has Delivery) ending {
			return ending{[]step{at(f, unknown, "", ""), at(f, delivered, "R-1", sender).with(has)}, 1}
		}, markRight, "Delivered by a new intent; the receiver has it once.", "settled"},
		{"a retry", initechReport, func(f fate, has Delivery) ending {
			return ending{[]step{at(f, delivered, "R-1", sender).with(has).attempts(2)}, 1}
		}, markRight, "Sent again under its key; the receiver has it once.", "settled"},
		{"closed though still wanted", initechReport, func(f fate, _ Delivery) ending {
			return ending{[]step{at(f, failed, "", operator)}, 0}
		}, markOpen, "Never delivered: a new intent was still possible.", "settled lost"},
		{"marked delivered, never arrived", initechReport, func(f fate, _ Delivery) ending {
			return ending{[]step{at(f, delivered, "R-1", operator)}, 0}
		}, markWrong, "The ledger says DELIVERED, and the receiver has nothing under its key.", "settled lost"},
		{"the new intent waits", initechReport, func(f fate, _ Delivery) ending {
			return ending{[]step{at(f, unknown, "", ""), at(f, pending, "", "")}, 0}
		}, markOpen, "Its new intent is PENDING; the receiver does not have it.", ""},
		{"left, not arrived", initechReport, func(f fate, _ Delivery) ending {
			return ending{[]step{at(f, unknown, "", "").lookedUp().noted(ledger.Note)}, 0}
		}, markOpen, "Still UNKNOWN; the receiver does not have it.", ""},

		{"refused and closed", refusedInvoice, func(f fate, has Delivery) ending {
			return ending{[]step{at(f, failed, "", operator).with(refusedAs(has))}, 0}
		}, markRight, "Closed as not delivered; the receiver refused it.", "settled"},
		{"refused and sent again", refusedInvoice, func(f fate, has Delivery) ending {
			return ending{[]step{at(f, unknown, "", "").with(refusedAs(has)), at(f, failed, "", sender).with(refusedAs(has))}, 0}
		}, markOpen, "Refused again under a new key; closing was enough.", "settled"},
		{"refused and marked delivered", refusedInvoice, func(f fate, has Delivery) ending {
			return ending{[]step{at(f, delivered, "R-1", operator).with(refusedAs(has))}, 0}
		}, markWrong, "The ledger says DELIVERED, and the receiver refused it.", "settled"},
		{"refused and left", refusedInvoice, func(f fate, has Delivery) ending {
			return ending{[]step{at(f, unknown, "", "").with(refusedAs(has)).lookedUp()}, 0}
		}, markOpen, "Still UNKNOWN; the receiver refused it.", ""},

		{"handed over", changedContent, func(f fate, has Delivery) ending {
			return ending{[]step{at(f, unknown, "", "").with(otherThan(has)).lookedUp().noted(ledger.Note)}, 0}
		}, markRight, "Left for the right reason: its key was taken.", ""},
		{"set aside", changedContent, func(f fate, has Delivery) ending {
			return ending{[]step{at(f, unknown, "", "").with(otherThan(has)).noted(ledger.SetAside)}, 0}
		}, markRight, "Left for the right reason: its key was taken.", ""},
		{"left without a word", changedContent, func(f fate, has Delivery) ending {
			return ending{[]step{at(f, unknown, "", "").with(otherThan(has)).lookedUp().noted(ledger.Denied)}, 0}
		}, markOpen, "Left without a note that says why.", ""},
		{"other content taken for ours", changedContent, func(f fate, has Delivery) ending {
			return ending{[]step{at(f, delivered, "R-1", operator).with(otherThan(has))}, 0}
		}, markWrong, "The ledger says DELIVERED, and the receiver has other content under its key.", "settled lost"},

		{"no longer allowed, closed", revokedGrant, func(f fate, _ Delivery) ending {
			return ending{[]step{at(f, failed, "", operator)}, 0}
		}, markRight, "Closed as not delivered; its grant was revoked.", "settled"},
		{"no longer allowed, left with a note", revokedGrant, func(f fate, _ Delivery) ending {
			return ending{[]step{at(f, unknown, "", "").lookedUp().noted(ledger.Note)}, 0}
		}, markRight, "Left for the right reason: its grant was revoked.", ""},
		{"no longer allowed, and refused", revokedGrant, func(f fate, _ Delivery) ending {
			return ending{[]step{at(f, unknown, "", "").lookedUp().noted(ledger.Denied)}, 0}
		}, markRight, "Left for the right reason: its grant was revoked.", ""},
		{"no longer allowed, left without a word", revokedGrant, func(f fate, _ Delivery) ending {
			return ending{[]step{at(f, unknown, "", "").lookedUp()}, 0}
		}, markOpen, "Left without a note that says why.", ""},
		{"no longer allowed, nobody looked", revokedGrant, func(f fate, _ Delivery) ending {
			return ending{[]step{at(f, unknown, "", "")}, 0}
		}, markOpen, "Still UNKNOWN; the receiver does not have it.", ""},
		{"no longer allowed, and there", revokedGrant, func(f fate, has Delivery) ending {
			return ending{[]step{at(f, delivered, "R-1", operator).with(has)}, 1}
		}, markWrong, "Delivered, although it was not to be delivered any more.", "settled"},

		{"looked up before it is shown", lateContract, func(f fate, has Delivery) ending {
			has.ShownAt = judgedAt + 1
			return ending{[]step{at(f, unknown, "", "").with(has).lookedUp()}, 1}
		}, markOpen, "Left for a good reason: it could not be seen yet.", ""},
		{"not looked up again", lateContract, func(f fate, has Delivery) ending {
			has.ShownAt = judgedAt
			return ending{[]step{at(f, unknown, "", "").with(has).lookedUp()}, 1}
		}, markOpen, "Still UNKNOWN; the receiver has it.", ""},
	} {
		f := fateOf(t, c.key)
		has := Delivery{OpKey: f.OpKey, SHA256: contentHash([]byte(f.body)), State: StateDelivered, Receipt: "R-1"}
		got := judge(f, c.end(f, has), judgedAt)
		if got.mark != c.mark || got.words != c.words {
			t.Errorf("%s: %s %q, want %s %q", c.name, got.mark, got.words, c.mark, c.words)
		}
		var counts []string
		for name, is := range map[string]bool{"settled": got.settled, "duplicate": got.duplicate, "lost": got.lost} {
			if is != strings.Contains(c.counts, name) {
				counts = append(counts, name)
			}
		}
		if len(counts) > 0 {
			t.Errorf("%s: counted wrongly as to %v, want %q", c.name, counts, c.counts)
		}
	}
}

func refusedAs(d Delivery) Delivery {
	d.State, d.Receipt = StateRefused, ""
	return d
}

func otherThan(d Delivery) Delivery {
	d.SHA256 = contentHash([]byte("other content"))
	return d
}

func TestSummaryNamesWhatWentWrong(t *testing.T) {
	named := func(key string) fate { return fate{SceneItem: SceneItem{OpKey: key}} }
	fine := judgement{fate: named("fine"), mark: markRight, settled: true}
	left := judgement{fate: named("left"), mark: markOpen}
	lost := judgement{fate: named("weekly-report-initech"), mark: markOpen, settled: true, lost: true}
	twice := judgement{fate: named("twice"), mark: markWrong, settled: true, duplicate: true}
	receipt := judgement{fate: named("receipt"), mark: markWrong, settled: true}
	for _, c := range []struct {
		all  []judgement
		want string
	}{
		{[]judgement{fine, left}, "1 of 2 settled, 0 duplicates, 0 lost"},
		{[]judgement{fine, lost, left}, "2 of 3 settled, 0 duplicates, 1 lost: weekly-report-initech"},
		{[]judgement{twice, lost}, "2 of 2 settled, 1 duplicate: twice; 1 lost: weekly-report-initech"},
		{[]judgement{twice, twice, receipt}, "3 of 3 settled, 2 duplicates: twice, twice; 0 lost, 1 wrong: receipt"},
	} {
		if got := summary(c.all); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// What is right takes one line; only what isn't is told at length. All of it fits
// a terminal of 80 columns.
func TestDebriefIsShortWhereAllIsRight(t *testing.T) {
	var all []judgement
	for _, f := range fates {
		all = append(all, judgement{fate: f, mark: markRight, words: "Delivered by a new intent; the receiver has it once.", settled: true})
	}
	if got := strings.Count(debriefText(all), "\n"); got != len(fates)+4 {
		t.Errorf("%d lines where all is right, want %d:\n%s", got, len(fates)+4, debriefText(all))
	}
	for i := range all {
		all[i].mark, all[i].lost = markWrong, true
	}
	text := debriefText(all)
	for _, f := range fates {
		flat := strings.Join(strings.Fields(text), " ")
		for _, want := range []string{"✗ " + f.OpKey + " ", "What happened: " + f.Story, "What was right: " + f.Right} {
			if !strings.Contains(flat, want) {
				t.Errorf("the debrief does not tell %q", want)
			}
		}
	}
	for _, line := range strings.Split(text, "\n") {
		if wording.Width(line) > debriefWidth {
			t.Errorf("%d columns: %q", wording.Width(line), line)
		}
	}
}
