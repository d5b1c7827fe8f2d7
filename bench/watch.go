package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"triage/bench/process"
	"triage/bench/report"
	"triage/bench/writers"
	"triage/ledger"
	"triage/ledger/sqlite"
)

// Targets of a screen that watches.
const (
	commitAtMost = 250.0 // ms
	idleAtMost   = 1.0   // % of a core
	memoryAtMost = 30.0  // MB
	writersLeast = 95.0  // %
)

// commit measures how long after an agent's durable commit the screen tells of it.
func (b *bench) commit(ctx context.Context) (all []report.Figure, err error) {
	for _, l := range b.ledgers {
		path, done, err := b.writable(l)
		if err != nil {
			return nil, err
		}
		defer done()
		s, err := look(ctx, path)
		if err != nil {
			return nil, err
		}
		took, err := b.commits(ctx, path, s)
		if err != nil {
			return nil, err
		}
		done()
		all = append(all, report.Figure{
			Part: "commit", What: "an agent's commit on screen, longest", Value: took.Max(), Unit: "ms", AtMost: commitAtMost,
			On:     fmt.Sprintf("%s, %s, %d commits at random moments", l.name(), onTerminal, len(took)),
			Detail: fmt.Sprintf("p50 %.0f ms", took.Median()),
		})
	}
	return all, nil
}

func (b *bench) commits(ctx context.Context, path string, s shown) (took report.Sample, err error) {
	db, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }()
	t, _, err := b.open(ctx, path, s)
	if err != nil {
		return nil, err
	}
	defer t.Close("q")
	for n := range b.rounds * b.waits {
		moment := rand.N(1200 * time.Millisecond) //nolint:gosec // any moment will do
		t.Quiet(moment, moment)
		key := fmt.Sprintf("bench-commit-%d-%d", time.Now().UnixNano(), n)
		attempt, err := begin(ctx, db, key)
		if err != nil {
			return nil, err
		}
		if _, err := db.Finish(ctx, attempt, ledger.Result{Outcome: ledger.OutcomeUnknown, Cause: "timeout"}); err != nil {
			return nil, err
		}
		since, want := time.Now(), s.counted(s.open+1)
		d, err := t.UntilSince(since, "the commit", patience, func(screen string) bool {
			return strings.Contains(screen, want) || strings.Contains(screen, key)
		})
		if err != nil {
			return nil, err
		}
		took.Add(max(d, 0))
		if err := find(ctx, db, key); err != nil {
			return nil, err
		}
		if _, err := t.Until("the count to go back", patience, s.full); err != nil {
			return nil, err
		}
	}
	return took, nil
}

func begin(ctx context.Context, db *sqlite.DB, key string) (attempt string, err error) {
	_, err = db.Begin(ctx, ledger.NewIntent{
		OpKey: key, Task: "benchmark", Principal: "agent", Target: "inbox-1", PayloadSHA256: fmt.Sprintf("%064x", time.Now().UnixNano()),
	})
	if err != nil {
		return "", err
	}
	a, err := db.StartAttempt(ctx, ledger.Attempt{OpKey: key})
	return a.AttemptID, err
}

// find settles what was in doubt, as a lookup does that found it: the ledger has as
// much in doubt as before.
func find(ctx context.Context, db *sqlite.DB, key string) error {
	l, err := db.StartLookup(ctx, ledger.Lookup{OpKey: key, Actor: "benchmark", Connector: "http"})
	if err != nil {
		return err
	}
	return db.Act(ctx, func(tx ledger.Tx) error {
		h, err := tx.History(key, ledger.WallClock())
		if err != nil {
			return err
		}
		l.FinishedAt, l.Outcome, l.Receipt, l.PayloadSHA256 = ledger.WallClock(), ledger.LookupFound, "r-"+key, h.Intent.PayloadSHA256
		if err := tx.FinishLookup(l); err != nil {
			return err
		}
		if h, err = tx.History(key, ledger.WallClock()); err != nil {
			return err
		}
		return tx.Settle(key, h.Intent.Version, ledger.Delivered, l.Receipt, ledger.ByLookup, "benchmark")
	})
}

// idle measures what a screen costs that nobody touches, on a ledger nobody writes.
func (b *bench) idle(ctx context.Context) (all []report.Figure, err error) {
	for _, l := range b.ledgers {
		s, err := look(ctx, l.path)
		if err != nil {
			return nil, err
		}
		var used report.Sample
		for range b.rounds {
			t, _, err := b.open(ctx, l.path, s)
			if err != nil {
				return nil, err
			}
			t.Quiet(time.Second, 2*time.Second)
			from := time.Now()
			before, err := process.Look(t.PID())
			if err != nil {
				t.Close("q")
				return nil, err
			}
			for time.Since(from) < b.idleFor {
				t.Quiet(b.idleFor, b.idleFor-time.Since(from))
			}
			after, err := process.Look(t.PID())
			took := time.Since(from)
			t.Close("q")
			if err != nil {
				return nil, err
			}
			used = append(used, 100*float64(after.CPU-before.CPU)/float64(took))
		}
		all = append(all, report.Figure{
			Part: "idle", What: "CPU while nothing happens", Value: used.Median(), Unit: "%", AtMost: idleAtMost,
			On:     fmt.Sprintf("%s, %s, %d × %s, of one core", l.name(), onTerminal, len(used), b.idleFor),
			Detail: fmt.Sprintf("most %.2f%%", used.Max()),
		})
	}
	return all, nil
}

// writers measures what flat-out writers keep of their throughput while a screen
// watches. With and without take turns.
func (b *bench) writers(ctx context.Context) (all []report.Figure, err error) {
	for _, l := range b.ledgers {
		path, done, err := b.writable(l)
		if err != nil {
			return nil, err
		}
		defer done()
		s, err := look(ctx, path)
		if err != nil {
			return nil, err
		}
		var alone, watched, kept rates
		for range b.rounds {
			without, err := b.flat(ctx, path, nil)
			if err != nil {
				return nil, err
			}
			with, err := b.flat(ctx, path, &s)
			if err != nil {
				return nil, err
			}
			alone.add(without)
			watched.add(with)
			kept.add(100 * with / without)
		}
		done()
		all = append(all, report.Figure{
			Part: "writers", What: "throughput that flat-out writers keep while a screen watches", Unit: "%", Least: writersLeast,
			Value: kept.Median(),
			On:    fmt.Sprintf("%s, %d writers, %d × %s with and without, in turn", l.name(), crew, len(alone.Sample), b.flatOut),
			Detail: fmt.Sprintf("%.0f of %.0f durable transactions a second; pairs from %.0f%% to %.0f%%",
				watched.Median(), alone.Median(), kept.Quantile(0), kept.Max()),
		})
	}
	return all, nil
}

// flat lets writers write as fast as they can, beside a screen where one is wanted.
func (b *bench) flat(ctx context.Context, path string, s *shown) (perSecond float64, err error) {
	pause := func() { time.Sleep(b.flatOut) }
	if s != nil {
		t, _, err := b.open(ctx, path, *s)
		if err != nil {
			return 0, err
		}
		defer t.Close("q")
		pause = func() {
			for from := time.Now(); time.Since(from) < b.flatOut; {
				t.Quiet(b.flatOut, b.flatOut-time.Since(from))
			}
		}
	}
	c, err := writers.Start(ctx, path, crew, 0)
	if err != nil {
		return 0, err
	}
	pause()
	return c.Stop()
}
