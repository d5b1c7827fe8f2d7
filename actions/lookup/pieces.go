package lookup

import (
	"encoding/base64"
	"encoding/hex"
	"html"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

const (
	// pieceLength is how many characters of a secret in a row give it away.
	pieceLength = 8
	// hexPieceLength is as many characters in hexadecimal.
	hexPieceLength = 2 * pieceLength
	// maxDecodings is how many layers of escapes are taken off.
	maxDecodings = 3
)

// Withheld stands for a text that repeats part of a secret.
const Withheld = "[withheld: the answer repeats a secret]"

// pieces are the runs of characters that secrets consist of, folded: in lower
// case, without blanks or without anything but letters and digits. What is kept of
// an answer must hold none. That no piece is kept as it is, is certain; encodings
// are looked through as far as the usual ones go.
type pieces map[string]struct{}

func newPieces(secrets []string) pieces {
	p := pieces{}
	for _, s := range secrets {
		for _, scheme := range []string{"https://", "http://"} { // these say nothing, and stand in many answers
			s = strings.TrimPrefix(s, scheme)
		}
		p.add(withoutBlanks(s), pieceLength)
		p.add(lettersAndDigits(s), pieceLength)
		if len([]rune(s)) < pieceLength {
			continue
		}
		p.add(hex.EncodeToString([]byte(s)), hexPieceLength)
		for _, once := range base64Cores(s, base64.RawStdEncoding) {
			p.add(lettersAndDigits(once), pieceLength)
			for _, twice := range base64Cores(once, base64.RawStdEncoding) {
				p.add(lettersAndDigits(twice), pieceLength)
			}
		}
	}
	return p
}

func (p pieces) add(s string, length int) {
	runes := []rune(s)
	for at := 0; at+length <= len(runes); at++ {
		p[string(runes[at:at+length])] = struct{}{}
	}
}

// in says whether s holds a piece, as it is or behind the usual escapes.
func (p pieces) in(s string) bool {
	if len(p) == 0 {
		return false
	}
	for range maxDecodings {
		if p.plainly(s) {
			return true
		}
		next := unescape(s)
		if next == s {
			return false
		}
		s = next
	}
	return p.plainly(s)
}

func (p pieces) plainly(s string) bool {
	for _, folded := range []string{withoutBlanks(s), lettersAndDigits(s)} {
		runes := []rune(folded)
		for at := range runes {
			for _, length := range []int{pieceLength, hexPieceLength} {
				if at+length > len(runes) {
					break
				}
				if _, ok := p[string(runes[at:at+length])]; ok {
					return true
				}
			}
		}
	}
	return false
}

func withoutBlanks(s string) string {
	return fold(s, func(r rune) bool { return !unicode.IsSpace(r) })
}

func lettersAndDigits(s string) string {
	return fold(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

func fold(s string, keep func(rune) bool) string {
	return strings.Map(func(r rune) rune {
		if !keep(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// escapes are \uXXXX and \xXX behind any number of backslashes (JSON within JSON
// doubles them), line breaks written as escapes, and %XX.
var escapes = regexp.MustCompile(`\\+u[0-9a-fA-F]{4}|\\+x[0-9a-fA-F]{2}|\\+[nrtbf]|%[0-9a-fA-F]{2}`)

// unescape takes one layer of escapes off.
func unescape(s string) string {
	return escapes.ReplaceAllStringFunc(html.UnescapeString(s), func(escape string) string {
		digits := strings.TrimLeft(escape, `\%`)
		if escape[0] == '\\' {
			if len(digits) == 1 {
				return " "
			}
			digits = digits[1:]
		}
		code, err := strconv.ParseUint(digits, 16, 16)
		if err != nil {
			return escape
		}
		return string(rune(code))
	})
}
