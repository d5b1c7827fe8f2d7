package config

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// file is a configuration file being read.
type file struct {
	path   string
	getenv func(string) (string, bool)
}

// parse reads the one YAML document of a file. nil is a file without settings.
// Several documents are an error: the library would take the first and say
// nothing of the rest.
func (f *file) parse(raw []byte) (root *value, err error) {
	raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	if err := f.printable(raw); err != nil {
		return nil, err
	}
	defer func() {
		if recover() != nil { // the parser is not ours: a file must never end the program
			root, err = nil, &Error{Path: f.path, What: "this is not YAML that can be read", Mend: "Compare it with the example in docs/configuration.md"}
		}
	}()
	parsed, err := parser.ParseBytes(raw, 0, parser.AllowDuplicateMapKey()) // duplicates are refused where mappings are read
	if err != nil {
		return nil, f.syntax(err)
	}
	for n, doc := range parsed.Docs {
		if n > 0 {
			return nil, &Error{Path: f.path, Line: docLine(doc), What: "a second document begins here",
				Mend: "Keep one document in the file: remove the line with --- or ... and put all settings under one set of keys"}
		}
		if doc.Body == nil || doc.Body.Type() == ast.NullType {
			continue
		}
		root = &value{file: f, node: doc.Body}
		if doc.Body.Type() == ast.DirectiveType {
			return nil, root.fail("a line that begins with % is not supported", "Remove it")
		}
	}
	return root, nil
}

// docLine is the line on which a later document begins.
func docLine(doc *ast.DocumentNode) int {
	if doc.Start != nil && doc.Start.Position != nil {
		return doc.Start.Position.Line
	}
	if doc.Body != nil && doc.Body.GetToken() != nil {
		return doc.Body.GetToken().Position.Line
	}
	return 0
}

// printable refuses what no editor shows.
func (f *file) printable(raw []byte) error {
	line := 1
	for rest := raw; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		switch {
		case r == utf8.RuneError && size == 1:
			return &Error{Path: f.path, Line: line, What: "this line is not UTF-8 text", Mend: "Save the file as UTF-8"}
		case r == '\n':
			line++
		case r != '\t' && r != '\r' && (r < ' ' || r >= 0x7f && r < 0xa0):
			return &Error{Path: f.path, Line: line, What: fmt.Sprintf("this line has the control character U+%04X", r), Mend: "Remove it"}
		}
		rest = rest[size:]
	}
	return nil
}

// syntax puts a parser's complaint into an Error.
func (f *file) syntax(err error) error {
	e := &Error{Path: f.path, What: "this is not YAML that can be read", Mend: "Check indentation and quotes; a value with : # { } or @ is safe in double quotes"}
	var parsed yaml.Error
	if errors.As(err, &parsed) {
		e.What = "this is not YAML: " + parsed.GetMessage()
		if t := parsed.GetToken(); t != nil && t.Position != nil {
			e.Line, e.Column = t.Position.Line, t.Position.Column
		}
	}
	return e
}
