package cli_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"triage/cli"
	"triage/ledger/sqlite"
)

var updateReview = flag.Bool("update-review", false, "write testdata/doctor/drill.txt anew")

// review runs doctor in this process and gives what it printed.
func review(t *testing.T, want int, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	p := cli.Program{In: strings.NewReader(""), Out: &out, Err: &errs, Getenv: func(name string) (string, bool) {
		return "drill-token-4711", name == "TRIAGE_DRILL_TOKEN"
	}}
	if code := p.Run(t.Context(), append([]string{"doctor"}, args...)); code != want {
		t.Fatalf("exit code %d, want %d\n%s%s", code, want, out.String(), errs.String())
	}
	return out.String()
}

// The whole text about the drill's own configuration, as a person reads it.
func TestTheReviewOfTheDrillsConfiguration(t *testing.T) {
	template, err := os.ReadFile(filepath.Join("drill", "config.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(path, bytes.ReplaceAll(template, []byte("RECEIVER"), []byte("http://127.0.0.1:9")), 0o600); err != nil {
		t.Fatal(err)
	}
	got := strings.ReplaceAll(review(t, 0, "--config", path, "--offline"), path, "config.yaml")
	golden := filepath.Join("testdata", "doctor", "drill.txt")
	if *updateReview {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the review reads differently; look at it and run `go test ./cli -run DrillsConfiguration -update-review`:\n%s", got)
	}
}

// Names of a hostile configuration and a hostile ledger reach the terminal as visible
// escapes, and neither is a reason to fail.
func TestTheReviewOfAHostileConfiguration(t *testing.T) {
	dir := t.TempDir()
	path, books := filepath.Join(dir, "config.yaml"), filepath.Join(dir, "ledger.db")
	hostile := "targets:\n  \"in\\u202Ebox\":\n    duplicate_means: \"twice \\u200B\"\n"
	if err := os.WriteFile(path, []byte(hostile), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.Init(t.Context(), books); err != nil {
		t.Fatal(err)
	}
	execSQL(t, books, "INSERT INTO intents (op_key, task, principal, target, payload_sha256, grant_id) VALUES "+
		"('weekly\u202e42', 't', 'agent-1', 'x' || char(27) || '[2J\u202e', printf('%064d', 1), 'no-grant')")
	for _, args := range [][]string{{"--config", path}, {"--config", path, "--json"}, {"--db", books}, {"--db", books, "--config", path, "--json"}} {
		var out, errs bytes.Buffer
		p := cli.Program{In: strings.NewReader(""), Out: &out, Err: &errs, Getenv: func(string) (string, bool) { return "", false }}
		if code := p.Run(t.Context(), append([]string{"doctor"}, args...)); code != 0 {
			t.Errorf("%v: exit code %d: %s", args, code, errs.String())
		}
		if text := out.String() + errs.String(); text == "" || strings.ContainsAny(text, "\x1b\u202e\u200b") {
			t.Errorf("%v: %q", args, text)
		}
	}
}
