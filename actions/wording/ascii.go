package wording

import (
	"strings"
	"sync/atomic"
	"unicode"
)

// asciiOnly belongs to the process, as its locale does.
var asciiOnly atomic.Bool

// SetASCII says, once and before anything is shown, that the process's terminal takes
// ASCII only. From then on Safe turns every other letter of foreign text into a
// visible escape, and what is cut ends with a tilde.
func SetASCII(only bool) { asciiOnly.Store(only) }

// ASCII says whether the terminal takes ASCII only.
func ASCII() bool { return asciiOnly.Load() }

// InASCII puts ASCII in the place of the characters that the program itself draws and
// writes sentences with, cell by cell, so that no line changes its width. Foreign text
// is not for it: two keys that differ must go on differing (Safe).
func InASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r <= unicode.MaxASCII {
			return r
		}
		if plain, ok := inASCII[r]; ok {
			return plain
		}
		return '?'
	}, s)
}

var inASCII = map[rune]rune{
	'…': '~', '·': '.', '×': 'x', '“': '"', '”': '"', '‘': '\'', '’': '\'', '–': '-', '—': '-',
	'→': '>', '←': '<', '↑': '^', '↓': 'v', '▶': '>', '◀': '<', '▲': '^', '▼': 'v',
	'│': '|', '─': '-', '━': '=', '╌': '-', '┊': '|', '┃': '|', '▌': '>', '█': '#', '░': '.', '●': '*', '○': 'o', '◆': '*', '✓': '+', '✗': 'x',
}

// Locale says whether a terminal takes UTF-8, as the locale of its environment tells:
// the first of LC_ALL, LC_CTYPE and LANG that is set. None is POSIX's C locale, ASCII.
func Locale(get func(string) string) (utf8 bool) {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := get(name); value != "" {
			charset := strings.ToLower(strings.ReplaceAll(value, "-", ""))
			return strings.Contains(charset, "utf8")
		}
	}
	return false
}
