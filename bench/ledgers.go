package main

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"triage/actions/wording"
	"triage/ledger"
	"triage/ledger/ledgertest/bulk"
	"triage/ledger/sqlite"
)

// fewest intents fill a screen with what is in doubt.
const fewest = 200

// made changes when bulk fills ledgers in another way.
const made = "1"

// bench is a run: its ledgers and the program under test.
type bench struct {
	settings
	told    io.Writer
	scratch string // thrown away afterwards
	program string // triage, built for this run
	ledgers []*ledgerFile
}

// ledgerFile is a ledger that is kept for the next run.
type ledgerFile struct {
	path string
	size bulk.Size
}

// name is what a table says of it.
func (l *ledgerFile) name() string { return wording.Number(int64(l.size.Intents)) + " intents" }

// openOf is how many of so many intents are in doubt: 200 of 10 thousand, 2,000 of a
// million, 20,000 of ten million.
func openOf(intents int) int {
	if intents < 100_000 {
		return max(intents/50, min(intents, 60))
	}
	return intents / 500
}

func prepare(ctx context.Context, s settings, told io.Writer) (*bench, error) {
	b := &bench{settings: s, told: told}
	if err := os.MkdirAll(s.dir, 0o750); err != nil {
		return nil, err
	}
	var err error
	if b.scratch, err = os.MkdirTemp(s.dir, "run-"); err != nil {
		return nil, err
	}
	if err := b.fillScratch(ctx); err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

// fillScratch builds the program and sees to the ledgers.
func (b *bench) fillScratch(ctx context.Context) error {
	b.program = filepath.Join(b.scratch, "triage")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", b.program, "triage").CombinedOutput(); err != nil { //nolint:gosec // the path is our own
		return fmt.Errorf("building triage: %w\n%s", err, out)
	}
	print, err := b.fingerprint(ctx)
	if err != nil {
		return err
	}
	for _, n := range b.sizes {
		l := &ledgerFile{
			path: filepath.Join(b.dir, fmt.Sprintf("intents-%d-%s.db", n, print)),
			size: bulk.Size{Intents: n, Open: openOf(n)},
		}
		if err := b.have(ctx, l); err != nil {
			return err
		}
		b.ledgers = append(b.ledgers, l)
	}
	return nil
}

func (b *bench) close() { _ = os.RemoveAll(b.scratch) }

// fingerprint tells apart ledgers of another schema: those are made anew.
func (b *bench) fingerprint(ctx context.Context) (string, error) {
	path := filepath.Join(b.scratch, "schema.db")
	if _, err := sqlite.Init(ctx, path); err != nil {
		return "", err
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return "", err
	}
	defer func() { _ = db.Close() }()
	var schema string
	err = db.QueryRowContext(ctx, `SELECT group_concat(sql, ';') FROM (SELECT sql FROM sqlite_schema ORDER BY type, name)`).Scan(&schema)
	return fmt.Sprintf("%x", sha256.Sum256([]byte(made+schema)))[:8], err
}

// have makes the ledger if it is not there from an earlier run. Ledgers of this size
// that an earlier schema made are deleted: nothing can open them, and they are large.
func (b *bench) have(ctx context.Context, l *ledgerFile) error {
	if _, err := os.Stat(l.path); err == nil {
		return nil
	}
	old, err := filepath.Glob(filepath.Join(b.dir, "intents-"+strconv.Itoa(l.size.Intents)+"-????????.db*"))
	if err != nil {
		return err
	}
	for _, path := range old {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	fmt.Fprintf(b.told, "making a ledger of %s, %s of them in doubt; it is kept in %s\n", l.name(), wording.Number(int64(l.size.Open)), b.dir)
	from := time.Now()
	half := filepath.Join(b.scratch, "half.db")
	if _, err := sqlite.Init(ctx, half); err != nil {
		return err
	}
	if err := bulk.Fill(ctx, half, l.size, ledger.WallClock()); err != nil {
		return err
	}
	fmt.Fprintf(b.told, "made in %s\n", time.Since(from).Round(time.Second))
	return os.Rename(half, l.path)
}

// copied is up to how many bytes a ledger is copied for what writes to it. A larger
// one is written itself, and grows by the little that a run writes.
const copied = 2 << 30

// writable is a ledger that may be written: a copy, thrown away by the function that
// comes with it, or one so large that what a run writes is nothing beside it.
func (b *bench) writable(l *ledgerFile) (path string, done func(), err error) {
	info, err := os.Stat(l.path)
	if err != nil {
		return "", nil, err
	}
	if info.Size() > copied {
		return l.path, func() {}, nil
	}
	path = filepath.Join(b.scratch, "written.db")
	if err := copyFile(l.path, path); err != nil {
		return "", nil, err
	}
	return path, func() {
		for _, side := range []string{"", "-wal", "-shm"} {
			_ = os.Remove(path + side)
		}
	}, nil
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err = io.Copy(out, in); err == nil {
		err = out.Sync() // or the writers of the measurement wait for it
	}
	if late := out.Close(); err == nil {
		err = late
	}
	return err
}
