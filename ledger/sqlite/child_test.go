package sqlite

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Tests that need a second process start this test binary again; the environment
// names what the child is to do and with which file.
const (
	childRole   = "TRIAGE_TEST_CHILD"
	childLedger = "TRIAGE_TEST_LEDGER"
)

// roles are what a child process can do. An error ends it with exit code 1.
var roles = map[string]func(ctx context.Context, path string) error{
	"init":              roleInit,
	"init halfway":      roleInitHalfway,
	"look":              func(ctx context.Context, path string) error { return roleOpen(ctx, path, Options{ReadOnly: true}) },
	"work":              func(ctx context.Context, path string) error { return roleOpen(ctx, path, Options{}) },
	"attempt and stall": roleAttemptAndStall,
}

func TestMain(m *testing.M) {
	if role, ok := os.LookupEnv(childRole); ok {
		if err := roles[role](context.Background(), os.Getenv(childLedger)); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child prepares a second process in the given role.
func child(t *testing.T, binary, role, path string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(binary) // #nosec G204 -- this test binary itself
	cmd.Env = append(os.Environ(), childRole+"="+role, childLedger+"="+path)
	return cmd
}

func self(t *testing.T) string {
	t.Helper()
	binary, err := os.Executable()
	must(t, err)
	return binary
}

// startUntil starts cmd and returns once it has printed a line that starts with
// word, with the rest of that line.
func startUntil(t *testing.T, cmd *exec.Cmd, word string) string {
	t.Helper()
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if rest, ok := strings.CutPrefix(lines.Text(), word); ok {
			return strings.TrimSpace(rest)
		}
	}
	t.Fatalf("the child ended before it said %q: %v", word, cmd.Wait())
	return ""
}

// stall keeps a child where it is until it is killed.
func stall() error {
	_, err := bufio.NewReader(os.Stdin).ReadByte() // a pipe that nobody writes to
	return err
}

// kill ends a child as a power cut would end it.
func kill(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	must(t, cmd.Process.Kill())
	_ = cmd.Wait()
}
