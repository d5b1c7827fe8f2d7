package lookup

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Redacted stands where a secret stood.
const Redacted = "[redacted]"

// shortSecret is the length in bytes below which a value is too short to be
// looked for inside words: it would be found everywhere. Such a value is
// replaced only where it stands as a word of its own.
const shortSecret = 4

// redactor takes secrets out of whatever is kept of an answer: as they are, and
// as they look after the usual encodings.
type redactor struct {
	spellings []string // every spelling of every secret, longest first
	replacer  *strings.Replacer
	short     *regexp.Regexp // nil: none
	pieces    pieces
}

// newRedactor looks for secrets everywhere, and for words only where they stand alone.
func newRedactor(secrets []string, words ...string) *redactor {
	r := &redactor{pieces: newPieces(secrets)}
	var alone []string
	for _, s := range words {
		alone = append(alone, regexp.QuoteMeta(s))
	}
	for _, s := range secrets {
		if len(s) < shortSecret {
			if s != "" {
				alone = append(alone, regexp.QuoteMeta(s))
			}
			continue
		}
		r.spellings = append(r.spellings, spellings(s)...)
	}
	slices.SortFunc(r.spellings, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	r.spellings = slices.Compact(r.spellings)
	var pairs []string
	for _, s := range r.spellings {
		pairs = append(pairs, s, Redacted)
	}
	r.replacer = strings.NewReplacer(pairs...)
	if alone != nil {
		r.short = regexp.MustCompile(`(^|[^\pL\pN])(?:` + strings.Join(alone, "|") + `)($|[^\pL\pN])`)
	}
	return r
}

// spellings are a secret as it is and as the usual encodings write it.
func spellings(s string) []string {
	query, path := url.QueryEscape(s), url.PathEscape(s)
	quoted, _ := json.Marshal(s) // a string always marshals
	all := []string{
		s, strings.TrimSpace(s), query, path, strings.ReplaceAll(query, "+", "%20"), lowerEscapes(query), lowerEscapes(path),
		string(quoted[1 : len(quoted)-1]), strings.ReplaceAll(s, "/", `\/`), html.EscapeString(s),
		hex.EncodeToString([]byte(s)), strings.ToUpper(hex.EncodeToString([]byte(s))),
	}
	all = append(all, base64Cores(s, base64.RawStdEncoding)...)
	all = append(all, base64Cores(s, base64.RawURLEncoding)...)
	return slices.DeleteFunc(all, func(s string) bool { return len(s) < shortSecret })
}

var percentEscape = regexp.MustCompile(`%[0-9A-F]{2}`)

func lowerEscapes(s string) string { return percentEscape.ReplaceAllStringFunc(s, strings.ToLower) }

// base64Cores are what base64 makes of s at each of the three places where it can
// begin in a longer text, without the characters that depend on its neighbours.
func base64Cores(s string, encoding *base64.Encoding) []string {
	var cores []string
	for offset := range 3 {
		text := encoding.EncodeToString([]byte(strings.Repeat("\x00", offset) + s))
		from := []int{0, 2, 3}[offset]
		to := len(text)
		if (offset+len(s))%3 != 0 {
			to-- // the last character also holds bits of what follows
		}
		if core := text[from:to]; len(core) >= 6 {
			cores = append(cores, core)
		}
	}
	return cores
}

// text takes every secret out of s.
func (r *redactor) text(s string) string {
	s = r.replacer.Replace(s)
	if r.short == nil {
		return s
	}
	for { // neighbours share the character between them, so once is not enough
		next := r.short.ReplaceAllString(s, "${1}"+Redacted+"${2}")
		if next == s {
			return s
		}
		s = next
	}
}

// cut is text for an s that ends somewhere in the middle of what was sent: a
// secret that was begun is taken out too.
func (r *redactor) cut(s string) string {
	s = r.text(s)
	for _, spelling := range r.spellings {
		for n := len(spelling) - 1; n >= shortSecret; n-- {
			if strings.HasSuffix(s, spelling[:n]) {
				return s[:len(s)-n] + Redacted
			}
		}
	}
	return s
}

// touches says whether a secret, or a piece of one, stands in s.
func (r *redactor) touches(s string) bool {
	return r.pieces.in(s) || slices.ContainsFunc(r.spellings, func(spelling string) bool { return strings.Contains(s, spelling) })
}

// kept is what may be kept of a foreign text out of which the secrets were taken
// already: nothing of it where a piece of one is left.
func (r *redactor) kept(s string) string {
	if r.pieces.in(s) {
		return Withheld
	}
	return s
}

// json takes every secret out of a parsed JSON value, however it was escaped, and
// writes the value again on one line.
func (r *redactor) json(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(r.walk(v)) != nil {
		return ""
	}
	return r.text(strings.TrimSuffix(b.String(), "\n"))
}

func (r *redactor) walk(v any) any {
	switch v := v.(type) {
	case string:
		return r.text(v)
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = r.walk(e)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[r.text(k)] = r.walk(e)
		}
		return out
	}
	return v
}

// start is the beginning of s, at most limit bytes of valid UTF-8.
func start(s string, limit int) string {
	s = strings.ToValidUTF8(s, "�")
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}
