package lookup

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

var (
	errShort      = errors.New("it is empty or far too short")
	errNoRegular  = errors.New("it is no ordinary file")
	errSystemWord = []error{errShort, errNoRegular}
)

// resolve is where an ordinary file really is.
func resolve(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(real)
	if err == nil && !info.Mode().IsRegular() { // opening a pipe would wait for its writer
		err = errNoRegular
	}
	return real, err
}

// exists is true where anything but a clear no comes back.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// unreadableDatabase says why a database's file can't be read.
func unreadableDatabase(err error) *failure {
	word := systemWord(err)
	for _, own := range errSystemWord {
		if errors.Is(err, own) {
			word = own.Error()
		}
	}
	if word == "" {
		return fail("unreadable", "The receiver's database can't be read.")
	}
	return fail("unreadable", "The receiver's database can't be read: %s.", word)
}
