package worlds

import (
	"fmt"

	"triage/ledger"
)

// world is one incident under way.
type world struct {
	nature nature
	dice   dice
	twist  *twist // nil where everything is as it should be
	robot  robot
	books  books

	now     int64
	queue   events
	planned int

	senders       []*clock
	receiverClock *clock
	operators     []*operator
	lines         []*line
	keys          []string // first keys
	attempts      map[string]*attempt
	records       map[string]*record
	happened      int             // effects so far
	stated        map[string]bool // attempts whose sender was stated to be dead
	believed      map[string]bool // keys that robot (b) takes for delivered
	recorded      map[string]int  // attempts recorded under each key so far
	claims        []claim         // what verdicts have said, for the oracle

	prefix  string // before every key, so that worlds can share a ledger
	touched bool   // the books changed since watch looked

	log *[]string // the timeline; nil where nobody reads it
}

// newWorld draws a world. Its books are still to be set.
func newWorld(seed uint64, r robot, t *twist) *world {
	w := &world{dice: newDice(seed), robot: r, twist: t, attempts: map[string]*attempt{}, records: map[string]*record{},
		stated: map[string]bool{}, believed: map[string]bool{}, recorded: map[string]int{}}
	w.nature = drawNature(seed, w.dice, t)
	for i := range 1 + w.dice.IntN(2) {
		w.senders = append(w.senders, w.newClock(fmt.Sprintf("sender %d", i+1)))
	}
	w.receiverClock = w.newClock("receiver")
	if w.nature.since >= 0 {
		w.nature.terms.Promises.Since = w.receiverClock.at(w.nature.since) + ledger.Millis(w.sinceMargin())
		w.nature.target.Promises.Since = w.nature.terms.Promises.Since
	}
	for i := range w.nature.operators {
		w.operators = append(w.operators, &operator{name: fmt.Sprintf("operator %d", i+1), clock: w.newClock(fmt.Sprintf("operator %d", i+1)),
			wakes: map[*line]int{}, tired: map[*line]int{}})
	}
	return w
}

// sinceMargin is what is added to the receiver's own word for since: nothing, because
// the verdict allows for K itself; K less where that is left out.
func (w *world) sinceMargin() int64 {
	if w.twist.is(sinceExact) {
		return -w.nature.K
	}
	return 0
}

// play lets everything happen.
func (w *world) play() {
	count := 1
	if w.nature.twins {
		count = 2
	}
	for i := range count {
		l := &line{n: i + 1, root: fmt.Sprintf("%sreport-%d", w.prefix, i+1), doubted: -1, settled: -1}
		l.keys, l.head = []string{l.root}, l.root
		w.plan(w.dice.upTo(5*w.nature.unit), func() {
			w.begin(l)
			w.lines, w.keys = append(w.lines, l), append(w.keys, l.root)
			w.work(l)
		})
	}
	w.exhaust()
}

// work plans who turns to a delivery.
func (w *world) work(l *line) {
	for _, o := range w.operators {
		w.attend(o, l, w.now+w.dice.upTo(w.nature.need()+w.nature.unit))
	}
	if w.nature.cancelAt >= 0 {
		w.plan(w.nature.cancelAt, func() { w.cancel(l) })
	}
	if w.dice.chance(15) { // somebody asks elsewhere; it proves nothing, and must not be believed
		for range 1 + w.dice.IntN(3) {
			w.plan(w.now+w.dice.upTo(2*w.nature.need()), func() { w.stray(l) })
		}
	}
}

// stray is a lookup of somewhere else: another environment, or another connector.
func (w *world) stray(l *line) {
	if _, ok := w.robot.(letter); !ok {
		return
	}
	r := route{connector: w.nature.terms.Connector, environment: "staging", stray: true}
	if w.dice.chance(40) {
		r = route{connector: "exec", environment: w.nature.target.Environment, stray: true}
	}
	w.note("somebody", "asks elsewhere about %s: %s", l.head, w.books.look(w.operators[0], r, l.head))
}

// watch remembers when deliveries were settled.
func (w *world) watch() {
	if !w.touched {
		return
	}
	w.touched = false
	for _, l := range w.lines {
		if l.settled < 0 && w.settledNow(l) {
			l.settled = w.now
		}
	}
}
