package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"triage/ledger"
)

func roleInit(ctx context.Context, path string) error {
	m, err := Init(ctx, path)
	fmt.Println("found version", m.From)
	return err
}

// roleInitHalfway does what Init does up to just before its commit, and stalls.
func roleInitHalfway(ctx context.Context, path string) error {
	db, err := sql.Open("sqlite", dataSource(path, access{mode: "rwc"}, defaultBusyTimeout, false))
	if err != nil {
		return err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	if err := apply(ctx, conn, 1); err != nil {
		return err
	}
	fmt.Println("halfway")
	return stall()
}

func TestInitAtOnceInEightProcesses(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger.db")
	var cmds []*exec.Cmd
	var outs []*strings.Builder
	for range 8 {
		cmd, out := child(t, self(t), "init", path), &strings.Builder{}
		cmd.Stdout, cmd.Stderr = out, out
		must(t, cmd.Start())
		cmds, outs = append(cmds, cmd), append(outs, out)
	}
	made := 0
	for i, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Errorf("init: %v: %s", err, outs[i])
		}
		if strings.Contains(outs[i].String(), "found version 0") {
			made++
		}
	}
	if made != 1 {
		t.Errorf("%d processes made the schema, want 1", made)
	}
	isSound(t, path)
}

func TestInitOfALedgerChangesNothing(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path := newLedger(t)
	before := contents(t, filepath.Dir(path))
	m, err := Init(ctx, path)
	must(t, err)
	if m.From != SchemaVersion || m.To != SchemaVersion {
		t.Errorf("got %+v, want from and to version %d", m, SchemaVersion)
	}
	if after := contents(t, filepath.Dir(path)); !maps.Equal(before, after) {
		t.Errorf("the directory was %v and is %v", before, after)
	}
}

func TestInitOfWhatHoldsNothingYet(t *testing.T) {
	t.Parallel()
	for what, prepare := range map[string]func(t *testing.T, path string){
		"missing file":   func(*testing.T, string) {},
		"empty file":     func(t *testing.T, path string) { write(t, path, nil) },
		"blank database": blankDatabase,
	} {
		path := filepath.Join(t.TempDir(), "ledger.db")
		prepare(t, path)
		if m, err := Init(context.Background(), path); err != nil || m.From != 0 {
			t.Errorf("%s: got %+v, %v", what, m, err)
		}
		isSound(t, path)
	}
}

func TestInitRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what string
		make func(t *testing.T, path string)
		want error
	}{
		{"directory", func(t *testing.T, path string) { must(t, os.Mkdir(path, 0o750)) }, ledger.ErrNotALedger},
		{"text", func(t *testing.T, path string) { write(t, path, []byte("a note\n")) }, ledger.ErrNotALedger},
		{"truncated header", func(t *testing.T, path string) { write(t, path, ledgerBytes(t)[:60]) }, ledger.ErrNotALedger},
		{"another program's database", func(t *testing.T, path string) { otherDatabase(t, path, "DELETE") }, ledger.ErrNotALedger},
		{"another program's database in WAL mode", func(t *testing.T, path string) { otherDatabase(t, path, "WAL") }, ledger.ErrNotALedger},
		{"another program's open database with a live -wal", liveDatabase, ledger.ErrNotALedger},
		{"another program's database with no table yet", func(t *testing.T, path string) {
			blankDatabase(t, path)
			raw, err := os.ReadFile(path) // #nosec G304 -- a test's own file
			must(t, err)
			write(t, path, withVersion(raw, 7))
		}, ledger.ErrNotALedger},
		{"newer schema", func(t *testing.T, path string) { write(t, path, withVersion(ledgerBytes(t), SchemaVersion+1)) }, ledger.ErrNewerSchema},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "ledger.db")
		c.make(t, path)
		before := contents(t, dir)
		if _, err := Init(context.Background(), path); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", c.what, err, c.want)
		}
		if after := contents(t, dir); !maps.Equal(before, after) {
			t.Errorf("%s: the directory was %v and is %v", c.what, before, after)
		}
	}
	dir := t.TempDir()
	if _, err := Init(context.Background(), filepath.Join(dir, "nowhere", "ledger.db")); !errors.Is(err, ledger.ErrNotALedger) || names(t, dir) != "" {
		t.Errorf("missing directory: got %v, and the directory has %q", err, names(t, dir))
	}
}

// A program that dies between making the schema and its commit leaves nothing that
// stands in the way of the next one.
func TestInitAfterOneThatWasKilled(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "ledger.db")
	cmd := child(t, self(t), "init halfway", path)
	stdin, err := cmd.StdinPipe()
	must(t, err)
	defer func() { _ = stdin.Close() }()
	startUntil(t, cmd, "halfway")
	kill(t, cmd)
	if db, err := Open(ctx, path, Options{}); !errors.Is(err, ledger.ErrNotALedger) {
		t.Errorf("half a ledger opens: %v %v", db, err)
	}
	if m, err := Init(ctx, path); err != nil || m.From != 0 {
		t.Fatalf("got %+v, %v", m, err)
	}
	isSound(t, path)
}

// isSound says that the file is a ledger with the whole schema and nothing wrong.
func isSound(t *testing.T, path string) {
	t.Helper()
	ctx := context.Background()
	db, err := Open(ctx, path, Options{})
	must(t, err)
	defer func() { _ = db.Close() }()
	report, err := db.Verify(ctx)
	must(t, err)
	if len(report.Findings) > 0 {
		t.Errorf("verify found %v", report.Findings)
	}
	mode, err := first(collect(ctx, db.read, scanKey, "PRAGMA journal_mode"))
	if err != nil || *mode != "wal" {
		t.Errorf("journal mode %v %v, want wal", mode, err)
	}
}

// blankDatabase is what SQLite writes for a database without a table.
func blankDatabase(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	must(t, err)
	_, err = db.Exec("PRAGMA user_version = 1; PRAGMA user_version = 0")
	must(t, err)
	must(t, db.Close())
}
