package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"triage/ledger"
)

const testHash = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

func newIntent(key string) ledger.NewIntent {
	return ledger.NewIntent{OpKey: key, Task: "weekly report", Principal: "agent-1", Target: "inbox", PayloadSHA256: testHash}
}

// contents is what stands in a directory: names, sizes, times and bytes.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		sum := "no bytes of its own"
		if e.Type().IsRegular() {
			raw, err := os.ReadFile(filepath.Join(dir, e.Name())) // #nosec G304 -- a test's own directory
			if err != nil {
				t.Fatal(err)
			}
			sum = fmt.Sprintf("%x", sha256.Sum256(raw))
		}
		all[e.Name()] = fmt.Sprintf("%s %d %s %s", info.Mode(), info.Size(), info.ModTime().Format(time.RFC3339Nano), sum)
	}
	return all
}

func names(t *testing.T, dir string) string {
	t.Helper()
	var all []string
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return strings.Join(all, " ")
}

// A path names exactly the file of that name, whatever SQLite's URIs would make
// of it.
func TestOpenExactlyThatFile(t *testing.T) {
	ctx := context.Background()
	for _, name := range inStrides([]string{
		"plain.db", "with space.db", "what?mode=memory.db", "a#b.db", "100%.db", "%41.db", "-leading.db", "--db",
		"a&b=c;d.db", "file:x.db", ":memory:", "ledger?immutable=1", "quote'\".db", "back\\slash.db", "new\nline.db", "ünïcode 🚀.db",
	}) {
		for _, relative := range []bool{false, true} {
			dir := t.TempDir()
			path := filepath.Join(dir, name)
			if relative {
				t.Chdir(dir)
				path = name
			}
			if _, err := Init(ctx, path); err != nil {
				t.Fatalf("init %q: %v", path, err)
			}
			db, err := Open(ctx, path, Options{})
			if err != nil {
				t.Fatalf("open %q: %v", path, err)
			}
			if _, err := db.Begin(ctx, newIntent("k")); err != nil {
				t.Fatalf("begin in %q: %v", path, err)
			}
			if err := db.Close(); err != nil {
				t.Fatalf("close %q: %v", path, err)
			}
			if got := names(t, dir); got != name {
				t.Errorf("%q: the directory has %q, want the ledger alone", path, got)
			}
			if again, err := Open(ctx, path, Options{ReadOnly: true}); err != nil {
				t.Errorf("open %q again: %v", path, err)
			} else {
				if _, err := again.Get(ctx, "k"); err != nil {
					t.Errorf("%q does not hold what was written: %v", path, err)
				}
				_ = again.Close()
			}
		}
	}
}

// A ledger that can't be opened says why, and nothing is created or altered.
func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for _, c := range []struct {
		what  string
		make  func(t *testing.T, path string)
		want  error
		words string
	}{
		{"missing", func(*testing.T, string) {}, ledger.ErrNotALedger, "there is no file"},
		{"empty", func(t *testing.T, path string) { write(t, path, nil) }, ledger.ErrNotALedger, "is empty"},
		{"directory", func(t *testing.T, path string) { must(t, os.Mkdir(path, 0o750)) }, ledger.ErrNotALedger, "is a directory"},
		{"device", func(t *testing.T, path string) { must(t, os.Symlink("/dev/null", path)) }, ledger.ErrNotALedger, "not a regular file"},
		{"dangling link", func(t *testing.T, path string) { must(t, os.Symlink("nowhere", path)) }, ledger.ErrNotALedger, "there is no file"},
		{"text", func(t *testing.T, path string) { write(t, path, []byte(strings.Repeat("a note\n", 100))) }, ledger.ErrNotALedger, "not a SQLite database"},
		{"short text", func(t *testing.T, path string) { write(t, path, []byte("x")) }, ledger.ErrNotALedger, "not a SQLite database"},
		{"truncated header", func(t *testing.T, path string) { write(t, path, ledgerBytes(t)[:60]) }, ledger.ErrNotALedger, "not a SQLite database"},
		{"another program's database", func(t *testing.T, path string) { otherDatabase(t, path, "DELETE") }, ledger.ErrNotALedger, "another program's"},
		{"another program's database in WAL mode", func(t *testing.T, path string) { otherDatabase(t, path, "WAL") }, ledger.ErrNotALedger, "another program's"},
		{"another program's open database with a live -wal", liveDatabase, ledger.ErrNotALedger, "another program's"},
		{"only the mark of a ledger", func(t *testing.T, path string) {
			otherDatabase(t, path, "DELETE")
			raw, err := os.ReadFile(path) // #nosec G304 -- a test's own file
			must(t, err)
			binary.BigEndian.PutUint32(raw[applicationIDOffset:], ApplicationID)
			write(t, path, raw)
		}, ledger.ErrNotALedger, "0 of its 7 tables"},
		{"newer schema", func(t *testing.T, path string) { write(t, path, withVersion(ledgerBytes(t), SchemaVersion+1)) }, ledger.ErrNewerSchema, "schema version 2"},
		{"older schema", func(t *testing.T, path string) { write(t, path, withVersion(ledgerBytes(t), 0)) }, ledger.ErrOlderSchema, "init"},
	} {
		for _, readOnly := range []bool{false, true} {
			dir := t.TempDir()
			path := filepath.Join(dir, "ledger.db")
			c.make(t, path)
			before := contents(t, dir)
			db, err := Open(ctx, path, Options{ReadOnly: readOnly})
			if err == nil {
				_ = db.Close()
			}
			if !errors.Is(err, c.want) || !strings.Contains(fmt.Sprint(err), c.words) {
				t.Errorf("%s: got %v, want %v and the words %q", c.what, err, c.want, c.words)
			}
			if after := contents(t, dir); !maps.Equal(before, after) {
				t.Errorf("%s: the directory was %v and is %v", c.what, before, after)
			}
		}
	}
}

