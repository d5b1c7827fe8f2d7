package worlds

import "container/heap"

// event is something that will happen.
type event struct {
	at    int64
	order int // of two at one instant the one planned first
	do    func()
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].order < e[j].order
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := len(*e) - 1
	x := (*e)[last]
	*e = (*e)[:last]
	return x
}

// plan lets something happen at an instant, or at once where that has passed.
func (w *world) plan(at int64, do func()) {
	w.planned++
	heap.Push(&w.queue, event{max(at, w.now), w.planned, do})
}

// pass lets time pass until an instant, with all that happens meanwhile. What happens
// may let time pass itself, as a lookup does.
func (w *world) pass(until int64) {
	for len(w.queue) > 0 && w.queue[0].at <= until {
		e := heap.Pop(&w.queue).(event)
		w.now = max(w.now, e.at)
		e.do()
		w.watch()
	}
	w.now = max(w.now, until)
}

// most bounds the events of one world; none comes near it.
const most = 20_000

// exhaust runs until nothing is planned any more.
func (w *world) exhaust() {
	for n := 0; len(w.queue) > 0 && n < most; n++ {
		w.pass(w.queue[0].at)
	}
}
