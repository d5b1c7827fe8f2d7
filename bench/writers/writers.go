// Package writers runs agents that write to a ledger, each in a process of its own,
// as agents are: a benchmark starts itself again for each.
package writers

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"triage/ledger"
	"triage/ledger/sqlite"
)

// marker is the environment variable that makes this program a writer: "PATH|rate|n".
const marker = "TRIAGE_BENCH_WRITER"

// Main writes and exits where this process was started as a writer, and returns at
// once everywhere else. A main function calls it first.
func Main() {
	job, ok := os.LookupEnv(marker)
	if !ok {
		return
	}
	if err := write(job); err != nil {
		fmt.Println("error", strings.ReplaceAll(err.Error(), "\n", " "))
		os.Exit(1)
	}
	os.Exit(0)
}

// write delivers intents until a line comes in, then says how many durable
// transactions that took and in how many nanoseconds.
func write(job string) error {
	parts := strings.Split(job, "|")
	rate, err := strconv.ParseFloat(parts[1], 64)
	if err != nil {
		return err
	}
	ctx := context.Background()
	db, err := sqlite.Open(ctx, parts[0], sqlite.Options{})
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	stop := make(chan struct{})
	go func() {
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
		close(stop)
	}()
	fmt.Println("ready")
	w := writer{db: db, name: parts[2] + "-" + strconv.FormatInt(time.Now().UnixNano(), 36), rate: rate, stop: stop, from: time.Now()}
	for w.going() {
		if err := w.deliver(ctx); err != nil {
			return err
		}
	}
	fmt.Println("wrote", w.commits, time.Since(w.from).Nanoseconds())
	return nil
}

type writer struct {
	db      *sqlite.DB
	name    string
	rate    float64 // transactions a second; 0: as many as it can
	stop    chan struct{}
	from    time.Time
	commits int
}

// going waits for the next transaction's turn.
func (w *writer) going() bool {
	var wait time.Duration
	if w.rate > 0 {
		wait = time.Until(w.from.Add(time.Duration(float64(w.commits) / w.rate * float64(time.Second))))
	}
	if wait <= 0 {
		select {
		case <-w.stop:
			return false
		default:
			return true
		}
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-w.stop:
		return false
	case <-timer.C:
		return true
	}
}

// deliver is a whole delivery in three durable transactions, however long it takes to
// be stopped in between: nothing stays behind that is not delivered.
func (w *writer) deliver(ctx context.Context) error {
	key := fmt.Sprintf("bench-%s-%d", w.name, w.commits)
	_, err := w.db.Begin(ctx, ledger.NewIntent{
		OpKey: key, Task: "benchmark", Principal: "agent-" + w.name, Target: "inbox-1",
		PayloadSHA256: fmt.Sprintf("%064x", time.Now().UnixNano()),
	})
	if err != nil {
		return err
	}
	w.commits++
	w.going()
	a, err := w.db.StartAttempt(ctx, ledger.Attempt{OpKey: key})
	if err != nil {
		return err
	}
	w.commits++
	w.going()
	_, err = w.db.Finish(ctx, a.AttemptID, ledger.Result{Outcome: ledger.OutcomeDelivered, Receipt: "r-" + key})
	w.commits++
	return err
}

// Crew are writers at work.
type Crew []*mate

type mate struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// Start starts so many writers, each of that many durable transactions a second; 0 is
// as many as it can. They are at work when it returns.
func Start(ctx context.Context, path string, many int, rate float64) (Crew, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var crew Crew
	for n := range many {
		m := &mate{cmd: exec.CommandContext(ctx, self)} //nolint:gosec // this program itself
		m.cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s|%g|%d", marker, path, rate, n))
		if m.in, err = m.cmd.StdinPipe(); err != nil {
			return nil, err
		}
		out, err := m.cmd.StdoutPipe()
		if err != nil {
			return nil, err
		}
		m.out = bufio.NewReader(out)
		if err := m.cmd.Start(); err != nil {
			return nil, err
		}
		crew = append(crew, m)
	}
	for _, m := range crew {
		if _, err := m.says("ready"); err != nil {
			crew.abandon()
			return nil, err
		}
	}
	return crew, nil
}

// Stop ends them and returns how many transactions they made a second, all together.
func (c Crew) Stop() (perSecond float64, err error) {
	for _, m := range c { // all at once, so that none has the ledger to itself for long
		_, _ = io.WriteString(m.in, "stop\n")
	}
	for _, m := range c {
		words, err := m.says("wrote")
		if err != nil {
			c.abandon()
			return 0, err
		}
		var commits, ns float64
		if _, err := fmt.Sscan(words, &commits, &ns); err != nil || ns <= 0 {
			return 0, fmt.Errorf("a writer said %q", words)
		}
		perSecond += commits / ns * 1e9
		_ = m.in.Close()
		if err := m.cmd.Wait(); err != nil {
			return 0, err
		}
	}
	return perSecond, nil
}

func (c Crew) abandon() {
	for _, m := range c {
		_ = m.cmd.Process.Kill()
		_ = m.cmd.Wait()
	}
}

func (m *mate) says(word string) (rest string, err error) {
	line, err := m.out.ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("a writer ended: %w", err)
	}
	rest, ok := strings.CutPrefix(strings.TrimSpace(line), word)
	if !ok {
		return "", fmt.Errorf("a writer: %s", strings.TrimSpace(line))
	}
	return rest, nil
}
