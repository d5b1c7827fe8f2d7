// Package query reads an SQL query of the operator's own configuration as far as
// needed to bind an intent's values to it safely: where its parameters stand, and that
// it is one statement that begins as a reading one. Whether it really only reads is
// the database's to enforce.
package query

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Dialect is a database's spelling of SQL, as far as quotes and parameters go.
type Dialect int

// The databases that can be asked.
const (
	SQLite Dialect = iota
	Postgres
)

// Query is a statement that was read.
type Query struct {
	Text  string   // as the database takes it
	Names []string // what its parameters are bound to, in the order of their numbers
}

// Uses says whether a parameter of that name stands in the query.
func (q Query) Uses(name string) bool { return slices.Contains(q.Names, name) }

// Parse reads one statement with parameters written as :name, of the names that are
// allowed. In Text they are numbered, ?1 or $1. The error's text is a clause about
// the query.
func Parse(text string, d Dialect, allowed ...string) (Query, error) {
	p := &parser{dialect: d, rest: text, allowed: allowed}
	for p.rest != "" {
		if err := p.step(); err != nil {
			return Query{}, err
		}
	}
	if !slices.Contains([]string{"select", "with", "values"}, p.first) {
		return Query{}, errors.New("is not a SELECT")
	}
	return Query{Text: strings.TrimSpace(p.out.String()), Names: p.names}, nil
}

type parser struct {
	dialect Dialect
	rest    string
	before  string // the piece that was taken last
	out     strings.Builder
	allowed []string
	names   []string
	first   string // the first word, in lower case
	ended   bool   // a semicolon was seen
}

var (
	word = regexp.MustCompile(`^[A-Za-z_\x80-\xff][A-Za-z0-9_$\x80-\xff]*`)
	// dollarQuote opens a text in PostgreSQL: $$ or $tag$.
	dollarQuote = regexp.MustCompile(`^\$([A-Za-z_\x80-\xff][A-Za-z0-9_\x80-\xff]*)?\$`)
	parameter   = regexp.MustCompile(`^:([A-Za-z_][A-Za-z0-9_]*)`)
	// foreign are the ways to write a parameter that would stay unbound: SQLite takes
	// such a one for NULL, which nothing equals.
	foreignSQLite   = regexp.MustCompile(`^(\?|[@$#][A-Za-z0-9_]|:)`)
	foreignPostgres = regexp.MustCompile(`^\$[0-9]`)
)

// step takes one piece of the text: a comment, a quoted piece, a word, a parameter or
// a character.
func (p *parser) step() error {
	switch c := p.rest[0]; {
	case strings.HasPrefix(p.rest, "--"):
		n := strings.IndexByte(p.rest, '\n')
		if n < 0 {
			n = len(p.rest)
		}
		p.take(n)
		return nil
	case strings.HasPrefix(p.rest, "/*"):
		return p.comment()
	case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		p.take(1)
		return nil
	case p.ended:
		return errors.New("goes on behind its semicolon, and must be one statement")
	case c == ';':
		p.ended = true
		p.rest = p.rest[1:]
		return nil
	}
	if closing := p.quote(); closing != "" {
		return p.quoted(closing)
	}
	return p.plain()
}

// plain takes a word, a parameter or one character.
func (p *parser) plain() error {
	foreign := foreignSQLite
	if p.dialect == Postgres {
		foreign = foreignPostgres
	}
	switch m := parameter.FindStringSubmatch(p.rest); {
	case m != nil && p.before != "::":
		return p.bind(m[1])
	case p.dialect == Postgres && dollarQuote.MatchString(p.rest):
		return p.quoted(dollarQuote.FindString(p.rest))
	case p.dialect == Postgres && strings.HasPrefix(p.rest, "::"):
		p.take(2)
		return nil
	case foreign.MatchString(p.rest):
		return fmt.Errorf("has a parameter that is not written as :name: %q", foreign.FindString(p.rest))
	}
	if name := word.FindString(p.rest); name != "" {
		if p.first == "" {
			p.first = strings.ToLower(name)
		}
		p.take(len(name))
		return nil
	}
	if p.first == "" && p.rest[0] != '(' {
		p.first = p.rest[:1]
	}
	p.take(1)
	return nil
}

func (p *parser) take(n int) {
	p.out.WriteString(p.rest[:n])
	p.before = p.rest[:n]
	p.rest = p.rest[n:]
}

// bind puts a number in the place of a name.
func (p *parser) bind(name string) error {
	if !slices.Contains(p.allowed, name) {
		return fmt.Errorf("has the parameter :%s, which is not known", name)
	}
	at := slices.Index(p.names, name)
	if at < 0 {
		at = len(p.names)
		p.names = append(p.names, name)
	}
	mark := "?"
	if p.dialect == Postgres {
		mark = "$"
	}
	p.out.WriteString(mark + strconv.Itoa(at+1))
	p.before = ""
	p.rest = p.rest[1+len(name):]
	return nil
}

// comment takes a comment; PostgreSQL's are nested. SQLite lets one stand open to the
// end of the text, which nobody means.
func (p *parser) comment() error {
	depth, n := 1, 2
	for n < len(p.rest) && depth > 0 {
		switch {
		case strings.HasPrefix(p.rest[n:], "*/"):
			depth--
			n += 2
		case p.dialect == Postgres && strings.HasPrefix(p.rest[n:], "/*"):
			depth++
			n += 2
		default:
			n++
		}
	}
	if depth > 0 {
		return errors.New("has a comment that is never closed")
	}
	p.take(n)
	return nil
}

// quote is what closes a quoted piece that begins here, "" where none does.
func (p *parser) quote() string {
	switch c := p.rest[0]; {
	case c == '\'' || c == '"':
		return string(c)
	case p.dialect == SQLite && c == '`':
		return "`"
	case p.dialect == SQLite && c == '[':
		return "]"
	}
	return ""
}

// quoted takes a quoted piece. A doubled quote stands for itself, which reads as two
// pieces side by side; in PostgreSQL's E'…' a backslash escapes.
func (p *parser) quoted(closing string) error {
	opening := len(closing)
	escapes := p.dialect == Postgres && closing == "'" && strings.EqualFold(p.before, "e")
	for n := opening; n < len(p.rest); n++ {
		switch {
		case escapes && p.rest[n] == '\\':
			n++
		case strings.HasPrefix(p.rest[n:], closing):
			if escapes && strings.HasPrefix(p.rest[n+1:], "'") {
				n++
				continue
			}
			if p.first == "" {
				p.first = closing
			}
			p.take(n + len(closing))
			return nil
		}
	}
	return errors.New("has a quote that is never closed")
}
