// Package csqlite runs queries in the C SQLite of this machine, through a small
// program that is compiled when it is needed. Each query runs inside that program
// many times, so that talking to it costs the measurement nothing.
package csqlite

import (
	"bufio"
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"triage/ledger/sqlite"
)

//go:embed program/ask.c
var source []byte

// ErrAbsent says that there is no C SQLite to compare with.
var ErrAbsent = errors.New("no C SQLite to compare with")

// Compile makes the program in a directory and returns its path.
func Compile(ctx context.Context, dir string) (string, error) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		return "", fmt.Errorf("%w: gcc is not installed (Debian: apt-get install gcc libsqlite3-dev)", ErrAbsent)
	}
	from, to := filepath.Join(dir, "ask.c"), filepath.Join(dir, "ask")
	if err := os.WriteFile(from, source, 0o600); err != nil {
		return "", err
	}
	out, err := exec.CommandContext(ctx, gcc, "-std=c11", "-O2", "-Wall", "-o", to, from, "-lsqlite3").CombinedOutput() //nolint:gosec // gcc as the path has it, on our own source
	switch {
	case err != nil && strings.Contains(string(out), "sqlite3.h"):
		return "", fmt.Errorf("%w: sqlite3.h is not installed (Debian: apt-get install libsqlite3-dev)", ErrAbsent)
	case err != nil:
		return "", fmt.Errorf("%w: gcc: %w\n%s", ErrAbsent, err, out)
	}
	return to, nil
}

// Asker is the running program with a ledger open.
type Asker struct {
	Version string // of the library
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

// Open starts the compiled program on a ledger.
func Open(ctx context.Context, program, ledger string) (*Asker, error) {
	a := &Asker{cmd: exec.CommandContext(ctx, program, ledger)} //nolint:gosec // the program that was compiled a moment ago
	var err error
	if a.in, err = a.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := a.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	a.out = bufio.NewReader(out)
	if err := a.cmd.Start(); err != nil {
		return nil, err
	}
	if a.Version, err = a.answer("version "); err != nil {
		a.Close()
	}
	return a, err
}

// Close ends the program.
func (a *Asker) Close() {
	_ = a.in.Close()
	_ = a.cmd.Wait()
}

// Prepare hands the queries over that the next Time runs one after the other;
// snapshot says whether inside one read transaction.
func (a *Asker) Prepare(statements []sqlite.Statement, snapshot bool) error {
	var text strings.Builder
	fmt.Fprintf(&text, "forget %d\n", map[bool]int{true: 1}[snapshot])
	for _, s := range statements {
		fmt.Fprintf(&text, "sql %d\n%s", len(s.SQL), s.SQL)
		for n, arg := range s.Args {
			if err := bind(&text, n+1, arg); err != nil {
				return err
			}
		}
	}
	_, err := io.WriteString(a.in, text.String())
	return err
}

func bind(text *strings.Builder, n int, arg any) error {
	name := strconv.Itoa(n)
	if named, ok := arg.(sql.NamedArg); ok {
		name, arg = ":"+named.Name, named.Value
	}
	switch v := arg.(type) {
	case nil:
		fmt.Fprintf(text, "bind %s n 0\n", name)
	case string:
		fmt.Fprintf(text, "bind %s t %d\n%s", name, len(v), v)
	case int, int64:
		fmt.Fprintf(text, "bind %s i %d\n", name, v)
	default:
		return fmt.Errorf("argument %s is a %T, which the C program does not know", name, arg)
	}
	return nil
}

// How the C program treats its statements.
const (
	Kept = "kept" // prepared once
	Anew = "anew" // prepared for every run
)

// Time runs what was prepared so many times and returns how long each run took, and
// how many rows the last one brought.
func (a *Asker) Time(how string, times int) (each []time.Duration, rows int, err error) {
	if _, err := fmt.Fprintf(a.in, "%s %d\n", how, times); err != nil {
		return nil, 0, err
	}
	line, err := a.answer("")
	if err != nil {
		return nil, 0, err
	}
	for _, word := range strings.Fields(line) {
		ns, err := strconv.ParseInt(word, 10, 64)
		if err != nil {
			return nil, 0, fmt.Errorf("the C program said %q", line)
		}
		each = append(each, time.Duration(ns))
	}
	count, err := a.answer("rows ")
	if err != nil {
		return nil, 0, err
	}
	rows, err = strconv.Atoi(count)
	return each, rows, err
}

func (a *Asker) answer(prefix string) (string, error) {
	line, err := a.out.ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("the C program ended: %w", err)
	}
	line = strings.TrimRight(line, "\n")
	if trouble, ok := strings.CutPrefix(line, "error "); ok {
		return "", fmt.Errorf("the C program: %s", trouble)
	}
	rest, ok := strings.CutPrefix(line, prefix)
	if !ok {
		return "", fmt.Errorf("the C program said %q where %q was due", line, prefix)
	}
	return rest, nil
}
