package worlds

import (
	"triage/ledger"
)

const principal = "agent-1"

// line is one delivery that is wanted, under whatever keys.
type line struct {
	n          int
	root       string   // its first key
	keys       []string // in the order in which they were made
	head       string   // the newest
	cancelled  bool
	begun      int64
	moved      int64 // when its head was made or last attempted: its age counts from here
	doubted    int64 // when it first needed an operator; none if negative
	settled    int64 // when its head became final; none if negative
	attempts   int
	retryUntil ledger.Millis
	retries    int // decided by operators
	reissues   int
}

// attempt is one call of a sender, as it really is.
type attempt struct {
	id, key    string
	line       *line
	clock      *clock
	began      int64 // when its clock was read; its limit T counts from here
	end        int64 // when it stops sending and listening
	dies       bool  // at its end: nothing is ever written
	foundOut   int64 // when an operator may learn of that; never if negative
	writesAt   int64 // how long after its end it writes what came of it
	stampsEnd  bool  // finished_at is when it stopped, not when it wrote
	over       bool  // it stopped
	written    bool
	calls      []*request
	result     ledger.Result
	contract   bool // the receiver's refusals are final by its contract, and so may be called rejected
	stamp      ledger.Millis
	order      int  // among the attempts recorded under its key, from 1
	rowMissing bool // a sender that neglects its duty calls before the row is there
}

// begin persists the intent and lets a sender take it.
func (w *world) begin(l *line) {
	l.begun, l.moved = w.now, w.now
	n := w.intentFor(l.root)
	c := w.senders[0]
	if w.nature.budget > 0 {
		t := &w.nature
		n.MaxAttempts = t.budget
		// The last attempt must land while the key is honoured.
		n.DeadlineAt = c.at(w.now) + ledger.Millis(t.R-t.T-t.S-t.K-1-w.dice.upTo(t.unit))
		if w.twist.is(deadlineExact) {
			n.DeadlineAt = c.at(w.now) + ledger.Millis(t.R-t.T-t.S-t.K)
		}
		if w.twist.is(dutyDeadline) {
			n.DeadlineAt = c.at(w.now) + ledger.Millis(20*t.R)
		}
	}
	w.books.begin(n, c.at(w.now))
	w.note(c.name, "begins %s", l.root)
	if w.dice.chance(4) {
		w.note(c.name, "dies before it attempts anything")
		w.plan(w.now+w.dice.upTo(w.nature.horizon/4), func() { w.send(l.root, l, "scheduler") })
		return
	}
	w.plan(w.now+w.dice.upTo(2*w.nature.unit), func() { w.send(l.root, l, "app") })
	if w.dice.chance(25) { // another layer tries as well; the ledger's rules hold it back
		w.plan(w.now+w.dice.upTo(3*w.nature.need()), func() { w.send(l.root, l, "scheduler") })
	}
}

func (w *world) intentFor(key string) ledger.NewIntent {
	return ledger.NewIntent{OpKey: key, Task: "weekly report", Stage: "send", Principal: principal, Target: w.nature.target.Name,
		PayloadSHA256: contentHash, GrantID: w.grant(), UpdatedBy: "sender"}
}

func (w *world) grant() string { return "grant-" + w.nature.target.Name }

// maxAttempts bounds how often one delivery is tried in a world.
const maxAttempts = 9

// send lets some sender make an attempt under a key.
func (w *world) send(key string, l *line, layer string) {
	w.sendBy(w.senders[w.dice.IntN(len(w.senders))], key, l, layer)
}

// sendBy makes one attempt: the row first, and only if it stands the call.
func (w *world) sendBy(c *clock, key string, l *line, layer string) {
	if l.attempts >= maxAttempts {
		return
	}
	a := &attempt{key: key, line: l, clock: c, began: w.now, foundOut: -1}
	started := a.clock.at(w.now)
	if w.twist.is(dutyRowFirst) && w.dice.chance(50) && w.books.sendable(key) {
		l.attempts++
		w.unrecorded(a)
		return
	}
	id, refused := w.books.attempt(key, layer, started, w.twist.is(dutyBlind))
	if refused != "" {
		w.note(a.clock.name, "%s: the ledger refuses an attempt: %s", key, refused)
		return
	}
	l.attempts++
	w.recordedAs(a, id)
	w.note(a.clock.name, "%s: attempt %s recorded (%s)", key, id, layer)
	w.planCall(a)
}

