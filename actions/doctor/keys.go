package doctor

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"triage/actions/config"
	"triage/actions/verdict"
	"triage/actions/wording"
	"triage/ledger"
)

// honoursKey is question 5. A configuration repeats what people said; only they, or a
// drill, can tell whether it is so.
func honoursKey(p *page, s subject) {
	pr := s.Promises
	switch {
	case pr.SameKey == verdict.SameKeyNone:
		p.ok("The receiver does not honour keys (same_key: none): every send counts anew.")
	case pr.SameKey == "":
		p.ask("same_key is not promised, so the key counts as not honoured, and no retry is ever offered.",
			"Ask the receiver's people what a second send under the same key does.")
	case pr.KeyRetention == nil:
		p.gap(NeverSettled, "same_key: returns_original is promised, and key_retention is not.", "Nobody knows for how long a retry under the key is safe, so none is ever offered.",
			"Ask for how long keys are kept, counted from the first send.")
	default:
		p.ok("The receiver promises to give the original again under the same key, for " + wording.Duration(*pr.KeyRetention) + ".")
	}
	s.provable(p)
	s.outlived(p)
	if pr.SameKey == verdict.ReturnsOriginal {
		p.ask("Not in any configuration: how far a key reaches (account, endpoint, region), what other content under it does, and what two sends at once do.",
			"Ask how far a key reaches and what other content or two sends at once do under it, and try these three in a drill.")
	}
}

// provable: a configuration that can't come to a proof of absence (design §5), in the
// words in which the start warns of it. Where the proof is promised, that is a gap; where
// nobody promises it, the receiver's people are to be asked.
func (s subject) provable(p *page) {
	for _, warning := range (&config.Config{Targets: map[string]config.Target{s.Name: s.Target}}).Warnings() {
		what, never := strings.CutPrefix(strings.TrimPrefix(warning, s.Name+": "), "no lookup can ever")
		if what = "No lookup can ever" + what; !never {
			what = "An absence can be proven, but: " + strings.TrimPrefix(warning, s.Name+": ")
		}
		switch {
		case !s.Promises.AbsenceIsProof:
			p.ask(what+" What did not arrive stays in doubt until a person settles it.",
				"Ask the receiver's people whether \"not found\" is authoritative there, how late it may be, and for how long a delivery can be found. Promise nothing that they don't.")
		case !never:
			p.gap(NeverSettled, what, "What a killed sender left behind stays in doubt.", "Promise attempt_timeout: the hard limit that your senders keep for one attempt.")
		default:
			p.gap(NeverSettled, what, "What did not arrive stays in doubt for ever, and is never offered for a retry.",
				"Ask for what is missing, shorten the times, or find a look-up that keeps longer.")
		}
	}
}

// incomplete: an export that nobody states to list everything.
func (s subject) incomplete() bool {
	return s.Lookup != nil && s.Lookup.File != nil && !s.Lookup.File.Complete
}

// outlived: budgets and attempts that go beyond what the receiver keeps a key for.
func (s subject) outlived(p *page) {
	var own, late, budget, endless hits
	for _, h := range s.intents {
		i := h.Intent
		retries := i.MaxAttempts > 1 && !i.DeadlineAt.IsNone()
		if retries && s.Promises.SameKey != verdict.ReturnsOriginal {
			own.add(i.OpKey)
		}
		kept := s.Promises.KeyRetention
		if kept == nil || s.Promises.SameKey != verdict.ReturnsOriginal || len(h.Attempts) == 0 {
			continue
		}
		first := firstStart(h)
		switch latest, unknown := s.Promises.LatestStart(first); {
		case retries && unknown != "":
			endless.add(i.OpKey)
		case retries && i.DeadlineAt >= latest: // it has to begin strictly before that
			budget.add(i.OpKey)
		}
		if slices.ContainsFunc(h.Attempts, func(a ledger.Attempt) bool { return a.StartedAt >= first.Add(*kept) }) {
			late.add(i.OpKey)
		}
	}
	const means = "To a receiver that has forgotten the key, a retry is a new delivery: a duplicate."
	if len(late) > 0 {
		p.gap(Duplicate, "Attempts began when key_retention was over: "+late.String()+".", means, "Look for the second delivery at the receiver, and end budgets earlier.")
	}
	if len(budget) > 0 {
		p.gap(Duplicate, fmt.Sprintf("Senders may retry by themselves (max_attempts and deadline_at) for longer than the key is safe, which is %s from the first attempt: %s.",
			wording.Duration(s.keySafe()), budget), means, "Set deadline_at earlier.")
	}
	if len(endless) > 0 {
		_, unknown := s.Promises.LatestStart(0)
		p.gap(Duplicate, fmt.Sprintf("Senders may retry by themselves (max_attempts and deadline_at), and nobody can say for how long that is safe, because %s: %s.", unknown, endless),
			means, "Promise what is missing, or leave the budget unset.")
	}
	if len(own) > 0 {
		p.gap(Duplicate, "Senders state by max_attempts and deadline_at that the receiver honours the key, and the configuration does not: "+own.String()+".",
			"A retry whose first try arrived makes a duplicate.", "Ask the receiver's people; then promise same_key, or leave the budget unset.")
	}
}

// keySafe is R − T − S − K: how long after the first attempt a retry may still be begun.
// 0 where the promises don't tell.
func (s subject) keySafe() time.Duration {
	const first = ledger.Millis(1) // any instant; 0 is none
	latest, unknown := s.Promises.LatestStart(first)
	if unknown != "" {
		return 0
	}
	return max(0, latest.Sub(first))
}

func firstStart(h ledger.History) ledger.Millis {
	first := h.Attempts[0].StartedAt
	for _, a := range h.Attempts {
		first = min(first, a.StartedAt)
	}
	return first
}
