package budget

import (
	"cmp"
	"slices"
	"time"

	"triage/actions/verdict"
	"triage/ledger"
)

// Budget is what an intent may spend, and what it has spent.
type Budget struct {
	Attempts int // rows, whatever came of them
	Max      int // max_attempts; 0: none set
	Left     int // attempts left; none below zero, and without a Max nothing is said

	DeadlineAt ledger.Millis // none: none set
	TimeLeft   time.Duration // until the deadline; negative: it has passed

	Layers    []Layer       // who made the attempts, the one that began first in front
	Nested    []Nesting     // attempts of one layer that began inside an attempt of another
	Intervals int           // between the starts of one attempt and the next
	Shortest  time.Duration // of those
	Typical   time.Duration // their median, the shorter of two in the middle
	Longest   time.Duration
	Overlaps  int // attempts that began before an earlier one had ended, and were none of its own tries

	Sender Sender // what its sender may still do by itself

	// LatestStart is the instant before which an attempt has to begin so that what it
	// sends still lands while the key is honoured (design §6, retry); none: not known,
	// and Unbounded says why, as a clause.
	LatestStart ledger.Millis
	Unbounded   string
	Outlives    time.Duration // for how long attempts are still admitted from LatestStart on; 0: for none
}

// Layer is one layer that made attempts: app, sdk, scheduler, or what else a writer says.
type Layer struct {
	Name     string
	Attempts int
}

// Nesting is how often one layer tried inside the attempts of another: every try of the
// outer one is multiplied by the inner one's.
type Nesting struct {
	Outer, Inner string
	Around       int // attempts of the outer layer in which the inner one tried
	Inside       int // attempts of the inner layer that lie inside those
	Most         int // the most of them inside one
}

// Stacked says that the inner layer retried: one try inside each only tells the same
// request twice.
func (n Nesting) Stacked() bool { return n.Most > 1 }

// Sender is what the ledger lets an intent's sender do without anybody's decision
// (design §4, budget_spent, decision_required).
type Sender int

// What a sender may do by itself.
const (
	SendsNothing Sender = iota // it is settled, replaced or cancelled
	SendsDecided               // after an unknown outcome only a retry that somebody decides on: it is UNKNOWN, used up, or not both are set
	SendsAgain                 // by itself, after an unknown outcome too: max_attempts and deadline_at are set
)

// Of works out the budget of an intent at an instant, from all of its attempts.
func Of(i ledger.Intent, attempts []ledger.Attempt, p verdict.Promises, now ledger.Millis) Budget {
	attempts = slices.Clone(attempts)
	slices.SortStableFunc(attempts, func(a, b ledger.Attempt) int {
		return cmp.Or(cmp.Compare(a.StartedAt, b.StartedAt), cmp.Compare(a.N, b.N))
	})
	b := Budget{Attempts: len(attempts), Max: i.MaxAttempts, DeadlineAt: i.DeadlineAt}
	b.Left = max(0, b.Max-b.Attempts)
	if !b.DeadlineAt.IsNone() {
		b.TimeLeft = b.DeadlineAt.Sub(now)
	}
	b.count(attempts)
	b.compare(i, attempts, p)
	b.Sender = b.sender(i)
	return b
}

// At is the same budget at another instant, for a face that counts down.
func (b Budget) At(now ledger.Millis) Budget {
	if !b.DeadlineAt.IsNone() {
		b.TimeLeft = b.DeadlineAt.Sub(now)
	}
	return b
}

func (b Budget) sender(i ledger.Intent) Sender {
	switch {
	case i.State.Final(), i.Superseded(), !i.CancelRequestedAt.IsNone():
		return SendsNothing
	case i.State == ledger.Unknown, b.Left == 0, b.DeadlineAt.IsNone():
		return SendsDecided
	}
	return SendsAgain
}

// count fills in who tried, how often and how far apart.
func (b *Budget) count(attempts []ledger.Attempt) {
	at := map[string]int{}
	var gaps []time.Duration
	for n, a := range attempts {
		place, known := at[a.Layer]
		if !known {
			place = len(b.Layers)
			at[a.Layer], b.Layers = place, append(b.Layers, Layer{Name: a.Layer})
		}
		b.Layers[place].Attempts++
		if slices.ContainsFunc(attempts[:n], func(earlier ledger.Attempt) bool { return overlap(earlier, a) }) {
			b.Overlaps++
		}
		if n > 0 {
			gaps = append(gaps, a.StartedAt.Sub(attempts[n-1].StartedAt))
		}
	}
	if slices.Sort(gaps); len(gaps) > 0 {
		b.Intervals = len(gaps)
		b.Shortest, b.Typical, b.Longest = gaps[0], gaps[(len(gaps)-1)/2], gaps[len(gaps)-1]
	}
	b.Nested = nested(attempts)
}

// overlap says that an attempt began before an earlier one had ended, by their own rows,
// and that neither was a try inside the other. One without an end shows nothing.
func overlap(earlier, a ledger.Attempt) bool {
	return a.StartedAt < earlier.FinishedAt && !within(a, earlier) && !within(earlier, a)
}

// within says that one attempt was a try inside an attempt of another layer, as far as
// rows can show it: it lies inside, and they are not of the same length.
func within(inner, outer ledger.Attempt) bool {
	return inner.Layer != outer.Layer && outer.Finished() && inner.Finished() &&
		inner.StartedAt >= outer.StartedAt && inner.StartedAt < outer.FinishedAt && inner.FinishedAt <= outer.FinishedAt &&
		inner.FinishedAt.Sub(inner.StartedAt) < outer.FinishedAt.Sub(outer.StartedAt)
}

// nested finds attempts that lie inside one of another layer: nothing else in the rows
// shows that retries are stacked.
func nested(attempts []ledger.Attempt) []Nesting {
	var all []Nesting
	place := func(outer, inner string) *Nesting {
		at := slices.IndexFunc(all, func(n Nesting) bool { return n.Outer == outer && n.Inner == inner })
		if at < 0 {
			at, all = len(all), append(all, Nesting{Outer: outer, Inner: inner})
		}
		return &all[at]
	}
	for _, outer := range attempts {
		inside := map[string]int{}
		for _, inner := range attempts {
			if within(inner, outer) {
				inside[inner.Layer]++
			}
		}
		for _, name := range sortedNames(inside) {
			n := place(outer.Layer, name)
			n.Around++
			n.Inside += inside[name]
			n.Most = max(n.Most, inside[name])
		}
	}
	return all
}

func sortedNames(counts map[string]int) []string {
	names := make([]string, 0, len(counts))
	for name := range counts {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// compare holds what may still be spent against the time for which the key is honoured.
func (b *Budget) compare(i ledger.Intent, attempts []ledger.Attempt, p verdict.Promises) {
	if len(attempts) == 0 {
		b.Unbounded = "nothing was attempted yet"
		return
	}
	b.LatestStart, b.Unbounded = p.LatestStart(attempts[0].StartedAt)
	if b.LatestStart.IsNone() || i.DeadlineAt.IsNone() || b.Max > 0 && b.Left == 0 {
		return
	}
	if i.DeadlineAt >= b.LatestStart { // the deadline itself is still in time for the ledger
		b.Outlives = i.DeadlineAt.Sub(b.LatestStart) + time.Millisecond
	}
}
