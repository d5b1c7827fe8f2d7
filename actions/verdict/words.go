package verdict

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"triage/ledger"
)

// instant writes an instant as RFC 3339 does, in UTC, to the millisecond, with the
// space that its section 5.6 allows for reading.
func instant(m ledger.Millis) string {
	if m.IsNone() {
		return "an unrecorded time"
	}
	return m.Time().Format("2006-01-02 15:04:05.000Z")
}

// spelt writes a promise as a configuration would: 30s, 2m, 24h, 7d.
func spelt(d *time.Duration) string {
	if d == nil {
		return "unknown"
	}
	const day = 24 * time.Hour
	if *d >= 2*day && *d%day == 0 {
		return fmt.Sprintf("%dd", *d/day)
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// skewSpelt is clock_skew, or the default that stands in for it.
func (t Terms) skewSpelt() string {
	k := DefaultClockSkew
	if p := t.Promises.ClockSkew; p != nil && *p >= 0 {
		k = *p
	}
	return spelt(&k)
}

// length writes milliseconds as people say them: 850 ms, 42 s, 3 h 12 m, 2 d 4 h.
func length(ms int64) string {
	const second, minute, hour, day = 1000, 60 * 1000, 3600 * 1000, 24 * 3600 * 1000
	switch {
	case ms < second:
		return fmt.Sprintf("%d ms", ms)
	case ms < minute:
		s := fmt.Sprintf("%d.%03d", ms/second, ms%second)
		return strings.TrimSuffix(strings.TrimRight(s, "0"), ".") + " s"
	case ms < hour:
		return two(ms/minute, "m", ms%minute/second, "s")
	case ms < day:
		return two(ms/hour, "h", ms%hour/minute, "m")
	}
	return two(ms/day, "d", ms%day/hour, "h")
}

func two(big int64, bigUnit string, small int64, smallUnit string) string {
	if small == 0 {
		return fmt.Sprintf("%d %s", big, bigUnit)
	}
	return fmt.Sprintf("%d %s %d %s", big, bigUnit, small, smallUnit)
}

func inBrackets(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}

// capital makes a clause begin like a sentence, unless it begins with the name of a
// promise, which keeps its spelling.
func capital(s string) string {
	if word, _, _ := strings.Cut(s, " "); strings.Contains(word, "_") {
		return s
	}
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

// lower makes a sentence fit behind a colon.
func lower(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToLower(r)) + s[n:]
}
