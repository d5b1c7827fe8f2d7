package sqlite

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"triage/ledger"
)

// access says how SQLite is to open the file.
type access struct {
	mode      string // rw or ro, as in a SQLite URI
	immutable bool   // nobody can change the file: no locks and no side files are needed
}

// standing is what decides whether this process may open a ledger without harming
// its writers. SQLite keeps two files beside a ledger that is open, and gives them
// the ledger's permissions but the user and group of whoever made them.
type standing struct {
	path      string
	me        int // effective user
	newGroup  int // group of files that this process makes beside the ledger
	owner     int
	group     int
	perm      fs.FileMode
	mayWrite  bool
	wal       bool // path-wal exists
	sideFiles bool // path-wal and path-shm both exist
}

const (
	anyoneWrites = 0o222
	groupWrites  = 0o020
	othersWrite  = 0o002
)

// inspectAccess chooses how to open the ledger, or refuses what would endanger its
// writers: side files left behind that they can't write.
func inspectAccess(abs string, readOnly bool) (access, error) {
	s, err := lookAt(abs)
	if err != nil {
		return access{}, err
	}
	return s.choose(readOnly)
}

func lookAt(abs string) (standing, error) {
	file, err := os.Stat(abs)
	if err != nil {
		return standing{}, fmt.Errorf("ledger %s: %w", abs, err)
	}
	dir, err := os.Stat(filepath.Dir(abs))
	if err != nil {
		return standing{}, fmt.Errorf("directory of ledger %s: %w", abs, err)
	}
	s := standing{
		path: abs, me: os.Geteuid(), newGroup: os.Getegid(), perm: file.Mode().Perm(),
		mayWrite: unix.Access(abs, unix.W_OK) == nil,
		wal:      exists(abs + "-wal"),
	}
	s.sideFiles = s.wal && exists(abs+"-shm")
	if stat, ok := file.Sys().(*syscall.Stat_t); ok {
		s.owner, s.group = int(stat.Uid), int(stat.Gid)
	}
	if stat, ok := dir.Sys().(*syscall.Stat_t); ok && dir.Mode()&fs.ModeSetgid != 0 {
		s.newGroup = int(stat.Gid)
	}
	return s, nil
}

func (s standing) choose(readOnly bool) (access, error) {
	switch {
	case !s.mayWrite && !readOnly:
		return access{}, fmt.Errorf("%w: you may not write %s. Nothing was changed. Run as a user who may, or look with --read-only", ledger.ErrReadOnly, s.path)
	case s.mayWrite && (s.sideFiles || s.harmless()):
		return access{mode: "rw"}, nil // also for reading: the last to close clears up
	case s.mayWrite:
		return access{}, fmt.Errorf("%w: SQLite's side files would belong to you, and the owner of %s could not write them: agents would stop. Nothing was changed. Run as the owner, or work while an agent has the ledger open",
			ledger.ErrReadOnly, s.path)
	case s.sideFiles:
		return access{mode: "ro"}, nil
	case s.perm&anyoneWrites == 0 && !s.wal:
		return access{mode: "ro", immutable: true}, nil
	}
	return access{}, fmt.Errorf("%w: nobody has %s open, and to read it SQLite makes side files that its owner could not write: agents would stop. Nothing was changed. Run as the owner, look while an agent has it open, or copy it (with its -wal, if there is one) and open the copy",
		ledger.ErrReadOnly, s.path)
}

// harmless: side files that this process makes can be written by whoever writes the
// ledger.
func (s standing) harmless() bool {
	return s.me == 0 || // as root, SQLite gives its side files to the owner
		s.me == s.owner ||
		s.perm&othersWrite != 0 ||
		s.perm&groupWrites != 0 && s.newGroup == s.group
}
