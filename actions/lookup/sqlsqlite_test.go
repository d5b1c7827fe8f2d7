package lookup

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"triage/actions/config"
	"triage/ledger"
)

const deliveries = "CREATE TABLE deliveries (op_key TEXT, receipt TEXT, payload_sha256 TEXT, owner TEXT, sent_at DATETIME, n INTEGER, raw BLOB)"

// inbox is a receiver's own handle of its database.
func inbox(t *testing.T, path string, statements ...string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	return db
}

func insert(key string) string {
	return "INSERT INTO deliveries VALUES ('" + key + "', 'r-1', '" + theHash + "', 'agent-1', '2026-11-30 08:00:00', 9007199254740993, x'00ff')"
}

func sqlTarget(path, query string) config.Target {
	return config.Target{Name: "inbox", Lookup: &config.Lookup{
		Timeout: 5 * time.Second, Rate: config.Rate{Count: 10000, Per: time.Second}, SQL: &config.SQL{SQLite: path, Query: query},
	}}
}

const byKey = "SELECT op_key, receipt, payload_sha256, owner FROM deliveries WHERE op_key = :op_key"

func ask(t *testing.T, target config.Target) Answer {
	t.Helper()
	c, err := For(target)
	if err != nil {
		t.Fatal(err)
	}
	return c.Look(context.Background(), theIntent)
}

func wantFound(t *testing.T, a Answer) {
	t.Helper()
	if a.Outcome != ledger.LookupFound || a.Receipt != "r-1" || a.PayloadSHA256 != theHash || a.Owner != "agent-1" || a.Evidence.Key == nil || *a.Evidence.Key != theKey {
		t.Errorf("%+v", a)
	}
}

// beside is everything in the directory, with the content.
func beside(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range entries {
		raw, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(raw)
	}
	return all
}

// elsewhere is a receiver in a process of its own, which has its database open until
// the test ends.
func elsewhere(t *testing.T, path string, statements ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestReceiverElsewhere$")
	cmd.Env = append(os.Environ(), "RECEIVER_DATABASE="+path, "RECEIVER_STATEMENTS="+strings.Join(statements, ";\n"))
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = cmd.Wait() // how it ends does not matter
	})
	if said, err := bufio.NewReader(out).ReadString('\n'); said != "open\n" {
		t.Fatal(said, err)
	}
	return cmd
}

// TestReceiverElsewhere is that process, and nothing otherwise.
func TestReceiverElsewhere(t *testing.T) {
	path := os.Getenv("RECEIVER_DATABASE")
	if path == "" {
		return
	}
	inbox(t, path, strings.Split(os.Getenv("RECEIVER_STATEMENTS"), ";\n")...)
	fmt.Println("open")
	_, _ = io.Copy(io.Discard, os.Stdin) // until the test ends
}

// A receiver's database is read as it is, and nothing in it or beside it changes.
func TestReadingADatabaseChangesNothing(t *testing.T) {
	for name, prepare := range map[string]func(t *testing.T, path string){
		"rollback journal": func(t *testing.T, path string) { inbox(t, path, deliveries, insert(theKey)) },
		"WAL, closed": func(t *testing.T, path string) {
			inbox(t, path, "PRAGMA journal_mode = WAL", deliveries, insert(theKey)).Close()
		},
		"WAL, in use, the delivery only in the log": func(t *testing.T, path string) {
			elsewhere(t, path, "PRAGMA journal_mode = WAL", deliveries, "PRAGMA wal_checkpoint(TRUNCATE)", insert(theKey))
		},
		"WAL, in use, nothing in the log": func(t *testing.T, path string) {
			elsewhere(t, path, "PRAGMA journal_mode = WAL", deliveries, insert(theKey), "PRAGMA wal_checkpoint(TRUNCATE)")
		},
		"WAL, its process killed": func(t *testing.T, path string) {
			receiver := elsewhere(t, path, "PRAGMA journal_mode = WAL", deliveries, "PRAGMA wal_checkpoint(TRUNCATE)", insert(theKey))
			if err := receiver.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_, _ = receiver.Process.Wait() // it was killed
		},
		"a name with every trap": func(t *testing.T, path string) {
			inbox(t, strings.ReplaceAll(path, "?", "%3f"), deliveries, insert(theKey))
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "in box.db")
			if strings.HasPrefix(name, "a name") {
				path = filepath.Join(filepath.Dir(path), "a?mode=rwc&x.db")
			}
			prepare(t, path)
			before := beside(t, filepath.Dir(path))
			wantFound(t, ask(t, sqlTarget(path, byKey)))
			after := beside(t, filepath.Dir(path))
			for file, content := range before {
				if after[file] != content {
					t.Errorf("%s has changed: %d bytes, then %d", file, len(content), len(after[file]))
				}
			}
			if len(after) != len(before) {
				t.Errorf("before %d files, after %d", len(before), len(after))
			}
			// The receiver goes on as if nothing had been.
			inbox(t, strings.ReplaceAll(path, "?", "%3f"), insert("weekly-43"))
		})
	}
}

