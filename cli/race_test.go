package cli_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"triage/actions/config"
	"triage/ledger"
	"triage/ledger/sqlite"
)

// Two processes reissue the same key at the same moment, many times: always
// exactly one successor, and the loser is told who won (exit 3 or 4).
func TestTwoReissuesOfOneKeyMakeOneSuccessor(t *testing.T) {
	rounds := 200
	if testing.Short() {
		rounds = 5
	}
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "ledger.db")
	if _, err := sqlite.Init(ctx, path); err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	grant(t, path)
	for round := range rounds {
		key := "key-" + string(rune('a'+round%26)) + strings.Repeat("x", round/26)
		uncertain(t, db, key)
		first, second := startReissue(t, path, key), startReissue(t, path, key)
		checkRace(t, db, key, first(), second())
	}
	report, err := db.Verify(ctx)
	if err != nil || len(report.Findings) > 0 {
		t.Errorf("verify: %+v, %v", report.Findings, err)
	}
}

type raced struct {
	code   int
	stderr string
}

// startReissue starts a process of its own and returns what waits for it.
func startReissue(t *testing.T, path, key string) func() raced {
	t.Helper()
	cmd := exec.Command(os.Args[0], "--db", path, "reissue", key, "--reason", "the race", // as testscript runs it
		"--accept-duplicate", "I accept a possible duplicate at inbox")
	cmd.Env = append(os.Environ(), "TRIAGE_TEST_RUN=1", config.PathVariable+"=", "XDG_CONFIG_HOME="+t.TempDir())
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return func() raced {
		err := cmd.Wait()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return raced{cmd.ProcessState.ExitCode(), stderr.String()}
	}
}

func checkRace(t *testing.T, db *sqlite.DB, key string, a, b raced) {
	t.Helper()
	if a.code != 0 {
		a, b = b, a
	}
	i, err := db.Get(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	if a.code != 0 || b.code != 3 && b.code != 4 {
		t.Fatalf("%s: exit codes %d and %d, want 0 and 3 or 4\n%s\n%s", key, a.code, b.code, a.stderr, b.stderr)
	}
	if !strings.Contains(b.stderr, i.SupersededBy) || !strings.Contains(b.stderr, " by ") {
		t.Errorf("%s: the loser is not told who won: %s", key, b.stderr)
	}
	h, err := db.History(t.Context(), key, ledger.WallClock())
	if err != nil {
		t.Fatal(err)
	}
	made := 0
	for _, d := range h.Decisions {
		if d.Kind == ledger.Reissue {
			made++
		}
	}
	if made != 1 || i.SupersededBy == "" {
		t.Errorf("%s: %d reissue decisions, superseded by %q", key, made, i.SupersededBy)
	}
}

func uncertain(t *testing.T, db *sqlite.DB, key string) {
	t.Helper()
	ctx := context.Background()
	_, err := db.Begin(ctx, ledger.NewIntent{
		OpKey: key, Task: "t", Principal: "agent-1", Target: "inbox", PayloadSHA256: hashOf(key), GrantID: "g",
	})
	if err != nil {
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

func grant(t *testing.T, path string) {
	t.Helper()
	execSQL(t, path, `INSERT INTO grants (grant_id, principal, target, granted_by, granted_at)
VALUES ('g', 'agent-1', 'inbox', 'boss', CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) - 1000)`)
}
