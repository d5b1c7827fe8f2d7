package wording

import (
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
