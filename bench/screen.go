package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"triage/actions/wording"
	"triage/bench/report"
	"triage/bench/terminal"
	"triage/ledger"
	"triage/ledger/sqlite"
)

// The terminal that everything is measured on, and how its screen is divided.
const (
	width, height = 120, 40
	headerRows    = 2 // ledger, environment and counts
	patience      = time.Minute
	onTerminal    = "120×40"
)

// shown is what a ledger's screen has to show.
type shown struct {
	keys []string // in the order of the queue
	open int
}

func look(ctx context.Context, path string) (s shown, err error) {
	db, err := sqlite.Open(ctx, path, sqlite.Options{ReadOnly: true})
	if err != nil {
		return s, err
	}
	defer func() { _ = db.Close() }()
	now := ledger.WallClock()
	rows, err := db.Queue(ctx, ledger.QueueQuery{Now: now, Limit: queueRows})
	if err != nil {
		return s, err
	}
	for _, row := range rows {
		s.keys = append(s.keys, row.Intent.OpKey)
	}
	counts, err := db.Counts(ctx, ledger.StuckRule{}, now)
	s.open = counts.Unknown
	return s, err
}

// queueRows are as many as the screen reads at first.
const queueRows = 200

// full is a screen with nothing missing: the counts, the first rows of the queue, and
// beside them the first intent down to its key.
func (s shown) full(screen string) bool {
	return strings.Contains(screen, s.counted(s.open)) && strings.Count(screen, s.keys[0]) >= 2 && strings.Contains(screen, s.keys[10])
}

func (s shown) counted(n int) string { return wording.Number(int64(n)) + " UNKNOWN" }

// on says that the cursor is on a key and the intent beside the queue is that one.
func on(key string) func(string) bool {
	return func(screen string) bool { return strings.Count(screen, key) >= 2 }
}

// open starts the program on a ledger and waits for its first full screen. Nothing of
// this machine's configuration is read.
func (b *bench) open(ctx context.Context, path string, s shown) (*terminal.Terminal, time.Duration, error) {
	t, err := terminal.Start(ctx, width, height, []string{"XDG_CONFIG_HOME=" + filepath.Join(b.scratch, "no-configuration")}, b.program, "--db", path)
	if err != nil {
		return nil, 0, err
	}
	took, err := t.Until("the first full screen", patience, s.full)
	if err != nil {
		t.Close("q")
		return nil, 0, err
	}
	return t, took, nil
}

// Targets of the start.
const (
	startBySize = 1.25
	startByLess = 2.0
	launches    = 7 // in a round
)

// start measures from the start of the process to the first full screen, and the same
// rows in what an operator would use instead. They take turns.
func (b *bench) start(ctx context.Context) (all []report.Figure, err error) {
	own, less := make([]report.Sample, len(b.ledgers)), make([]report.Sample, len(b.ledgers))
	absent := ""
	for _, tool := range []string{"sqlite3", "less"} {
		if _, err := exec.LookPath(tool); err != nil {
			absent = tool + " is not installed"
		}
	}
	screens := make([]shown, len(b.ledgers))
	for n, l := range b.ledgers {
		if screens[n], err = look(ctx, l.path); err != nil {
			return nil, err
		}
	}
	for range b.rounds * min(launches, b.presses) {
		for n, l := range b.ledgers {
			t, took, err := b.open(ctx, l.path, screens[n])
			if err != nil {
				return nil, err
			}
			t.Quiet(20*time.Millisecond, time.Second)
			t.Close("q")
			own[n].Add(took)
			if absent != "" {
				continue
			}
			if took, err = b.openLess(ctx, l.path, screens[n]); err != nil {
				return nil, err
			}
			less[n].Add(took)
		}
	}
	for n, l := range b.ledgers {
		all = append(all, b.started(l.name(), own[n], less[n], own[0], absent, n > 0)...)
	}
	return all, nil
}

func (b *bench) started(name string, own, less, small report.Sample, absent string, larger bool) []report.Figure {
	on := fmt.Sprintf("%s, %s, %d starts, files cached", name, onTerminal, len(own))
	all := []report.Figure{{
		Part: "start", What: "start to first full screen", On: on, Value: own.Median(), Unit: "ms",
		Detail: fmt.Sprintf("slowest %.0f ms", own.Max()),
	}}
	if larger {
		all = append(all, report.Figure{
			Part: "start", What: "start, by size", On: on, Value: own.Median() / small.Median(), Unit: "×", AtMost: startBySize,
			Detail: fmt.Sprintf("against %.0f ms on %s", small.Median(), b.ledgers[0].name()),
		})
	}
	f := report.Figure{Part: "start", What: "start, against sqlite3 … | less", On: on, Unit: "×", AtMost: startByLess, Absent: absent}
	if absent == "" {
		f.Value = own.Median() / less.Median()
		f.Detail = fmt.Sprintf("less: %.0f ms", less.Median())
	}
	return append(all, f)
}

// openLess shows the rows that the screen reads at first with the tools that every
// machine has.
func (b *bench) openLess(ctx context.Context, path string, s shown) (time.Duration, error) {
	sql := fmt.Sprintf(`SELECT state, target, op_key, task, principal, last_outcome, last_cause, datetime(created_at/1000, 'unixepoch')
FROM intents WHERE queue IS NOT NULL ORDER BY queue, created_at, op_key LIMIT %d`, queueRows)
	t, err := terminal.Start(ctx, width, height, []string{"LESSHISTFILE=-"}, "sh", "-c", `sqlite3 -readonly "$0" "$1" | less -S`, path, sql)
	if err != nil {
		return 0, err
	}
	defer t.Close("q")
	last := min(height-1, len(s.keys)) - 1
	return t.Until("the last row in less", patience, func(screen string) bool { return strings.Contains(screen, s.keys[last]) })
}
