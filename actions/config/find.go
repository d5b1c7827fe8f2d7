package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// PathVariable names the environment variable that may name the configuration.
const PathVariable = "TRIAGE_CONFIG"

// Find says which configuration file applies: the one that the --config flag
// names, else the one that TRIAGE_CONFIG names, else triage/config.yaml in the
// user's configuration directory if there is one (design §7). Not ok means there
// is none, which is fine. A file named by flag or variable is returned whether it
// exists or not: Load then says that it is missing. The working directory and the
// ledger's are never searched, since agents may write there.
func Find(flag string, getenv func(string) (string, bool), userConfigDir func() (string, error)) (path string, ok bool) {
	if flag != "" {
		return flag, true
	}
	if named, set := getenv(PathVariable); set && named != "" {
		return named, true
	}
	dir, err := userConfigDir()
	if err != nil || !filepath.IsAbs(dir) {
		return "", false
	}
	path = filepath.Join(dir, "triage", "config.yaml")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return "", false
	}
	return path, true // a file that is there and can't be read is for Load to report
}
