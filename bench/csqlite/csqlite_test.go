package csqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"testing"

	_ "modernc.org/sqlite"

	"triage/bench/csqlite"
	"triage/ledger/sqlite"
)

func TestTime(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	program, err := csqlite.Compile(ctx, dir)
	if errors.Is(err, csqlite.ErrAbsent) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "a.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.Exec(`CREATE TABLE t (n INTEGER, s TEXT); INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, NULL), (4, 'é x')`); err != nil {
		t.Fatal(err)
	}
	a, err := csqlite.Open(ctx, program, path)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	for _, c := range []struct {
		name string
		asks []sqlite.Statement
		rows int
	}{
		{"numbered", []sqlite.Statement{{SQL: `SELECT * FROM t WHERE n > ?2 AND s = ?1`, Args: []any{"é x", 1}}}, 1},
		{"in turn", []sqlite.Statement{{SQL: `SELECT * FROM t WHERE n > ? AND n < ?`, Args: []any{int64(1), 4}}}, 2},
		{"named, one of them unused", []sqlite.Statement{{SQL: `SELECT s FROM t WHERE n <= :n`, Args: []any{sql.Named("n", 3), sql.Named("m", "x")}}}, 3},
		{"nothing bound", []sqlite.Statement{{SQL: `SELECT 1 WHERE ? IS NULL`, Args: []any{nil}}}, 1},
		{"several", []sqlite.Statement{{SQL: `SELECT * FROM t`}, {SQL: `SELECT 1`}}, 5},
	} {
		for _, how := range []string{csqlite.Kept, csqlite.Anew} {
			if err := a.Prepare(c.asks, c.name == "several"); err != nil {
				t.Fatal(err)
			}
			each, rows, err := a.Time(how, 3)
			if err != nil || len(each) != 3 || rows != c.rows {
				t.Errorf("%s, %s: %v, %d rows, %v; want 3 times and %d rows", c.name, how, each, rows, err, c.rows)
			}
		}
	}
	if err := a.Prepare([]sqlite.Statement{{SQL: `SELECT nothing FROM t`}}, false); err != nil {
		t.Fatal(err)
	}
	if _, _, err := a.Time(csqlite.Kept, 1); err == nil {
		t.Error("a wrong query was no error")
	}
}
