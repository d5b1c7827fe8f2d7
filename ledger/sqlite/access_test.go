package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"triage/ledger"
)

func TestChooseAccess(t *testing.T) {
	const me, owner, group = 1000, 500, 50
	for _, c := range []struct {
		what     string
		s        standing
		readOnly bool
		want     access
		refused  bool
	}{
		{"the owner works", standing{me: owner, perm: 0o600, mayWrite: true}, false, access{mode: "rw"}, false},
		{"the owner looks, and clears up", standing{me: owner, perm: 0o600, mayWrite: true}, true, access{mode: "rw"}, false},
		{"root works: SQLite gives its files to the owner", standing{me: 0, perm: 0o600, mayWrite: true}, false, access{mode: "rw"}, false},
		{"another works where all may write", standing{me: me, perm: 0o666, mayWrite: true}, false, access{mode: "rw"}, false},
		{"another works in a shared group", standing{me: me, newGroup: group, perm: 0o660, mayWrite: true}, false, access{mode: "rw"}, false},
		{"another, whose files would get another group", standing{me: me, newGroup: 7, perm: 0o660, mayWrite: true}, false, access{}, true},
		{"another, who may write by an ACL only", standing{me: me, perm: 0o600, mayWrite: true}, false, access{}, true},
		{"the same while agents have it open", standing{me: me, perm: 0o600, mayWrite: true, wal: true, sideFiles: true}, false, access{mode: "rw"}, false},
		{"another, who may only read, wants to work", standing{me: me, perm: 0o644}, false, access{}, true},
		{"another looks while agents have it open", standing{me: me, perm: 0o644, wal: true, sideFiles: true}, true, access{mode: "ro"}, false},
		{"another looks while nobody has it open", standing{me: me, perm: 0o644}, true, access{}, true},
		{"another looks after a crash without -shm", standing{me: me, perm: 0o644, wal: true}, true, access{}, true},
		{"another looks at what nobody may write", standing{me: me, perm: 0o444}, true, access{mode: "ro", immutable: true}, false},
		{"the same with a -wal left over", standing{me: me, perm: 0o444, wal: true}, true, access{}, true},
	} {
		c.s.owner, c.s.group = owner, group
		got, err := c.s.choose(c.readOnly)
		if got != c.want || (err != nil) != c.refused || err != nil && !errors.Is(err, ledger.ErrReadOnly) {
			t.Errorf("%s: got %+v, %v", c.what, got, err)
		}
	}
}

func roleOpen(ctx context.Context, path string, o Options) error {
	db, err := Open(ctx, path, o)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	if _, err := db.Get(ctx, "k"); err != nil {
		return err
	}
	if !o.ReadOnly {
		if _, err := db.Begin(ctx, newIntent("by another")); err != nil {
			return err
		}
	}
	fmt.Println("fine")
	return nil
}

// Another user opens the ledger, and its owner can go on writing. Needs root, who
// can become somebody else; without, the rule is tested above and root's part by CI.
func TestAnotherUser(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		return
	}
	ctx := context.Background()
	for _, c := range []struct {
		what      string
		file, dir os.FileMode
		held      bool // an agent has the ledger open
		role      string
		words     string // of the refusal; "" if it goes through
	}{
		{"looks, may write the directory", 0o644, 0o777, false, "look", "agents would stop"},
		{"looks, may not write the directory", 0o644, 0o755, false, "look", "agents would stop"},
		{"looks while an agent has it open", 0o644, 0o755, true, "look", ""},
		{"looks at what nobody may write", 0o444, 0o755, false, "look", ""},
		{"may not read", 0o600, 0o755, false, "look", "can't be read"},
		{"works without leave", 0o644, 0o777, false, "work", "you may not write"},
		{"works where all may write", 0o666, 0o777, false, "work", ""},
		{"works where all may write while an agent has it open", 0o666, 0o777, true, "work", ""},
		{"makes it a ledger again without leave", 0o644, 0o777, false, "init", "you may not write"},
	} {
		path := publicLedger(t, c.file, c.dir)
		db, err := Open(ctx, path, Options{})
		must(t, err)
		_, err = db.Begin(ctx, newIntent("k"))
		must(t, err)
		if !c.held {
			must(t, db.Close())
		}
		before := names(t, filepath.Dir(path))
		out, err := asNobody(t, c.role, path)
		if c.words == "" && (err != nil || !strings.Contains(out, "fine")) || c.words != "" && (err == nil || !strings.Contains(out, c.words)) {
			t.Errorf("%s: got %v %s, want the words %q", c.what, err, out, c.words)
		}
		if after := names(t, filepath.Dir(path)); before != after {
			t.Errorf("%s: the directory had %q and has %q", c.what, before, after)
		}
		_ = db.Close()
	}
}

// publicLedger is a ledger where other users can get at it.
func publicLedger(t *testing.T, file, dir os.FileMode) string {
	t.Helper()
	path := newLedger(t)
	must(t, os.Chmod(filepath.Dir(filepath.Dir(path)), 0o755)) // #nosec G302 -- that others reach it is the point
	must(t, os.Chmod(filepath.Dir(path), dir))
	must(t, os.Chmod(path, file))
	return path
}

// asNobody plays a role as a user who owns nothing.
func asNobody(t *testing.T, role, path string) (string, error) {
	t.Helper()
	const nobody = 65534
	dir := t.TempDir()
	must(t, os.Chmod(filepath.Dir(dir), 0o755)) // #nosec G302 -- that others reach it is the point
	binary := filepath.Join(dir, "child")
	from, err := os.Open(self(t))
	must(t, err)
	defer func() { _ = from.Close() }()
	to, err := os.OpenFile(binary, os.O_CREATE|os.O_WRONLY, 0o755) // #nosec G302 G304 -- a program for another user
	must(t, err)
	_, err = io.Copy(to, from)
	must(t, errors.Join(err, to.Close()))
	cmd := child(t, binary, role, path)
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	return string(out), err
}
