package main

import (
	"context"
	"fmt"
	"time"

	"triage/bench/process"
	"triage/bench/report"
	"triage/bench/terminal"
	"triage/bench/writers"
)

// memory measures the largest resident set of a screen that was used: started, moved
// through, taken to the end of the queue and back, and an intent opened.
func (b *bench) memory(ctx context.Context) (all []report.Figure, err error) {
	for _, l := range b.ledgers {
		s, err := look(ctx, l.path)
		if err != nil {
			return nil, err
		}
		var peak, anon report.Sample
		for range b.rounds {
			use, err := b.used(ctx, l.path, s)
			if err != nil {
				return nil, err
			}
			peak, anon = append(peak, use.Peak), append(anon, use.Anon)
		}
		all = append(all, report.Figure{
			Part: "memory", What: "peak memory (resident set)", Value: peak.Max(), Unit: "MB", AtMost: memoryAtMost,
			On:     fmt.Sprintf("%s, %s, %d runs of %d keys", l.name(), onTerminal, len(peak), b.presses+4),
			Detail: fmt.Sprintf("%.1f MB of it neither binary nor mapped file", anon.Max()),
		})
	}
	return all, nil
}

func (b *bench) used(ctx context.Context, path string, s shown) (u process.Use, err error) {
	t, _, err := b.open(ctx, path, s)
	if err != nil {
		return u, err
	}
	defer t.Close("q")
	for n := range b.presses {
		if _, err := t.Press("j", headerRows, nil); err != nil {
			return u, fmt.Errorf("key %d: %w", n, err)
		}
	}
	for _, key := range []string{"G", "g", "H", "H"} {
		if _, err := t.Press(key, headerRows, nil); err != nil {
			return u, fmt.Errorf("key %s: %w", key, err)
		}
	}
	return process.Look(t.PID())
}

// soak watches a ledger that an agent goes on writing to, and moves about in it now
// and then. Memory must not grow: the last quarter of the time is compared with the
// second one, when everything has been used once.
func (b *bench) soak(ctx context.Context) (all []report.Figure, err error) {
	l := b.ledgers[len(b.ledgers)-1]
	path, done, err := b.writable(l)
	if err != nil {
		return nil, err
	}
	defer done()
	s, err := look(ctx, path)
	if err != nil {
		return nil, err
	}
	t, _, err := b.open(ctx, path, s)
	if err != nil {
		return nil, err
	}
	defer t.Close("q")
	c, err := writers.Start(ctx, path, 1, soakRate)
	if err != nil {
		return nil, err
	}
	resident, peak, err := b.watchMemory(ctx, t)
	achieved, stopped := c.Stop()
	if err = orElse(err, stopped); err != nil {
		return nil, err
	}
	quarter := len(resident) / 4
	early, late := resident[quarter:2*quarter+1], resident[len(resident)-quarter-1:]
	on := fmt.Sprintf("%s, %s, %s of %.0f durable transactions a second", l.name(), onTerminal, b.soakFor, achieved)
	return []report.Figure{
		{
			Part: "soak", What: "memory grown, last quarter against second", On: on, Value: late.Median() - early.Median(), Unit: "MB", AtMost: grownAtMost,
			Detail: fmt.Sprintf("from %.1f to %.1f MB, %d readings", early.Median(), late.Median(), len(resident)),
		},
		{Part: "soak", What: "peak memory (resident set)", On: on, Value: peak, Unit: "MB", AtMost: memoryAtMost},
	}, nil
}

const (
	soakRate    = 10.0             // durable transactions a second
	soakEvery   = 15 * time.Second // between two readings of the memory
	soakFewest  = 8                // readings, however short the time is
	grownAtMost = 0.5              // MB: what a garbage collector wavers by
)

func (b *bench) watchMemory(ctx context.Context, t *terminal.Terminal) (resident report.Sample, peak float64, err error) {
	looks := max(int(b.soakFor/soakEvery), soakFewest)
	every := b.soakFor / time.Duration(looks)
	for n := range looks {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		from := time.Now()
		if _, err := t.Press([]string{"j", "k"}[n%2], headerRows, nil); err != nil {
			return nil, 0, err
		}
		for time.Since(from) < every {
			t.Quiet(every, every-time.Since(from))
		}
		use, err := process.Look(t.PID())
		if err != nil {
			return nil, 0, err
		}
		resident, peak = append(resident, use.Now), max(peak, use.Peak)
	}
	return resident, peak, nil
}