// A symbolic link is the ledger that it names: SQLite's files stand beside that one,
// where every other program looks for them.
func TestOpenThroughALink(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path := newLedger(t)
	link := filepath.Join(t.TempDir(), "link.db")
	must(t, os.Symlink(path, link))
	db, err := Open(ctx, link, Options{})
	must(t, err)
	defer func() { _ = db.Close() }()
	_, err = db.Begin(ctx, newIntent("k"))
	must(t, err)
	if beside, at := names(t, filepath.Dir(link)), names(t, filepath.Dir(path)); beside != "link.db" || at != "ledger.db ledger.db-shm ledger.db-wal" {
		t.Errorf("beside the link stands %q, beside the ledger %q", beside, at)
	}
	direct, err := Open(ctx, path, Options{ReadOnly: true})
	must(t, err)
	defer func() { _ = direct.Close() }()
	if _, err := direct.Get(ctx, "k"); err != nil {
		t.Errorf("what was written through the link: %v", err)
	}
}

// A newer schema that stands in the -wal only is seen too, and the file of the
// program that holds it open is left alone.
func TestOpenSeesTheSchemaInTheLog(t *testing.T) {
	ctx := context.Background()
	path := newLedger(t)
	held, err := sql.Open("sqlite", path)
	must(t, err)
	defer func() { _ = held.Close() }()
	for _, q := range []string{"PRAGMA wal_autocheckpoint = 0", fmt.Sprintf("PRAGMA user_version = %d", SchemaVersion+1)} {
		_, err := held.Exec(q)
		must(t, err)
	}
	before := contents(t, filepath.Dir(path))
	if _, err := Open(ctx, path, Options{}); !errors.Is(err, ledger.ErrNewerSchema) {
		t.Errorf("got %v, want %v", err, ledger.ErrNewerSchema)
	}
	after := contents(t, filepath.Dir(path))
	if name := filepath.Base(path); before[name] != after[name] || before[name+"-wal"] != after[name+"-wal"] {
		t.Errorf("the directory was %v and is %v", before, after)
	}
}

// Opening and closing leaves the ledger alone in its directory and unchanged.
func TestCloseLeavesNothingBehind(t *testing.T) {
	ctx := context.Background()
	path := newLedger(t)
	before := contents(t, filepath.Dir(path))
	for _, readOnly := range []bool{false, true} {
		db, err := Open(ctx, path, Options{ReadOnly: readOnly})
		must(t, err)
		_, err = db.Changed(ctx)
		must(t, err)
		_, err = db.Counts(ctx, ledger.StuckRule{}, ledger.WallClock())
		must(t, err)
		_, err = db.Verify(ctx)
		must(t, err)
		must(t, db.Close())
		if after := contents(t, filepath.Dir(path)); !maps.Equal(before, after) {
			t.Errorf("read-only %v: the directory was %v and is %v", readOnly, before, after)
		}
	}
}

func TestReadOnlyNeverWrites(t *testing.T) {
	ctx := context.Background()
	db, err := Open(ctx, newLedger(t), Options{ReadOnly: true})
	must(t, err)
	defer func() { _ = db.Close() }()
	if _, err := db.Begin(ctx, newIntent("k")); !errors.Is(err, ledger.ErrReadOnly) {
		t.Errorf("begin: got %v, want %v", err, ledger.ErrReadOnly)
	}
	if _, err := db.read.Exec(`INSERT INTO grants (grant_id, principal, target, granted_by, granted_at) VALUES ('g', 'p', 't', 'b', 1796077269896)`); err == nil {
		t.Error("a reading connection wrote")
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path string, raw []byte) {
	t.Helper()
	must(t, os.WriteFile(path, raw, 0o600))
}

func ledgerBytes(t *testing.T) []byte {
	t.Helper()
	raw, err := os.ReadFile(newLedger(t))
	must(t, err)
	return raw
}

func withVersion(raw []byte, version uint32) []byte {
	binary.BigEndian.PutUint32(raw[userVersionOffset:], version)
	return raw
}

// otherDatabase makes a database of another program and closes it.
func otherDatabase(t *testing.T, path, journal string) {
	t.Helper()
	db := openOther(t, path, journal)
	must(t, db.Close())
}

// liveDatabase makes one that another program has open, with what it wrote still in
// the -wal.
func liveDatabase(t *testing.T, path string) {
	t.Helper()
	db := openOther(t, path, "WAL")
	t.Cleanup(func() { _ = db.Close() })
}

func openOther(t *testing.T, path, journal string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	must(t, err)
	db.SetMaxOpenConns(1)
	for _, q := range []string{
		"PRAGMA journal_mode = " + journal, "PRAGMA user_version = 1", "CREATE TABLE songs (title)", "INSERT INTO songs VALUES ('one')",
	} {
		_, err := db.Exec(q)
		must(t, err)
	}
	return db
}