// recordedAs notes that an attempt's row stands.
func (w *world) recordedAs(a *attempt, id string) {
	w.recorded[a.key]++
	a.line.moved = w.now
	a.id, a.order = id, w.recorded[a.key]
	w.attempts[id] = a
}

// unrecorded is a sender that calls first and writes the row afterwards, if it lives.
func (w *world) unrecorded(a *attempt) {
	a.rowMissing = true
	w.note(a.clock.name, "%s: calls without having recorded an attempt", a.key)
	w.planCall(a)
	late := w.now + w.dice.upTo(a.end-w.now)
	w.plan(late, func() {
		if a.dies && w.dice.chance(50) {
			return
		}
		if id, refused := w.books.attempt(a.key, "app", a.clock.at(w.now), false); refused == "" {
			a.rowMissing = false
			w.recordedAs(a, id)
			if a.over {
				w.write(a)
			}
		}
	})
}

// planCall draws what the sender does in its attempt: when it sends, how long it waits,
// whether it dies, pauses, or comes back late.
func (w *world) planCall(a *attempt) {
	d, n := w.dice, &w.nature
	limit := n.T
	a.contract = n.refusal == refusesAll || n.refusesBusy && n.refusal == takesAll
	if w.twist.is(lieTimeout) {
		limit = 4*n.T + 3
	}
	a.end = a.began + d.upTo(limit)
	if d.chance(30) {
		a.end = a.began + limit
	}
	a.dies = d.chance(n.dead) && !a.calm()
	if a.dies {
		a.foundOut = -1
		if d.chance(60) {
			a.foundOut = a.end + d.upTo(n.unit)
			if d.chance(40) {
				a.foundOut = a.end + d.upTo(n.horizon/4)
			}
		}
	}
	if d.chance(20) {
		a.writesAt, a.stampsEnd = d.upTo(3*n.need()), d.chance(50)
	}
	if n.janitor && d.chance(50) && !a.rowMissing {
		w.plan(a.began+d.upTo(n.T), func() { w.cleanUp(a) })
	}
	w.planRequests(a)
	w.plan(a.end, func() { w.stop(a, true) })
}

// calm: the storm is over after a few attempts, so that a world comes to an end.
func (a *attempt) calm() bool { return a.line.attempts > 4 }

func (w *world) planRequests(a *attempt) {
	d, n := w.dice, &w.nature
	count := 1
	switch {
	case a.dies && d.chance(30):
		w.note(a.clock.name, "%s: loses its power before it calls", a.key)
		count = 0
	case n.sdk || w.twist.is(dutySDK):
		count = 1 + d.IntN(3)
	}
	at := w.now
	if d.chance(30) {
		at = w.now + d.upTo(a.end-w.now) // paused between row and call
	}
	for range count {
		q := &request{try: a, sentAt: at}
		q.refusedToStand = d.chance(n.flaky) && !a.calm()
		q.lost, q.silent = d.chance(n.lossy) && !a.calm(), d.chance(n.silent)
		q.drop = n.drops && d.chance(40)
		q.landAt = q.sentAt + d.upTo(min(n.unit, w.settleLimit(a)-q.sentAt))
		if d.chance(50) {
			q.landAt = d.between(q.sentAt, w.settleLimit(a))
		}
		a.calls = append(a.calls, q)
		w.plan(q.sentAt, func() { w.depart(q) })
		at = d.between(at, a.end)
	}
}

// settleLimit is the last instant at which what an attempt sent may land.
func (w *world) settleLimit(a *attempt) int64 {
	s := w.nature.S
	if a.began < w.nature.since {
		s = 6*s + 20*w.nature.unit // the promises did not hold yet
	}
	return a.end + s
}

