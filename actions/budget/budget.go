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
	Longest   time.Duration
	Overlaps  int // attempts that began before an earlier one of the same layer had ended

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
	Inside       int // attempts of the inner layer that began inside those
}

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
	return b
}

// count fills in who tried, how often and how far apart.
func (b *Budget) count(attempts []ledger.Attempt) {
	at := map[string]int{}
	ended := map[string]ledger.Millis{} // the latest known end, by layer
	for n, a := range attempts {
		place, known := at[a.Layer]
		if !known {
			place = len(b.Layers)
			at[a.Layer], b.Layers = place, append(b.Layers, Layer{Name: a.Layer})
		}
		b.Layers[place].Attempts++
		if known && a.StartedAt < ended[a.Layer] {
			b.Overlaps++
		}
		ended[a.Layer] = max(ended[a.Layer], a.FinishedAt)
		if n > 0 {
			b.interval(a.StartedAt.Sub(attempts[n-1].StartedAt))
		}
	}
	b.Nested = nested(attempts)
}

func (b *Budget) interval(d time.Duration) {
	if b.Intervals == 0 || d < b.Shortest {
		b.Shortest = d
	}
	b.Longest = max(b.Longest, d)
	b.Intervals++
}

// nested finds attempts that began inside a finished one of another layer: nothing else
// in the rows shows that retries are stacked.
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
			if inner.Layer != outer.Layer && outer.Finished() && inner.Finished() && inner.N != outer.N &&
				inner.StartedAt >= outer.StartedAt && inner.FinishedAt <= outer.FinishedAt {
				inside[inner.Layer]++
			}
		}
		for _, name := range sortedNames(inside) {
			n := place(outer.Layer, name)
			n.Around++
			n.Inside += inside[name]
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
