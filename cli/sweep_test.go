package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"triage/cli"
	"triage/ledger"
	"triage/ledger/sqlite"
)

// sweepScene is a ledger with many UNKNOWN intents and a real receiver that has them
// all. at is called for each request, with its number from 1, before it is answered.
type sweepScene struct {
	path, config string
	db           *sqlite.DB

	mu    sync.Mutex
	asked map[string]int
	n     int
	at    func(n int)
}

func newSweepScene(t *testing.T, intents int) *sweepScene {
	t.Helper()
	dir := t.TempDir()
	s := &sweepScene{path: filepath.Join(dir, "ledger.db"), config: filepath.Join(dir, "config.yaml"), asked: map[string]int{}, at: func(int) {}}
	server := httptest.NewServer(http.HandlerFunc(s.answer))
	t.Cleanup(server.Close)
	text := fmt.Sprintf(`targets: { inbox: { lookup: { http: { url: "%s/deliveries/{op_key}", found: .status == 200,
  key: .body.key, receipt: .body.receipt, payload_sha256: .body.sha256 }, rate: 10000/s }, promises: { found_is_final: true, key_retention: 24h } } }
`, server.URL)
	if err := os.WriteFile(s.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.Init(t.Context(), s.path); err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Open(t.Context(), s.path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	s.db = db
	execSQL(t, s.path, fmt.Sprintf(`
INSERT INTO intents (op_key, task, principal, target, payload_sha256)
  WITH RECURSIVE c (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < %d) SELECT printf('key-%%04d', i), 't', 'agent-1', 'inbox', '%s' FROM c;
INSERT INTO attempts (attempt_id, op_key, n, started_at, finished_at, outcome)
  SELECT 'a-' || op_key, op_key, 1, created_at, created_at, 'unknown' FROM intents;
UPDATE intents SET state = 'UNKNOWN'`, intents, hashOf("the report")))
	return s
}

func (s *sweepScene) answer(w http.ResponseWriter, r *http.Request) {
	key := path.Base(r.URL.Path)
	s.mu.Lock()
	s.asked[key]++
	s.n++
	n, at := s.n, s.at
	s.mu.Unlock()
	at(n)
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"key": %q, "receipt": "r-%s", "sha256": %q}`, key, key, hashOf("the report"))
}

// on sets what happens at each request.
func (s *sweepScene) on(at func(n int)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at = at
}

// run is one command of this process.
func (s *sweepScene) run(ctx context.Context, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	p := cli.Program{In: strings.NewReader(""), Out: &out, Err: &errs, Getenv: func(string) (string, bool) { return "", false }}
	code = p.Run(ctx, append([]string{"--db", s.path, "--config", s.config}, args...))
	return code, out.String(), errs.String()
}

var sinceOf = regexp.MustCompile(`--since (\S+)`)

// allDelivered checks that every intent was found, and that nobody was asked twice but
// where the sweep was broken off.
func (s *sweepScene) allDelivered(t *testing.T, intents, twice int) {
	t.Helper()
	counts, err := s.db.Counts(t.Context(), ledger.StuckRule{}, ledger.WallClock())
	if err != nil || counts.Open() != 0 {
		t.Errorf("%d are still open, %v", counts.Open(), err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	again := 0
	for key, n := range s.asked {
		if n > 2 {
			t.Errorf("%s was asked about %d times", key, n)
		}
		again += n - 1
	}
	if len(s.asked) != intents || again > twice {
		t.Errorf("%d intents asked about, %d of them again; want %d, at most %d", len(s.asked), again, intents, twice)
	}
	report, err := s.db.Verify(t.Context())
	if err != nil || len(report.Findings) > 0 {
		t.Errorf("verify: %+v, %v", report.Findings, err)
	}
}

// The process is killed (SIGKILL) in the middle of a sweep over 500 intents. What was
// answered is in the ledger, and the same command with --since does the rest.
func TestASweepIsResumedAfterItWasKilled(t *testing.T) {
	t.Parallel()
	intents, killAt := 500, 200
	if testing.Short() {
		intents, killAt = 40, 20
	}
	s := newSweepScene(t, intents)
	cmd := exec.Command(os.Args[0], "--db", s.path, "--config", s.config, "lookup", "--all")
	cmd.Env = append(os.Environ(), "TRIAGE_TEST_RUN=1")
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = io.Discard, &stderr
	reached, dead := make(chan struct{}), make(chan struct{})
	s.on(func(n int) {
		if n == killAt {
			close(reached)
			<-dead // it gets no answer to this one
		}
	})
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	var err error
	select {
	case <-reached:
		_ = cmd.Process.Kill()
		err = <-ended
	case err = <-ended:
	}
	close(dead)
	if err == nil || !strings.Contains(err.Error(), "killed") {
		t.Fatalf("the first sweep: %v\n%s", err, stderr.String())
	}
	since := sinceOf.FindStringSubmatch(stderr.String())
	if since == nil {
		t.Fatalf("nothing says how to resume:\n%s", stderr.String())
	}
	code, stdout, told := s.run(t.Context(), "lookup", "--all", "--since", since[1])
	rest := intents - killAt + 1
	if want := fmt.Sprintf("%d of %d intents asked: %d delivered.\n", rest, rest, rest); code != 0 || stdout != want {
		t.Errorf("exit %d, %q, want %q\n%.2000s", code, stdout, want, told)
	}
	s.allDelivered(t, intents, 1)
}

// An interrupt stops a sweep before its next question, says so, and ends with 1.
func TestASweepIsInterrupted(t *testing.T) {
	t.Parallel()
	const intents = 12
	s := newSweepScene(t, intents)
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	s.on(func(n int) {
		if n == 5 {
			interrupt()
		}
	})
	code, stdout, stderr := s.run(ctx, "--json", "lookup", "--all")
	var results []struct {
		OpKey, State string
	}
	if err := json.Unmarshal([]byte(stdout), &results); err != nil || len(results) != 5 {
		t.Errorf("%d results, %v", len(results), err)
	}
	since := sinceOf.FindAllStringSubmatch(stderr, -1)
	if code != 1 || !strings.Contains(stderr, "Stopped. What was begun is finished and written down.") ||
		!strings.Contains(stderr, "interrupted after 5 of 12 lookups") || len(since) != 2 || since[0][1] != since[1][1] {
		t.Fatalf("exit %d:\n%s", code, stderr)
	}
	if code, stdout, _ := s.run(t.Context(), "lookup", "--all", "--since", since[0][1]); code != 0 || stdout != "7 of 7 intents asked: 7 delivered.\n" {
		t.Errorf("exit %d, %q", code, stdout)
	}
	s.allDelivered(t, intents, 0)
	if code, stdout, stderr := s.run(t.Context(), "--json", "lookup", "--all"); code != 0 || stdout != "[]\n" || !strings.Contains(stderr, "There is nothing to ask.") {
		t.Errorf("a sweep over nothing: exit %d, %q, %q", code, stdout, stderr)
	}
}
