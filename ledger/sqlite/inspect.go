package sqlite

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"triage/ledger"
)

const (
	headerBytes         = 100
	headerMagic         = "SQLite format 3\x00"
	pageSizeOffset      = 16
	userVersionOffset   = 60
	applicationIDOffset = 68
)

// header is what the first 100 bytes of the file say
// (https://www.sqlite.org/fileformat2.html#the_database_header).
type header struct {
	size          int64
	pageSize      int64
	userVersion   uint32
	applicationID uint32
}

// inspectFile looks at the file before SQLite does, because merely opening another
// program's database can create or replay its side files.
func inspectFile(abs string) error {
	h, err := readHeader(abs)
	if err != nil {
		return err
	}
	switch {
	case h.size == 0:
		return fmt.Errorf("%w: %s is empty. Nothing was changed. `triage --db … init` makes a ledger of it", ledger.ErrNotALedger, abs)
	case h.applicationID != ApplicationID:
		return fmt.Errorf("%w: %s is another program's database. Nothing was changed. Check the path after --db", ledger.ErrNotALedger, abs)
	case h.userVersion > SchemaVersion:
		return newerSchema(abs, int64(h.userVersion))
	}
	return nil
}

func newerSchema(abs string, found int64) error {
	return fmt.Errorf("%w: %s has schema version %d and this triage knows %d. Nothing was changed. Use the triage that wrote it, or a newer one",
		ledger.ErrNewerSchema, abs, found, SchemaVersion)
}

// readHeader reports an empty file as a header of size 0.
func readHeader(abs string) (header, error) {
	info, err := os.Stat(abs)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return header{}, fmt.Errorf("%w: there is no file %s. Nothing was created. Check the path after --db, or make a new ledger with `triage --db … init`", ledger.ErrNotALedger, abs)
	case err != nil:
		return header{}, fmt.Errorf("%w: %s can't be looked at: %w. Nothing was changed", ledger.ErrNotALedger, abs, err)
	case info.IsDir():
		return header{}, fmt.Errorf("%w: %s is a directory. Nothing was created. Name the file in it", ledger.ErrNotALedger, abs)
	case !info.Mode().IsRegular():
		return header{}, fmt.Errorf("%w: %s is not a regular file. Nothing was changed", ledger.ErrNotALedger, abs)
	case info.Size() == 0:
		return header{}, nil
	}
	f, err := os.Open(abs) // #nosec G304 -- the path is the operator's own argument
	if err != nil {
		return header{}, fmt.Errorf("%w: %s can't be read: %w. Nothing was changed", ledger.ErrNotALedger, abs, err)
	}
	defer func() { _ = f.Close() }()
	buf := make([]byte, headerBytes)
	if _, err := io.ReadFull(f, buf); err != nil || !strings.HasPrefix(string(buf), headerMagic) {
		return header{}, fmt.Errorf("%w: %s is not a SQLite database. Nothing was changed. Check the path after --db", ledger.ErrNotALedger, abs)
	}
	h := header{
		size:          info.Size(),
		pageSize:      int64(binary.BigEndian.Uint16(buf[pageSizeOffset:])),
		userVersion:   binary.BigEndian.Uint32(buf[userVersionOffset:]),
		applicationID: binary.BigEndian.Uint32(buf[applicationIDOffset:]),
	}
	if h.pageSize == 1 { // the format's way to write 65536
		h.pageSize = 65536
	}
	return h, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// checkSchema asks SQLite itself, since a migration may still stand in the -wal.
func checkSchema(ctx context.Context, db *sql.DB) error {
	var app, version int64
	if err := db.QueryRowContext(ctx, "PRAGMA application_id").Scan(&app); err != nil {
		return err
	}
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	switch {
	case app != ApplicationID:
		return fmt.Errorf("%w: the file is another program's database. Nothing was changed", ledger.ErrNotALedger)
	case version > SchemaVersion:
		return newerSchema("the file", version)
	case version < SchemaVersion:
		return fmt.Errorf("%w: it has schema version %d and this triage wants %d. Nothing was changed. Migrate it with `triage --db … init`", ledger.ErrOlderSchema, version, SchemaVersion)
	}
	return checkTables(ctx, db)
}

// checkTables finds a file that only bears the ledger's mark.
func checkTables(ctx context.Context, db interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}) error {
	var tables int
	err := db.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema
WHERE type = 'table' AND name IN ('intents', 'attempts', 'lookups', 'decisions', 'claims', 'grants', 'events')`).Scan(&tables)
	if err != nil {
		return err
	}
	if tables != 7 {
		return fmt.Errorf("%w: it bears the mark of one, but has %d of its 7 tables. Nothing was changed. It may be damaged: restore it from a copy", ledger.ErrNotALedger, tables)
	}
	return nil
}
