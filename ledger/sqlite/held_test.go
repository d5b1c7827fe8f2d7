package sqlite

import (
	"context"
	"fmt"
	"testing"
	"time"

	"triage/ledger"
)

// A receiver's wish to be left alone holds for its own target, for an hour from its
// answer at most, and whatever else stands in the evidence is no wish.
func TestRetryAt(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db, err := Open(ctx, newLedger(t), Options{})
	must(t, err)
	defer func() { _ = db.Close() }()
	now := ledger.At(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC))
	in := func(d time.Duration) ledger.Millis { return now.Add(d) }
	for n, c := range []struct {
		finished time.Duration // after now
		evidence string
		want     ledger.Millis
	}{
		{-time.Minute, fmt.Sprintf(`{"retry_at":%d}`, in(time.Minute)), in(time.Minute)},
		{-time.Minute, fmt.Sprintf(`{"retry_at":%d}`, now), 0}, // its time has come
		{-time.Minute, fmt.Sprintf(`{"retry_at":%d}`, now+1), now + 1},
		{-time.Minute, fmt.Sprintf(`{"retry_at":%d}`, in(5*time.Hour)), in(59 * time.Minute)},
		{-time.Minute, `{"retry_at":9223372036854775807}`, in(59 * time.Minute)},
		{-time.Minute, `{"retry_at":99999999999999999999999999}`, in(59 * time.Minute)},
		{-59 * time.Minute, fmt.Sprintf(`{"retry_at":%d}`, in(5*time.Hour)), in(time.Minute)},
		{-time.Hour, fmt.Sprintf(`{"retry_at":%d}`, in(5*time.Hour)), 0},
		{10 * time.Second, fmt.Sprintf(`{"retry_at":%d}`, in(time.Minute)), in(time.Minute)}, // another machine's clock
		{time.Hour, fmt.Sprintf(`{"retry_at":%d}`, in(9*time.Hour)), in(time.Hour)},
		{time.Hour + time.Millisecond, fmt.Sprintf(`{"retry_at":%d}`, in(9*time.Hour)), 0},
		{-time.Minute, `{"retry_at":-5}`, 0},
		{-time.Minute, `{"retry_at":"soon"}`, 0},
		{-time.Minute, fmt.Sprintf(`{"retry_at":"%d"}`, in(time.Minute)), 0},
		{-time.Minute, fmt.Sprintf(`{"retry_at":%d.5}`, in(time.Minute)), 0},
		{-time.Minute, fmt.Sprintf(`{"retry_at":[%d]}`, in(time.Minute)), 0},
		{-time.Minute, fmt.Sprintf(`[%d]`, in(time.Minute)), 0},
		{-time.Minute, `{"retry_at":null}`, 0},
		{-time.Minute, `{}`, 0},
	} {
		key, target := fmt.Sprintf("k-%d", n), fmt.Sprintf("inbox-%d", n)
		_, err := db.Begin(ctx, ledger.NewIntent{
			OpKey: key, Task: "t", Principal: "p", Target: target, UpdatedBy: "s",
			PayloadSHA256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
		})
		must(t, err)
		at := int64(in(c.finished))
		_, err = db.write.conn.ExecContext(ctx, `INSERT INTO lookups (lookup_id, op_key, started_at, finished_at, actor, connector, outcome, cause, evidence)
VALUES (?, ?, ?, ?, 'ann', 'http', 'failed', 'http_429', ?)`, "l-"+key, key, at, at, c.evidence)
		must(t, err)
		got, err := db.RetryAt(ctx, target, now)
		must(t, err)
		if got != c.want {
			t.Errorf("%s, finished %s after now: %d, want %d", c.evidence, c.finished, got, c.want)
		}
	}
	if got, err := db.RetryAt(ctx, "inbox", now); err != nil || !got.IsNone() {
		t.Errorf("a target that asked for nothing: %d, %v", got, err)
	}
}
