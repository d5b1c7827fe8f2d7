package worlds

import "triage/ledger"

// abandonedCause is what is written by whoever finishes an attempt in its sender's
// place (design §4).
const abandonedCause = "abandoned"

// write is the sender writing what came of its attempt, whatever happened to the
// intent meanwhile.
func (w *world) write(a *attempt) {
	a.written = true
	if a.rowMissing {
		return
	}
	if w.twist.is(dutyReceipt) && w.books.givenUp(a.id) {
		w.note(a.clock.name, "%s: comes back, and writes nothing because it was abandoned", a.key)
		return
	}
	stamp := a.clock.at(w.now)
	if a.stampsEnd {
		stamp = a.stamp
	}
	goesOn := w.nature.budget > 0 && a.result.Outcome == ledger.OutcomeUnknown && w.dice.chance(80)
	if refused := w.books.finish(a.id, a.result, stamp, !goesOn); refused != "" {
		w.note(a.clock.name, "%s: can't write what came of attempt %s: %s", a.key, a.id, refused)
		return
	}
	w.note(a.clock.name, "%s: attempt %s came back %s %s", a.key, a.id, a.result.Outcome, a.result.Receipt)
	if a.result.Outcome == ledger.OutcomeUnknown {
		w.doubt(a.line)
	}
	w.goOn(a, goesOn)
}

// goOn is what a sender does next: its own retry within its budget, or sending again
// what was not sent, soon or very late.
func (w *world) goOn(a *attempt, goesOn bool) {
	n := &w.nature
	delay := w.dice.upTo(n.need())
	switch {
	case goesOn:
		if w.dice.chance(15) {
			delay = n.R + w.dice.upTo(n.need())
		}
		c := w.senders[w.dice.IntN(len(w.senders))]
		at := w.now + delay
		if w.dice.chance(20) { // at the last moment that its clock admits
			at = max(w.now, c.when(w.books.state(a.key).DeadlineAt, w.now))
		}
		w.plan(at, func() { w.sendBy(c, a.key, a.line, []string{"app", "sdk", "scheduler"}[w.dice.IntN(3)]) })
	case a.result.Outcome == ledger.OutcomeNotSent:
		if w.dice.chance(20) {
			delay = n.R + w.dice.upTo(n.need())
		}
		w.plan(w.now+delay, func() { w.courier(nil, a.key, a.line) })
	case w.twist.is(dutyBlind) && a.result.Outcome == ledger.OutcomeUnknown:
		w.plan(w.now+delay, func() { w.send(a.key, a.line, "app") })
	}
}

// courier takes what is sendable.
func (w *world) courier(c *clock, key string, l *line) {
	if !w.books.sendable(key) {
		return
	}
	if c == nil {
		c = w.senders[w.dice.IntN(len(w.senders))]
	}
	w.sendBy(c, key, l, "scheduler")
}

// doubt: from now on somebody does not know what became of a delivery.
func (w *world) doubt(l *line) {
	if l.doubted < 0 {
		l.doubted = w.now
	}
}

// cleanUp finishes an attempt in its sender's place, who may well be alive.
func (w *world) cleanUp(a *attempt) {
	c := w.senders[w.dice.IntN(len(w.senders))]
	r := ledger.Result{Outcome: ledger.OutcomeUnknown, Cause: abandonedCause}
	if w.books.finish(a.id, r, c.at(w.now), true) == "" {
		w.note("janitor", "%s: finishes attempt %s in its sender's place", a.key, a.id)
		w.doubt(a.line)
	}
}

// cancel puts the wish on record that nothing more be sent.
func (w *world) cancel(l *line) {
	l.cancelled = true
	w.note("business", "no longer wants delivery %d", l.n)
	w.books.cancel(l.head, w.senders[0].at(w.now))
}
