package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"triage/ledger"
)

// otherwise matches plain text that one YAML reader or another takes for
// something else: numbers in every spelling, truth values and nothing of YAML
// 1.1, dates, times of day. Quotes make clear what is meant.
var otherwise = regexp.MustCompile(`^(?i:` +
	`[-+]?[0-9][0-9_,]*|[-+]?0[xob][0-9a-f_]+|[-+]?([0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)(e[-+]?[0-9]+)?|[-+]?\.(inf|nan)` +
	`|y|n|yes|no|on|off|true|false|null|~|=|<<` +
	`|[0-9]{1,4}-[0-9]{1,2}-[0-9]{1,2}([t ].*)?|[0-9]+(:[0-9]+)+(\.[0-9]*)?)$`)

// scalar is text that could be read as nothing but text: an id or a name.
func (v value) scalar() (string, error) {
	n, ok := v.node.(*ast.StringNode)
	if !ok {
		switch v.node.Type() {
		case ast.IntegerType, ast.FloatType, ast.BoolType, ast.InfinityType, ast.NanType:
			return "", v.quote(v.node.GetToken().Value)
		}
		return "", v.expected("a name", "Write the name behind it")
	}
	if n.Token.Type == token.StringType && otherwise.MatchString(n.Value) {
		return "", v.quote(n.Value)
	}
	switch {
	case n.Value == "":
		return "", v.fail(v.name()+" is empty", "Write a name, or leave the key out")
	case utf8.RuneCountInString(n.Value) > 255:
		return "", v.fail(v.name()+" has more than 255 characters", "Shorten it")
	case strings.ContainsFunc(n.Value, control):
		return "", v.fail(v.name()+" has a line break or control character", "Remove it")
	}
	return n.Value, nil
}

func (v value) quote(text string) error {
	return v.fail(fmt.Sprintf("%s must be text, and YAML may read %s as something else", v.name(), text),
		fmt.Sprintf("Put it in quotes: %q", text))
}

func control(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }

// id is a name that is compared with what the ledger or a receiver says.
func (v value) id() (string, error) {
	s, err := v.scalar()
	if err != nil {
		return "", err
	}
	return s, v.noVariable(s)
}

// text is words for people.
func (v value) text() (string, error) {
	var s string
	switch n := v.node.(type) {
	case *ast.StringNode:
		s = n.Value
	case *ast.LiteralNode:
		s = n.Value.Value
	default:
		return "", v.expected("text", "Write it in double quotes, or leave the key out")
	}
	s = strings.TrimRight(s, "\n")
	if strings.TrimSpace(s) == "" {
		return "", v.fail(v.name()+" is empty", "Write a value, or leave the key out")
	}
	return s, nil
}

// words is text in which no variable is filled in.
func (v value) words() (string, error) {
	s, err := v.text()
	if err != nil {
		return "", err
	}
	return s, v.noVariable(s)
}

// noVariable refuses ${…} where it would silently stay as it is.
func (v value) noVariable(s string) error {
	if strings.Contains(s, "${") {
		return v.fail(v.name()+" holds ${, and variables are filled in only in url, headers, proxy, env and postgres", "Write the value itself")
	}
	return nil
}

// boolean is true or false.
func (v value) boolean() (bool, error) {
	n, ok := v.node.(*ast.BoolNode)
	if !ok {
		return false, v.expected("true or false", "Write true or false, without quotes")
	}
	return n.Value, nil
}

// oneOf is one of a few words.
func oneOf[T ~string](allowed ...T) func(value) (T, error) {
	return func(v value) (T, error) {
		var names []string
		for _, a := range allowed {
			names = append(names, string(a))
		}
		mend := "Write one of " + strings.Join(names, ", ")
		n, ok := v.node.(*ast.StringNode)
		if !ok {
			return "", v.expected("a word", mend)
		}
		if !slices.Contains(allowed, T(n.Value)) {
			return "", v.fail(fmt.Sprintf("%s can't be %q", v.name(), n.Value), mend)
		}
		return T(n.Value), nil
	}
}

// instant is a point in time with its zone.
func (v value) instant() (ledger.Millis, error) {
	const mend = "Write date, time and zone, such as 2026-11-30T00:00:00Z"
	n, ok := v.node.(*ast.StringNode)
	if !ok {
		return 0, v.expected("an instant", mend)
	}
	t, err := time.Parse(time.RFC3339, n.Value)
	if err != nil {
		return 0, v.fail(fmt.Sprintf("%s is not an instant with a zone: %q", v.name(), n.Value), mend)
	}
	if t.Year() < 2000 || t.Year() >= 2200 {
		return 0, v.fail(v.name()+" lies outside the years 2000 to 2199", mend)
	}
	return ledger.At(t), nil
}
