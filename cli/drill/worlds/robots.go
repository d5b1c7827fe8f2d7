package worlds

import (
	"fmt"

	"triage/ledger"
)

// robot is a way of dealing with uncertain deliveries.
type robot interface {
	turn(w *world, o *operator, l *line)
}

// robots are those that are compared, by name.
var robots = []struct {
	name, what string
	robot
}{
	{"a", "a new key after a timeout", newKeyAtOnce{}},
	{"b", "a new key when one lookup says not found", newKeyWhenMissed{}},
	{"c", "the verdict to the letter", letter{}},
}

// mostKeys bounds how many keys (a) and (b) make for one delivery.
const mostKeys = 4

// newKeyAtOnce is robot (a): what timed out has failed.
type newKeyAtOnce struct{}

func (newKeyAtOnce) turn(w *world, o *operator, l *line) {
	i := w.books.state(l.head)
	if i.State.Final() || l.cancelled || len(l.keys) >= mostKeys {
		return
	}
	if i.State == ledger.Unknown || w.late(l) {
		w.newKey(o, l)
	}
	w.attend(o, l, w.now+1+w.nature.T)
}

// late: an attempt was made and its time is long up.
func (w *world) late(l *line) bool {
	a := w.books.state(l.head).Derived.InFlight
	return a != "" && w.attempts[a] != nil && w.now > w.attempts[a].began+2*w.nature.T
}

// newKeyWhenMissed is robot (b): one lookup that does not find it is believed, and so
// is one that finds something.
type newKeyWhenMissed struct{}

func (newKeyWhenMissed) turn(w *world, o *operator, l *line) {
	i := w.books.state(l.head)
	if i.State.Final() || l.cancelled || len(l.keys) >= mostKeys {
		return
	}
	if i.State != ledger.Unknown && !w.late(l) {
		w.attend(o, l, w.now+1+w.nature.T)
		return
	}
	a := w.ask(route{connector: w.nature.terms.Connector, environment: w.nature.target.Environment}, l.head)
	w.note(o.name, "looks up %s: %s", l.head, a.Outcome)
	switch {
	case w.books.state(l.head).State.Final():
		return
	case a.Outcome == ledger.LookupFound:
		w.believed[l.head], w.touched = true, true
		w.note(o.name, "takes %s for delivered", l.head)
		return
	case a.Outcome == ledger.LookupNotFound:
		w.newKey(o, l)
	}
	w.attend(o, l, w.now+1+w.nature.T)
}

// newKey sends the same content under another key, beside whatever became of the old
// one.
func (w *world) newKey(o *operator, l *line) {
	key := fmt.Sprintf("%s-again-%d", l.root, len(l.keys))
	w.books.begin(w.intentFor(key), o.clock.at(w.now))
	l.keys, l.head = append(l.keys, key), key
	w.note(o.name, "makes the new key %s", key)
	w.send(key, l, "app")
}

// recordedDelivered says whether somebody relies on a key's having been delivered.
func (w *world) recordedDelivered(key string) bool {
	return w.believed[key] || w.books.state(key).State == ledger.Delivered
}

// settledNow: nobody has to do anything about a delivery any more.
func (w *world) settledNow(l *line) bool {
	return w.believed[l.head] || w.books.state(l.head).State.Final()
}
