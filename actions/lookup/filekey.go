package lookup

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"github.com/itchyny/gojq"

	"triage/actions/config"
)

// rowKey is how a row's key is found.
type rowKey struct {
	text       string
	column     string // the one column that it names; "": expression decides
	expression *expression
}

func compileRowKey(text string) (rowKey, error) {
	code, err := config.Compile(text)
	if err != nil {
		return rowKey{}, fmt.Errorf("the jq expression row_key: %w", err)
	}
	return rowKey{text: text, column: columnNamed(text), expression: &expression{"row_key", code}}, nil
}

// columnNamed is the column that an expression names and does nothing else: .a, ."a b"
// or .["a b"]. "" is none.
func columnNamed(text string) string {
	q, err := gojq.Parse(text)
	if err != nil || q.Term == nil || q.Term.Index == nil || len(q.FuncDefs) > 0 {
		return ""
	}
	for _, suffix := range q.Term.SuffixList {
		if !suffix.Optional { // .a? is .a
			return ""
		}
	}
	at := q.Term.Index
	name := at.Str
	if at.Start != nil && at.Start.Term != nil && !at.IsSlice && len(at.Start.Term.SuffixList) == 0 {
		name = at.Start.Term.Str
	}
	switch {
	case at.Name != "":
		return at.Name
	case name != nil && len(name.Queries) == 0:
		return name.Str
	}
	return ""
}

// of is one row's key. A row without a key could be any intent's.
func (k rowKey) of(ctx context.Context, row map[string]any) (string, *failure) {
	if s, ok := row[k.column].(string); ok && k.column != "" && s != "" { // millions of rows come this way
		return s, nil
	}
	s, _, f := k.expression.text(ctx, row)
	switch {
	case f != nil:
		return "", fail(f.cause, "has a key that row_key %s can't read.", k.text)
	case s == "":
		return "", fail("malformed", "has no key by row_key %s.", k.text)
	}
	return s, nil
}

// checked is of for a row that is read for the first time. No intent's key holds a sign
// that ends a line: several rows are then taken for one.
func (k rowKey) checked(row map[string]any) (string, *failure) {
	s, f := k.of(context.Background(), row)
	if f == nil && endsLines(s) {
		f = fail("malformed", "has a key that holds a control character or a line separator, so that several rows may stand in it.")
	}
	return s, f
}

// endsLines: control characters, and the two signs by which Unicode separates lines.
func endsLines(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' })
}
