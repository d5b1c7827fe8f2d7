package drill

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// place is a scene's directory.
type place struct {
	dir       string
	temporary bool // it goes when the scene does
	made      bool // it was not there before
}

// claimPlace finds the place for a scene; "" is a temporary one. A directory that
// holds anything is refused, so that a drill never writes over what it did not
// make. Of two drills that want the same one, one gets it.
func claimPlace(dir string) (place, error) {
	if dir == "" {
		path, err := os.MkdirTemp("", "triage-drill-")
		return place{dir: path, temporary: true}, err
	}
	path, err := filepath.Abs(dir)
	if err != nil {
		return place{}, err
	}
	_, err = os.Lstat(path)
	p := place{dir: path, made: errors.Is(err, fs.ErrNotExist)}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return place{}, fmt.Errorf("make the drill's directory: %w", err)
	}
	there, err := os.ReadDir(path)
	if err != nil {
		return place{}, fmt.Errorf("read the drill's directory: %w", err)
	}
	if len(there) > 0 {
		return place{}, notEmpty(path)
	}
	claim, err := os.OpenFile(filepath.Join(path, tokenFile), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return place{}, notEmpty(path)
	}
	if err := errors.Join(err, claim.Close()); err != nil {
		return place{}, fmt.Errorf("claim the drill's directory: %w", err)
	}
	return p, nil
}

func notEmpty(path string) error {
	return fmt.Errorf("%s is not empty: a drill makes its own files and touches no others; name a new directory", path)
}

// undo removes what a scene made: its own files, and the directory where that is
// its own too.
func (p place) undo() error {
	if p.temporary {
		return os.RemoveAll(p.dir)
	}
	var failed []error
	for _, database := range []string{ledgerFile, receiverFile} {
		for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
			failed = append(failed, os.RemoveAll(filepath.Join(p.dir, database+suffix)))
		}
	}
	for _, name := range []string{configFile, payloadsDir, tokenFile} {
		failed = append(failed, os.RemoveAll(filepath.Join(p.dir, name)))
	}
	if p.made {
		_ = os.Remove(p.dir) // unless somebody put something there meanwhile
	}
	return errors.Join(failed...)
}
