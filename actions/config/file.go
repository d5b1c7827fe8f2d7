package config

import (
	"path/filepath"
	"slices"
	"strings"

	"triage/ledger"
)

// File is the connector of that name: an export that the receiver's people handed
// over, evidence for many intents at once. jq sees {rows, columns}, rows being those
// with the key that is asked for.
type File struct {
	Mapping
	Path       string // absolute
	Format     ExportFormat
	AsOf       ledger.Millis // the receiver as the export shows it
	CompleteAt ledger.Millis // when it was finished; none: not told
	Complete   bool          // it lists everything that the receiver knew then
	RowKey     string        // jq over one row: its key; "": DefaultRowKey
}

// ExportFormat says how an export is written.
type ExportFormat string

// CSV is RFC 4180 with a header line, JSONLines one JSON object on each line.
const (
	CSV       ExportFormat = "csv"
	JSONLines ExportFormat = "jsonl"
)

// DefaultRowKey is the column that holds the key where nothing else is written.
const DefaultRowKey = ".op_key"

// KeyOfRow is the jq expression that gives a row's key.
func (f File) KeyOfRow() string {
	if f.RowKey == "" {
		return DefaultRowKey
	}
	return f.RowKey
}

// Means is the mapping that holds: what is not written is read off the rows, as
// with SQL, and the key is what row_key gives.
func (f File) Means() Mapping {
	return overRows(f.Mapping, "if (.rows | length) == 0 then null else (.rows[0] | ("+f.KeyOfRow()+"\n)) end")
}

// export reads the connector file.
func (v value) export(l *Lookup) error {
	l.File = &File{}
	f := l.File
	err := v.settings(slices.Concat([]setting{
		into("path", &f.Path, value.absolute),
		into("format", &f.Format, oneOf(CSV, JSONLines)),
		into("as_of", &f.AsOf, value.instant),
		into("complete_at", &f.CompleteAt, value.instant),
		into("complete", &f.Complete, value.boolean),
		into("row_key", &f.RowKey, value.expression),
	}, mapping(&f.Mapping))...)
	switch {
	case err != nil:
		return err
	case f.Path == "":
		return v.fail(v.name()+" has no path", "Write path: with the export's absolute path")
	case f.Format == "":
		return v.fail(v.name()+" has no format", "Write format: csv or format: jsonl")
	case f.AsOf.IsNone():
		return v.fail(v.name()+" has no as_of", "Write as_of: with the instant at which the receiver was as the export shows it, such as 2026-11-30T00:00:00Z. Where the export took long, write the instant at which it was begun")
	case !f.CompleteAt.IsNone() && f.CompleteAt < f.AsOf:
		return v.fail(v.name()+" has a complete_at before its as_of", "Write as_of for the instant at which the export was begun, and complete_at for the one at which it was finished")
	}
	return v.foundToo(f.Mapping)
}

// absolute is a file's path that does not depend on where triage is started.
func (v value) absolute() (string, error) {
	s, err := v.words()
	switch {
	case err != nil:
		return "", err
	case strings.ContainsFunc(s, control):
		return "", v.fail(v.name()+" has a line break or control character", "Remove it")
	case !filepath.IsAbs(s):
		return "", v.fail(v.name()+" depends on where triage is started: "+s, "Write the absolute path")
	}
	return filepath.Clean(s), nil
}

// overRows fills in what is read off rows where nothing else is written. A name that
// no column has gives null, which is not told.
func overRows(m Mapping, key string) Mapping {
	for _, d := range []struct {
		place *string
		text  string
	}{
		{&m.Found, "(.rows | length) > 0"}, {&m.NotFound, "(.rows | length) == 0"}, {&m.Hits, ".rows"}, {&m.Key, key},
		{&m.Receipt, ".rows[0].receipt"}, {&m.PayloadSHA256, ".rows[0].payload_sha256"}, {&m.Owner, ".rows[0].owner"},
	} {
		if *d.place == "" {
			*d.place = d.text
		}
	}
	return m
}

// foundToo: where nothing is written every row counts as found, so that a mapping
// for what is in progress or refused could never be right without one for found.
func (v value) foundToo(m Mapping) error {
	if m.Found != "" || m.InProgress == "" && m.Refused == "" {
		return nil
	}
	return v.fail(v.name()+" maps in_progress or refused and has no found, so that every row would be found too",
		"Write found: with a jq expression that is true only for a delivery that is there, such as .rows[0].state == \"sent\"")
}
