package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"triage/bench/csqlite"
	"triage/bench/report"
	"triage/ledger"
	"triage/ledger/sqlite"
)

// Targets of the queries.
const (
	againstC     = 2.2 // times C SQLite
	againstSmall = 1.3 // times the smallest ledger
	openReading  = 10  // ms, over all that is open
	flatSize     = 10_000_000
	warmUp       = 3 // calls before those that count
)

// query is one reading of the screen, in the program's own code and as SQL.
type query struct {
	name     string
	ask      func() error
	asked    []sqlite.Statement
	snapshot bool // inside one read transaction
	promised bool // against C and between sizes
	atMost   float64
}

// timing is one query on one ledger.
type timing struct {
	query
	ledger     string
	size       int
	c          *csqlite.Asker // nil: there is none
	own        report.Sample  // µs a call
	kept, anew report.Sample  // µs a run in C, statements prepared once and each time
	rows       int
}

// queries compares the program's own reading with C SQLite, warm. All ledgers and both
// sides take turns, so that what else the machine does falls on all of them.
func (b *bench) queries(ctx context.Context) (all []report.Figure, err error) {
	program, absent := csqlite.Compile(ctx, b.scratch)
	if absent != nil && !errors.Is(absent, csqlite.ErrAbsent) {
		return nil, absent
	}
	var timings []*timing
	version := ""
	for _, l := range b.ledgers {
		db, err := sqlite.Open(ctx, l.path, sqlite.Options{ReadOnly: true})
		if err != nil {
			return nil, err
		}
		defer func() { _ = db.Close() }()
		asks, err := screenQueries(ctx, db)
		if err != nil {
			return nil, err
		}
		var c *csqlite.Asker
		if absent == nil {
			if c, err = csqlite.Open(ctx, program, l.path); err != nil {
				return nil, err
			}
			defer c.Close()
			version = c.Version
		}
		for _, q := range asks {
			timings = append(timings, &timing{query: q, ledger: l.name(), size: l.size.Intents, c: c})
		}
	}
	for range b.rounds {
		for _, t := range timings {
			if err := t.round(b.calls); err != nil {
				return nil, fmt.Errorf("%s on %s: %w", t.name, t.ledger, err)
			}
		}
	}
	return compare(timings, version, absent), nil
}

// round asks so many times, or fewer where that would take longer than a second.
func (t *timing) round(calls int) error {
	from := time.Now()
	for range warmUp {
		if err := t.ask(); err != nil {
			return err
		}
	}
	each := max(time.Since(from)/warmUp, 1)
	calls = max(calls/10, min(calls, int(time.Second/each)))
	for range calls {
		from := time.Now()
		if err := t.ask(); err != nil {
			return err
		}
		t.own = append(t.own, micros(time.Since(from)))
	}
	if t.c == nil {
		return nil
	}
	if err := t.c.Prepare(t.asked, t.snapshot); err != nil {
		return err
	}
	for how, into := range map[string]*report.Sample{csqlite.Kept: &t.kept, csqlite.Anew: &t.anew} {
		each, rows, err := t.c.Time(how, warmUp+calls)
		if err != nil {
			return err
		}
		for _, d := range each[warmUp:] {
			*into = append(*into, micros(d))
		}
		t.rows = rows
	}
	return nil
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

func compare(timings []*timing, version string, absent error) (all []report.Figure) {
	smallest := map[string]*timing{}
	for _, t := range timings {
		if smallest[t.name] == nil {
			smallest[t.name] = t
		}
		on := fmt.Sprintf("%s, warm, %d calls", t.ledger, len(t.own))
		if t.atMost > 0 {
			f := report.Figure{Part: "queries", What: t.name, On: on, Value: t.own.Median() / 1000, Unit: "ms"}
			if t.size >= flatSize {
				f.AtMost = t.atMost
			}
			all = append(all, f)
		}
		f := report.Figure{Part: "queries", What: t.name + ", against C", On: on, Unit: "×"}
		if t.promised {
			f.AtMost = againstC
		}
		if absent != nil {
			f.Absent = absent.Error()
		} else {
			own, kept, anew := t.own.Median(), t.kept.Median(), t.anew.Median()
			f.Value = own / kept
			f.On += ", C SQLite " + version
			f.Detail = fmt.Sprintf("%.0f µs against %.0f µs for %d rows; %.2f× where C too prepares its statements each time", own, kept, t.rows, own/anew)
		}
		all = append(all, f)
		if small := smallest[t.name]; t.promised && small != t {
			all = append(all, report.Figure{
				Part: "queries", What: t.name + ", by size", On: on, Value: t.own.Median() / small.own.Median(), Unit: "×", AtMost: againstSmall,
				Detail: fmt.Sprintf("against %s, %.0f µs", small.ledger, small.own.Median()),
			})
		}
	}
	return all
}

// screenQueries are what a screen asks a ledger, on rows that are in it.
func screenQueries(ctx context.Context, db *sqlite.DB) ([]query, error) {
	now := ledger.WallClock()
	page := ledger.QueueQuery{Now: now}
	rows, err := db.Queue(ctx, page)
	if err != nil {
		return nil, err
	}
	if len(rows) < 10 {
		return nil, fmt.Errorf("only %d intents are in doubt", len(rows))
	}
	key := rows[7].Intent.OpKey
	pageSQL, err := sqlite.QueueStatements(page)
	if err != nil {
		return nil, err
	}
	countsSQL, err := sqlite.CountsStatements(ledger.StuckRule{}, now)
	if err != nil {
		return nil, err
	}
	historySQL, err := db.HistoryStatements(ctx, key, now)
	if err != nil {
		return nil, err
	}
	all := []query{
		{
			name: "queue page of 100", asked: pageSQL, promised: true,
			ask: func() error { _, err := db.Queue(ctx, page); return err },
		},
		{
			name: "open counts", asked: countsSQL, promised: true, atMost: openReading,
			ask: func() error { _, err := db.Counts(ctx, ledger.StuckRule{}, now); return err },
		},
		{
			name: "one history", asked: historySQL, promised: true, snapshot: true,
			ask: func() error { _, err := db.History(ctx, key, now); return err },
		},
	}
	filter, err := openFilter(ctx, db, now)
	if err != nil {
		return nil, err
	}
	searches, err := searchQueries(ctx, db, rows[7].Intent, now)
	return append(append(all, filter), searches...), err
}
