package lookuptest

import (
	"database/sql" //nolint:depguard // a receiver's own database, not the ledger's engine
	"os"
	"path/filepath"
	"testing"

	_ "modernc.org/sqlite" // the driver

	"triage/actions/config"
)

const (
	table = "CREATE TABLE deliveries (op_key TEXT, receipt ANY, payload_sha256 TEXT, owner TEXT, state TEXT)"
	// theQuery finds keys as carelessly as many receivers do.
	theQuery = "SELECT op_key, receipt, payload_sha256, owner, state FROM deliveries WHERE op_key = :op_key COLLATE NOCASE"
)

// row is an INSERT of a delivery.
func row(key, receipt, hash string) string {
	return "INSERT INTO deliveries VALUES ('" + key + "', " + receipt + ", '" + hash + "', '" + Owner + "', 'sent')"
}

// database is a receiver whose SQLite file is read: a real one, made by these
// statements.
func database(query string, statements ...string) Setup {
	return func(t testing.TB) config.Target {
		target := databaseAt(filepath.Join(t.TempDir(), "inbox.db"), query)
		inDatabase(t, target.Lookup.SQL.SQLite, append([]string{table}, statements...)...)
		return target
	}
}

func databaseAt(path, query string) config.Target {
	return asked(config.Lookup{SQL: &config.SQL{SQLite: path, Query: query}})
}

func inDatabase(t testing.TB, path string, statements ...string) {
	t.Helper()
	db := open(t, path)
	defer func() { _ = db.Close() }() // its statements have succeeded
	run(t, db, statements...)
}

func open(t testing.TB, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	return db
}

func run(t testing.TB, db *sql.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// fileInstead is a receiver in whose database's place stands a file with this text.
func fileInstead(text string) Setup {
	return func(t testing.TB) config.Target {
		path := filepath.Join(t.TempDir(), "inbox.db")
		write(t, path, text)
		return databaseAt(path, theQuery)
	}
}

// noDatabase is a receiver whose file is not there.
func noDatabase(t testing.TB) config.Target {
	return databaseAt(filepath.Join(t.TempDir(), "inbox.db"), theQuery)
}

// locked is a receiver that keeps its database to itself.
func locked(t testing.TB) config.Target {
	target := database(theQuery)(t)
	db := open(t, target.Lookup.SQL.SQLite)
	t.Cleanup(func() { _ = db.Close() }) // the test is over
	run(t, db, "BEGIN EXCLUSIVE")
	return target
}

// cutDatabase is one of whose file the second half is missing.
func cutDatabase(t testing.TB) config.Target {
	target := database(theQuery, "CREATE TABLE more (x)", "INSERT INTO more VALUES (randomblob(50000))", row("another", "'r'", Hash))(t)
	path := target.Lookup.SQL.SQLite
	if err := os.Truncate(path, 4096); err != nil { // the schema is there, the tables' pages are not
		t.Fatal(err)
	}
	return target
}

// crashed is a receiver that died with its newest deliveries in the log beside its
// database: copied without that log's index, as a backup may be.
func crashed(t testing.TB) config.Target {
	live := database(theQuery, "PRAGMA journal_mode = WAL")(t)
	from := live.Lookup.SQL.SQLite
	db := open(t, from)
	t.Cleanup(func() { _ = db.Close() }) // the test is over
	run(t, db, row(Key, "'"+Receipt+"'", Hash))
	to := filepath.Join(t.TempDir(), "inbox.db")
	for _, ending := range []string{"", "-wal"} {
		raw, err := os.ReadFile(from + ending)
		if err != nil {
			t.Fatal(err)
		}
		write(t, to+ending, string(raw))
	}
	live.Lookup.SQL.SQLite = to
	return live
}
