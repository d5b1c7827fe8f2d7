package worlds

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite" // grants and wishes to cancel are written as any program would write them

	"triage/ledger"
	"triage/ledger/sqlite"
)

// shelf is a real ledger in a directory of its own. Many worlds are played on one, each
// with a target of its own, one after the other.
type shelf struct {
	dir   string
	db    *sqlite.DB
	plain *sql.DB
	now   ledger.Millis // what the clock of whoever writes next shows
	used  int
}

// openShelf makes a new ledger.
func openShelf(ctx context.Context) (_ *shelf, err error) {
	dir, err := os.MkdirTemp("", "triage-worlds-")
	if err != nil {
		return nil, fmt.Errorf("make a place for the simulation's ledger: %w", err)
	}
	s := &shelf{dir: dir, now: origin}
	defer func() {
		if err != nil {
			_ = s.close()
		}
	}()
	path := filepath.Join(dir, "ledger.db")
	if _, err = sqlite.Init(ctx, path); err != nil {
		return nil, err
	}
	if s.db, err = sqlite.Open(ctx, path, sqlite.Options{Clock: func() ledger.Millis { return s.now }}); err != nil {
		return nil, err
	}
	name := "file:" + (&url.URL{Path: path}).EscapedPath() + "?_pragma=busy_timeout(10000)"
	s.plain, err = sql.Open("sqlite", name)
	return s, err
}

func (s *shelf) close() error {
	var all []error
	if s.plain != nil {
		all = append(all, s.plain.Close())
	}
	if s.db != nil {
		all = append(all, s.db.Close())
	}
	return errors.Join(append(all, os.RemoveAll(s.dir))...)
}

// grant authorises the deliveries of one world.
func (s *shelf) grant(ctx context.Context, id, target string) error {
	_, err := s.plain.ExecContext(ctx, `INSERT INTO grants (grant_id, principal, target, payload_sha256, granted_by, granted_at) VALUES (?, ?, ?, ?, 'release desk', ?)`,
		id, principal, target, contentHash, int64(origin)-86_400_000)
	return err
}
