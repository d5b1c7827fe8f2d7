package lookup

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"triage/actions/config"
	"triage/ledger"
)

// fileSource looks into an export that the receiver's people handed over.
type fileSource struct {
	*asker
	file   config.File
	rowKey rowKey
}

// NewFile makes a connector that reads an export. Nobody is asked, so that no rate
// applies.
func NewFile(target config.Target, opts ...Option) (Connector, error) {
	if target.Lookup == nil || target.Lookup.File == nil {
		return nil, ErrNoLookup
	}
	f := *target.Lookup.File
	o := collect(opts)
	o.gate = newGate(config.Rate{Count: 1e6, Per: time.Second}, requests(target))
	a, err := newAsker(target, f.Means(), "", secrets{}, o)
	if err != nil {
		return nil, err
	}
	key, err := compileRowKey(f.KeyOfRow())
	if err != nil {
		return nil, fmt.Errorf("the lookup of %s: %w", target.Name, err)
	}
	a.source = &fileSource{asker: a, file: f, rowKey: key}
	return a, nil
}

// ask finds the rows of one intent in the export.
func (c *fileSource) ask(ctx context.Context, intent ledger.Intent) exchange {
	e := exchange{asOf: c.file.AsOf, done: c.file.CompleteAt}
	x, f := c.export(ctx)
	if f != nil {
		e.reading = failed(f)
		return e
	}
	found, f := x.find(ctx, c.rowKey, intent.OpKey)
	e.from = c.name() + ", SHA-256 " + x.sum + ", " + found.where(len(x.rows))
	if f != nil {
		e.reading = failed(f)
		return e
	}
	input := map[string]any{"rows": found.rows, "columns": found.columns}
	e.parsed = input
	e.reading = c.mapping.classify(ctx, input, intent.OpKey)
	if f := c.doubt(x); f != nil && e.reading.outcome == ledger.LookupNotFound {
		e.reading = failed(f)
	}
	return e
}

// doubt is what keeps an export from proving that something is not in it.
func (c *fileSource) doubt(x *export) *failure {
	switch {
	case !c.file.Complete:
		return fail("partial_export", "The export has no such row, and nobody states that it lists everything. Write complete: true only where the receiver's people say so.")
	case len(x.rows) == 0 && c.rowKey.column == "" && c.target.Promises.Canary == "":
		return fail("empty_export", "The export has no rows, and its header can't show that it is the right one, because row_key is not the name of one column. Name a canary, or a column in row_key.")
	}
	return nil
}

// name is the export's name in evidence.
func (c *fileSource) name() string { return start(filepath.Base(c.file.Path), 255) }

// export is the export as it stands on the disk now, read and indexed.
func (c *fileSource) export(ctx context.Context) (*export, *failure) {
	info, err := os.Stat(c.file.Path)
	if err != nil {
		return nil, unreadableExport(err)
	}
	switch {
	case !info.Mode().IsRegular():
		return nil, fail("unreadable", "What stands at the export's path is no ordinary file.")
	case info.Size() > maxExport:
		return nil, fail("too_large", "The export has more than %d bytes. Ask for one that covers less time.", maxExport)
	case ledger.At(info.ModTime().Add(c.skew())) < c.file.AsOf:
		return nil, fail("stale_export", "The export was last written before the instant that as_of names, so that it can't show the receiver as it was then. Put the new export in its place, or write the as_of that belongs to this one.")
	}
	return exports.get(ctx, c.file, c.rowKey, info)
}

func unreadableExport(err error) *failure {
	f := fail("unreadable", "The export can't be read.")
	if word := systemWord(err); word != "" {
		f.text = "The export can't be read: " + word + "."
	}
	return f
}

// hits are the rows of one key.
type hits struct {
	rows    []any
	lines   []string
	columns []any
}

// where says, for evidence, where in the export they are.
func (h hits) where(all int) string {
	switch len(h.lines) {
	case 0:
		return fmt.Sprintf("none of its %d rows", all)
	case 1:
		return "line " + h.lines[0]
	}
	return "lines " + strings.Join(h.lines, ", ")
}
