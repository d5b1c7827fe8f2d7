package wording

import (
	"strings"

	"github.com/dustin/go-humanize"
)

// Count is a number with what it counts: "1 attempt", "12,345 attempts".
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Number(int64(n)) + " " + many
}

// Number groups digits by thousands: "12,345".
func Number(n int64) string { return humanize.Comma(n) }

// List joins words as a sentence does: "a", "a and b", "a, b and c".
func List(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
