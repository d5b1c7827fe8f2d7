package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"time"

	"triage/ledger"
)

//go:embed schema
var schemaFiles embed.FS

// Migration tells what Init did.
type Migration struct {
	Path string
	From int // schema version found; 0: there was no ledger
	To   int
}

// Init makes a ledger at path, or brings an older one to this program's schema.
// Where two programs do so at once, one does it and the other waits. A file that
// holds anything but a ledger is left as it is: ledger.ErrNotALedger.
func Init(ctx context.Context, path string) (Migration, error) {
	abs, err := realPath(path)
	if err != nil {
		return Migration{}, err
	}
	useOwnLocks()
	if err := inspectBeforeInit(abs); err != nil {
		return Migration{}, err
	}
	db, err := sql.Open("sqlite", dataSource(abs, access{mode: "rwc"}, defaultBusyTimeout, false))
	if err != nil {
		return Migration{}, mapError(err)
	}
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(1)
	conn, err := db.Conn(ctx)
	if err != nil {
		return Migration{}, mapError(err)
	}
	defer func() { _ = conn.Close() }()
	m, err := migrate(ctx, conn, abs)
	if err != nil {
		return Migration{}, mapError(err)
	}
	return m, mapError(useWAL(ctx, conn))
}

// inspectBeforeInit lets pass what is missing, empty, blank or a ledger.
func inspectBeforeInit(abs string) error {
	if !exists(abs) {
		if dir, err := os.Stat(filepath.Dir(abs)); err != nil || !dir.IsDir() {
			return fmt.Errorf("%w: there is no directory %s. Nothing was created", ledger.ErrNotALedger, filepath.Dir(abs))
		}
		return nil
	}
	h, err := readHeader(abs)
	switch {
	case err != nil:
		return err
	case h.size == 0, h.applicationID == ApplicationID && h.userVersion <= SchemaVersion:
		_, err := inspectAccess(abs, false)
		return err
	case h.applicationID == ApplicationID:
		return newerSchema(abs, int64(h.userVersion))
	case h.size <= h.pageSize && h.applicationID == 0 && h.userVersion == 0 && !exists(abs+"-wal"):
		return nil // one page, and nothing waits to be added to it: no table is in it
	}
	return fmt.Errorf("%w: %s is another program's database. Nothing was changed. Name a new file", ledger.ErrNotALedger, abs)
}

// migrate applies what is missing inside one immediate transaction, so that a
// kill leaves either the old schema or the new one.
func migrate(ctx context.Context, conn *sql.Conn, abs string) (m Migration, err error) {
	if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return m, err
	}
	defer func() {
		if err != nil {
			_, _ = conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		}
	}()
	from, err := versionFound(ctx, conn, abs)
	if err != nil {
		return m, err
	}
	for v := from + 1; v <= SchemaVersion; v++ {
		if err := apply(ctx, conn, v); err != nil {
			return m, fmt.Errorf("schema version %d: %w", v, err)
		}
	}
	if from < SchemaVersion {
		set := fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", ApplicationID, SchemaVersion)
		if _, err := conn.ExecContext(ctx, set); err != nil {
			return m, err
		}
	}
	if _, err := conn.ExecContext(ctx, "COMMIT"); err != nil {
		return m, err
	}
	return Migration{Path: abs, From: from, To: SchemaVersion}, nil
}

func versionFound(ctx context.Context, conn *sql.Conn, abs string) (int, error) {
	var app, version, tables int64
	for query, into := range map[string]*int64{
		"PRAGMA application_id": &app, "PRAGMA user_version": &version, "SELECT count(*) FROM sqlite_schema": &tables,
	} {
		if err := conn.QueryRowContext(ctx, query).Scan(into); err != nil {
			return 0, err
		}
	}
	switch {
	case app == ApplicationID && version > SchemaVersion:
		return 0, newerSchema(abs, version)
	case app == ApplicationID && version > 0:
		return int(version), checkTables(ctx, conn)
	case tables > 0 || version != 0:
		return 0, fmt.Errorf("%w: %s is another program's database. Nothing was changed. Name a new file", ledger.ErrNotALedger, abs)
	}
	return 0, nil
}

func apply(ctx context.Context, conn *sql.Conn, version int) error {
	names, err := fs.Glob(schemaFiles, fmt.Sprintf("schema/v%d/*.sql", version))
	if err != nil || len(names) == 0 {
		return errors.Join(fmt.Errorf("no schema files are built in"), err)
	}
	sort.Strings(names)
	for _, name := range names {
		text, err := schemaFiles.ReadFile(name)
		if err != nil {
			return err
		}
		if _, err := conn.ExecContext(ctx, string(text)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// useWAL lets readers and a writer work side by side. SQLite does not wait for
// other connections here, so Init does.
func useWAL(ctx context.Context, conn *sql.Conn) error {
	deadline := time.Now().Add(defaultBusyTimeout)
	for {
		var mode string
		err := conn.QueryRowContext(ctx, "PRAGMA journal_mode = WAL").Scan(&mode)
		if err == nil && mode == "wal" {
			return nil
		}
		if err == nil {
			return fmt.Errorf("the ledger was made, but SQLite keeps journal mode %s where WAL is needed: is it on a network file system? Run init again on a local disk", mode)
		}
		if !isBusy(err) || time.Now().After(deadline) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}
