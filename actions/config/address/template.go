// Package address parses, checks and fills the URLs of an operator's
// configuration (design §7). The pattern is the operator's; what is filled in
// comes from the ledger, which agents write, and is escaped.
//
// What it must never do: let a filled-in value choose the host, add or remove a
// path segment, or add a query parameter. Its errors never repeat the URL, which
// may hold a secret.
package address

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Template is a URL in which {placeholders} stand for values of an intent.
type Template struct {
	parts  []part
	host   string // as the pattern has it, port included
	scheme string
}

type part struct {
	text        string // literal text, or a placeholder's name
	placeholder bool
	query       bool // stands behind the first question mark
}

// Error is a pattern that can't be used: what is wrong and what to write instead.
type Error struct{ What, Mend string }

func (e *Error) Error() string { return e.What + ". " + e.Mend }

// Parse reads a pattern. Only the named placeholders are allowed, only in path
// and query, and the rest must be an absolute http or https URL.
func Parse(pattern string, allowed ...string) (Template, error) {
	if at := strings.IndexFunc(pattern, notForURLs); at >= 0 {
		return Template{}, &Error{
			fmt.Sprintf("character %d of the URL is a blank or a control character", at+1),
			"Remove it, or write a blank as %20"}
	}
	parts, err := split(pattern, allowed)
	if err != nil {
		return Template{}, err
	}
	if err := placeholdersBehindHost(parts); err != nil {
		return Template{}, err
	}
	u, err := check(plain(parts, "x"))
	if err != nil {
		return Template{}, err
	}
	if dotted(segments(plain(parts, "x"))) {
		return Template{}, &Error{"the URL's path has a segment . or ..", "Write the path as it is meant, without them"}
	}
	return Template{parts: parts, host: u.Host, scheme: u.Scheme}, nil
}

func notForURLs(r rune) bool { return r <= ' ' || r == 0x7f }

// split cuts a pattern into literal text and placeholders.
func split(pattern string, allowed []string) ([]part, error) {
	braces := &Error{"the URL has a { or } that belongs to no placeholder", "Write it as %7B or %7D"}
	var parts []part
	query := false
	literal := func(text string) error {
		if strings.ContainsAny(text, "{}") {
			return braces
		}
		for rest := text; rest != ""; {
			before, after, found := strings.Cut(rest, "?")
			if query || !found {
				parts = append(parts, part{text: rest, query: query})
				return nil
			}
			parts = append(parts, part{text: before + "?"})
			query, rest = true, after
		}
		return nil
	}
	for {
		open := strings.IndexByte(pattern, '{')
		if open < 0 {
			return parts, literal(pattern)
		}
		if err := literal(pattern[:open]); err != nil {
			return nil, err
		}
		name, rest, closed := strings.Cut(pattern[open+1:], "}")
		if !closed {
			return nil, braces
		}
		if !slices.Contains(allowed, name) {
			return nil, &Error{fmt.Sprintf("the URL has an unknown placeholder {%s}", name), "Write one of " + list(allowed)}
		}
		parts = append(parts, part{text: name, placeholder: true, query: query})
		pattern = rest
	}
}

func list(names []string) string { return "{" + strings.Join(names, "} {") + "}" }

// placeholdersBehindHost refuses a placeholder in scheme, user or host: what an
// agent wrote must never choose who is asked.
func placeholdersBehindHost(parts []part) error {
	before := ""
	for _, p := range parts {
		if !p.placeholder {
			before += p.text
			continue
		}
		_, authority, _ := strings.Cut(before, "://")
		if !strings.ContainsAny(authority, "/?") {
			return &Error{fmt.Sprintf("the URL has the placeholder {%s} in or before its host", p.text),
				"Write the host out; placeholders may stand in path and query only"}
		}
	}
	return nil
}

// plain is the pattern with one word in place of every placeholder.
func plain(parts []part, word string) string {
	var b strings.Builder
	for _, p := range parts {
		if p.placeholder {
			b.WriteString(word)
		} else {
			b.WriteString(p.text)
		}
	}
	return b.String()
}

// check says whether raw is an absolute http(s) URL that can be asked.
func check(raw string) (*url.URL, error) {
	const mend = "Write an absolute URL such as https://inbox.internal/deliveries/{op_key}"
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return nil, &Error{"this is not a URL", mend}
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, &Error{"the URL does not begin with http:// or https://", mend}
	case u.Hostname() == "" || u.Opaque != "":
		return nil, &Error{"the URL names no host", mend}
	case u.User != nil:
		return nil, &Error{"the URL holds a user name or password", "Remove it and write it as a header, with ${VARIABLE} for what is secret"}
	case strings.Contains(raw, "#"):
		return nil, &Error{"the URL has a part behind #, which is never sent", "Remove it, or write # as %23"}
	}
	if port := u.Port(); port != "" || strings.HasSuffix(u.Host, ":") {
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return nil, &Error{"the URL's port is not a number from 1 to 65535", mend}
		}
	}
	return u, nil
}

// segments are the escaped path segments of a URL.
func segments(raw string) []string {
	_, rest, _ := strings.Cut(raw, "://")
	path, _, _ := strings.Cut(rest, "?")
	slash := strings.IndexByte(path, '/')
	if slash < 0 {
		return nil
	}
	return strings.Split(path[slash+1:], "/")
}

func dotted(segments []string) bool {
	for _, s := range segments {
		decoded, err := url.PathUnescape(s)
		if err != nil || decoded == "." || decoded == ".." {
			return true
		}
	}
	return false
}

// Uses says whether the pattern has a placeholder of that name.
func (t Template) Uses(name string) bool {
	return slices.ContainsFunc(t.parts, func(p part) bool { return p.placeholder && p.text == name })
}

// InPath says whether a placeholder of that name stands in the path.
func (t Template) InPath(name string) bool {
	return slices.ContainsFunc(t.parts, func(p part) bool { return p.placeholder && p.text == name && !p.query })
}

// Placeholders counts the placeholders.
func (t Template) Placeholders() int {
	n := 0
	for _, p := range t.parts {
		if p.placeholder {
			n++
		}
	}
	return n
}

// Host is the host that every filled URL asks, with its port if one is written.
func (t Template) Host() string { return t.host }