// depart sends a request, unless its sender has stopped.
func (w *world) depart(q *request) {
	a := q.try
	switch {
	case a.over:
		return
	case q.refusedToStand:
		w.note(a.clock.name, "%s: connection refused; nothing was sent", a.key)
		w.settleEarly(a)
		return
	}
	q.sent = true
	rec := w.record(a.key)
	if rec.anchor < 0 {
		rec.anchor = a.began
	}
	if q.lost {
		w.note(a.clock.name, "%s: sends a request that is lost on the way", a.key)
		q.arrives, q.landAt = 0, 0
		return
	}
	q.arrives = w.dice.between(w.now, q.landAt)
	rec.calls = append(rec.calls, q)
	w.note(a.clock.name, "%s: sends a request; it lands at %s", a.key, w.moment(q.landAt))
	w.awaitLanding(q)
}

func (w *world) awaitLanding(q *request) {
	w.plan(q.landAt, func() {
		if !q.landed && w.now >= q.landAt {
			w.land(q)
		}
	})
}

// hear is an answer that reaches the sender, if it still listens.
func (w *world) hear(q *request) {
	a := q.try
	if a.over || a.dies && w.now >= a.end {
		return
	}
	q.answered = true
	w.note(a.clock.name, "%s: hears %s", a.key, map[bool]string{true: "a refusal", false: "the receipt " + q.receipt}[q.rejected])
	w.settleEarly(a)
}

// settleEarly ends an attempt as soon as its outcome is certain.
func (w *world) settleEarly(a *attempt) {
	if o := a.outcome(w.twist).Outcome; o == ledger.OutcomeDelivered || (o == ledger.OutcomeRejected || o == ledger.OutcomeNotSent) && w.allPast(a) {
		w.stop(a, false)
	}
}

func (w *world) allPast(a *attempt) bool {
	for _, q := range a.calls {
		if q.sentAt > w.now || !q.sent && !q.refusedToStand {
			return false
		}
	}
	return true
}

// stop ends an attempt: it sends and hears nothing more. What it has sent lands within
// S from now on.
func (w *world) stop(a *attempt, timeUp bool) {
	if a.over {
		return
	}
	a.over = true
	a.end = w.now
	if a.dies && timeUp {
		w.note(a.clock.name, "%s: its sender dies", a.key)
		w.doubt(a.line)
		return
	}
	a.dies, a.foundOut = false, -1
	a.result = a.outcome(w.twist)
	limit := w.settleLimit(a)
	for _, q := range a.calls {
		if q.sent && !q.lost && !q.landed && q.landAt > limit {
			q.landAt = limit
			w.awaitLanding(q)
		}
	}
	a.stamp = a.clock.at(w.now)
	w.plan(w.now+a.writesAt, func() { w.write(a) })
	if a.writesAt > w.nature.T {
		w.doubt(a.line) // it looks like one until it comes back
	}
}

// outcome is what the sender may honestly say: not_sent and rejected only where that
// is true of every request.
func (a *attempt) outcome(t *twist) ledger.Result {
	calls := a.calls
	if len(calls) > 1 && (t.is(dutyNotSent) && calls[len(calls)-1].refusedToStand || t.is(dutyRejected) && calls[len(calls)-1].answered && calls[len(calls)-1].rejected) {
		calls = calls[len(calls)-1:] // only the last request counts
	}
	notSent, rejected := 0, 0
	for _, q := range calls {
		switch {
		case q.answered && q.receipt != "":
			return ledger.Result{Outcome: ledger.OutcomeDelivered, Receipt: q.receipt, HTTPStatus: 201}
		case q.answered && q.rejected && q.final(t):
			rejected++
		case !q.sent:
			notSent++
		}
	}
	switch {
	case notSent == len(calls):
		return ledger.Result{Outcome: ledger.OutcomeNotSent, Cause: "connection_refused"}
	case rejected > 0 && rejected+notSent == len(calls):
		return ledger.Result{Outcome: ledger.OutcomeRejected, HTTPStatus: 422}
	}
	return ledger.Result{Outcome: ledger.OutcomeUnknown, Cause: "timeout"}
}

// final says that the receiver's contract calls this refusal final. A 429 or 503 is
// none.
func (q *request) final(t *twist) bool { return q.try.contract || t.is(dutyTransient) }
