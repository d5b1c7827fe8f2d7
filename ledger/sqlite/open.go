package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"
	"sync"
	"time"

	"modernc.org/sqlite"

	"triage/ledger"
)

const (
	// ApplicationID marks a file as a ledger: "TRIG" in its header.
	ApplicationID = 0x54524947
	// SchemaVersion is the newest schema that this program knows.
	SchemaVersion = 1

	defaultBusyTimeout = 10 * time.Second
	readers            = 2
)

// Options of Open. The zero value is right for an agent or an operator.
type Options struct {
	ReadOnly    bool          // never write to the ledger; works for users who may only read it
	BusyTimeout time.Duration // how long to wait for another writer; 0 means 10 s
	Clock       ledger.Clock  // nil: the wall clock
}

// DB is a ledger in a SQLite file. It is safe for concurrent use.
type DB struct {
	path   string
	how    access
	clock  ledger.Clock
	read   *reader
	write  *writer // nil when read-only
	watch  *watcher
	closed sync.Once
}

var _ ledger.Ledger = (*DB)(nil)

// Open opens an existing ledger, and exactly the file that path names. It never
// creates, migrates or alters one.
//
// Errors: ledger.ErrNotALedger (also for one whose rules are not in force, unless
// ReadOnly was asked for), ledger.ErrNewerSchema, ledger.ErrOlderSchema,
// ledger.ErrReadOnly when the file may not be written and ReadOnly was not asked for.
func Open(ctx context.Context, path string, o Options) (*DB, error) {
	abs, err := realPath(path)
	if err != nil {
		return nil, err
	}
	useOwnLocks()
	if err := inspectFile(abs); err != nil {
		return nil, err
	}
	how, err := inspectAccess(abs, o.ReadOnly)
	if err != nil {
		return nil, err
	}
	db := &DB{path: abs, how: how, clock: o.Clock}
	if db.clock == nil {
		db.clock = ledger.WallClock
	}
	if err := db.connect(ctx, o); err != nil {
		_ = db.Close()
		return nil, mapError(err)
	}
	return db, nil
}

// realPath is where the ledger's file really is: SQLite keeps its side files beside
// that, not beside a symbolic link. A file that is not there yet keeps its name.
func realPath(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("ledger path %q: %w", path, err)
	}
	if found, err := filepath.EvalSymlinks(abs); err == nil {
		return found, nil
	}
	return abs, nil
}

func (db *DB) connect(ctx context.Context, o Options) error {
	busy := o.BusyTimeout
	if busy <= 0 {
		busy = defaultBusyTimeout
	}
	read, err := sql.Open("sqlite", dataSource(db.path, db.how, busy, true))
	if err != nil {
		return err
	}
	read.SetMaxOpenConns(readers)
	read.SetMaxIdleConns(readers)
	db.read = newReader(read)
	if err := checkSchema(ctx, read); err != nil {
		return err
	}
	if !o.ReadOnly {
		if err := checkRules(ctx, read); err != nil {
			return err
		}
		if db.write, err = newWriter(ctx, dataSource(db.path, db.how, busy, false)); err != nil {
			return err
		}
	}
	db.watch = &watcher{dsn: dataSource(db.path, db.how, busy, true)}
	return nil
}

// Close closes every connection. SQLite then removes its side files if nobody
// else has the ledger open.
func (db *DB) Close() error {
	var first error
	db.closed.Do(func() {
		keep := func(err error) {
			if err != nil && first == nil {
				first = err
			}
		}
		if db.watch != nil {
			keep(db.watch.close())
		}
		if db.read != nil {
			keep(db.read.Close())
		}
		if db.write != nil { // last, so that the closing checkpoint can write
			keep(db.write.close())
		}
	})
	return first
}

// Path is the ledger's file, absolute.
func (db *DB) Path() string { return db.path }

// dataSource names exactly the file at abs, whatever characters its name has.
func dataSource(abs string, how access, busy time.Duration, queryOnly bool) string {
	v := url.Values{}
	v.Set("mode", how.mode)
	if how.immutable {
		v.Set("immutable", "1")
	}
	v.Add("_pragma", fmt.Sprintf("busy_timeout(%d)", busy.Milliseconds()))
	v.Add("_pragma", "synchronous(FULL)") // an attempt is durable before its call is made (design §4)
	v.Add("_pragma", "trusted_schema(ON)")
	if queryOnly {
		v.Add("_pragma", "query_only(ON)")
	}
	return "file:" + (&url.URL{Path: abs}).EscapedPath() + "?" + v.Encode()
}

var ownLocks sync.Once

// useOwnLocks makes SQLite take locks that belong to the open file and not to the
// process: otherwise any open and close of the file elsewhere in this process would
// drop them.
func useOwnLocks() {
	ownLocks.Do(func() { _, _ = sqlite.OFDLocking(true) })
}
