package lookup

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// eachRow takes one row of an export: its columns, where it stands in the file, and
// its line, from 1.
type eachRow func(row map[string]any, from, to, line int) *failure

// checkText refuses a file that is no whole text.
func (x *export) checkText() *failure {
	switch {
	case len(x.raw) == 0:
		return fail("malformed", "The export is empty, without even a line that names its columns.")
	case bytes.HasPrefix(x.raw, []byte("\xef\xbb\xbf")):
		return badLine(1, "begins with a byte order mark. Save the export as UTF-8 without one")
	case x.raw[len(x.raw)-1] != '\n':
		return badLine(1+bytes.Count(x.raw, []byte("\n")), "is the last one and does not end, so that more may be missing")
	}
	if at := bytes.IndexByte(x.raw, 0); at >= 0 {
		return badLine(x.lineAt(at), "holds a NUL character")
	}
	if at := bareReturn(x.raw); at >= 0 {
		return badLine(x.lineAt(at), "holds a carriage return without a line break behind it, as old line ends are. Ask for an export with usual line ends")
	}
	if !utf8.Valid(x.raw) {
		at := 0
		for at < len(x.raw) {
			r, size := utf8.DecodeRune(x.raw[at:])
			if r == utf8.RuneError && size == 1 {
				break
			}
			at += size
		}
		return badLine(x.lineAt(at), "is not UTF-8 text")
	}
	return nil
}

// bareReturn is where a carriage return stands that no line break follows: what ends
// lines for one reader is part of a value for another. -1: nowhere.
func bareReturn(raw []byte) int {
	for at := 0; ; at++ {
		next := bytes.IndexByte(raw[at:], '\r')
		if next < 0 {
			return -1
		}
		at += next
		if at+1 == len(raw) || raw[at+1] != '\n' {
			return at
		}
	}
}

func (x *export) lineAt(offset int) int { return 1 + bytes.Count(x.raw[:offset], []byte("\n")) }

// readCSV reads RFC 4180: a header, then rows with as many fields as it has.
func (x *export) readCSV(key rowKey, each eachRow) *failure {
	r := newCSV(x.raw)
	header, err := r.Read()
	if err != nil {
		return csvFailure(err)
	}
	if blankLine(x.raw) {
		return badLine(1, "is empty")
	}
	x.columns = slices.Clone(header) // the reader uses its record again
	if f := checkHeader(x.columns, key); f != nil {
		return f
	}
	from := int(r.InputOffset())
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return csvFailure(err)
		}
		line, _ := r.FieldPos(0)
		if blankLine(x.raw[from:]) {
			return badLine(x.lineAt(from), "is empty")
		}
		to := int(r.InputOffset())
		if f := each(asRow(x.columns, record), from, to, line); f != nil {
			return f
		}
		from = to
	}
	if from < len(x.raw) {
		return badLine(x.lineAt(from), "is empty")
	}
	return nil
}

// checkHeader refuses a first line that can't be the names of this export's columns: of
// any other text, an error page for one, the first line is a header just as well.
func checkHeader(header []string, key rowKey) *failure {
	seen := map[string]bool{}
	for _, name := range header {
		switch {
		case strings.TrimSpace(name) == "":
			return badLine(1, "has a column without a name")
		case endsLines(name):
			return badLine(1, "names a column with a control character or a line separator")
		case seen[name]:
			return badLine(1, "names two columns alike")
		}
		seen[name] = true
	}
	if key.column != "" && !seen[key.column] {
		return badLine(1, "names no column for the key, which row_key %s asks for", key.text)
	}
	return nil
}

func newCSV(raw []byte) *csv.Reader {
	r := csv.NewReader(bytes.NewReader(raw))
	r.ReuseRecord = true
	return r
}

// blankLine: the CSV reader skips those, and a row of one empty field is one.
func blankLine(rest []byte) bool {
	return bytes.HasPrefix(rest, []byte("\n")) || bytes.HasPrefix(rest, []byte("\r\n"))
}

func asRow(header, record []string) map[string]any {
	row := make(map[string]any, len(header))
	for i, name := range header {
		row[name] = record[i]
	}
	return row
}

func csvLine(raw []byte, columns []string, line int) (map[string]any, *failure) {
	record, err := newCSV(raw).Read()
	if err != nil || len(record) != len(columns) {
		return nil, badLine(line, "can't be read again")
	}
	return asRow(columns, record), nil
}

func csvFailure(err error) *failure {
	var parse *csv.ParseError
	if !errors.As(err, &parse) {
		return fail("malformed", "The export can't be used: it has no line that names its columns.")
	}
	switch {
	case errors.Is(err, csv.ErrFieldCount):
		return badLine(parse.StartLine, "has more or fewer fields than there are columns")
	case errors.Is(err, csv.ErrQuote), errors.Is(err, csv.ErrBareQuote):
		return badLine(parse.StartLine, "has a quote that is out of place or never closed")
	}
	return badLine(parse.StartLine, "is no CSV that can be read")
}

// readJSONLines reads one JSON object on each line.
func (x *export) readJSONLines(each eachRow) *failure {
	from, line := 0, 0
	for from < len(x.raw) {
		line++
		to := from + 1 + bytes.IndexByte(x.raw[from:], '\n') // the text ends with one
		row, f := jsonLine(x.raw[from:to], line)
		if f == nil {
			f = each(row, from, to, line)
		}
		if f != nil {
			return f
		}
		from = to
	}
	return nil
}

func jsonLine(raw []byte, line int) (map[string]any, *failure) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, badLine(line, "is empty")
	}
	v, f := parseJSON(raw)
	if f != nil {
		return nil, badLine(line, "can't be read. %s", strings.TrimSuffix(strings.Replace(f.text, "The answer", "It", 1), "."))
	}
	row, ok := v.(map[string]any)
	if !ok {
		return nil, badLine(line, "is %s, not an object", typeName(v))
	}
	return row, nil
}

// columnsOf are the names that rows have.
func columnsOf(rows []any) []any {
	names := map[string]bool{}
	for _, row := range rows {
		if object, ok := row.(map[string]any); ok {
			for name := range object {
				names[name] = true
			}
		}
	}
	return anyList(slices.Sorted(maps.Keys(names)))
}

func anyList(names []string) []any {
	list := make([]any, len(names))
	for i, name := range names {
		list[i] = name
	}
	return list
}
