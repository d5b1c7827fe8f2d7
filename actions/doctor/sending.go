package doctor

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"triage/actions/wording"
	"triage/ledger"
)

// hits collects the keys that something was seen at.
type hits []string

func (h *hits) add(key string) {
	if !slices.Contains(*h, key) {
		*h = append(*h, key)
	}
}

// String names the first few.
func (h hits) String() string {
	const shown = 3
	if len(h) <= shown {
		return wording.List(h)
	}
	return fmt.Sprintf("%s and %s more", strings.Join(h[:shown], ", "), wording.Number(int64(len(h)-shown)))
}

// unlooked says that nothing is there to see: what follows can be told from a ledger only.
func (s subject) unlooked(p *page) bool {
	switch {
	case !s.ledger:
		p.ask("Not looked at: no ledger was named.", "")
	case len(s.intents) == 0:
		p.ask("Not looked at: among what was read is no intent for this receiver.", "")
	default:
		return false
	}
	return true
}

// readOrWrite is question 1. Whatever is in the ledger is a write; a lookup must not be.
func readOrWrite(p *page, s subject) {
	if s.DuplicateMeans == "" {
		p.ask("duplicate_means is not configured: nobody is told what a second delivery would change.",
			"Ask the receiver's people what happens when the same delivery arrives twice, and write it as duplicate_means.")
	} else {
		p.ok("A write. A second one would mean: " + s.DuplicateMeans + ".")
	}
	switch l := s.Lookup; {
	case l == nil:
	case l.Exec != nil:
		p.ask("Lookups run a program, and triage can't see what it does.", "Ask who wrote it whether it only reads, and give it credentials that can't write.")
	case l.HTTP != nil && l.HTTP.Method == "HEAD":
		p.ok("Lookups only read: HEAD, by HTTP.")
	case l.HTTP != nil:
		p.ok("Lookups only read: GET, by HTTP.")
	case l.SQL != nil:
		p.ok("Lookups only read: a SELECT in a transaction that can't write.")
	case l.File != nil:
		p.ok("Lookups only read an export.")
	}
}

// refusalOrUnknown is question 2.
func refusalOrUnknown(p *page, s subject) {
	var unsure, answered hits
	refused := 0
	for _, h := range s.intents {
		for _, a := range h.Attempts {
			switch {
			case a.Outcome == ledger.OutcomeRejected && indefinite(a):
				unsure.add(h.Intent.OpKey)
			case a.Outcome == ledger.OutcomeRejected:
				refused++
			case a.Outcome == ledger.OutcomeNotSent && a.HTTPStatus != 0:
				answered.add(h.Intent.OpKey)
			}
		}
	}
	const means = "What may have been delivered counts as refused; whoever sends it again makes a duplicate."
	if len(unsure) > 0 {
		p.gap(Duplicate, "Attempts are recorded as rejected with a status or cause that does not say so (408, 425, 429, 5xx, a timeout, a broken connection): "+unsure.String()+".",
			means, "Let the sender write unknown unless the receiver's own answer refuses this very operation (docs/agents.md).")
	}
	if len(answered) > 0 {
		p.gap(Duplicate, "Attempts are recorded as not_sent and have the status of an answer: "+answered.String()+".", means,
			"Let the sender write not_sent only where nothing left its machine.")
	}
	if refused > 0 {
		p.ok(wording.Count(refused, "refusal is", "refusals are") + " recorded, each with a cause or status that can mean one.")
	}
	s.refusalsSeen(p)
}

// refusalsSeen: what a lookup can show of a refusal.
func (s subject) refusalsSeen(p *page) {
	if s.Lookup == nil {
		p.ask("No lookup is configured, so a refusal whose answer was lost stays unknown.", "Ask the receiver's people whether refusals are kept, and where they can be seen.")
		return
	}
	mapped := s.Lookup.Means().Refused != ""
	switch final := s.Promises.RefusalIsFinal; {
	case mapped && s.foreignRefusals(p):
	case mapped && final:
		p.ok("A lookup can show a refusal, and the receiver promises that it is final.")
	case mapped:
		p.gap(NeverSettled, "refused is mapped, and refusal_is_final is not promised.", "A refusal that a lookup shows proves nothing, and the intent stays in doubt.",
			"Ask the receiver's people whether what is refused once may be accepted later, and promise refusal_is_final if not.")
	case final:
		p.gap(NeverSettled, "refusal_is_final is promised, and no lookup can show a refusal: refused is not mapped.", "A refusal whose answer was lost stays in doubt.",
			"Map refused, if the receiver tells of refusals.")
	default:
		p.ask("A lookup can't show a refusal: refused is not mapped.", "Ask the receiver's people whether refusals are kept under the key.")
	}
}

