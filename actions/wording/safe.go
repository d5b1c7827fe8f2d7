package wording

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// maxMarks bounds the combining marks on one base character. Living scripts need
// up to four; a taller stack is there to climb into other lines.
const maxMarks = 4

// Safe makes foreign text fit for one line of a terminal. Control and escape
// characters, bidirectional controls, zero-width and other invisible characters,
// separators, tag characters, spaces that pass for a plain one, and bytes that
// are not UTF-8 come out as visible escapes (\n, \x1b, \u202e, \xff). Letters of
// any script, ideographs, emoji and ordinary combining marks stay. What comes
// out takes as many cells as Width says, and joins with nothing before or after
// it. Safe of something safe is the same text.
func Safe(s string) string { return makeSafe(s, false) }

// SafeBlock is Safe for text of several lines: line ends stay (as \n), a tab
// becomes four spaces, everything else is treated as Safe treats it.
func SafeBlock(s string) string { return makeSafe(s, true) }

func makeSafe(s string, block bool) string {
	if plain(s) {
		return s
	}
	var out strings.Builder
	out.Grow(len(s) + 16)
	base, marks := false, 0 // whether a mark has something to sit on, and how many sit there
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		rest := s[i+size:]
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&out, `\x%02x`, s[i])
			base = false
		case block && r == '\r' && strings.HasPrefix(rest, "\n"):
			// The line end itself follows.
		case block && (r == '\n' || r == '\t'):
			out.WriteString(map[rune]string{'\n': "\n", '\t': "    "}[r])
			base = false
		case regional(r) && !asciiOnly.Load():
			base, marks = writeFlag(&out, r, rest), 0
			if base {
				size += utf8.RuneLen(r)
			}
		case r > unicode.MaxASCII && asciiOnly.Load():
			out.WriteString(escape(r))
			base = false
		case !shown(r) || joinsNext(r) || joinsLast(r) && (!base || marks == maxMarks):
			out.WriteString(escape(r))
			base = base && joinsLast(r) // the rest of a runaway stack is still a stack
		case joinsLast(r):
			out.WriteRune(r)
			marks++
		default:
			out.WriteRune(r)
			base, marks = r != ' ' && r != ideographicSpace, 0
		}
		i += size
	}
	return out.String()
}

// plain says that s is printable ASCII throughout, as nearly every string is.
func plain(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}

const ideographicSpace = '\u3000'

// shown says that a character has a shape of its own. Spaces other than the plain
// and the ideographic one do not: they pass for a plain space.
func shown(r rune) bool {
	if r == ideographicSpace {
		return true
	}
	return unicode.IsPrint(r) &&
		!unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) &&
		r != '\u2800' // braille blank
}

// joinsLast says that r becomes one unit with the character before it: combining
// marks, skin tones, the vowel signs of some scripts.
func joinsLast(r rune) bool {
	return r >= 0x300 && oneCluster("x"+string(r))
}

// joinsNext says that r becomes one unit with whatever comes after it, which may
// be the screen's own text.
func joinsNext(r rune) bool {
	return r >= 0x600 && !unicode.IsMark(r) && oneCluster(string(r)+"x")
}

func oneCluster(s string) bool {
	cluster, _ := ansi.FirstGraphemeCluster(s, ansi.WcWidth)
	return len(cluster) == len(s)
}

func regional(r rune) bool { return r >= 0x1F1E6 && r <= 0x1F1FF }

// writeFlag writes two regional indicators as the flag they make. A lone one is
// escaped, since terminals disagree on its width.
func writeFlag(out *strings.Builder, r rune, rest string) (pair bool) {
	next, _ := utf8.DecodeRuneInString(rest)
	if !regional(next) {
		out.WriteString(escape(r))
		return false
	}
	out.WriteRune(r)
	out.WriteRune(next)
	return true
}

func escape(r rune) string {
	switch {
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case r < 0x80:
		return fmt.Sprintf(`\x%02x`, r)
	case r <= 0xffff:
		return fmt.Sprintf(`\u%04x`, r)
	default:
		return fmt.Sprintf(`\U%08x`, r)
	}
}
