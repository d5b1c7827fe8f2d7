package lookup

import (
	"context"
	"database/sql" //nolint:depguard // the receiver's own database, not the ledger's engine
	"encoding/json"
	"errors"
	"math"
	"net/url"
	"os"
	"strconv"
	"sync"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// sqliteFile is a receiver's SQLite database. It is opened for one question and never
// written to, created or recovered.
type sqliteFile struct{ path string }

const (
	// maxCell bounds one value or row inside SQLite, in bytes.
	maxCell = 16 << 20
)

// turns lets one question at a time at each file: where locks belong to the process,
// closing one handle of a file drops the locks of its others.
var turns sync.Map // path → chan struct{}

// takeTurn waits for the file's turn, and gives what ends it.
func takeTurn(ctx context.Context, path string) (end func(), f *failure) {
	one, _ := turns.LoadOrStore(path, make(chan struct{}, 1))
	turn := one.(chan struct{})
	select {
	case turn <- struct{}{}:
		return func() { <-turn }, nil
	case <-ctx.Done():
		return nil, givenUp(ctx, ctx.Err())
	}
}

// read implements database.
func (f sqliteFile) read(ctx context.Context, statement string, values []string) (*table, *failure) {
	_, _ = sqlite.OFDLocking(true) // where there are none, or it is too late, the others do
	end, fault := takeTurn(ctx, f.path)
	if fault != nil {
		return nil, fault
	}
	defer end()
	s, fault := lookAtDatabase(f.path)
	if fault != nil {
		return nil, fault
	}
	return s.read(ctx, statement, values)
}

// read runs the statement. Where the database was read without locks, nobody may have
// opened it meanwhile.
func (s *databaseFile) read(ctx context.Context, statement string, values []string) (*table, *failure) {
	t, fault := s.query(ctx, statement, values)
	if s.immutable && !s.unchanged() {
		return nil, fail("changed", "The receiver opened its database while it was being read. Look it up again.")
	}
	return t, fault
}

// query opens the database and runs the statement.
func (s *databaseFile) query(ctx context.Context, statement string, values []string) (*table, *failure) {
	db, err := sql.Open("sqlite", s.source())
	if err != nil {
		return nil, sqliteFailure(ctx, err)
	}
	defer func() { _ = db.Close() }() // nothing was written
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, sqliteFailure(ctx, err)
	}
	defer func() { _ = conn.Close() }() // nothing was written
	if _, err := sqlite.Limit(conn, sqlite3.SQLITE_LIMIT_LENGTH, maxCell); err != nil {
		return nil, sqliteFailure(ctx, err)
	}
	if err := conn.Raw(onlyReads); err != nil {
		return nil, sqliteFailure(ctx, err)
	}
	args := make([]any, len(values))
	for i, value := range values {
		args[i] = value
	}
	rows, err := conn.QueryContext(ctx, statement, args...)
	if err != nil {
		return nil, sqliteFailure(ctx, err)
	}
	defer func() { _ = rows.Close() }() // what was read is checked by scan
	return scan(ctx, rows)
}

// source names exactly this file, for reading, without making anything beside it.
func (s *databaseFile) source() string {
	v := url.Values{}
	v.Set("mode", "ro")
	v.Set("readonly_shm", "1")
	if s.immutable {
		v.Set("immutable", "1")
	}
	v.Set("_dqs", "0")                                                                // a misspelt "name" is an error, and not a text that no key equals
	v.Add("_pragma", "busy_timeout("+strconv.Itoa(int(time.Hour.Milliseconds()))+")") // the context ends it sooner
	v.Add("_pragma", "query_only(ON)")
	v.Add("_pragma", "trusted_schema(OFF)")
	v.Add("_pragma", "temp_store(MEMORY)")
	return "file:" + (&url.URL{Path: s.path}).EscapedPath() + "?" + v.Encode()
}

// onlyReads lets SQLite compile nothing but statements that read this database.
func onlyReads(driver any) error {
	c, ok := driver.(sqlite.AuthorizerRegisterer)
	if !ok {
		return errors.New("the SQLite driver has no authorizer")
	}
	return c.RegisterAuthorizer(func(action sqlite.AuthorizerActionCode, _, arg2, _, _ string) sqlite.AuthorizerReturnCode {
		switch action {
		case sqlite.AuthSelect, sqlite.AuthRead, sqlite.AuthRecursive:
			return sqlite.AuthorizerOK
		case sqlite.AuthFunction:
			if arg2 != "load_extension" {
				return sqlite.AuthorizerOK
			}
		}
		return sqlite.AuthorizerDeny
	})
}

