package lookup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"triage/actions/config"
)

const (
	// maxExport bounds an export in bytes: it is kept in memory with its index.
	maxExport = 256 << 20
	// maxRows bounds the rows of one answer.
	maxRows = 100
	// settled is how long a file must have been left alone for its time of change to
	// tell that it is the same one: file systems count in ticks.
	settled = 2 * time.Second
)

// export is one that was read: its bytes, and where each row stands in them.
type export struct {
	raw     []byte
	format  config.ExportFormat
	columns []string // CSV: the header
	rows    []exportRow
	last    map[string]int32 // folded key → the last row with it
	power   int32            // the line of a key that is a number as a power of ten; 0: none
	sum     string           // SHA-256 of the whole file, lower-case hex
}

type exportRow struct {
	from, to int
	line     int32
	before   int32 // the row before it with the same folded key; -1: none
}

// exportLoads are the exports that this process has read. Each is read once and
// serves many intents, until the file is another one.
type exportLoads struct {
	mu   sync.Mutex
	byID map[string]*exportLoad
}

type exportLoad struct {
	info   os.FileInfo
	begun  time.Time
	done   chan struct{}
	export *export
	fail   *failure
}

var exports = exportLoads{byID: map[string]*exportLoad{}}

// get waits until the export is read. A wait that ends early breaks nothing off: the
// next question finds what was read meanwhile.
func (l *exportLoads) get(ctx context.Context, f config.File, key rowKey, info os.FileInfo) (*export, *failure) {
	load := l.load(f, key, info)
	select {
	case <-load.done:
		return load.export, load.fail
	case <-ctx.Done():
		f := givenUp(ctx, ctx.Err())
		f.text = "The export was still being read when the time was up. That goes on; look it up again."
		return nil, f
	}
}

func (l *exportLoads) load(f config.File, key rowKey, info os.FileInfo) *exportLoad {
	id := strings.Join([]string{f.Path, string(f.Format), key.text}, "\x00")
	l.mu.Lock()
	defer l.mu.Unlock()
	if load := l.byID[id]; load != nil && load.stillRight(info) {
		return load
	}
	load := &exportLoad{info: info, begun: time.Now(), done: make(chan struct{})}
	l.byID[id] = load
	go func() {
		defer close(load.done)
		defer func() {
			if recover() != nil {
				load.export, load.fail = nil, fail("internal", "Reading the export failed inside triage.")
			}
		}()
		load.export, load.fail = readExport(f, key, info)
	}()
	return load
}

// stillRight says that what was read, or is being read, is the file as it stands now.
func (l *exportLoad) stillRight(now os.FileInfo) bool {
	if !sameFile(l.info, now) {
		return false
	}
	select {
	case <-l.done:
		again := l.fail != nil && l.fail.cause != "malformed"
		return !again && l.info.ModTime().Before(l.begun.Add(-settled))
	default:
		return true
	}
}

func sameFile(a, b os.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// readExport reads the whole file or nothing of it.
func readExport(f config.File, key rowKey, before os.FileInfo) (*export, *failure) {
	raw, fault := readWhole(f.Path, before)
	if fault != nil {
		return nil, fault
	}
	sum := sha256.Sum256(raw)
	x := &export{raw: raw, format: f.Format, last: map[string]int32{}, sum: hex.EncodeToString(sum[:])}
	if fault := x.checkText(); fault != nil {
		return nil, fault
	}
	each := func(row map[string]any, from, to, line int) *failure {
		k, fault := key.checked(row)
		if fault != nil {
			return badLine(line, "%s", strings.TrimSuffix(fault.text, "."))
		}
		x.add(k, from, to, line)
		return nil
	}
	if f.Format == config.JSONLines {
		return x, x.readJSONLines(each)
	}
	return x, x.readCSV(key, each)
}

// readWhole reads a file that nobody changes meanwhile.
func readWhole(path string, before os.FileInfo) ([]byte, *failure) {
	file, err := os.Open(path)
	if err != nil {
		return nil, unreadableExport(err)
	}
	defer file.Close()
	raw := make([]byte, before.Size())
	_, err = io.ReadFull(file, raw)
	after, statErr := os.Stat(path)
	opened, openErr := file.Stat()
	switch {
	case statErr != nil || openErr != nil || !sameFile(before, after) || !sameFile(before, opened):
		return nil, fail("changed", "The export was changed while it was being read. Wait until it is complete, then look it up again.")
	case err != nil:
		return nil, unreadableExport(err)
	}
	return raw, nil
}

func (x *export) add(key string, from, to, line int) {
	folded := foldKey(key)
	before, known := x.last[folded]
	if !known {
		before = -1
	}
	at := len(x.rows)
	x.rows = append(x.rows, exportRow{from: from, to: to, line: int32(line), before: before}) //nolint:gosec // a file has fewer lines than bytes, and those are bounded
	x.last[folded] = int32(at)                                                                //nolint:gosec // the same
	if x.power == 0 && powerOfTen.MatchString(key) {
		x.power = int32(line) //nolint:gosec // the same
	}
}

// find gives the rows with exactly this key.
func (x *export) find(ctx context.Context, key rowKey, opKey string) (hits, *failure) {
	h := hits{rows: []any{}, columns: anyList(x.columns)}
	at, known := x.last[foldKey(opKey)]
	other := 0
	for ; known && at >= 0; at = x.rows[at].before {
		row, f := x.row(x.rows[at])
		if f != nil {
			return hits{}, f
		}
		got, f := key.of(ctx, row)
		switch {
		case f != nil:
			return hits{}, f
		case got != opKey:
			other = int(x.rows[at].line)
			continue
		case len(h.rows) == maxRows:
			return hits{}, fail("too_large", "The export has more than %d rows with this key.", maxRows)
		}
		h.rows = append([]any{row}, h.rows...)
		h.lines = append([]string{strconv.Itoa(int(x.rows[at].line))}, h.lines...)
	}
	if len(h.rows) == 0 {
		if line, f := x.rewritten(opKey, other); f != nil {
			h.lines = []string{strconv.Itoa(line)}
			return h, f
		}
	}
	if x.format == config.JSONLines {
		h.columns = columnsOf(h.rows)
	}
	return h, nil
}

// rewritten finds, for a key that no row has, one that may be it, changed on the way.
// folded is the line of one that differs by what folding takes away; 0: none.
func (x *export) rewritten(opKey string, folded int) (line int, f *failure) {
	if folded != 0 {
		return folded, fail("other_key", "The export has a key on line %d that differs from the one asked for only in blanks, quotes, dashes, capitals, invisible signs or zeros, as people and spreadsheets change them.", folded)
	}
	for _, as := range numberAs(opKey) {
		if at, known := x.last[as]; known {
			line = int(x.rows[at].line)
			return line, fail("other_key", "The export has a number on line %d that may be the key asked for, its last digits lost as spreadsheets and other programs lose them.", line)
		}
	}
	if x.power != 0 && asNumber.MatchString(opKey) {
		return int(x.power), fail("other_key", "The export has a key on line %d that is a number as a power of ten: a spreadsheet has written long numbers so, and which they were can't be told any more.", x.power)
	}
	return 0, nil
}

// row reads one row again.
func (x *export) row(r exportRow) (map[string]any, *failure) {
	if x.format == config.JSONLines {
		return jsonLine(x.raw[r.from:r.to], int(r.line))
	}
	return csvLine(x.raw[r.from:r.to], x.columns, int(r.line))
}

func badLine(line int, format string, args ...any) *failure {
	return fail("malformed", "The export can't be used: line %d %s.", line, fmt.Sprintf(format, args...))
}
