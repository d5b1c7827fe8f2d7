package actions_test

import (
	"strings"
	"testing"
	"time"

	"triage/ledger"
)

// What the ledger's own clock shows of a sender's: an attempt that says it began later
// than it was taken in, by more than clock_skew, is told. One written down after the
// fact is not.
func TestClocksThatDisagreeAreTold(t *testing.T) {
	for off, told := range map[time.Duration]bool{
		4 * time.Second: false, 8 * time.Second: true, -time.Hour: false,
	} {
		b := newBench(t)
		b.begin("k")
		b.sql(`INSERT INTO attempts (attempt_id, op_key, n, started_at, finished_at, outcome) VALUES ('a', 'k', 1, ?1, ?1, 'unknown')`,
			int64(ledger.WallClock().Add(off)))
		c := b.item("k").Clocks
		if said := strings.Contains(strings.Join(c.Told, "\n"), "attempt 1 began"); said != told || (c.Largest > 0) != told {
			t.Errorf("%s off: %+v", off, c)
		}
	}
	b := newBench(t)
	b.uncertain("k")
	b.later()
	for _, ms := range []string{"5000", "-61000"} {
		b.sql(`INSERT INTO lookups (lookup_id, op_key, started_at, finished_at, actor, connector, environment, outcome, evidence)
VALUES (?1, 'k', ?2, ?2, 'ann', 'http', 'test', 'not_found', ?3)`, "l"+ms, int64(ledger.WallClock()), `{"skew_ms":`+ms+`}`)
	}
	c := b.item("k").Clocks
	if len(c.Told) != 1 || c.Largest != 61*time.Second || !strings.Contains(c.Told[0], "1 m 1 s apart") {
		t.Errorf("%+v", c)
	}
}
