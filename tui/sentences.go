package tui

import (
	"regexp"
	"strings"
	"time"

	"triage/actions/wording"
	"triage/ledger"
)

// stamp is an instant as verdicts and permission checks write it: UTC, to the
// millisecond. What stands before it may say that something holds only from then
// on.
var stamp = regexp.MustCompile(`(begun at |from |only at )?(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z)`)

// said is a sentence of the verdict or of a permission check as the screen shows
// it: safe, and its instants as the rest of the screen writes them. One from which
// something holds is rounded up, so that it never names a second too early.
func (m *Model) said(sentence string) string {
	return stamp.ReplaceAllStringFunc(wording.Safe(sentence), func(found string) string {
		parts := stamp.FindStringSubmatch(found)
		at, err := time.Parse("2006-01-02 15:04:05.000Z", parts[2])
		if err != nil {
			return found // no such day: somebody's own words
		}
		instant := ledger.At(at)
		if parts[1] != "" {
			instant = wholeSecond(instant)
		}
		return parts[1] + m.when(instant)
	})
}

// wholeSecond is the first whole second that is not before an instant.
func wholeSecond(at ledger.Millis) ledger.Millis {
	if rest := at % 1000; rest > 0 {
		at += 1000 - rest
	}
	return at
}

// midSentence lowers a sentence's first letter; a name or an abbreviation stays.
func midSentence(s string) string {
	if len(s) > 1 && s[0] >= 'A' && s[0] <= 'Z' && (s[1] == ' ' || s[1] >= 'a' && s[1] <= 'z') {
		return strings.ToLower(s[:1]) + s[1:]
	}
	return s
}

// writer names who wrote a row. Programs that leave it out are called what they
// are.
func writer(name string) string {
	if name == "" || name == "unknown" {
		return "an unnamed writer"
	}
	return wording.Safe(name)
}