// A database that nobody has open is read without locks; one that somebody opens
// meanwhile may have been read half.
func TestADatabaseThatIsOpenedMeanwhileIsNotBelieved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "inbox.db")
	inbox(t, path, "PRAGMA journal_mode = WAL", deliveries).Close()
	s, f := lookAtDatabase(path)
	if f != nil || !s.immutable || !s.unchanged() {
		t.Fatalf("%+v %+v", s, f)
	}
	db := inbox(t, path, insert(theKey))
	for _, when := range []string{"while it is open", "after it was closed again"} {
		if _, f := s.read(t.Context(), "SELECT op_key FROM deliveries", nil); f == nil || f.cause != "changed" {
			t.Errorf("%s: %+v", when, f)
		}
		db.Close()
	}
	wantFound(t, ask(t, sqlTarget(path, byKey)))
}

func TestADatabaseIsOnlyEverRead(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "inbox.db")
	inbox(t, path, deliveries, insert(theKey)).Close()
	before := beside(t, dir)
	for _, statement := range []string{
		"DELETE FROM deliveries", "SELECT 1; DELETE FROM deliveries", "PRAGMA query_only = 0", "PRAGMA user_version = 7", "PRAGMA user_version",
		"ATTACH '" + filepath.Join(dir, "new.db") + "' AS other", "VACUUM INTO '" + filepath.Join(dir, "copy.db") + "'", "CREATE TEMP TABLE x (y)",
		"BEGIN IMMEDIATE", "SELECT load_extension('x')", "SELECT * FROM pragma_table_info('deliveries')",
	} {
		if _, f := (sqliteFile{path}).read(t.Context(), statement, nil); f == nil || f.cause != "sql_error" {
			t.Errorf("%s: %+v", statement, f)
		}
	}
	after := beside(t, dir)
	if len(after) != len(before) || after["inbox.db"] != before["inbox.db"] {
		t.Errorf("something was written: %d files, then %d", len(before), len(after))
	}
}

func TestSQLiteValuesAreExact(t *testing.T) {
	path := filepath.Join(t.TempDir(), "inbox.db")
	inbox(t, path, deliveries, insert(theKey), insert("' OR '1'='1"))
	target := sqlTarget(path, "SELECT op_key, sent_at, n, raw, NULL AS none, 1.5 AS fraction, payload_sha256 FROM deliveries WHERE op_key = :op_key AND payload_sha256 = :payload_sha256")
	target.Lookup.SQL.Found = `.columns == ["op_key", "sent_at", "n", "raw", "none", "fraction", "payload_sha256"] and .rows[0] == {op_key: "` + theKey +
		`", sent_at: "2026-11-30T08:00:00Z", n: 9007199254740993, raw: "00ff", none: null, fraction: 1.5, payload_sha256: "` + theHash + `"}`
	target.Lookup.SQL.Receipt = ".rows[0].n"
	a := ask(t, target)
	if a.Outcome != ledger.LookupFound || a.Receipt != "9007199254740993" {
		t.Errorf("%+v", a)
	}
}

// A typing mistake in the query, or a row that is nobody's, must never pass for an
// absence or a delivery.
func TestQueriesThatCanNotBeRightFail(t *testing.T) {
	path := filepath.Join(t.TempDir(), "inbox.db")
	inbox(t, path, deliveries, insert("another"))
	for query, cause := range map[string]string{
		`SELECT op_key FROM deliveries WHERE "op_kye" = :op_key`:                     "sql_error", // else a text, which equals no key
		`SELECT op_kye FROM deliveries WHERE op_key = :op_key`:                       "sql_error",
		`SELECT max(op_key) AS op_key FROM deliveries WHERE op_key = :op_key`:        "unclassified", // a row of nothing
		`SELECT receipt FROM deliveries WHERE op_key = :op_key`:                      "mapping_error",
		`SELECT op_key FROM deliveries WHERE op_key = :op_key OR op_key = 'another'`: "other_key",
	} {
		wantFailed(t, ask(t, sqlTarget(path, query)), cause)
	}
	if a := ask(t, sqlTarget(path, byKey)); a.Outcome != ledger.LookupNotFound {
		t.Errorf("%+v", a)
	}
}