// scan reads the result, within bounds.
func scan(ctx context.Context, rows *sql.Rows) (*table, *failure) {
	columns, err := rows.Columns()
	if err != nil {
		return nil, sqliteFailure(ctx, err)
	}
	t, fault := newTable(columns)
	if fault != nil {
		return nil, fault
	}
	cells, places := make([]any, len(columns)), make([]any, len(columns))
	for i := range cells {
		places[i] = &cells[i]
	}
	for rows.Next() {
		if err := rows.Scan(places...); err != nil {
			return nil, sqliteFailure(ctx, err)
		}
		for i := range cells {
			cells[i] = exact(cells[i])
		}
		if fault := t.add(cells); fault != nil {
			return nil, fault
		}
	}
	if err := rows.Err(); err != nil {
		return nil, sqliteFailure(ctx, err)
	}
	return t, nil
}

// exact is a value as jq and JSON take it. What stands in a column that is declared as
// a date comes from the driver as an instant.
func exact(v any) any {
	switch v := v.(type) {
	case int64:
		return json.Number(strconv.FormatInt(v, 10))
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return strconv.FormatFloat(v, 'g', -1, 64)
		}
	case time.Time:
		return v.Format(time.RFC3339Nano)
	}
	return v
}

// sqliteFailure finds the cause in an error of SQLite.
func sqliteFailure(ctx context.Context, err error) *failure {
	if f := givenUp(ctx, err); f != nil {
		return f
	}
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return fail("unreadable", "The receiver's database could not be read.")
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT:
		return fail("unreadable", "The receiver's database is damaged, or no SQLite database.")
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_PERM:
		return fail("unreadable", "The receiver's database can't be read without being changed: its process may have died in the middle of a change, or this user may not read it.")
	case sqlite3.SQLITE_TOOBIG:
		return fail("too_large", "The query gives a value that is too large.")
	case sqlite3.SQLITE_AUTH:
		return fail("sql_error", "The query does more than read this database, and was not run.")
	}
	return complaining("sql_error", "The database could not run the query.", e.Error())
}

// databaseFile is what stands on the disk.
type databaseFile struct {
	path      string // without symbolic links: SQLite's side files stand beside the file itself
	info      os.FileInfo
	immutable bool // nobody has it open: it is read without locks, and checked afterwards
}

// lookAtDatabase decides how a database can be read without endangering those who
// write it: SQLite must make no side files that its owner could not write, and recover
// nothing.
func lookAtDatabase(path string) (*databaseFile, *failure) {
	real, header, err := databaseHeader(path)
	if err != nil {
		return nil, unreadableDatabase(err)
	}
	s := &databaseFile{path: real}
	if s.info, err = os.Stat(real); err != nil {
		return nil, unreadableDatabase(err)
	}
	if string(header[:16]) != "SQLite format 3\x00" {
		return nil, fail("unreadable", "What stands at the database's path is no SQLite database.")
	}
	log, index := exists(real+"-wal"), exists(real+"-shm")
	switch inLog := header[18] == 2 || header[19] == 2; { // https://www.sqlite.org/fileformat.html, write and read version: 2 is WAL
	case log && index:
	case log || index:
		return nil, fail("unreadable", "The receiver's database has lost one of the two files beside it (-wal, -shm), and without it what was written last can't be seen: its process died, or it was copied while in use. Let the receiver open it once, or copy it whole.")
	case inLog:
		s.immutable = true
	}
	return s, nil
}

// headerBytes is the length of what every SQLite database begins with.
const headerBytes = 100

func databaseHeader(path string) (real string, header []byte, err error) {
	if real, err = resolve(path); err != nil {
		return "", nil, err
	}
	file, err := os.Open(real)
	if err != nil {
		return "", nil, err
	}
	defer file.Close()
	header = make([]byte, headerBytes)
	if n, _ := file.ReadAt(header, 0); n < headerBytes {
		return "", nil, errShort
	}
	return real, header, nil
}

// unchanged says that nobody has opened or changed a database that was read without
// locks.
func (s *databaseFile) unchanged() bool {
	now, err := os.Stat(s.path)
	return err == nil && sameFile(s.info, now) && !exists(s.path+"-wal") && !exists(s.path+"-shm") && !exists(s.path+"-journal")
}
