package verdict

import (
	"slices"

	"triage/ledger"
)

// review is one judgement under way: the evidence in order, and what follows from
// it before any lookup is read. Each part of it is worked out once: an intent may
// have thousands of lookups.
type review struct {
	ev     Evidence
	terms  Terms
	limits limits
	now    ledger.Millis

	abandoned   abandonments
	ends        []end // of every attempt, in the attempts' order
	window      window
	disputes    map[string]ledger.Decision // the newest dispute by receipt
	disputedSeq int64                      // of the newest dispute; 0: none
	disputedAt  ledger.Millis              // when that was
	markedSeq   int64                      // of the newest mark_delivered decision; 0: none

	noAbsence []clause // which promises, time aside, keep a miss from being proof
	noRefusal []clause // the same for a refusal

	readings     []reading       // finished lookups that count, by seq
	elsewhere    []uncounted     // lookups that don't count, by seq
	cameUpon     []uncounted     // those that came upon something all the same, and unusable answers that did, by seq
	contradicted []clause        // what cameUpon says against an absence
	open         []ledger.Lookup // lookups that count and never finished

	ids   []string      // of all lookups, sorted, for their short names
	until ledger.Millis // until when the receiver asked not to be asked
}

// reading is what one row of evidence says.
type reading struct {
	kind     Kind
	outcome  ledger.LookupOutcome // empty: the reading of an attempt
	seq      int64
	id       string
	at       ledger.Millis // when the answer was in
	receipt  string
	gist     clause   // what was answered, as a sentence
	because  []clause // sentences
	proof    bool     // for Absent and Refused: proven
	disputed bool     // its receipt was disputed since
	ours     bool     // found under the byte-identical key with the equal payload hash
	replayed bool     // it was an old answer served again
	heard    bool     // for LookupFailed: recorded as refused, so the receiver may know of it
}

// uncounted is a lookup that proves nothing.
type uncounted struct {
	*ledger.Lookup
	why    clause // as a clause
	flawed bool   // its answer is unusable, though it was asked as it should be
}

func newReview(ev Evidence, terms Terms, now ledger.Millis) *review {
	r := &review{ev: ev.ordered(), terms: terms, limits: terms.limits(), now: now}
	r.disputes = map[string]ledger.Decision{}
	for _, d := range r.ev.Decisions {
		if d.Kind == ledger.Dispute {
			r.disputes[disputedReceipt(d, r.ev.Intent)] = d
			r.disputedSeq, r.disputedAt = d.Seq, d.At
		}
		if d.Kind == ledger.MarkDelivered {
			r.markedSeq = d.Seq
		}
	}
	r.abandoned = r.ev.abandonments()
	r.ends = r.findEnds()
	r.window = r.findWindow()
	r.noAbsence = plains(r.lacksPromise(terms.neverAbsent()))
	r.noRefusal = plains(r.lacksPromise(terms.neverRefused()))
	r.sortLookups()
	return r
}

// sortLookups tells lookups that count from those that don't, and reads the former.
func (r *review) sortLookups() {
	counted := make([]answered, 0, len(r.ev.Lookups))
	r.ids = make([]string, 0, len(r.ev.Lookups))
	for i := range r.ev.Lookups {
		l := &r.ev.Lookups[i]
		r.ids = append(r.ids, l.LookupID)
		why := r.discounts(l)
		switch {
		case !why.none():
			r.elsewhere = append(r.elsewhere, uncounted{Lookup: l, why: why})
			r.noteFind(uncounted{Lookup: l, why: why})
		case !l.Finished():
			r.open = append(r.open, *l)
		default:
			a := r.decode(l)
			counted = append(counted, a)
			r.until = max(r.until, a.shows.RetryAt)
			if !a.flaw.none() && !a.foreign {
				r.noteFind(uncounted{Lookup: l, why: a.flaw, flawed: true})
			}
		}
	}
	slices.Sort(r.ids)
	r.ids = slices.Compact(r.ids)
	r.contradicted = r.contradicts()
	r.readings = make([]reading, 0, len(counted))
	for _, a := range counted { // only now: what a miss is worth depends on those that don't count
		r.readings = append(r.readings, r.read(a))
	}
}

// noteFind keeps a lookup that does not count and yet came upon something. It proves
// no delivery, but no absence is believed beside it either.
func (r *review) noteFind(u uncounted) {
	switch u.Outcome {
	case ledger.LookupFound, ledger.LookupInProgress, ledger.LookupAmbiguous:
		r.cameUpon = append(r.cameUpon, u)
	}
}

// contradicts names the newest of them.
func (r *review) contradicts() []clause {
	newest := r.cameUpon[max(0, len(r.cameUpon)-shown):]
	var why []clause
	for _, u := range newest {
		why = append(why, say("lookup %s at %s came upon something (%s); it does not count, because %s, but beside it no absence is believed",
			r.name(u.LookupID), when(u.StartedAt), u.Outcome, u.why))
	}
	if cut := len(r.cameUpon) - len(newest); cut > 0 {
		why = append(why, say("earlier ones that do not count came upon something too: %s", whole(cut)))
	}
	return why
}

// lastAttempt is the attempt row written last, by seq; the zero attempt if there
// is none.
func (r *review) lastAttempt() ledger.Attempt {
	if n := len(r.ev.Attempts); n > 0 {
		return r.ev.Attempts[n-1]
	}
	return ledger.Attempt{}
}

// discounts says why a lookup does not count; nothing if it does.
func (r *review) discounts(l *ledger.Lookup) clause {
	switch {
	case !r.terms.HasLookup:
		return plain("no lookup is configured now, so nothing tells what its answer is worth")
	case l.Connector != r.terms.Connector:
		return say("it went through the connector %s, and %s is configured now", l.Connector, r.terms.Connector)
	case l.Environment != r.terms.Environment:
		return say("it asked %s, and %s is configured now", environment(l.Environment), environment(r.terms.Environment))
	case l.StartedAt < r.limits.since:
		return say("it began before the promises surely held (since %s, and clock_skew %s)", when(r.terms.Promises.Since), r.terms.skewSpelt())
	}
	return clause{}
}

// environment is its name, as reasons write it.
type environment string

func (e environment) String() string {
	if e == "" {
		return "no named environment"
	}
	return "the environment " + string(e)
}

// sinceLastAttempt lists the readings of lookups that began after the last attempt was
// recorded.
func (r *review) sinceLastAttempt() []reading {
	last := r.lastAttempt().Seq
	at := slices.IndexFunc(r.readings, func(x reading) bool { return x.seq > last })
	if at < 0 {
		return nil
	}
	return r.readings[at:]
}

// shortName is how reasons name a lookup: the shortest start of its id, from eight
// characters on, that no other lookup of this intent shares.
type shortName struct {
	ids []string // sorted, each once
	id  string
}

func (r *review) name(id string) shortName { return shortName{r.ids, id} }

func (n shortName) String() string {
	at, _ := slices.BinarySearch(n.ids, n.id)
	bytes := 0
	if at > 0 {
		bytes = max(bytes, shared(n.id, n.ids[at-1])+1)
	}
	if at+1 < len(n.ids) {
		bytes = max(bytes, shared(n.id, n.ids[at+1])+1)
	}
	count := 0
	for i := range n.id { // whole characters only
		if count >= 8 && i >= bytes {
			return n.id[:i]
		}
		count++
	}
	return n.id
}

// shared is the number of bytes that two texts have in common at their start.
func shared(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}
