package verdict

import (
	"fmt"
	"strings"

	"triage/ledger"
)

// review is one judgement under way: the evidence in order, and what follows from
// it before any lookup is read.
type review struct {
	ev     Evidence
	terms  Terms
	limits limits
	now    ledger.Millis

	ends        []end // of every attempt, in the attempts' order
	window      window
	disputes    map[string]ledger.Decision // the newest dispute by receipt
	disputedSeq int64                      // of the newest dispute; 0: none

	readings  []reading       // finished lookups that count, by seq
	elsewhere []ledger.Lookup // lookups that don't count, by seq
	open      []ledger.Lookup // lookups that count and never finished
}

// reading is what one row of evidence says.
type reading struct {
	kind     Kind
	outcome  ledger.LookupOutcome // empty: the reading of an attempt
	seq      int64
	id       string
	at       ledger.Millis // when the answer was in
	receipt  string
	gist     string   // what was answered, as a sentence
	because  []string // sentences
	proof    bool     // for Absent and Refused: proven
	disputed bool     // its receipt was disputed since
}

func newReview(ev Evidence, terms Terms, now ledger.Millis) *review {
	r := &review{ev: ev.ordered(), terms: terms, limits: terms.limits(), now: now}
	r.disputes = map[string]ledger.Decision{}
	for _, d := range r.ev.Decisions {
		if d.Kind == ledger.Dispute {
			r.disputes[disputedReceipt(d, r.ev.Intent)] = d
			r.disputedSeq = d.Seq
		}
	}
	r.ends = r.findEnds()
	r.window = r.findWindow()
	var counted []ledger.Lookup
	for _, l := range r.ev.Lookups {
		switch {
		case r.discounts(l) != "":
			r.elsewhere = append(r.elsewhere, l)
		case !l.Finished():
			r.open = append(r.open, l)
		default:
			counted = append(counted, l)
		}
	}
	for _, l := range counted { // only now: what a miss is worth depends on those that don't count
		r.readings = append(r.readings, r.read(l))
	}
	return r
}

// lastAttempt is the attempt row written last, by seq; the zero attempt if there
// is none.
func (r *review) lastAttempt() ledger.Attempt {
	if n := len(r.ev.Attempts); n > 0 {
		return r.ev.Attempts[n-1]
	}
	return ledger.Attempt{}
}

// discounts says, as a clause, why a lookup does not count; "" if it does.
func (r *review) discounts(l ledger.Lookup) string {
	switch {
	case !r.terms.HasLookup:
		return "no lookup is configured now, so nothing tells what its answer is worth"
	case l.Connector != r.terms.Connector:
		return fmt.Sprintf("it went through the connector %s, and %s is configured now", l.Connector, r.terms.Connector)
	case l.Environment != r.terms.Environment:
		return fmt.Sprintf("it asked %s, and %s is configured now", environment(l.Environment), environment(r.terms.Environment))
	case l.StartedAt < r.terms.Promises.Since:
		return fmt.Sprintf("it began before the promises held (since %s)", instant(r.terms.Promises.Since))
	}
	return ""
}

func environment(name string) string {
	if name == "" {
		return "no named environment"
	}
	return "the environment " + name
}

// foundElsewhere lists the lookups that don't count and yet came upon something.
// They prove no delivery, but no absence is believed beside them either.
func (r *review) foundElsewhere() []ledger.Lookup {
	var found []ledger.Lookup
	for _, l := range r.elsewhere {
		switch l.Outcome {
		case ledger.LookupFound, ledger.LookupInProgress, ledger.LookupAmbiguous:
			found = append(found, l)
		}
	}
	return found
}

// sinceLastAttempt lists the readings of lookups that began after the last attempt was
// recorded.
func (r *review) sinceLastAttempt() []reading {
	var since []reading
	for _, x := range r.readings {
		if x.seq > r.lastAttempt().Seq {
			since = append(since, x)
		}
	}
	return since
}

// name is how reasons name a lookup: the shortest start of its id, from eight
// characters on, that no other lookup of this intent shares.
func (r *review) name(l ledger.Lookup) string {
	id := []rune(l.LookupID)
	n := min(8, len(id))
	for _, other := range r.ev.Lookups {
		for n < len(id) && other.LookupID != l.LookupID && strings.HasPrefix(other.LookupID, string(id[:n])) {
			n++
		}
	}
	return string(id[:n])
}
