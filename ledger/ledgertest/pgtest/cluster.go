//go:build unix

// Package pgtest starts a throw-away PostgreSQL for tests, from the programs that are
// installed. It is slow to start (about two seconds) and fast afterwards: share one
// among the tests of a package, and give each its own database.
package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// The superuser of every cluster.
const (
	User     = "postgres"
	Password = "throw-away-4711"
)

// Cluster is a running server. It is asked for passwords over TCP and not over its
// socket, and it does not care for durability.
type Cluster struct {
	Dir  string // its data; its socket is there, too
	Port int    // on 127.0.0.1
	bin  string
	made int
}

// Start starts a server that ends with the test, or skips the test where PostgreSQL
// is not installed.
func Start(t testing.TB) *Cluster {
	t.Helper()
	c, err := start()
	if errors.Is(err, errMissing) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.stop(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// Database makes a database, runs these statements in it, and gives a connection
// string with the superuser's password.
func (c *Cluster) Database(t testing.TB, statements ...string) string {
	t.Helper()
	c.made++
	name := "test" + strconv.Itoa(c.made)
	c.Run(t, c.URL("postgres"), "CREATE DATABASE "+name)
	c.Run(t, c.URL(name), statements...)
	return c.URL(name)
}

// URL is the connection string of a database, over TCP.
func (c *Cluster) URL(database string) string {
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword(User, Password), Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(c.Port)),
		Path: "/" + database, RawQuery: "sslmode=disable",
	}
	return u.String()
}

// Run runs statements, each in a transaction of its own.
func (c *Cluster) Run(t testing.TB, address string, statements ...string) {
	t.Helper()
	conn, err := pgconn.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }() // its statements have succeeded
	for _, s := range statements {
		if _, err := conn.Exec(t.Context(), s).ReadAll(); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

var errMissing = errors.New("PostgreSQL's own programs (initdb, pg_ctl) are not installed, or there is no unprivileged user to run them")

func start() (*Cluster, error) {
	bin, err := programs()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "pg") // short: a socket's path has about a hundred bytes
	if err != nil {
		return nil, err
	}
	c := &Cluster{Dir: dir, bin: bin}
	if err := c.begin(); err != nil {
		return nil, errors.Join(err, c.stop())
	}
	return c, nil
}

func (c *Cluster) begin() error {
	if err := giveAway(c.Dir); err != nil {
		return err
	}
	data := filepath.Join(c.Dir, "data")
	secret := filepath.Join(c.Dir, "password")
	if err := os.WriteFile(secret, []byte(Password+"\n"), 0o644); err != nil { //nolint:gosec // the user that starts the server must read it
		return err
	}
	if err := c.run("initdb", "-D", data, "-U", User, "-E", "UTF8", "--locale=C", "--no-sync", "--auth-local=trust", "--auth-host=scram-sha-256", "--pwfile="+secret); err != nil {
		return err
	}
	port, err := freePort()
	if err != nil {
		return err
	}
	c.Port = port
	settings := fmt.Sprintf("-k %s -p %d -c listen_addresses=127.0.0.1 -c fsync=off -c full_page_writes=off -c synchronous_commit=off -c shared_buffers=16MB", c.Dir, port)
	return c.run("pg_ctl", "-D", data, "-w", "-t", "60", "-l", filepath.Join(c.Dir, "log"), "-o", settings, "start")
}

// stop ends the server and removes all of it.
func (c *Cluster) stop() error {
	var err error
	if _, missing := os.Stat(filepath.Join(c.Dir, "data", "postmaster.pid")); missing == nil {
		err = c.run("pg_ctl", "-D", filepath.Join(c.Dir, "data"), "-w", "-m", "immediate", "stop")
	}
	return errors.Join(err, os.RemoveAll(c.Dir))
}

// run runs one of PostgreSQL's programs, as a user without privileges. The server that
// pg_ctl leaves behind keeps nothing of ours open.
func (c *Cluster) run(program string, args ...string) error {
	out, err := os.CreateTemp("", "pgout")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(out.Name()) }() // at worst a small file stays
	defer out.Close()
	cmd := exec.Command(filepath.Join(c.bin, program), args...) //nolint:gosec,noctx // a program that was found on this machine; it ends by itself
	cmd.Dir, cmd.Stdout, cmd.Stderr = c.Dir, out, out
	if err := lowerPrivileges(cmd); err != nil {
		return err
	}
	if err := cmd.Run(); err != nil {
		said, _ := os.ReadFile(out.Name())
		log, _ := os.ReadFile(filepath.Join(c.Dir, "log"))
		return fmt.Errorf("%s: %w\n%s%s", program, err, said, log)
	}
	return nil
}

// programs is the directory with the newest version's programs: Debian keeps them away
// from PATH.
func programs() (string, error) {
	var dirs []string
	for _, pattern := range []string{"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql@*/bin", "/usr/local/opt/postgresql@*/bin"} {
		found, _ := filepath.Glob(pattern) // the patterns are right
		slices.SortFunc(found, func(a, b string) int { return version(b) - version(a) })
		dirs = append(dirs, found...)
	}
	if path, err := exec.LookPath("initdb"); err == nil {
		dirs = append(dirs, filepath.Dir(path))
	}
	for _, dir := range dirs {
		if _, err := os.Stat(filepath.Join(dir, "pg_ctl")); err == nil {
			return dir, nil
		}
	}
	return "", errMissing
}

// version is the number in a path such as /usr/lib/postgresql/15/bin.
func version(dir string) int {
	digits := strings.FieldsFunc(dir, func(r rune) bool { return r < '0' || r > '9' })
	if len(digits) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(digits[0]) // digits only
	return n
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // nothing to wait for
	if err != nil {
		return 0, err
	}
	defer func() { _ = l.Close() }() // the port is free either way
	return l.Addr().(*net.TCPAddr).Port, nil
}
