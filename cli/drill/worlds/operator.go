package worlds

import (
	"triage/actions/verdict"
	"triage/ledger"
)

// operator is one robot at one desk, with a clock of its own.
type operator struct {
	name  string
	clock *clock
	wakes map[*line]int
	tired map[*line]int // useless lookups in a row
}

// mostReissues bounds how many new intents are made for one delivery.
const mostReissues = 6

// mostWakes bounds how often an operator turns to one delivery.
const mostWakes = 120

// attend lets an operator turn to a delivery at an instant.
func (w *world) attend(o *operator, l *line, at int64) {
	if o.wakes[l] >= mostWakes || at > w.nature.horizon {
		return
	}
	w.plan(at, func() {
		if w.now <= w.nature.horizon && o.wakes[l] < mostWakes {
			o.wakes[l]++
			w.robot.turn(w, o, l)
		}
	})
}

// letter is robot (c): triage's verdict to the letter, and never the phrase that
// accepts a possible duplicate.
type letter struct{}

func (letter) turn(w *world, o *operator, l *line) {
	s := w.books.see(o, l.head)
	if s.intent.State.Final() {
		w.sweep(o, l)
		return
	}
	w.noteVerdict(o, l.head, s)
	w.claim(l.head, s.verdict.Kind)
	d, decided := w.decide(o, l, s)
	if decided {
		w.plan(w.now+w.dice.upTo(w.nature.unit), func() { w.carryOut(o, l, d) })
		return
	}
	w.wait(o, l, s)
}

// decide is what the verdict's letter leads to. What the business wants is known to
// everybody; whether a sender was killed only to whoever found out.
func (w *world) decide(o *operator, l *line, s sight) (deed, bool) {
	v := s.verdict
	do := func(act verdict.Act) (deed, bool) { return deed{act: act, key: l.head, seen: s}, true }
	switch {
	case v.Kind == verdict.Delivered && v.Allows(verdict.ActDeliver):
		return deed{act: verdict.ActDeliver, key: l.head, seen: s, receipt: v.Receipt}, true
	case v.Allows(verdict.ActClose) && l.cancelled:
		return do(verdict.ActClose)
	case v.Kind == verdict.Refused && v.Allows(verdict.ActClose) && (l.reissues > 0 || w.dice.chance(60)):
		return do(verdict.ActClose)
	}
	if d, ok := w.abandons(l, s); ok {
		return d, true
	}
	again := v.Kind == verdict.Absent || v.Kind == verdict.Refused
	switch {
	case again && w.retryStands(o, l):
		return deed{}, false
	case again && v.Allows(verdict.ActRetry) && l.retries < 3 && w.dice.chance(65):
		return do(verdict.ActRetry)
	case again && v.Allows(verdict.ActReissue) && l.reissues < mostReissues:
		return do(verdict.ActReissue)
	}
	return deed{}, false
}

// retryStands: one was decided and may still be taken, as far as this operator's clock
// tells.
func (w *world) retryStands(o *operator, l *line) bool {
	return l.retryUntil >= o.clock.at(w.now) && w.books.sendable(l.head)
}

// abandons gives an attempt up. That its sender was killed is stated only where it was,
// and where that was found out.
func (w *world) abandons(l *line, s sight) (deed, bool) {
	a := w.attempts[s.open]
	if a == nil {
		return deed{}, false
	}
	given := w.books.givenUp(s.open)
	known := a.foundOut >= 0 && w.now >= a.foundOut && a.over || w.twist.is(lieKilled)
	switch {
	case known && !w.stated[s.open]:
		return deed{act: verdict.ActAbandon, key: l.head, seen: s, killed: true}, true
	case !given && w.now > a.began+w.nature.unit && w.dice.chance(15), !given && s.verdict.Kind == verdict.Absent:
		return deed{act: verdict.ActAbandon, key: l.head, seen: s}, true
	}
	return deed{}, false
}

// carryOut does what was decided a moment ago.
func (w *world) carryOut(o *operator, l *line, d deed) {
	newKey, refused := w.books.act(o, d)
	if refused != "" {
		w.note(o.name, "%s %s: refused, %s", d.act, d.key, refused)
		w.attend(o, l, w.now+1+w.dice.upTo(w.nature.unit))
		return
	}
	w.note(o.name, "%s %s %s%s", d.act, d.key, newKey, map[bool]string{true: "(the sender was killed)"}[d.killed])
	switch d.act {
	case verdict.ActAbandon:
		if d.killed {
			w.stated[d.seen.open] = true
		}
	case verdict.ActReissue:
		l.reissues++
		l.keys, l.head, l.moved = append(l.keys, newKey), newKey, w.now
		w.plan(w.now+w.dice.upTo(w.nature.need()), func() { w.courier(nil, newKey, l) })
	case verdict.ActRetry:
		l.retries++
		w.takeRetry(l, d)
	}
	w.attend(o, l, w.now+1)
}

// takeRetry lets a sender take a decided retry: soon, or at the last moment that its
// clock admits.
func (w *world) takeRetry(l *line, d deed) {
	until := w.books.retryUntil(d.key)
	l.retryUntil = until
	c := w.senders[w.dice.IntN(len(w.senders))]
	at := w.now + w.dice.upTo(w.nature.need())
	if w.dice.chance(50) {
		at = max(w.now, c.when(until, w.now))
	}
	if at > w.nature.horizon && w.dice.chance(80) {
		at = w.now + w.dice.upTo(w.nature.unit)
	}
	w.plan(at, func() { w.courier(c, d.key, l) })
}

// wait lets time pass until the verdict says that asking helps, or asks now.
func (w *world) wait(o *operator, l *line, s sight) {
	v := s.verdict
	until := o.clock.when(v.NotBefore, w.now)
	n := &w.nature
	switch {
	case v.MustWait(o.clock.at(w.now)) && w.dice.chance(75):
		until += []int64{0, 0, 0, 1, -1}[w.dice.IntN(5)]
		w.note(o.name, "waits until %s, as the verdict says", w.moment(until))
		w.attend(o, l, max(w.now+1, until))
		return
	case !v.Allows(verdict.ActLookup) || v.Kind == verdict.Absent || v.Kind == verdict.NeverSent && w.dice.chance(80):
		w.attend(o, l, w.now+1+n.L+w.age(l)/3)
		return
	}
	r := route{connector: n.terms.Connector, environment: n.target.Environment, dies: w.dice.chance(2)}
	outcome := w.books.look(o, r, l.head)
	w.note(o.name, "looks up %s: %s", l.head, told(outcome))
	o.tired[l]++
	pause := n.L
	switch {
	case outcome == ledger.LookupFailed && o.tired[l] < 20, o.tired[l] < 3:
	default:
		pause = max(n.L, w.age(l)/3)
	}
	w.attend(o, l, w.now+1+w.dice.between(pause/2, pause))
}

// age is how long ago the last thing happened to a delivery.
func (w *world) age(l *line) int64 { return w.now - l.moved }

// sweep looks up what was settled or replaced, now and then: evidence that disagrees
// must not be missed.
func (w *world) sweep(o *operator, l *line) {
	if !w.dice.chance(10) || w.books.state(l.head).State == ledger.Delivered {
		return
	}
	r := route{connector: w.nature.terms.Connector, environment: w.nature.target.Environment}
	w.note(o.name, "sweeps %s: %s", l.root, w.books.look(o, r, l.root))
}

// told is an outcome in the timeline.
func told(o ledger.LookupOutcome) string {
	if o == "" {
		return "and dies before the answer"
	}
	return string(o)
}
