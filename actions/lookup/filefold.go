package lookup

import (
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// foldKey is a key without what people and spreadsheets change by accident: letters in
// one case and digits, in one spelling; no quotes, blanks, dashes or invisible signs; a
// number without the zeros that say nothing. Rows are found by it and then compared byte
// for byte, so that a key that was changed on the way is noticed and not taken for
// absent. It may fold too much: a hit that is another key fails the lookup, and proves
// nothing.
func foldKey(key string) string {
	if !plain(key) {
		key = norm.NFKD.String(key)
	}
	if strings.ContainsAny(key, ".,") {
		if m := fraction.FindStringSubmatch(key); m != nil { // 42 comes back as 42.0
			key = m[1] + strings.TrimRight(m[2], "0")
		}
	}
	folded := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, key)
	if digits(folded) {
		folded = strings.TrimLeft(folded, "0") // 007 comes back as 7
	}
	return folded
}

// fraction is a number with one, whatever stands around it.
var fraction = regexp.MustCompile(`^[^0-9A-Za-z]*([0-9]+)[.,]([0-9]+)[^0-9A-Za-z]*$`)

// plain says that all of s is ASCII.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

var (
	// asNumber are the keys that spreadsheets take for numbers too long to be kept:
	// they show more than eleven digits as a power of ten, and keep fifteen.
	asNumber = regexp.MustCompile(`^[0-9]{12,}$|^[0-9]+[eE][0-9]+$`)
	// powerOfTen is what comes back: 2.02612E+19. Nobody can tell any more which number
	// that was.
	powerOfTen = regexp.MustCompile(`^\W*[0-9]+([.,][0-9]*[eE]\+?|[eE]\+)[0-9]+\W*$`)
)

// numberAs are the ways in which programs write a key again that they took for a number,
// with as many digits as they keep. nil where they take it for none.
func numberAs(key string) []string {
	f, err := strconv.ParseFloat(key, 64)
	if !asNumber.MatchString(key) || err != nil || len(key)-1-strings.IndexAny(key, "eE") > 3 && !digits(key) {
		return nil
	}
	as := []string{strconv.FormatFloat(f, 'f', 0, 64)}
	for _, kept := range []int{-1, 14, 15, 16} { // behind the first digit; -1: as many as tell it from its neighbours
		as = append(as, written(strconv.FormatFloat(f, 'e', kept, 64)))
	}
	number := written(key)
	for lost := 1; lost < len(number); lost++ {
		if kept := len(number) - lost; kept <= keptDigits {
			cut := number[:kept] + strings.Repeat("0", lost)
			as = append(as, cut, above(cut, lost))
		}
	}
	return slices.DeleteFunc(as, func(s string) bool { return s == key })
}

// keptDigits is how many digits of a number spreadsheets keep.
const keptDigits = 15

// written is a whole number with all its digits. Its exponent must be small.
func written(number string) string {
	n, ok := new(big.Rat).SetString(number)
	if !ok {
		return number
	}
	return n.Num().String()
}

// above is the number that s is rounded up to where that many last digits are lost.
func above(s string, lost int) string {
	n, ok := new(big.Int).SetString(s, 10)
	if !ok {
		return s
	}
	return n.Add(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(lost)), nil)).String()
}
