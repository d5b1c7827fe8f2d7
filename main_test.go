package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"triage/actions"
	"triage/cli"
	"triage/ledger"
	"triage/ledger/sqlite"
	"triage/tui"
	"triage/tui/screentest"
)

// The tests run the real program, signals and all, as a process of its own: this
// test binary, started again.
const asTriage = "TRIAGE_TEST_MAIN"

func TestMain(m *testing.M) {
	switch os.Getenv(asTriage) {
	case "":
		os.Exit(m.Run())
	case "breaking":
		os.Exit(run(breakingScreen))
	default:
		os.Exit(run(screen))
	}
}

// breakingScreen is the screen of a program with a defect: its lookups panic once the
// receiver has answered.
func breakingScreen(ctx context.Context, r cli.ScreenRequest) error {
	return tui.Run(ctx, tui.Options{Acts: breakingActs{r.Acts}, LedgerName: r.LedgerName})
}

type breakingActs struct{ actions.Acts }

func (b breakingActs) Lookup(ctx context.Context, key string) (actions.Done, error) {
	_, _ = b.Acts.Lookup(ctx, key)
	panic("a defect of its own")
}

// place is a ledger with one uncertain delivery, and its receiver.
type place struct {
	dir, ledger, config string
	receiver            *receiver
}

const (
	key     = "weekly/report 48"
	receipt = "rcpt_1"
)

// receiver has the delivery. It answers as soon as it may.
type receiver struct {
	asked chan struct{} // has one token for each question
	may   chan struct{} // closed: it may answer
	open  sync.Once
}

func (r *receiver) answers() { r.open.Do(func() { close(r.may) }) }

func newPlace(t *testing.T) place {
	t.Helper()
	dir := t.TempDir()
	p := place{
		dir: dir, ledger: filepath.Join(dir, "ledger.db"), config: filepath.Join(dir, "config.yaml"),
		receiver: &receiver{asked: make(chan struct{}, 9), may: make(chan struct{})},
	}
	sum := sha256.Sum256([]byte("the report"))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		p.receiver.asked <- struct{}{}
		<-p.receiver.may
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"key": %q, "receipt": %q, "sha": %q, "owner": "agent-1"}`, key, receipt, hex.EncodeToString(sum[:]))
	}))
	t.Cleanup(server.Close)
	t.Cleanup(p.receiver.answers)
	config := fmt.Sprintf(`targets:
  inbox:
    environment: 测试
    lookup:
      http: { url: "%s/{op_key}", found: .status == 200, not_found: .status == 404, key: .body.key, receipt: .body.receipt, payload_sha256: .body.sha, owner: .body.owner }
      timeout: 60s
    promises: { attempt_timeout: 1s, settles_within: 0s, lookup_lag: 0s, found_is_final: true, absence_is_proof: true, key_retention: 1d }
`, server.URL)
	if err := os.WriteFile(p.config, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	p.fill(t, hex.EncodeToString(sum[:]))
	return p
}

func (p place) fill(t *testing.T, hash string) {
	t.Helper()
	ctx := t.Context()
	if _, err := sqlite.Init(ctx, p.ledger); err != nil {
		t.Fatal(err)
	}
	db := p.open(t)
	defer func() { _ = db.Close() }()
	if _, err := db.Begin(ctx, ledger.NewIntent{OpKey: key, Task: "weekly", Principal: "agent-1", Target: "inbox", PayloadSHA256: hash}); err != nil {
		t.Fatal(err)
	}
	a, err := db.StartAttempt(ctx, ledger.Attempt{OpKey: key})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Finish(ctx, a.AttemptID, ledger.Result{Outcome: ledger.OutcomeUnknown}); err != nil {
		t.Fatal(err)
	}
}

func (p place) open(t *testing.T) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), p.ledger, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// settled checks that the lookup under way was finished and recorded.
func (p place) settled(t *testing.T) {
	t.Helper()
	db := p.open(t)
	defer func() { _ = db.Close() }()
	h, err := db.History(t.Context(), key, ledger.WallClock())
	if err != nil {
		t.Fatal(err)
	}
	if i := h.Intent; i.State != ledger.Delivered || i.Receipt != receipt || len(h.Lookups) != 1 || !h.Lookups[0].Finished() {
		t.Errorf("it is %s with receipt %q, after lookups %+v", i.State, i.Receipt, h.Lookups)
	}
}

// command is the program on this ledger. env comes last, and so wins.
func (p place) command(t *testing.T, env []string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], append([]string{"--db", p.ledger, "--config", p.config}, args...)...)
	cmd.Dir = p.dir
	cmd.Env = append(p.environ(), env...)
	return cmd
}

// environ is an environment without anything of this machine's that matters to a
// terminal.
func (p place) environ() []string {
	// Under the race detector a process that ends may be told of a race between the
	// library's reader and its shutdown, at its very end: that must not be the exit code.
	env := []string{"GORACE=exitcode=0", asTriage + "=1", "TERM=xterm-256color", "LANG=C.UTF-8", "TZ=UTC", "HOME=" + p.dir, "XDG_CACHE_HOME=" + filepath.Join(p.dir, "cache"), "XDG_CONFIG_HOME=" + p.dir}
	for _, pair := range os.Environ() {
		if name, _, _ := strings.Cut(pair, "="); name == "PATH" || name == "USER" || name == "TMPDIR" || strings.HasPrefix(name, "GOCOVER") {
			env = append(env, pair)
		}
	}
	return env
}

// start shows the program on a pseudo-terminal, and waits for the queue.
func (p place) start(t *testing.T, env ...string) *screentest.Terminal {
	t.Helper()
	s := screentest.Command(t, 80, 24, p.command(t, env))
	s.WaitFor("Nobody has looked it up")
	return s
}

func restored(t *testing.T, s *screentest.Terminal) {
	t.Helper()
	if s.OnAltScreen() || s.CursorHidden() || s.PasteBracketed() || !s.Restored() {
		t.Errorf("alternate screen %v, cursor hidden %v, bracketed paste %v, line restored %v. The screen:\n%s",
			s.OnAltScreen(), s.CursorHidden(), s.PasteBracketed(), s.Restored(), s.Text())
	}
}
