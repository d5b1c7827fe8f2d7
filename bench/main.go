// Command bench measures what docs/benchmarks.md promises: the screen's own queries
// against the same SQL in C SQLite, and the whole program on a pseudo-terminal. It
// prints ratios taken within one run, and says of each figure what it was measured on.
//
//	go run ./bench
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"triage/bench/report"
	"triage/bench/writers"
)

func main() {
	writers.Main() // returns at once, but in a process that was started to write
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := command(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// command parses, measures and prints. That a target was missed is no error.
func command(ctx context.Context, args []string, out, told io.Writer) error {
	s, err := parse(args, told)
	if err != nil {
		return err
	}
	r, err := measure(ctx, s, told)
	if err != nil {
		return err
	}
	if s.json {
		return r.JSON(out)
	}
	r.Table(out)
	return nil
}

// settings are what one run measures, and how long it looks.
type settings struct {
	sizes   []int
	dir     string
	only    map[string]bool // parts; empty: all
	json    bool
	soakFor time.Duration
	rounds  int

	calls   int           // of each query in a round, at least
	presses int           // of the key in a round
	waits   int           // that are waited for, in a round
	idleFor time.Duration // without input, in a round
	flatOut time.Duration // of flat-out writing, in a round, twice
}

// usual is how long a run looks; a test looks for less.
func usual() settings {
	return settings{calls: 200, presses: 150, waits: 10, idleFor: 10 * time.Second, flatOut: 5 * time.Second}
}

// parts are what --only may name, in the order in which they are measured.
var parts = []string{"queries", "start", "keys", "commit", "idle", "memory", "writers"}

func parse(args []string, told io.Writer) (settings, error) {
	s := usual()
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(told)
	sizes := f.String("sizes", "10000,1000000,10000000", "ledger sizes in intents, smallest first; one in 50 is in doubt below 100,000, one in 500 above")
	only := f.String("only", "", "measure only these parts: "+strings.Join(parts, ", "))
	f.StringVar(&s.dir, "dir", filepath.Join(os.TempDir(), "triage-bench"), "where the ledgers are kept and used again; 10 million intents take 9 GB")
	f.BoolVar(&s.json, "json", false, "print JSON")
	f.DurationVar(&s.soakFor, "soak", 0, "watch a ledger that changes for so long, and see whether memory grows (an hour is meant)")
	f.IntVar(&s.rounds, "rounds", 3, "how often everything is measured, in turn")
	if err := f.Parse(args); err != nil {
		return s, flag.ErrHelp
	}
	if s.rounds < 1 || f.NArg() > 0 {
		return s, fmt.Errorf("--rounds is at least 1, and there are no arguments but flags: %q", args)
	}
	s.only = map[string]bool{}
	for _, name := range list(*only) {
		if !contains(parts, name) {
			return s, fmt.Errorf("--only: there is no part %q; there are %s", name, strings.Join(parts, ", "))
		}
		s.only[name] = true
	}
	for _, text := range list(*sizes) {
		n, err := strconv.Atoi(text)
		if err != nil || n < fewest || len(s.sizes) > 0 && n <= s.sizes[len(s.sizes)-1] {
			return s, fmt.Errorf("--sizes: %q is no size: whole numbers from %d on, smallest first", text, fewest)
		}
		s.sizes = append(s.sizes, n)
	}
	if len(s.sizes) == 0 {
		return s, errors.New("--sizes: no size is named")
	}
	return s, nil
}

func list(text string) (all []string) {
	for word := range strings.SplitSeq(text, ",") {
		if word = strings.TrimSpace(word); word != "" {
			all = append(all, word)
		}
	}
	return all
}

func contains(all []string, one string) bool {
	for _, s := range all {
		if s == one {
			return true
		}
	}
	return false
}

// measure makes the ledgers and measures the parts, one after the other.
func measure(ctx context.Context, s settings, told io.Writer) (report.Report, error) {
	r := report.Report{Machine: report.Look(s.rounds)}
	b, err := prepare(ctx, s, told)
	if err != nil {
		return r, err
	}
	defer b.close()
	r.Machine.LoadFrom = report.Load() // making ledgers and building is over
	for _, part := range parts {
		if len(s.only) > 0 && !s.only[part] {
			continue
		}
		fmt.Fprintln(told, "measuring:", part)
		from := time.Now()
		figures, err := b.part(ctx, part)
		if err != nil {
			return r, fmt.Errorf("%s: %w", part, err)
		}
		fmt.Fprintf(told, "measured in %s\n", time.Since(from).Round(time.Second))
		r.Figures = append(r.Figures, figures...)
	}
	if s.soakFor > 0 {
		fmt.Fprintln(told, "measuring: soak, for", s.soakFor)
		figures, err := b.soak(ctx)
		if err != nil {
			return r, fmt.Errorf("soak: %w", err)
		}
		r.Figures = append(r.Figures, figures...)
	}
	r.Machine.LoadTo = report.Load()
	return r, nil
}

func (b *bench) part(ctx context.Context, name string) ([]report.Figure, error) {
	switch name {
	case "queries":
		return b.queries(ctx)
	case "start":
		return b.start(ctx)
	case "keys":
		return b.keys(ctx)
	case "commit":
		return b.commit(ctx)
	case "idle":
		return b.idle(ctx)
	case "memory":
		return b.memory(ctx)
	}
	return b.writers(ctx)
}
