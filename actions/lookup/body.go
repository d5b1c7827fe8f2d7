package lookup

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	maxDepth        = 200 // nested lists and objects
	maxNumberDigits = 512 // bytes of one number
)

// checkJSONType refuses an answer that says it is something else than JSON: a
// proxy's or login page's HTML must never be read as the receiver's word. An
// answer that says nothing about its type is judged by its content. What the header
// says is not quoted, only recognised: it may repeat a secret.
func checkJSONType(h http.Header) *failure {
	types := h.Values("Content-Type")
	if len(types) == 0 {
		return nil
	}
	if len(types) > 1 {
		return fail("not_json", "The answer names several content types.")
	}
	name, params, err := mime.ParseMediaType(types[0])
	if err != nil {
		return fail("not_json", "The answer's content type can't be read.")
	}
	if name != "application/json" && name != "text/json" && !strings.HasSuffix(name, "+json") {
		return fail("not_json", "The answer is %s, not JSON; it may come from a proxy or a login page.", cmp.Or(otherTypes[name], "something else"))
	}
	if charset := strings.ToLower(params["charset"]); !slices.Contains([]string{"", "utf-8", "utf8", "us-ascii"}, charset) {
		return fail("not_json", "The answer says that its character set is not UTF-8.")
	}
	return nil
}

// otherTypes are the content types that a failure names.
var otherTypes = map[string]string{
	"text/html": "HTML", "application/xhtml+xml": "HTML", "text/plain": "plain text", "text/xml": "XML", "application/xml": "XML",
}

// parseJSON reads one JSON object, list or word, exactly: numbers keep every
// digit (as json.Number), and nothing is repaired. What one reader takes this way
// and another that way is refused: duplicate keys, broken UTF-8, half surrogates,
// anything behind the value.
func parseJSON(raw []byte) (any, *failure) {
	if !utf8.Valid(raw) {
		return nil, fail("malformed", "The answer is not valid UTF-8.")
	}
	if halfSurrogate(raw) {
		return nil, fail("malformed", "The answer holds half of a UTF-16 pair.")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	v, err := readValue(d, 0)
	if err != nil {
		return nil, jsonFailure(err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fail("malformed", "The answer goes on behind its JSON value.")
	}
	if _, number := v.(json.Number); number { // a connection cut inside a number leaves a shorter number
		return nil, fail("malformed", "The answer is a bare number.")
	}
	return v, nil
}

// jsonError is a rule of this package that a JSON text breaks.
type jsonError string

func (e jsonError) Error() string { return string(e) }

func jsonFailure(err error) *failure {
	var own jsonError
	switch {
	case errors.As(err, &own):
		return fail("malformed", "The answer's JSON %s.", string(own))
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return fail("truncated", "The answer's JSON ends in the middle.")
	}
	return fail("malformed", "The answer is not JSON that can be read.")
}

func readValue(d *json.Decoder, depth int) (any, error) {
	if depth > maxDepth {
		return nil, jsonError("is nested too deeply")
	}
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case json.Delim:
		if t == '{' {
			return readObject(d, depth)
		}
		return readList(d, depth)
	case json.Number:
		if len(t) > maxNumberDigits {
			return nil, jsonError("has a number that is too long")
		}
		return t, nil
	}
	return t, nil
}

func readObject(d *json.Decoder, depth int) (any, error) {
	object := map[string]any{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		key, ok := t.(string)
		if !ok {
			return nil, jsonError("can't be read")
		}
		if _, twice := object[key]; twice {
			return nil, jsonError("has one key twice in an object")
		}
		if object[key], err = readValue(d, depth+1); err != nil {
			return nil, err
		}
	}
	_, err := d.Token()
	return object, err
}

func readList(d *json.Decoder, depth int) (any, error) {
	list := []any{}
	for d.More() {
		v, err := readValue(d, depth+1)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	_, err := d.Token()
	return list, err
}

// halfSurrogate finds a \u escape of half a UTF-16 pair, which the JSON package
// would silently turn into U+FFFD.
func halfSurrogate(raw []byte) bool {
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		unit, ok := escapedUnit(raw[i:])
		switch {
		case !ok:
			i++ // another escape: skip what it escapes
		case unit >= 0xdc00 && unit < 0xe000:
			return true
		case unit >= 0xd800 && unit < 0xdc00:
			low, ok := escapedUnit(raw[i+6:])
			if !ok || low < 0xdc00 || low >= 0xe000 {
				return true
			}
			i += 11
		default:
			i += 5
		}
	}
	return false
}

// escapedUnit reads a \uXXXX at the start of b.
func escapedUnit(b []byte) (unit rune, ok bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	for _, c := range b[2:6] {
		digit := strings.IndexByte("0123456789abcdef", c|0x20)
		if digit < 0 {
			return 0, false
		}
		unit = unit<<4 | rune(digit) //nolint:gosec // a hexadecimal digit, at most 15
	}
	return unit, true
}
