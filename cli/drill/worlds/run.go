package worlds

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// tally adds up what the oracle said.
type tally struct {
	judgement
	Worlds int
	Harmed []uint64 // seeds of worlds that came to harm, in order
	harmed int      // how many
}

const mostSeeds = 20

func (t *tally) add(seed uint64, j judgement) {
	t.Worlds++
	t.sum(j)
	if j.harm() > 0 {
		t.harmed++
		t.Harmed = append(t.Harmed, seed)
	}
}

func (t *tally) sum(j judgement) {
	t.Duplicates += j.Duplicates
	t.FalseDone += j.FalseDone
	t.Dropped += j.Dropped
	t.OverEffect += j.OverEffect
	t.FalseProofs += j.FalseProofs
	t.Unwritten += j.Unwritten
	t.Lines += j.Lines
	t.Incidents += j.Incidents
	t.InDoubt += j.InDoubt
	t.CouldSettle += j.CouldSettle
	t.SettledAfter = append(t.SettledAfter, j.SettledAfter...)
}

// merge adds another tally. The order does not matter for what is printed.
func (t *tally) merge(o tally) {
	t.Worlds += o.Worlds
	t.harmed += o.harmed
	t.Harmed = append(t.Harmed, o.Harmed...)
	t.sum(o.judgement)
}

// once plays one world with one robot and returns what the oracle says.
func once(seed uint64, r robot, t *twist) judgement {
	w := newWorld(seed, r, t)
	w.books = newMemory(w)
	w.play()
	return w.judgeWorld()
}

// spread plays worlds 0 to n−1 of a run on so many workers. Which worker plays which
// world changes nothing. It stops early when the context ends.
func spread(ctx context.Context, n, workers int, play func(i int, t *tally), progress *atomic.Int64) tally {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	const batch = 64
	var next atomic.Int64
	parts := make([]tally, workers)
	var all sync.WaitGroup
	for k := range workers {
		all.Go(func() {
			for ctx.Err() == nil {
				from := int(next.Add(batch)) - batch
				if from >= n {
					return
				}
				for i := from; i < min(from+batch, n); i++ {
					play(i, &parts[k])
				}
				if progress != nil {
					progress.Add(int64(min(from+batch, n) - from))
				}
			}
		})
	}
	all.Wait()
	var total tally
	for _, p := range parts {
		total.merge(p)
	}
	slices.Sort(total.Harmed)
	slices.Sort(total.SettledAfter)
	return total
}
