package config

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
)

const (
	day = 24 * time.Hour
	// longest bounds a promise about timing, so that sums of several stay far
	// from overflowing.
	longest = 365 * day
	// longestRetention bounds how long a receiver may promise to remember.
	longestRetention = 36500 * day
	// longestLookup bounds one lookup: an operator waits for it.
	longestLookup = 10 * time.Minute
)

const durationMend = "Write it as 90s, 5m, 1h30m or 7d"

// duration is a length of time from least to most. The ledger counts in
// milliseconds, so nothing finer is taken.
func duration(least, most time.Duration) func(value) (time.Duration, error) {
	return func(v value) (time.Duration, error) {
		n, ok := v.node.(*ast.StringNode)
		if !ok {
			if v.node.Type() == ast.IntegerType || v.node.Type() == ast.FloatType {
				return 0, v.fail(v.name()+" is a number without a unit", durationMend)
			}
			return 0, v.expected("a duration", durationMend)
		}
		d, err := ParseDuration(n.Value)
		switch {
		case err != nil:
			return 0, v.fail(fmt.Sprintf("%s: %s", v.name(), err), durationMend)
		case d%time.Millisecond != 0:
			return 0, v.fail(v.name()+" is finer than a millisecond", "Write whole milliseconds, such as 250ms")
		case d < least:
			return 0, v.fail(fmt.Sprintf("%s must be at least %s", v.name(), written(least)), durationMend)
		case d > most:
			return 0, v.fail(fmt.Sprintf("%s must be at most %s", v.name(), written(most)), durationMend)
		}
		return d, nil
	}
}

// promised is a duration that may also be unknown.
func promised(least, most time.Duration) func(value) (*time.Duration, error) {
	read := duration(least, most)
	return func(v value) (*time.Duration, error) {
		d, err := read(v)
		if err != nil {
			return nil, err
		}
		return &d, nil
	}
}

var days = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?|\.[0-9]+)d(.*)$`)

// ParseDuration reads a duration as Go writes them, and with d for days of 24
// hours in front: 7d, 1d12h, 36h, 90s. Signs are refused.
func ParseDuration(s string) (time.Duration, error) {
	bad := fmt.Errorf("%q is not a duration", s)
	if strings.HasPrefix(s, "-") {
		return 0, fmt.Errorf("%q is negative", s)
	}
	if strings.HasPrefix(s, "+") {
		return 0, bad
	}
	m := days.FindStringSubmatch(s)
	if m == nil {
		d, err := time.ParseDuration(s)
		if err != nil {
			return 0, bad
		}
		return d, nil
	}
	count, err := strconv.ParseFloat(m[1], 64)
	if err != nil || count*float64(day) > float64(math.MaxInt64)/2 {
		return 0, fmt.Errorf("%q is too long", s)
	}
	total := time.Duration(math.Round(count * float64(day)))
	if m[2] == "" {
		return total, nil
	}
	rest, err := time.ParseDuration(m[2])
	if err != nil || strings.ContainsAny(m[2], "+-") {
		return 0, bad
	}
	if rest > math.MaxInt64/2 {
		return 0, fmt.Errorf("%q is too long", s)
	}
	return total + rest, nil
}

// written spells a duration as the file would.
func written(d time.Duration) string {
	if d >= day && d%day == 0 {
		return fmt.Sprintf("%dd", d/day)
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	return s
}

var rates = regexp.MustCompile(`^([1-9][0-9]{0,4})/(s|m|h)$`)

// rate is a number of requests per second, minute or hour.
func (v value) rate() (Rate, error) {
	const mend = "Write a whole number per s, m or h, such as 5/s or 30/m"
	n, ok := v.node.(*ast.StringNode)
	if !ok {
		return Rate{}, v.expected("a rate", mend)
	}
	m := rates.FindStringSubmatch(n.Value)
	if m == nil {
		return Rate{}, v.fail(fmt.Sprintf("%s is not a rate: %q", v.name(), n.Value), mend)
	}
	count, _ := strconv.Atoi(m[1]) // the pattern admits only small whole numbers
	per := map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour}[m[2]]
	return Rate{Count: count, Per: per}, nil
}
