//go:build unix

package lookup

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"triage/actions/config"
	"triage/ledger"
)

// execTarget is a receiver that is asked through a program.
func execTarget(argv ...string) config.Target {
	return config.Target{Name: "inbox", Lookup: &config.Lookup{
		Timeout: 5 * time.Second, Rate: config.Rate{Count: 10000, Per: time.Second},
		Exec: &config.Exec{Argv: argv, ExitCodes: []int{0}, Env: map[string]string{"TOKEN": theToken}, Secrets: []string{theToken}},
	}}
}

func shell(script string) config.Target { return execTarget("/bin/sh", "-c", script) }

func TestAProgramIsToldAboutTheIntent(t *testing.T) {
	target := execTarget("/bin/cat") // answers with its question
	target.Lookup.Exec.Found = `.exit_code == 0 and .body == {op_key: "weekly-42", task: "weekly report", stage: "send", principal: "agent-1", target: "inbox", payload_sha256: "` + theHash + `", created_at: 1790000000000, attempts: 2}`
	target.Lookup.Exec.Key = ".body.op_key"
	intent := theIntent
	intent.CreatedAt, intent.Derived.Attempts = 1790000000000, 2
	c, err := For(target)
	if err != nil {
		t.Fatal(err)
	}
	if a := c.Look(context.Background(), intent); a.Outcome != ledger.LookupFound || c.Kind() != "exec" {
		t.Errorf("%+v", a)
	}
}

func TestAProgramInheritsNextToNothing(t *testing.T) {
	t.Setenv("OTHER_RECEIVERS_TOKEN", "x")
	t.Setenv("TZ", "Europe/Zurich")
	got := execEnvironment(map[string]string{"TOKEN": "abc", "PATH": "/opt/bin"})
	var names []string
	for _, entry := range got {
		name, _, _ := strings.Cut(entry, "=")
		names = append(names, name)
	}
	for _, want := range []string{"PATH=/opt/bin", "TOKEN=abc", "TZ=Europe/Zurich"} {
		if !slices.Contains(got, want) {
			t.Errorf("%q lacks %s", got, want)
		}
	}
	for _, name := range names {
		if !slices.Contains([]string{"PATH", "HOME", "LANG", "TMPDIR", "TZ", "TOKEN"}, name) {
			t.Errorf("%s is inherited", name)
		}
	}
	seen := shell(`printf '{"pwd":"%s","other":"%s","token":"%s"}' "$PWD" "$OTHER_RECEIVERS_TOKEN" "$TOKEN"`)
	seen.Lookup.Exec.Found = `.body.pwd == "/" and .body.other == "" and (.body.token | length) == 18`
	if a := ask(t, seen); a.Outcome != ledger.LookupFound || strings.Contains(a.Evidence.Excerpt, "4711") {
		t.Errorf("%+v", a)
	}
}

func TestExitCodesAreThePlanOfTheConfiguration(t *testing.T) {
	target := shell(`echo '{}'; exit 4`)
	wantFailed(t, ask(t, target), "exit_4")
	target.Lookup.Exec.ExitCodes = []int{0, 4}
	target.Lookup.Exec.Found, target.Lookup.Exec.NotFound = ".exit_code == 0", ".exit_code == 4"
	if a := ask(t, target); a.Outcome != ledger.LookupNotFound {
		t.Errorf("%+v", a)
	}
}

func TestWhatAProgramComplainsOfIsKeptWithoutSecrets(t *testing.T) {
	a := ask(t, shell(`echo "login with $TOKEN failed" >&2; echo '{"partial":1}'; exit 1`))
	wantFailed(t, a, "exit_1")
	if want := "{\"partial\":1}\nstderr: login with [redacted] failed"; a.Evidence.Excerpt != want {
		t.Errorf("%q, want %q", a.Evidence.Excerpt, want)
	}
	loud := ask(t, shell(`yes complaint | head -c 5000000 >&2; echo '{"op_key":"weekly-42","outcome":"not_found"}'`))
	if loud.Outcome != ledger.LookupNotFound || len(loud.Evidence.Excerpt) > maxExcerpt+maxAside+20 {
		t.Errorf("%s, %d bytes", loud.Outcome, len(loud.Evidence.Excerpt))
	}
}

