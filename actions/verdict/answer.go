package verdict

import "triage/ledger"

// answered is a finished lookup that counts, with its evidence decoded.
type answered struct {
	*ledger.Lookup
	shows   ledger.Evidence // nothing where it can't be read
	flaw    clause          // why its outcome is not believed, as a clause; none: it is
	foreign bool            // the answer was about another key
}

// decode reads the evidence and holds it against the outcome. Anything that is not
// positively and consistently recorded counts as failed (design §5): a row may come
// from any writer of the ledger.
func (r *review) decode(l *ledger.Lookup) answered {
	a := answered{Lookup: l}
	if l.Outcome == ledger.LookupFailed {
		a.shows = l.ReadEvidence()
		return a
	}
	shows, err := l.DecodeEvidence()
	a.shows = shows
	switch {
	case err != nil:
		a.flaw = say("its evidence can't be read (%s)", err)
	case shows.Key != nil && *shows.Key != r.ev.Intent.OpKey:
		a.foreign = true
		a.flaw = say("it was answered about another key, %s", *shows.Key)
	case !StatusTells(shows.Status):
		a.flaw = say("the answer's status %d says nothing about a delivery", shows.Status)
	case shows.Truncated && l.Outcome != ledger.LookupAmbiguous: // several candidates stay several
		a.flaw = plain("its answer was cut off, and what was not read may say otherwise")
	case l.Outcome == ledger.LookupNotFound:
		a.flaw = contradictsItself(a)
	case l.Outcome == ledger.LookupRefused:
		a.flaw = r.refusesOther(a)
	}
	return a
}

// StatusTells says that an answer of this HTTP status may speak of a delivery, and so
// may be interpreted by a mapping. Every other status is about the request, the way
// there or the receiver's health, and tells nothing about the delivery whatever a
// mapping says: 401 and 403 (not allowed), 407 and 3xx (somebody in between), 408, 425
// and 429 (not now), 5xx, and 203 and 206 (not the receiver's whole own answer).
// 0 is no HTTP status at all: other connectors tell without one.
func StatusTells(status int) bool {
	switch status {
	case 0, 200, 201, 202, 404, 409, 410, 422:
		return true
	}
	return false
}

// refusesOther says what about a refusal belongs to something else: a receiver keeps
// a record of what it refused, with its own id, owner and content, and that content
// must be this one.
func (r *review) refusesOther(a answered) clause {
	switch {
	case a.PayloadSHA256 != "" && a.PayloadSHA256 != r.ev.Intent.PayloadSHA256:
		return say("what was refused has the content %s, and what was approved is %s", a.PayloadSHA256, r.ev.Intent.PayloadSHA256)
	case a.shows.Final != nil && *a.shows.Final:
		return plain("its answer showed a final effect")
	case a.shows.Error != "":
		return plain("it tells of an error")
	}
	return clause{}
}

// contradictsItself says what about a miss belongs to something found, or to a
// failure.
func contradictsItself(a answered) clause {
	switch {
	case a.Receipt != "":
		return say("it names a receipt, %s, as only something found has one", a.Receipt)
	case a.PayloadSHA256 != "":
		return plain("it names a payload hash, as only something found has one")
	case a.Owner != "":
		return say("it names an owner, %s, as only something found has one", a.Owner)
	case a.shows.Final != nil && *a.shows.Final:
		return plain("its answer showed a final effect")
	case a.Cause != "":
		return say("it names a cause, %s, as failures do", a.Cause)
	case a.shows.Error != "":
		return plain("it tells of an error")
	}
	return clause{}
}
