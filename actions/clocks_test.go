package actions_test

import (
	"strings"
	"testing"
	"time"

	"triage/actions/config"
	"triage/ledger"
)

// What the ledger's own clock shows of a sender's and an operator's: a row that says
// later than it was taken in, by more than clock_skew, is told. One written down after
// the fact is not.
func TestClocksThatDisagreeAreTold(t *testing.T) {
	rows := map[string]struct{ sql, words, means string }{
		"began": {`INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a', 'k', 1, ?1)`,
			"By its sender's clock attempt 1 began at ", "until when the key is honoured, may be as much too late"},
		"ended": {`INSERT INTO attempts (attempt_id, op_key, n, started_at, finished_at, outcome) VALUES ('a', 'k', 1, 1780000000000, ?1, 'unknown')`,
			"By its sender's clock attempt 1 ended at ", "longer than it need"},
		"asked": {`INSERT INTO lookups (lookup_id, op_key, started_at, actor, connector) VALUES ('l', 'k', ?1, 'ann', 'http')`,
			"By the clock of who asked, a lookup began at ", "too early for a miss to prove anything"},
	}
	for name, row := range rows {
		for off, told := range map[time.Duration]bool{4 * time.Second: false, 8 * time.Second: true, -time.Hour: false} {
			b := newBench(t)
			b.begin("k")
			b.sql(row.sql, int64(ledger.WallClock().Add(off)))
			c := b.item("k").Clocks
			said := strings.Join(c.Told, "\n")
			if (len(c.Told) == 1) != told || (c.Largest > 0) != told || c.Created {
				t.Errorf("%s, %s off: %+v", name, off, c)
			}
			if told && (!strings.Contains(said, row.words) || !strings.Contains(said, "more than clock_skew 5 s allows") || !strings.Contains(said, row.means)) {
				t.Errorf("%s: it says %q", name, said)
			}
		}
	}
}

// Of many rows with the same trouble the one furthest off is told, once.
func TestClockTroubleIsToldOnce(t *testing.T) {
	b := newBench(t)
	b.uncertain("k")
	b.later()
	for _, ms := range []string{"5000", "-61000", "9000"} {
		b.sql(`INSERT INTO lookups (lookup_id, op_key, started_at, finished_at, actor, connector, environment, outcome, evidence)
VALUES (?1, 'k', ?2, ?2, 'ann', 'http', 'test', 'not_found', ?3)`, "l"+ms, int64(ledger.WallClock()), `{"skew_ms":`+ms+`}`)
	}
	c := b.item("k").Clocks
	if len(c.Told) != 1 || c.Largest != 61*time.Second || !strings.Contains(c.Told[0], "1 m 1 s apart, more than clock_skew 5 s allows: no miss of that lookup is believed.") {
		t.Errorf("%+v", c)
	}
}

// To the millisecond: what clock_skew allows is no trouble, what is beyond it is.
func TestClockTroubleBeginsBeyondClockSkew(t *testing.T) {
	const k = 7 * time.Second
	for off, told := range map[time.Duration]bool{k - time.Millisecond: false, k: false, k + time.Millisecond: true} {
		target := inbox()
		target.Promises.ClockSkew = duration(k)
		b := newBench(t, config.Target{Name: "other"}, target)
		b.uncertain("k")
		b.sql(`INSERT INTO lookups (lookup_id, op_key, started_at, finished_at, actor, connector, environment, outcome, evidence)
VALUES ('l', 'k', ?1, ?1, 'ann', 'http', 'test', 'not_found', json_object('skew_ms', ?2))`, int64(ledger.WallClock()), off.Milliseconds())
		now := b.item("k").Intent.CreatedAt.Add(-off)
		b.desk.Clock = func() ledger.Millis { return now }
		c := b.item("k").Clocks
		if c.Created != told || (len(c.Told) == 2) != told || (c.Largest == off) != told {
			t.Errorf("%s off: %+v", off, c)
		}
	}
}
