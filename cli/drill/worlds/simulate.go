package worlds

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"triage/actions/wording"
)

// Options of Simulate.
type Options struct {
	Worlds      int
	Seed        uint64
	LedgerEvery int // one world in so many also goes through a real ledger; 0: 90
	Workers     int // 0: one for each processor
	Rows        int // most worlds for each row of the second table; 0: as many as Worlds, 20,000 at most
}

const (
	defaultLedgerEvery = 90 // more than 10,000 of a million, those with exports left out
	mostRowWorlds      = 20_000
	rowBatch           = 250 // a row ends with the batch in which it has shown enough harm
	enoughHarm         = 5
)

// Simulate plays the worlds with every robot, a share of them on real ledgers, and then
// the rows of the second table. It ends early, with what it has, when the context ends.
func Simulate(ctx context.Context, o Options, progress io.Writer) Report {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.LedgerEvery <= 0 {
		o.LedgerEvery = defaultLedgerEvery
	}
	if o.Rows <= 0 {
		o.Rows = min(o.Worlds, mostRowWorlds)
	}
	r := Report{Asked: o.Worlds, Seed: o.Seed, FailingSeeds: []uint64{}, LedgerShare: LedgerShare{Differing: []uint64{}}}
	r.playRobots(ctx, o, progress)
	r.playLedgers(ctx, o, progress)
	r.LeftOut = playRows(ctx, o, leftOut, progress)
	r.FalsePromises = playRows(ctx, o, falsePromises, progress)
	r.Stopped = ctx.Err() != nil
	return r
}

func (r *Report) playRobots(ctx context.Context, o Options, progress io.Writer) {
	for _, one := range robots {
		done, stop := watchProgress(progress, fmt.Sprintf("robot (%s)", one.name), o.Worlds)
		t := spread(ctx, o.Worlds, o.Workers, func(i int, t *tally) {
			seed := WorldSeed(o.Seed, i)
			t.add(seed, once(seed, one.robot, nil))
		}, done)
		stop()
		r.Robots = append(r.Robots, robotRow(one.name, one.what, t))
		r.Worlds = t.Worlds
		if one.name == "c" {
			r.FailingSeeds = append(r.FailingSeeds, t.Harmed[:min(mostSeeds, len(t.Harmed))]...)
		}
	}
}

// playLedgers plays robot (c) on real ledgers, one for each worker, and compares each
// world with the same one in memory.
func (r *Report) playLedgers(ctx context.Context, o Options, progress io.Writer) {
	count := (o.Worlds + o.LedgerEvery - 1) / o.LedgerEvery
	done, stop := watchProgress(progress, "real ledgers", count)
	defer stop()
	var mu sync.Mutex
	var all sync.WaitGroup
	var next atomic.Int64
	for range min(o.Workers, count) {
		all.Go(func() {
			err := r.workLedger(ctx, o, count, &next, done, &mu)
			mu.Lock()
			defer mu.Unlock()
			if err != nil && !errors.Is(err, context.Canceled) && r.LedgerShare.Error == "" {
				r.LedgerShare.Error = err.Error()
			}
		})
	}
	all.Wait()
	slices.Sort(r.LedgerShare.Differing)
}

