package lookuptest

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"triage/actions/config"
	"triage/ledger"
)

const header = "op_key,receipt,payload_sha256,owner,state\n"

// line is a delivery in an export.
func line(key, receipt, hash string) string {
	return key + "," + receipt + "," + hash + "," + Owner + ",sent\n"
}

// export is a receiver that hands over an export with this text, complete and as of
// now.
func export(format config.ExportFormat, text string) Setup {
	return func(t testing.TB) config.Target {
		path := filepath.Join(t.TempDir(), "inbox."+string(format))
		now := ledger.At(time.Now())
		write(t, path, text)
		return asked(config.Lookup{File: &config.File{Path: path, Format: format, AsOf: now, CompleteAt: now, Complete: true}})
	}
}

func csv(lines string) Setup   { return export(config.CSV, header+lines) }
func jsonl(lines string) Setup { return export(config.JSONLines, lines) }

// noExport is one that is not there.
func noExport(t testing.TB) config.Target {
	target := csv("")(t)
	if err := os.Remove(target.Lookup.File.Path); err != nil {
		t.Fatal(err)
	}
	return target
}

// directoryInstead is a directory in the export's place.
func directoryInstead(t testing.TB) config.Target {
	target := csv("")(t)
	target.Lookup.File.Path = filepath.Dir(target.Lookup.File.Path)
	return target
}

// hugeExport is one that is far too large.
func hugeExport(t testing.TB) config.Target {
	target := csv("")(t)
	if err := os.Truncate(target.Lookup.File.Path, 300<<20); err != nil { // takes no room on the disk
		t.Fatal(err)
	}
	return target
}

// olderThanItSays is an export that was written an hour before the instant it is said
// to show: somebody changed the instant and forgot the file.
func olderThanItSays(t testing.TB) config.Target {
	target := csv("")(t)
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(target.Lookup.File.Path, old, old); err != nil {
		t.Fatal(err)
	}
	return target
}

// stale is an export of two days ago, and says so.
func stale(t testing.TB) config.Target {
	target := csv("")(t)
	f := target.Lookup.File
	f.AsOf = ledger.At(time.Now().Add(-48 * time.Hour))
	f.CompleteAt = f.AsOf
	return target
}
