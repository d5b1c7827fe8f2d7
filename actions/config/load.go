package config

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"triage/ledger"
)

// MaxFileBytes bounds the configuration file.
const MaxFileBytes = 1 << 20

// Load reads a configuration file. An empty path, or a file without settings, is
// an empty configuration. The error is an *Error.
//
// An unset ${VARIABLE} is no error here: it is kept in Lookup.Missing and stops
// the lookups of its target, nothing else (design §7).
func Load(path string, getenv func(string) (string, bool)) (*Config, error) {
	if path == "" {
		return &Config{Stuck: ledger.StuckRule{Default: ledger.DefaultStuckAfter}}, nil
	}
	raw, err := read(path)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(raw)
	c := &Config{
		Path:    path,
		Hash:    hex.EncodeToString(sum[:]),
		Stuck:   ledger.StuckRule{Default: ledger.DefaultStuckAfter, PerTarget: map[string]time.Duration{}},
		Targets: map[string]Target{},
	}
	f := &file{path: path, getenv: getenv}
	root, err := f.parse(raw)
	if err == nil && root != nil {
		err = root.config(c)
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// read reads the whole file, within bounds.
func read(path string) ([]byte, error) {
	fail := func(what, mend string) ([]byte, error) { return nil, &Error{Path: path, What: what, Mend: mend} }
	const mend = "Name a configuration file with --config or " + PathVariable + ", or neither; none is needed to read a ledger"
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fail("there is no such configuration file", mend)
	}
	if err != nil {
		return fail("the configuration file can't be opened: "+reason(err), "Make it readable for this user")
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return fail("this is a directory, not a configuration file", mend)
	}
	raw, err := io.ReadAll(io.LimitReader(f, MaxFileBytes+1))
	if err != nil {
		return fail("the configuration file can't be read: "+reason(err), "")
	}
	if len(raw) > MaxFileBytes {
		return fail(fmt.Sprintf("the file has more than %d bytes", MaxFileBytes), "Check that it is the configuration; none needs that much")
	}
	return raw, nil
}

// reason is the system's own word for a failure, without path and operation.
func reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}