// foreignRefusals: an answer that belongs to no delivery must not be a refusal of one. It
// says whether refused takes any for one, and the promise makes a duplicate of it.
func (s subject) foreignRefusals(p *page) bool {
	m := s.Lookup.Means()
	if s.Lookup.HTTP == nil {
		return false
	}
	defer deadConditions(p, "refused", m.Refused) // the worse gap first
	taken := takenFor(m.Refused)
	if len(taken) == 0 {
		return false
	}
	holds := "refused holds for " + wording.List(taken)
	about := aboutQuestion(taken, m.Key)
	if !s.Promises.RefusalIsFinal {
		p.ask(holds+", which proves nothing as long as refusal_is_final is not promised."+about, "Before you promise it, let refused ask for the receiver's own words about the delivery.")
		return false
	}
	p.gap(Duplicate, holds+", and refusal_is_final is promised."+about,
		"An error about the question, a gateway or missing rights look like a refusal. What arrived counts as refused; whoever sends it again makes a duplicate.",
		"Let refused ask for the receiver's own words about the delivery, such as .status == 200 and .body.state == \"refused\", never for a status alone.")
	return true
}

var brokenOff = regexp.MustCompile(`(?i)time.?out|reset|closed|eof|broken|refused_stream|abort|cancel|unreachable|http_(408|425|429|5\d\d)`)

// indefinite says that an attempt's status or cause can't mean a definite refusal.
func indefinite(a ledger.Attempt) bool {
	if a.HTTPStatus != 0 {
		return a.HTTPStatus < 400 || a.HTTPStatus >= 500 || slices.Contains([]int{408, 425, 429}, a.HTTPStatus)
	}
	return brokenOff.MatchString(a.Cause)
}

// savedFirst is question 3.
func savedFirst(p *page, s subject) {
	if s.unlooked(p) {
		return
	}
	var afterSend, afterEnd, fresh, perTry hits
	for _, h := range s.intents {
		if s.begunLate(h) {
			afterSend.add(h.Intent.OpKey)
		}
		if s.attemptLate(h) {
			afterEnd.add(h.Intent.OpKey)
		}
		if other := s.freshKey(h); other != "" {
			fresh.add(h.Intent.OpKey + " (after " + other + ")")
		}
		if perAttempt.MatchString(h.Intent.OpKey) && h.Intent.Supersedes == "" {
			perTry.add(h.Intent.OpKey)
		}
	}
	const lost = "A sender that dies in between leaves no trace of what it sent: nobody looks for it, and whoever starts over makes a duplicate."
	const first = "Let the sender commit intent and attempt durably before the call (docs/agents.md)."
	if len(afterSend) > 0 {
		p.gap(Duplicate, "Intents were written after their first attempt began: "+afterSend.String()+".", lost, first)
	}
	if len(afterEnd) > 0 {
		p.gap(Duplicate, "Attempts were written after they had ended: "+afterEnd.String()+".", lost, first)
	}
	const renewed = "To the receiver a new key is a new delivery. If the first one arrived, there are two."
	if len(fresh) > 0 {
		p.gap(Duplicate, "Intents were begun with the content of one whose outcome was unknown, without superseding it: "+fresh.String()+".", renewed,
			"Ask whether they were wanted as deliveries of their own. If not, let the retry keep the key.")
	}
	if len(perTry) > 0 {
		p.gap(Duplicate, "Keys look as if they were made anew for each try: "+perTry.String()+".", renewed, "Let the key name the act, and the attempt_id the try.")
	}
	if len(p.gaps) == 0 {
		p.ok(fmt.Sprintf("%s looked at: each was written before its first attempt began, and none repeats another's content while that one was unknown.",
			wording.Count(len(s.intents), "intent", "intents")))
	}
}

