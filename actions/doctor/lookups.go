package doctor

import (
	"strings"

	"triage/actions/config"
	"triage/actions/verdict"
	"triage/actions/wording"
	"triage/ledger"
)

// foundAgain is question 7.
func foundAgain(p *page, s subject) {
	if s.Unknown != "" {
		p.gap(NeverSettled, s.Unknown, "Nothing about this receiver is known: no lookup, no promise. What is in doubt there stays so.",
			"Configure the target under exactly the name that the ledger uses, or correct the name that the senders write.")
		return
	}
	if s.Lookup == nil {
		p.gap(NeverSettled, "No lookup is configured.", "What is in doubt can only be settled by hand, with evidence from outside, or sent again at the accepted risk of a duplicate.",
			"Ask the receiver's people by what a delivery can be found: an interface, their database, or an export that they hand over.")
		return
	}
	if off := s.LookupOff(); off != "" {
		p.gap(NeverSettled, off, "Nothing can be looked up from here.", "Set what is missing where triage runs.")
	}
	m := s.Lookup.Means()
	const unverified = "What is found is found_unverified at best, and waits for a person who compares it."
	content := s.Promises.LookupBy == verdict.ByContent
	switch {
	case content && m.Owner == "":
		p.gap(Loss, "It is asked by a business identifier, and the owner is not compared: owner is not mapped.",
			"Another one's delivery with the same identifier is taken for ours, which then never arrives.", "Map owner.")
	case content:
		p.ok("It is asked by a business identifier, the owner is compared, and a person confirms what is found.")
	case m.Key == "":
		p.gap(NeverSettled, "The answer's key is not compared: key is not mapped.", unverified, "Map key, if the receiver repeats it.")
	default:
		p.ok("It is asked by the key, and the answer's key is compared byte for byte.")
	}
	if m.PayloadSHA256 == "" {
		p.gap(NeverSettled, "The content is not compared: payload_sha256 is not mapped.", unverified, "Send the hash along, and map it where the receiver gives it back.")
	}
	if m.Owner == "" && !content {
		p.ask("The owner is not compared: owner is not mapped.", "Ask whether keys of several accounts can meet at this receiver, and map owner if so.")
	}
	s.presentState(p, m)
	s.unusedKeyFound(p)
}

// presentState: found means there now, and done.
func (s subject) presentState(p *page, m config.Mapping) {
	if m.Withdrawn == "" {
		p.ask("Whether it was undone since is not looked at: withdrawn is not mapped.", "Ask whether a delivery can be deleted, canceled or recalled there, and how that shows.")
	}
	if !s.Promises.FoundIsFinal && m.Final == "" {
		p.gap(NeverSettled, "found_is_final is not promised and final is not mapped.", "What is found counts as in progress, and never settles by a lookup.",
			"Ask whether found means done or merely accepted.")
	}
}

// unusedKeyFound: a receiver that finds what nobody sent.
func (s subject) unusedKeyFound(p *page) {
	if s.asking.Key == "" {
		return
	}
	switch s.asking.Answer.Outcome {
	case ledger.LookupFound, ledger.LookupInProgress, ledger.LookupAmbiguous, ledger.LookupRefused:
		p.gap(Loss, "Asked for a key that nobody ever used, the receiver answered "+string(s.asking.Answer.Outcome)+".",
			"Deliveries that never arrived look as if they had: a loss that nobody looks for.", "Correct the mapping, above all found, or the address, until an unused key is not_found.")
	case ledger.LookupNotFound:
		p.ok("Asked for a key that nobody ever used, the receiver answered not_found.")
	}
}

// failureOrAbsence is question 8.
func failureOrAbsence(p *page, s subject) {
	s.mappedAbsence(p)
	s.askedAbsence(p)
	var status, page hits
	looked := 0
	for _, h := range s.intents {
		for _, l := range h.Lookups {
			if l.Outcome != ledger.LookupNotFound {
				continue
			}
			looked++
			e := l.ReadEvidence()
			switch {
			case e.Status != 0 && !verdict.StatusTells(e.Status):
				status.add(h.Intent.OpKey)
			case markup(e.Excerpt):
				page.add(h.Intent.OpKey)
			}
		}
	}
	const means = "An error is taken for an absence. Whoever sends again on the strength of it makes a duplicate."
	const do = "Correct the program that writes these lookups: whatever is not positively an absence is failed. triage itself believes none of them."
	if len(status) > 0 {
		p.gap(Duplicate, "Lookups are recorded as not_found with a status that tells nothing about a delivery (401, 403, 429, 5xx, a redirect): "+status.String()+".", means, do)
	}
	if len(page) > 0 {
		p.gap(Duplicate, "Lookups are recorded as not_found whose answer was a page for a browser: "+page.String()+".", means, do)
	}
	s.disagreements(p)
	if looked > 0 && len(status)+len(page) == 0 {
		p.ok(wording.Count(looked, "lookup that found nothing", "lookups that found nothing") + " looked at: none rests on an error.")
	}
}

