package wording

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"triage/ledger"
)

// Instant is a point in time to the second, with its zone:
// "2026-11-30 22:03:11 UTC".
func Instant(m ledger.Millis, zone *time.Location) string {
	return at(m, zone, "2006-01-02 15:04:05 MST")
}

// Clock is a point in time beside a present that the reader knows: the day is
// left out where it is today's. The zone never is.
func Clock(m, now ledger.Millis, zone *time.Location) string {
	if sameDay(m, now, zone) {
		return at(m, zone, "15:04:05 MST")
	}
	return Instant(m, zone)
}

// Stamp is Clock with milliseconds, for a journal.
func Stamp(m, now ledger.Millis, zone *time.Location) string {
	if sameDay(m, now, zone) {
		return at(m, zone, "15:04:05.000 MST")
	}
	return at(m, zone, "2006-01-02 15:04:05.000 MST")
}

func at(m ledger.Millis, zone *time.Location, layout string) string {
	if m.IsNone() {
		return "not recorded"
	}
	if zone == nil {
		zone = time.UTC
	}
	return m.Time().In(zone).Format(layout)
}

func sameDay(a, b ledger.Millis, zone *time.Location) bool {
	const day = "2006-01-02"
	return at(a, zone, day) == at(b, zone, day)
}

// layouts are how people write an instant; the last ones are without a zone.
var layouts = []string{
	time.RFC3339Nano, "2006-01-02 15:04:05.999Z07:00", "2006-01-02 15:04:05.999 -0700", "2006-01-02 15:04:05.999 MST",
	"2006-01-02T15:04:05.999", "2006-01-02 15:04:05.999", "2006-01-02 15:04", "2006-01-02",
}

// ParseInstant reads an instant that a person typed: RFC 3339, Unix milliseconds, or a
// day and a time of day, which are zone's where no zone is written. Of a zone's name only
// UTC and zone's own are understood: others mean different things in different places.
func ParseInstant(s string, zone *time.Location) (ledger.Millis, error) {
	s = strings.TrimSpace(s)
	if zone == nil {
		zone = time.UTC
	}
	if ms, err := strconv.ParseInt(s, 10, 64); err == nil {
		return inRange(ledger.Millis(ms))
	}
	for _, layout := range layouts {
		t, err := time.ParseInLocation(layout, s, zone)
		if err != nil {
			continue
		}
		if name, offset := t.Zone(); strings.HasSuffix(layout, "MST") && name != "UTC" {
			if own, ownOffset := t.In(zone).Zone(); own != name || ownOffset != offset {
				continue
			}
		}
		return inRange(ledger.At(t))
	}
	return 0, errors.New("no instant: write 2026-11-30 19:03:30, 2026-11-30T19:03:30Z or Unix milliseconds")
}

func inRange(m ledger.Millis) (ledger.Millis, error) {
	if first := ledger.Millis(946684800000); m < first || m > ledger.LastMillis {
		return 0, errors.New("no instant of a ledger: those are of the years 2000 to 2199, and a number is Unix milliseconds")
	}
	return m, nil
}
