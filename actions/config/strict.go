package config

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// value is one place in the file.
type value struct {
	file *file
	node ast.Node
	key  *token.Token // the key before it; nil at the root
	at   string       // its keys from the root, joined by dots
}

// position is where the value's text begins, or its key where it has no text.
func (v value) position() (line, column int) {
	t := v.node.GetToken()
	if _, scalar := v.node.(ast.ScalarNode); v.key != nil && (!scalar || v.node.Type() == ast.NullType) {
		t = v.key
	}
	if t == nil || t.Position == nil {
		return 0, 0
	}
	return t.Position.Line, t.Position.Column
}

func (v value) fail(what, mend string) error {
	line, column := v.position()
	return &Error{Path: v.file.path, Line: line, Column: column, What: what, Mend: mend}
}

// name is the value's own key, for sentences.
func (v value) name() string {
	if v.at == "" {
		return "the file"
	}
	return v.at
}

// kind says in plain words what stands at a node.
func kind(n ast.Node) string {
	switch n.Type() {
	case ast.NullType:
		return "nothing"
	case ast.BoolType:
		return "true or false"
	case ast.IntegerType, ast.FloatType, ast.InfinityType, ast.NanType:
		return "a number"
	case ast.StringType, ast.LiteralType:
		return "text"
	case ast.SequenceType:
		return "a list"
	case ast.MappingType, ast.MappingValueType:
		return "a set of keys"
	case ast.AnchorType, ast.AliasType, ast.MergeKeyType:
		return "a YAML anchor or alias"
	case ast.TagType:
		return "a YAML tag"
	}
	return "something else"
}

// expected is the error for a value of the wrong kind.
func (v value) expected(what, mend string) error {
	switch v.node.Type() {
	case ast.AnchorType, ast.AliasType, ast.TagType, ast.MergeKeyType:
		return v.fail(fmt.Sprintf("%s uses %s, which is not supported here", v.name(), kind(v.node)), "Write the value out")
	}
	return v.fail(fmt.Sprintf("%s must be %s, and here stands %s", v.name(), what, kind(v.node)), mend)
}

// entry is one key of a mapping with its value.
type entry struct {
	name  string
	value value
	keyAt value // the key itself, for errors about it
}

// entries are a mapping's keys and values, in the file's order. Keys must be
// text; one that appears twice is refused.
func (v value) entries() ([]entry, error) {
	var pairs []*ast.MappingValueNode
	switch n := v.node.(type) {
	case *ast.MappingNode:
		pairs = n.Values
	case *ast.MappingValueNode:
		pairs = []*ast.MappingValueNode{n}
	default:
		return nil, v.expected("a set of keys", "Write its keys below it, each indented by two blanks, or leave it out")
	}
	var entries []entry
	seen := map[string]int{}
	for _, p := range pairs {
		keyAt := value{file: v.file, node: p.Key, at: "a key of " + v.name()}
		name, err := keyAt.scalar()
		if err != nil {
			return nil, err
		}
		line, _ := keyAt.position()
		if before, twice := seen[name]; twice {
			return nil, keyAt.fail(fmt.Sprintf("the key %q appears twice; the first is on line %d", name, before), "Remove one of the two, or give it another name")
		}
		seen[name] = line
		at := strings.TrimPrefix(v.at+"."+name, ".")
		entries = append(entries, entry{name, value{file: v.file, node: p.Value, key: p.Key.GetToken(), at: at}, keyAt})
	}
	return entries, nil
}

// setting is one key that the format knows.
type setting struct {
	name string
	read func(value) error
}

// into is a setting whose value is read into a place.
func into[T any](name string, place *T, read func(value) (T, error)) setting {
	return setting{name, func(v value) error {
		got, err := read(v)
		if err == nil {
			*place = got
		}
		return err
	}}
}

// later is a key that the format reserves and this version can't use.
func later(name string) setting {
	return setting{name, func(v value) error {
		return v.fail(fmt.Sprintf("%s is not supported by this version of triage", v.name()), "Remove it, or use a version that supports it")
	}}
}

// settings reads a mapping whose keys are all known.
func (v value) settings(known ...setting) error {
	entries, err := v.entries()
	if err != nil {
		return err
	}
	readers := map[string]func(value) error{}
	var names []string
	for _, s := range known {
		readers[s.name] = s.read
		names = append(names, s.name)
	}
	for _, e := range entries {
		read, ok := readers[e.name]
		if !ok {
			return e.keyAt.fail(fmt.Sprintf("unknown key %q in %s", e.name, v.name()), "Write one of "+strings.Join(names, ", "))
		}
		if err := read(e.value); err != nil {
			return err
		}
	}
	return nil
}