func (r *Report) workLedger(ctx context.Context, o Options, count int, next, done *atomic.Int64, mu *sync.Mutex) (err error) {
	s, err := openShelf(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	for ctx.Err() == nil {
		k := int(next.Add(1)) - 1
		if k >= count {
			return nil
		}
		seed := WorldSeed(o.Seed, k*o.LedgerEvery)
		j, same, played, err := onLedger(ctx, s, seed)
		if err != nil {
			return fmt.Errorf("the world of seed %d on a real ledger: %w", seed, err)
		}
		done.Add(1)
		if !played {
			continue
		}
		mu.Lock()
		r.LedgerShare.add(seed, j, same)
		mu.Unlock()
	}
	return nil
}

func (l *LedgerShare) add(seed uint64, j judgement, same bool) {
	l.Worlds++
	l.Duplicates += j.Duplicates
	l.Losses += j.losses()
	l.FailedDelivered += j.OverEffect
	l.FalseProofs += j.FalseProofs
	if !same {
		l.Differing = append(l.Differing, seed)
	}
}

// onLedger plays one world on a real ledger and in memory. Worlds that are asked through
// exports are not played: the export's connector is no part of them.
func onLedger(ctx context.Context, s *shelf, seed uint64) (j judgement, same, played bool, err error) {
	w := newWorld(seed, letter{}, nil)
	if w.nature.export {
		return j, true, false, nil
	}
	b, err := w.onShelf(context.WithoutCancel(ctx), s) // a world that was begun is played to its end
	if err != nil {
		return j, false, false, err
	}
	w.play()
	if b.err != nil {
		return j, false, false, b.err
	}
	j = w.judgeWorld()
	m := newWorld(seed, letter{}, nil)
	m.books = newMemory(m)
	m.play()
	return j, reflect.DeepEqual(j, m.judgeWorld()) && w.planned == m.planned && w.now == m.now, true, nil
}

// playRows plays the rows of the second table, each until it has shown enough harm.
func playRows(ctx context.Context, o Options, twists []*twist, progress io.Writer) []TwistRow {
	var rows []TwistRow
	done, stop := watchProgress(progress, "the second table", len(twists))
	defer stop()
	for _, t := range twists {
		if ctx.Err() != nil {
			break
		}
		rows = append(rows, playRow(ctx, o, t))
		done.Add(1)
	}
	return rows
}

func playRow(ctx context.Context, o Options, t *twist) TwistRow {
	row := TwistRow{Name: t.name, What: t.what}
	var with, without tally
	for from := 0; from < o.Rows && ctx.Err() == nil; from += rowBatch {
		play := func(t *twist) tally {
			return spread(ctx, min(rowBatch, o.Rows-from), o.Workers, func(i int, sum *tally) {
				seed := WorldSeed(o.Seed, from+i)
				sum.add(seed, once(seed, letter{}, t))
			}, nil)
		}
		with.merge(play(t))
		without.merge(play(t.control()))
		if with.harmed >= without.harmed+enoughHarm || with.harmed > without.harmed && with.harmed*10 >= with.Worlds {
			break
		}
	}
	row.Worlds, row.Duplicates, row.Losses, row.FailedDelivered = with.Worlds, with.Duplicates, with.losses(), with.OverEffect
	row.FalseProofs, row.NeedlessDoubt, row.Control, row.ControlLies = with.FalseProofs, with.Unwritten, without.harm(), t.beside != nil
	if len(without.Harmed) > 0 {
		row.ControlSeed = without.Harmed[0]
	}
	row.Harmful = with.harm() > without.harm() || with.Unwritten > 0
	if seed := recorded(t.name); !row.Harmful && ctx.Err() == nil && harmful(seed, t) {
		row.Harmful, row.Recorded = true, seed
	}
	if len(with.Harmed) > 0 {
		row.Seed = with.Harmed[0]
	}
	return row
}

// left estimates how long a part still takes, as words; "" while nothing tells.
func left(spent time.Duration, done, n int64) string {
	if done == 0 || done >= n {
		return ""
	}
	return ", about " + wording.Wait(time.Duration(spent.Seconds()*float64(n-done)/float64(done))*time.Second) + " to go"
}

// watchProgress tells now and then how far a part has come. The timing is for the eye
// only.
func watchProgress(out io.Writer, what string, n int) (*atomic.Int64, func()) {
	var done atomic.Int64
	if out == nil {
		return &done, func() {}
	}
	quit, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		tick := time.NewTicker(2 * time.Second)
		defer tick.Stop()
		begun, told := time.Now(), int64(-1)
		for {
			select {
			case <-quit:
				return
			case <-tick.C:
			}
			if now := done.Load(); now-told >= max(1, int64(n)/50) { // a line for each fiftieth
				told = now
				_, _ = fmt.Fprintf(out, "%s: %d of %d%s\n", what, now, n, left(time.Since(begun), now, int64(n)))
			}
		}
	}()
	return &done, func() { close(quit); <-gone }
}