// The protocol of programs that map nothing, word by word.
func TestTheProtocolOfPrograms(t *testing.T) {
	yes, no := true, false
	for _, c := range []struct {
		printed, cause string
		outcome        ledger.LookupOutcome
		final          *bool
	}{
		{`{"outcome":"found","op_key":"weekly-42","final":true}`, "", ledger.LookupFound, &yes},
		{`{"outcome":"found","op_key":"weekly-42","final":false,"withdrawn":false}`, "", ledger.LookupFound, &no},
		{`{"outcome":"found","op_key":"weekly-42","withdrawn":true}`, ledger.CauseWithdrawn, ledger.LookupFound, nil},
		{`{"outcome":"in_progress","op_key":"weekly-42"}`, "", ledger.LookupInProgress, nil},
		{`{"outcome":"refused","op_key":"weekly-42"}`, "", ledger.LookupRefused, nil},
		{`{"outcome":"not_found","op_key":"weekly-42"}`, "", ledger.LookupNotFound, nil},
		{`{"outcome":"ambiguous"}`, "", ledger.LookupAmbiguous, nil},
		{`{"outcome":"failed","op_key":"weekly-42"}`, "unclassified", ledger.LookupFailed, nil},
		{`{"outcome":"FOUND","op_key":"weekly-42"}`, "unclassified", ledger.LookupFailed, nil},
		{`{"outcome":["found"],"op_key":"weekly-42"}`, "unclassified", ledger.LookupFailed, nil},
		{`{"op_key":"weekly-42"}`, "unclassified", ledger.LookupFailed, nil},
		{`{"outcome":"found"}`, "no_key", ledger.LookupFailed, nil},
		{`{"outcome":"refused"}`, "no_key", ledger.LookupFailed, nil},
		{`{"outcome":"found","op_key":"weekly-42","withdrawn":"yes"}`, "mapping_error", ledger.LookupFailed, nil},
		{`{"outcome":"not_found","op_key":"weekly-42","receipt":"r-1"}`, "mapping_conflict", ledger.LookupFailed, nil},
		{`{"outcome":"not_found","op_key":"weekly-42","final":true}`, "mapping_conflict", ledger.LookupFailed, nil},
		{`{"outcome":"not_found","op_key":"weekly-42","owner":"agent-1"}`, "mapping_conflict", ledger.LookupFailed, nil},
		{`{"outcome":"not_found","op_key":"weekly-42","withdrawn":true}`, "mapping_conflict", ledger.LookupFailed, nil},
		{`{"outcome":"not_found","op_key":"weekly-42","final":false,"owner":null,"withdrawn":false}`, "", ledger.LookupNotFound, nil},
		{`"not_found"`, "mapping_error", ledger.LookupFailed, nil},
	} {
		a := ask(t, shell("echo '"+c.printed+"'"))
		if a.Outcome != c.outcome || a.Cause != c.cause || (a.Evidence.Final == nil) != (c.final == nil) || c.final != nil && *a.Evidence.Final != *c.final {
			t.Errorf("%s: %+v", c.printed, a)
		}
	}
}

// A program that is late is ended with everything it started: nobody writes into its
// pipe afterwards, whatever signals it ignores.
func TestALateProgramIsKilledWithItsHelpers(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "alive")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	alive, err := os.OpenFile(fifo, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer alive.Close()
	target := shell(`exec 3>"$FIFO"; echo started >&3; trap '' TERM; (trap '' TERM; while :; do sleep 600; done) & while :; do sleep 600; done`)
	target.Lookup.Exec.Env["FIFO"] = fifo
	target.Lookup.Timeout = 500 * time.Millisecond
	wantFailed(t, ask(t, target), "timeout")
	if err := alive.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	said, err := io.ReadAll(alive) // ends when nobody holds the other end any more
	if err != nil || string(said) != "started\n" {
		t.Errorf("%q, %v: somebody is still alive", said, err)
	}
}

// A helper that has left the group can't be killed with it; it is not waited for.
func TestAHelperThatLeftHoldsNothingUp(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("setsid is not installed")
	}
	target := shell(`setsid sleep 3 & echo '{"op_key":"weekly-42","outcome":"not_found"}'`)
	target.Lookup.Timeout = 300 * time.Millisecond
	wantFailed(t, ask(t, target), "timeout")
}

func TestAQuestionThatNobodyReadsHoldsNothingUp(t *testing.T) {
	intent := theIntent
	intent.Task = strings.Repeat("x", 1<<20)
	for _, first := range []string{"", "exec 3<&0; sleep 8 >/dev/null 2>&1 & exec 3<&-; "} { // a helper that holds the question and not the answer
		c, err := For(shell(first + `echo '{"op_key":"weekly-42","outcome":"not_found"}'`))
		if err != nil {
			t.Fatal(err)
		}
		if a := c.Look(context.Background(), intent); a.Outcome != ledger.LookupNotFound {
			t.Errorf("%s: %+v", first, a)
		}
	}
}

func TestAProgramHasASessionOfItsOwnAndNoTerminal(t *testing.T) {
	cmd := exec.Command("/bin/sleep", "600")
	detach(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	session, err := unix.Getsid(cmd.Process.Pid)
	kill(cmd)
	_ = cmd.Wait() // it was killed
	if err != nil || session != cmd.Process.Pid {
		t.Errorf("session %d of process %d: %v", session, cmd.Process.Pid, err)
	}
	tty := shell(`[ -t 0 ] || [ -t 1 ] || [ -t 2 ] && exit 9; (: </dev/tty) 2>/dev/null && exit 9; echo '{"op_key":"weekly-42","outcome":"not_found"}'`)
	if a := ask(t, tty); a.Outcome != ledger.LookupNotFound {
		t.Errorf("%+v", a)
	}
}

func TestABrokenOffLookupEndsItsProgram(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	c, err := For(shell("sleep 600"))
	if err != nil {
		t.Fatal(err)
	}
	answered := make(chan Answer)
	go func() { answered <- c.Look(ctx, theIntent) }()
	cancel()
	wantFailed(t, <-answered, "cancelled")
}
