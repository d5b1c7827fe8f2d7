package wording_test

import (
	"strings"
	"testing"
	"time"

	"triage/actions/wording"
	"triage/ledger"
)

func TestLengths(t *testing.T) {
	for _, c := range []struct {
		d                            time.Duration
		duration, precise, age, wait string
	}{
		{-time.Second, "0 ms", "0 ms", "0 s", "1 s"},
		{0, "0 ms", "0 ms", "0 s", "1 s"},
		{350 * time.Millisecond, "350 ms", "350 ms", "0 s", "1 s"},
		{5290 * time.Millisecond, "5 s", "5.2 s", "5 s", "6 s"},
		{59*time.Second + 999*time.Millisecond, "59 s", "59.9 s", "59 s", "1 m"},
		{time.Minute, "1 m", "1 m", "1 m", "1 m"},
		{12*time.Minute + 5*time.Second, "12 m 5 s", "12 m 5 s", "12 m", "12 m 5 s"},
		{3*time.Hour + 12*time.Minute + 59*time.Second, "3 h 12 m", "3 h 12 m", "3 h 12 m", "3 h 12 m"},
		{24 * time.Hour, "1 d", "1 d", "1 d", "1 d"},
		{52*time.Hour + 59*time.Minute, "2 d 4 h", "2 d 4 h", "2 d 4 h", "2 d 4 h"},
	} {
		for _, got := range []struct{ name, is, want string }{
			{"Duration", wording.Duration(c.d), c.duration},
			{"Precise", wording.Precise(c.d), c.precise},
			{"Age", wording.Age(c.d), c.age},
			{"Wait", wording.Wait(c.d), c.wait},
		} {
			if got.is != got.want {
				t.Errorf("%s(%v) = %q, want %q", got.name, c.d, got.is, got.want)
			}
		}
	}
}

func TestInstantsNameTheirZone(t *testing.T) {
	m := ledger.At(time.Date(2026, 11, 30, 22, 3, 11, 42e6, time.UTC))
	next := m.Add(3 * time.Hour)
	berlin := time.FixedZone("CET", 3600)
	for _, c := range []struct{ name, got, want string }{
		{"Instant", wording.Instant(m, berlin), "2026-11-30 23:03:11 CET"},
		{"Instant without a zone", wording.Instant(m, nil), "2026-11-30 22:03:11 UTC"},
		{"Clock today", wording.Clock(m, m.Add(time.Minute), berlin), "23:03:11 CET"},
		{"Clock across midnight", wording.Clock(m, next, berlin), "2026-11-30 23:03:11 CET"},
		{"Stamp", wording.Stamp(m, m, time.UTC), "22:03:11.042 UTC"},
		{"none", wording.Instant(0, berlin), "not recorded"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
}

func TestCounts(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{wording.Count(1, "attempt", "attempts"), "1 attempt"},
		{wording.Count(0, "attempt", "attempts"), "0 attempts"},
		{wording.Count(12345, "attempt", "attempts"), "12,345 attempts"},
		{wording.List(nil), ""},
		{wording.List([]string{"l"}), "l"},
		{wording.List([]string{"l", "d", "x"}), "l, d and x"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

// What a person types is an instant only where it can mean one thing.
func TestInstantsThatAreTyped(t *testing.T) {
	berlin := time.FixedZone("CET", 3600)
	const at = ledger.Millis(1796065410000) // 2026-11-30 19:03:30 UTC
	for typed, want := range map[string]ledger.Millis{
		"2026-11-30T19:03:30Z":          at,
		"2026-11-30T20:03:30+01:00":     at,
		"2026-11-30T19:03:30.250Z":      at + 250,
		" 2026-11-30 20:03:30 ":         at,
		"2026-11-30 20:03:30.007":       at + 7,
		"2026-11-30T20:03:30":           at,
		"2026-11-30 20:03":              at - 30_000,
		"2026-11-30":                    at - (20*3600+3*60+30)*1000,
		"2026-11-30 19:03:30.000 UTC":   at,
		"2026-11-30 20:03:30 CET":       at,
		"2026-11-30 21:03:30 +0200":     at,
		"1796065410000":                 at,
		"1796065410":                    0, // seconds
		"1796065410000000":              0, // microseconds
		"2026-11-30 13:03:30 CST":       0, // China's or Chicago's
		"2026-02-30":                    0,
		"1999-12-31T23:59:59Z":          0,
		"2200-01-01T00:00:01Z":          0,
		"03:12":                         0, // of which day?
		"yesterday":                     0,
		"":                              0,
		"2026-11-30T19:03:30Z\x1b[31mx": 0,
	} {
		got, err := wording.ParseInstant(typed, berlin)
		if got != want || (err != nil) != (want == 0) {
			t.Errorf("%q is %d, %v; want %d", typed, got, err, want)
		}
		if err != nil && !strings.HasPrefix(err.Error(), "no instant") {
			t.Errorf("%q: %v", typed, err)
		}
	}
	if got, err := wording.ParseInstant("2026-11-30 19:03:30", nil); got != at || err != nil {
		t.Errorf("without a zone: %d, %v", got, err)
	}
}
