package address

import (
	"fmt"
	"net/url"
	"strings"
)

// MaxURL bounds a filled URL, in bytes; servers commonly stop at 8 KiB.
const MaxURL = 8 << 10

// UnsafeError is a value that can't be filled in without the URL meaning
// something else.
type UnsafeError struct{ Why string }

func (e *UnsafeError) Error() string { return e.Why }

// Fill puts values into the pattern, escaped for the place where each stands. It
// returns *UnsafeError for a value that would change what the URL means even
// when escaped: empty, '.' or '..' as a path segment, or as a piece of one
// between slashes, since servers that decode before they clean a path would walk
// it.
func (t Template) Fill(values map[string]string) (string, error) {
	var b strings.Builder
	for _, p := range t.parts {
		if !p.placeholder {
			b.WriteString(p.text)
			continue
		}
		value := values[p.text]
		if p.query {
			b.WriteString(escapeQuery(value))
			continue
		}
		if piece, ok := unsafePiece(value); ok {
			return "", &UnsafeError{fmt.Sprintf("the %s can't stand in a URL's path: it is, or has between slashes, %s", p.text, piece)}
		}
		b.WriteString(url.PathEscape(value))
	}
	filled := b.String()
	if len(filled) > MaxURL {
		return "", &UnsafeError{fmt.Sprintf("the URL would have %d bytes; the most is %d", len(filled), MaxURL)}
	}
	return filled, t.unchanged(filled)
}

// escapeQuery escapes for a query value. A blank becomes %20, which every reader
// of queries understands; a plus sign is a blank to only some of them.
func escapeQuery(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }

// unsafePiece finds an empty or dotted piece between slashes or backslashes.
func unsafePiece(value string) (string, bool) {
	for _, piece := range strings.Split(strings.ReplaceAll(value, `\`, "/"), "/") {
		switch piece {
		case "":
			return "nothing", true
		case ".", "..":
			return "'" + piece + "'", true
		}
	}
	return "", false
}

// unchanged holds a filled URL against its pattern: same scheme and host, as many
// path segments, no dotted one, as many query parameters.
func (t Template) unchanged(filled string) error {
	broken := &UnsafeError{"a value of this intent would change where the URL points"}
	u, err := url.Parse(filled)
	if err != nil || u.Scheme != t.scheme || u.Host != t.host || u.User != nil || u.Fragment != "" {
		return broken
	}
	pattern := plain(t.parts, "x")
	before, after := segments(pattern), segments(filled)
	if len(before) != len(after) || dotted(after) {
		return broken
	}
	_, queryBefore, _ := strings.Cut(pattern, "?")
	if strings.Count(queryBefore, "&") != strings.Count(u.RawQuery, "&") {
		return broken
	}
	return nil
}
