package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"triage/bench/report"
	"triage/bench/terminal"
	"triage/bench/writers"
)

// Targets of a key, and the company it is pressed in.
const (
	keyAtMost   = 12.0 // ms, p99
	stepAtMost  = 3.0  // kB of 1000 bytes
	crew        = 4
	rate        = 50 // durable transactions a second, each
	longestRest = 40 * time.Millisecond
)

// keys measures one step of the cursor, down the queue and up again, with the intent
// beside it: from the key to the last change that it brings.
func (b *bench) keys(ctx context.Context) (all []report.Figure, err error) {
	for _, l := range b.ledgers {
		path, done, err := b.writable(l)
		if err != nil {
			return nil, err
		}
		defer done()
		var idle, busy steps
		s, err := look(ctx, path)
		if err != nil {
			return nil, err
		}
		for range b.rounds {
			if err := b.step(ctx, path, s, &idle); err != nil {
				return nil, err
			}
			c, err := writers.Start(ctx, path, crew, rate)
			if err != nil {
				return nil, err
			}
			stepped := b.step(ctx, path, s, &busy)
			achieved, err := c.Stop()
			if stepped != nil || err != nil {
				return nil, fmt.Errorf("beside writers: %w", orElse(stepped, err))
			}
			busy.writes.add(achieved)
		}
		done()
		all = append(all, idle.figures(l, "nobody writing")...)
		beside := fmt.Sprintf("4 writers, %.0f durable transactions a second in all", busy.writes.Median())
		all = append(all, busy.figures(l, beside)[0])
	}
	return all, nil
}

func orElse(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

type rates struct{ report.Sample }

func (r *rates) add(v float64) { r.Sample = append(r.Sample, v) }

// steps are what the presses of a key did.
type steps struct {
	settled   report.Sample // ms
	bytes     report.Sample
	unsettled int // presses after which the intent did not come within a second
	writes    rates
}

func (b *bench) step(ctx context.Context, path string, s shown, into *steps) error {
	t, _, err := b.open(ctx, path, s)
	if err != nil {
		return err
	}
	defer t.Close("q")
	t.Quiet(300*time.Millisecond, 2*time.Second)
	at := 0
	for n := range b.presses {
		rest(t) // presses must not fall in step with the program's frames
		key := "j"
		if n/10%2 == 1 { // ten down, ten up: the rows are on the screen, and one step is one step
			key = "k"
		}
		at += map[string]int{"j": 1, "k": -1}[key]
		p, err := t.Press(key, headerRows, on(s.keys[at]))
		if err != nil {
			return err
		}
		if into.bytes = append(into.bytes, float64(p.Bytes)/1000); !p.Done {
			into.unsettled++
		}
		into.settled.Add(p.Settled)
	}
	return nil
}

func rest(t *terminal.Terminal) {
	pause := rand.N(longestRest) //nolint:gosec // any rest will do
	t.Quiet(pause, pause)
}

func (s *steps) figures(l *ledgerFile, beside string) []report.Figure {
	on := fmt.Sprintf("%s, %s, %d presses, %s", l.name(), onTerminal, len(s.settled), beside)
	key := report.Figure{
		Part: "keys", What: "key to settled screen, p99", On: on, Value: s.settled.Quantile(0.99), Unit: "ms", AtMost: keyAtMost,
		Detail: fmt.Sprintf("p50 %.1f, longest %.1f ms", s.settled.Median(), s.settled.Max()),
	}
	if s.unsettled > 0 {
		key.Value = max(key.Value, 1000)
		key.Detail += fmt.Sprintf("; after %d presses the intent did not come within a second", s.unsettled)
	}
	return []report.Figure{key, {
		Part: "keys", What: "written for one step, p99", On: on, Value: s.bytes.Quantile(0.99), Unit: "kB", AtMost: stepAtMost,
		Detail: fmt.Sprintf("p50 %.1f, most %.1f kB", s.bytes.Median(), s.bytes.Max()),
	}}
}