// mappedAbsence asks the mapping itself: an answer that any gateway could give must not
// be an absence.
func (s subject) mappedAbsence(p *page) {
	if s.Lookup == nil {
		p.ok("There is no lookup that could be misread.")
		return
	}
	m := s.Lookup.Means()
	if m.NotFound == "" {
		p.ok("No lookup is ever read as an absence: not_found is not mapped.")
		return
	}
	if s.Lookup.HTTP == nil {
		p.ok("Not found is " + m.NotFound + "; errors of the " + s.Lookup.Connector() + " connector are failures.")
		return
	}
	taken := takenFor(m.NotFound)
	alien := wording.List(taken)
	about := aboutQuestion(taken, m.Key)
	switch {
	case alien == "":
		p.ok("not_found holds only for the receiver's own words: answers of a gateway, a login page or another program don't fit it.")
	case s.Promises.Canary != "":
		p.ok("not_found holds for " + alien + " too, and is believed only where the canary " + s.Promises.Canary + " is seen just before and just after." + about)
	case s.Promises.AbsenceIsProof:
		p.gap(Duplicate, "not_found holds for "+alien+", absence_is_proof is promised, and no canary is named."+about,
			"A wrong address, a gateway or missing rights look like a proof that nothing arrived. The retry or new intent that follows is a duplicate.",
			"Let not_found ask for the receiver's own words, such as .body.error == \"no_such_delivery\", and name a canary.")
	default:
		p.ask("not_found holds for "+alien+", which proves nothing as long as absence_is_proof is not promised."+about,
			"Before you promise it, let not_found ask for the receiver's own words, and name a canary.")
	}
	deadConditions(p, "not_found", m.NotFound)
}

// askedAbsence: what the canary showed just now.
func (s subject) askedAbsence(p *page) {
	a := s.asking
	switch {
	case a.Key == "" && s.Promises.Canary != "":
		p.ask("The canary "+s.Promises.Canary+" was not asked for. "+a.Why, "Run it where the receiver can be reached, without --offline.")
	case a.Key == "":
	case s.showsNoAbsence(a):
		p.ok("Asked just now for a key that nobody ever used, it showed nothing, and this lookup takes that for no answer: it can show a delivery, never that there is none.")
	case a.Answer.Outcome == ledger.LookupFailed:
		text := "The receiver was asked just now, and gave nothing usable (" + a.Answer.Cause + "): " + a.Answer.Evidence.Error
		if a.Guess {
			text += " No intent of this receiver is known, so that everything but the key was invented."
		}
		p.gap(NeverSettled, text, "No lookup from here settles anything.", "Mend the way to the receiver, its credentials or the mapping.")
	case a.Answer.CanarySeen != nil && !*a.Answer.CanarySeen:
		p.gap(NeverSettled, "The canary "+s.Promises.Canary+" was not seen just now ("+a.Answer.Evidence.Canary+").", "No \"not found\" is believed.",
			"Put the canary back, or find out why these credentials don't see it.")
	case a.Answer.CanarySeen != nil:
		p.ok("The canary " + s.Promises.Canary + " was seen just now, before and after.")
	}
}

// showsNoAbsence: a lookup that can only show deliveries has no answer for a key that
// nobody used. That is how it should be, and no trouble.
func (s subject) showsNoAbsence(a Asking) bool {
	if a.Answer.Outcome != ledger.LookupFailed || s.Lookup == nil {
		return false
	}
	return a.Answer.Cause == "partial_export" && s.incomplete() || a.Answer.Cause == "unclassified" && s.Lookup.Means().NotFound == ""
}

// markup says that an excerpt is a page for a browser.
func markup(excerpt string) bool {
	head := strings.ToLower(strings.TrimSpace(excerpt[:min(len(excerpt), 256)]))
	return strings.HasPrefix(head, "<!doctype") || strings.HasPrefix(head, "<html") || strings.Contains(head, "<head>")
}
