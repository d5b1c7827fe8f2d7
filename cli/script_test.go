package cli_test

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"triage/cli"
	"triage/cli/drill"
	"triage/ledger"
	"triage/ledger/sqlite"
)

func TestMain(m *testing.M) {
	drill.SenderMain()
	if os.Getenv("TRIAGE_TEST_RUN") != "" {
		runTriage()
	}
	testscript.Main(m, map[string]func(){"triage": runTriage})
}

func runTriage() {
	p := cli.Program{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.LookupEnv,
		Screen:      func(context.Context, cli.ScreenRequest) error { fmt.Println("the screen"); return nil },
		HasTerminal: func() bool { return os.Getenv("TEST_TERMINAL") != "" },
	}
	os.Exit(p.Run(context.Background(), os.Args[1:]))
}

// The commands, end to end: each file in testdata/script is a session at a shell.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(env *testscript.Env) error {
			env.Setenv("XDG_CONFIG_HOME", filepath.Join(env.WorkDir, "no-config"))
			env.Setenv("HASH", hashOf("the report"))
			env.Setenv("TZ", "UTC")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"begin":    beginCmd,
			"sql":      sqlCmd,
			"receiver": receiverCmd,
			"exits":    exitsCmd,
			"fill":     fillCmd,
			"unchanged": func(ts *testscript.TestScript, neg bool, args []string) {
				before, after := ts.ReadFile(args[0]), ts.ReadFile(args[1])
				if (before == after) == neg {
					ts.Fatalf("%s and %s: equal is %v", args[0], args[1], before == after)
				}
			},
		},
	})
}

func hashOf(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// begin LEDGER KEY STATE [GRANT]: STATE is PENDING (sent nothing), ORPHAN (its
// sender died an hour ago) or UNKNOWN (sent an hour ago, the answer lost).
func beginCmd(ts *testscript.TestScript, _ bool, args []string) {
	ctx := context.Background()
	hourAgo := ledger.WallClock().Add(-time.Hour)
	db, err := sqlite.Open(ctx, ts.MkAbs(args[0]), sqlite.Options{Clock: func() ledger.Millis { return hourAgo }})
	ts.Check(err)
	defer func() { _ = db.Close() }()
	n := ledger.NewIntent{
		OpKey: args[1], Task: "weekly report", Principal: "agent-1", Target: "inbox", PayloadSHA256: hashOf("the report"), UpdatedBy: "sender",
	}
	if len(args) > 3 {
		n.GrantID = args[3]
	}
	_, err = db.Begin(ctx, n)
	ts.Check(err)
	if args[2] == "PENDING" {
		return
	}
	a, err := db.StartAttempt(ctx, ledger.Attempt{OpKey: args[1]})
	ts.Check(err)
	if args[2] == "UNKNOWN" {
		_, err = db.Finish(ctx, a.AttemptID, ledger.Result{Outcome: ledger.OutcomeUnknown, Cause: "timeout"})
		ts.Check(err)
	}
}

// sql LEDGER STATEMENT: what any other program could write. @NOW is the present
// in milliseconds.
func sqlCmd(ts *testscript.TestScript, neg bool, args []string) {
	statement := strings.ReplaceAll(args[1], "@NOW", strconv.FormatInt(time.Now().UnixMilli(), 10))
	if err := runSQL(ts.MkAbs(args[0]), statement); (err != nil) != neg {
		ts.Fatalf("sql: %v", err)
	}
}

func runSQL(path, statement string) error {
	db, err := sql.Open("sqlite", "file:"+path+"?mode=rw&_pragma=busy_timeout(5000)")
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	_, err = db.ExecContext(context.Background(), statement)
	return err
}

func execSQL(t *testing.T, path, statement string) {
	t.Helper()
	if err := runSQL(path, statement); err != nil {
		t.Fatal(err)
	}
}

// fill FILE NAME: puts the value of $NAME where the file says @NAME@.
func fillCmd(ts *testscript.TestScript, _ bool, args []string) {
	path := ts.MkAbs(args[0])
	text := strings.ReplaceAll(ts.ReadFile(args[0]), "@"+args[1]+"@", ts.Getenv(args[1]))
	ts.Check(os.WriteFile(path, []byte(text), 0o600))
}

var receivers sync.Mutex

// receiver NAME ANSWERS: starts a receiver whose GET /deliveries/KEY answers the
// body in the file ANSWERS/KEY.json, or 404; its address is in $NAME.
func receiverCmd(ts *testscript.TestScript, _ bool, args []string) {
	dir := ts.MkAbs(args[1])
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		receivers.Lock()
		defer receivers.Unlock()
		w.Header().Set("Content-Type", "application/json")
		if r.Header.Get("Authorization") != "Bearer s3cr3t-token" {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = fmt.Fprintf(w, `{"error": "bad token %s"}`, r.Header.Get("Authorization"))
			return
		}
		body, err := os.ReadFile(filepath.Join(dir, filepath.Base(r.URL.Path)+".json"))
		if err != nil {
			w.WriteHeader(http.StatusNotFound)
			body = []byte(`{"error": "no such delivery"}`)
		}
		_, _ = w.Write(body)
	}))
	ts.Defer(server.Close)
	ts.Setenv(args[0], server.URL)
}

// exits CODE COMMAND ARGS…: the command ends with exactly this exit code.
func exitsCmd(ts *testscript.TestScript, _ bool, args []string) {
	err := ts.Exec(args[1], args[2:]...)
	got := 0
	if err != nil {
		var ok bool
		if got, ok = codeOf(err); !ok {
			ts.Fatalf("%v", err)
		}
	}
	if want := args[0]; strconv.Itoa(got) != want {
		ts.Fatalf("exit code %d, want %s", got, want)
	}
}

func codeOf(err error) (int, bool) {
	coder, ok := err.(interface{ ExitCode() int })
	if !ok {
		return 0, false
	}
	return coder.ExitCode(), true
}