// perAttempt is how keys end that count tries.
var perAttempt = regexp.MustCompile(`(?i)[-_.:/#](retry|attempt|try|again)[-_.:]?\d*$`)

// begunLate: the journal has the intent later than its first attempt says it began. The
// journal's instants are the database's clock, attempts' are the sender's.
func (s subject) begunLate(h ledger.History) bool {
	for _, e := range h.Events {
		if e.Kind != "begun" {
			continue
		}
		for _, a := range h.Attempts {
			if e.At > a.StartedAt.Add(s.skew()) {
				return true
			}
		}
	}
	return false
}

// attemptLate: an attempt's row is later than its own end.
func (s subject) attemptLate(h ledger.History) bool {
	written := map[int64]ledger.Millis{}
	for _, e := range h.Events {
		written[e.Seq] = e.At
	}
	for _, a := range h.Attempts {
		if at, known := written[a.Seq]; known && a.Finished() && at > a.FinishedAt.Add(s.skew()) {
			return true
		}
	}
	return false
}

// freshKey is the intent that this one seems to be a retry of, under a new key.
func (s subject) freshKey(h ledger.History) string {
	if h.Intent.Supersedes != "" {
		return ""
	}
	for _, other := range s.intents {
		if o := other.Intent; o.OpKey == h.Intent.OpKey || o.PayloadSHA256 != h.Intent.PayloadSHA256 || o.Task != h.Intent.Task || o.Stage != h.Intent.Stage {
			continue
		}
		for _, a := range other.Attempts {
			if a.Outcome == ledger.OutcomeUnknown && a.FinishedAt <= h.Intent.CreatedAt && !settledBefore(other, h.Intent.CreatedAt) {
				return other.Intent.OpKey
			}
		}
	}
	return ""
}

// settledBefore says that an intent's outcome was known at that instant.
func settledBefore(h ledger.History, at ledger.Millis) bool {
	if !h.Intent.State.Final() {
		return false
	}
	settled := h.Intent.UpdatedAt // later writes move it, so the journal knows better
	for _, e := range h.Events {
		var changed struct{ State []string }
		if json.Unmarshal([]byte(e.Detail), &changed) == nil && len(changed.State) == 2 && ledger.State(changed.State[1]).Final() {
			settled = e.At
		}
	}
	return settled <= at
}

// numbered is question 4.
func numbered(p *page, s subject) {
	if s.unlooked(p) {
		return
	}
	var same, holes, stacked hits
	attempts := 0
	for _, h := range s.intents {
		layers := map[string]bool{}
		for i, a := range h.Attempts {
			attempts++
			layers[a.Layer] = true
			if a.AttemptID == h.Intent.OpKey {
				same.add(h.Intent.OpKey)
			}
			if a.N != i+1 {
				holes.add(h.Intent.OpKey)
			}
		}
		if len(layers) > 1 {
			stacked.add(h.Intent.OpKey)
		}
	}
	if len(same) > 0 {
		p.gap(NeverSettled, "Attempts bear the intent's own key as their id: "+same.String()+".", "Tries can't be told apart in the receiver's logs, so nobody can say which of them arrived.",
			"Give each attempt an id of its own, and send it along for diagnosis only.")
	}
	if len(holes) > 0 {
		p.gap(Duplicate, "Numbers are missing among the attempts: "+holes.String()+".", "A try that is not in the ledger may still land after a lookup that found nothing, and a new one then makes a duplicate.",
			"Find the layer that does not record its tries.")
	}
	if len(stacked) > 0 {
		p.ask("Several layers retried one intent (app, sdk, scheduler), which multiplies its requests: "+stacked.String()+".", "Let one layer retry, and switch the others off.")
	}
	if attempts == 0 {
		p.ask("No attempt is recorded among what was looked at.", "Ask whether the senders write attempts at all.")
	} else if len(p.gaps) == 0 {
		p.ok(wording.Count(attempts, "attempt", "attempts") + " looked at, each with a number and an id of its own.")
	}
}
