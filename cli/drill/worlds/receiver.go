package worlds

import (
	"fmt"
	"strings"

	"triage/actions/lookup"
	"triage/actions/verdict"
	"triage/ledger"
)

type answer = lookup.Answer

var (
	contentHash  = strings.Repeat("ab", 32)
	otherContent = strings.Repeat("cd", 32)
)

// effect is a delivery that really happened.
type effect struct {
	at, seen int64 // a lookup begun after seen finds it
	receipt  string
	order    int // of its attempt, among those recorded under its key; 0: it was not recorded
}

// record is all that the receiver has under one key.
type record struct {
	key     string
	line    *line
	anchor  int64 // when the first attempt that sent something began: retention counts from here
	effects []effect
	refused int64 // from when a lookup shows a refusal; none if negative
	calls   []*request
	told    []troubleKind // what was answered of it that settles nothing and can't be unsaid
}

// request is one call on its way.
type request struct {
	try            *attempt
	sentAt, landAt int64
	arrives        int64 // from when the receiver is at work on it
	lost           bool  // never lands
	silent         bool  // its answer is lost
	refusedToStand bool  // connection refused: nothing was sent
	drop           bool  // accepted and then dropped
	sent, landed   bool
	answered       bool
	rejected       bool // the answer was a refusal
	receipt        string
}

// record finds or makes what is kept under a key.
func (w *world) record(key string) *record {
	r := w.records[key]
	if r == nil {
		r = &record{key: key, anchor: -1, refused: -1}
		w.records[key] = r
	}
	return r
}

// land is what the receiver does with a request. It honours a key until retention has
// passed since the first attempt began, and not a millisecond longer.
func (w *world) land(q *request) {
	q.landed = true
	rec := w.record(q.try.key)
	rec.line = q.try.line
	switch {
	case w.nature.refusesBusy && len(rec.effects) == 0 && rec.otherBusy(q, w.now):
		q.rejected = true
		w.note("receiver", "refuses a request under %s, because it is at work on another one", q.try.key)
	case w.refuses(rec):
		q.rejected = true
		if rec.refused < 0 && w.nature.keepsRefused {
			rec.refused = w.now + w.dice.upTo(w.nature.G)
		}
		w.note("receiver", "refuses a request under %s", q.try.key)
		w.reconsider(q)
	case w.nature.honours && len(rec.effects) > 0 && w.now < rec.anchor+w.nature.R:
		q.receipt = rec.effects[0].receipt
		w.note("receiver", "knows %s already and returns %s: no second effect", q.try.key, q.receipt)
	case q.drop:
		w.note("receiver", "drops what it had accepted under %s", q.try.key)
		return
	default:
		w.deliver(rec, q)
	}
	if !q.silent {
		w.plan(w.now+w.dice.upTo(w.nature.unit), func() { w.hear(q) })
	}
}

// deliver is the effect itself.
func (w *world) deliver(rec *record, q *request) {
	w.happened++
	e := effect{order: q.try.order, at: w.now, seen: w.now + w.dice.upTo(w.nature.G), receipt: fmt.Sprintf("r-%d", w.happened)}
	if w.nature.terms.Promises.Receipt == verdict.KeyAsReceipt {
		e.receipt = q.try.key
	}
	rec.effects = append(rec.effects, e)
	q.receipt = e.receipt
	w.note("receiver", "DELIVERS under %s: %s; lookups see it after %s, until %s", q.try.key, e.receipt, w.moment(e.seen), w.moment(rec.anchor+w.nature.LR))
}

// reconsider: a refusal that is not final may be followed by an effect after all: within
// what is promised of every request, or later where lookups go on showing the refusal.
func (w *world) reconsider(q *request) {
	if w.nature.refusal != refusesFirst || !w.dice.chance(40) {
		return
	}
	at := w.dice.between(w.now, w.settleLimit(q.try))
	if w.nature.keepsRefused {
		at = w.now + w.dice.upTo(4*w.nature.need())
	}
	w.plan(at, func() {
		if rec := w.record(q.try.key); len(rec.effects) == 0 {
			w.deliver(rec, &request{try: q.try})
		}
	})
}

func (w *world) refuses(rec *record) bool {
	switch w.nature.refusal {
	case refusesAll:
		return len(rec.effects) == 0
	case refusesFirst:
		return len(rec.effects) == 0 && w.dice.chance(60)
	}
	return false
}

// knows is what a lookup under a key is told of the receiver's state at an instant.
func (w *world) knows(key string, at int64) answer {
	a := answer{Outcome: ledger.LookupNotFound, Evidence: ledger.Evidence{Status: 404}}
	rec := w.records[key]
	if rec == nil || at >= rec.anchor+w.nature.LR {
		return a
	}
	seen := rec.visible(at)
	switch {
	case len(seen) > 1:
		return answer{Outcome: ledger.LookupAmbiguous, Evidence: ledger.Evidence{Status: 200}}
	case len(seen) == 1:
		return w.shows(key, seen[0].receipt, true)
	case rec.busy(at) && !w.nature.foundFinal:
		if w.nature.showsWork {
			return answer{Outcome: ledger.LookupInProgress, Evidence: ledger.Evidence{Status: 202}}
		}
		return w.shows(key, "", false)
	case rec.busy(at) && w.nature.showsWork:
		return answer{Outcome: ledger.LookupInProgress, Evidence: ledger.Evidence{Status: 202}}
	case rec.refused >= 0 && at > rec.refused:
		return answer{Outcome: ledger.LookupRefused, Evidence: ledger.Evidence{Status: 422, Key: &rec.key}}
	}
	return a
}

// shows is an answer about something found.
func (w *world) shows(key, receipt string, done bool) answer {
	a := answer{Outcome: ledger.LookupFound, Receipt: receipt, Owner: principal, Evidence: ledger.Evidence{Status: 200}}
	if receipt == "" {
		a.Receipt = "accepted-" + key
	}
	if w.nature.terms.Promises.Receipt == verdict.KeyAsReceipt {
		a.Receipt = key
	}
	if w.nature.echoes {
		a.Evidence.Key = &key
	}
	if w.nature.tellsHash {
		a.PayloadSHA256 = contentHash
	}
	if w.nature.showsFinal {
		a.Evidence.Final = &done
	}
	return a
}

func (r *record) visible(at int64) []effect {
	var seen []effect
	for _, e := range r.effects {
		if at > e.seen {
			seen = append(seen, e)
		}
	}
	return seen
}

// busy says that it is at work on something that is not done.
func (r *record) busy(at int64) bool {
	for _, q := range r.calls {
		if at >= q.arrives && at < q.landAt {
			return true
		}
	}
	return false
}

// otherBusy says that it is at work on another request under the key.
func (r *record) otherBusy(q *request, at int64) bool {
	for _, o := range r.calls {
		if o != q && at >= o.arrives && at < o.landAt {
			return true
		}
	}
	return false
}
