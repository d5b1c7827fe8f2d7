package sqlite

import (
	"context"
	"encoding/json"
	"reflect"
	"testing"

	"triage/ledger"
)

// Whatever is in a ledger: every intent as it stands after the newest event is what
// History says of it, and where a lookup, a decision or an outcome is of later, nothing
// of it shows.
func TestThePastOfAStory(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db, err := Open(ctx, story(t), Options{ReadOnly: true})
	must(t, err)
	defer func() { _ = db.Close() }()
	now := ledger.WallClock()
	last, err := db.LastSeq(ctx)
	must(t, err)
	events, err := db.Journal(ctx, 0, int(last))
	must(t, err)
	for _, e := range events {
		if e.OpKey == "" {
			continue
		}
		p, err := db.HistoryAt(ctx, e.OpKey, e.Seq, now)
		must(t, err)
		if newest := p.Events[len(p.Events)-1]; newest != e || p.Seq != e.Seq {
			t.Fatalf("%q at %d shows event %+v", e.OpKey, e.Seq, newest)
		}
		if version := versionOf(e); version != 0 && p.Intent.Version != version {
			t.Errorf("%q at %d has version %d, want %d", e.OpKey, e.Seq, p.Intent.Version, version)
		}
		for _, d := range p.Decisions {
			if d.Seq > e.Seq {
				t.Errorf("%q at %d shows decision %+v", e.OpKey, e.Seq, d)
			}
		}
		if p.Nth < p.Of {
			continue
		}
		h, err := db.History(ctx, e.OpKey, now)
		must(t, err)
		if p, err = db.HistoryAt(ctx, e.OpKey, last, now); err != nil || p.Nth != p.Of || p.Next != nil {
			t.Fatalf("%q now: %+v, %v", e.OpKey, p, err)
		}
		p.Intent.UpdatedBy = h.Intent.UpdatedBy // what is no UTF-8 is U+FFFD in the journal
		if !reflect.DeepEqual(p.History, h) {
			t.Errorf("%q now:\n got %+v\nwant %+v", e.OpKey, p.History, h)
		}
	}
}

func versionOf(e ledger.Event) int64 {
	var detail struct {
		Version [2]int64 `json:"version"`
	}
	_ = json.Unmarshal([]byte(e.Detail), &detail)
	return detail.Version[1]
}

// Claims, grants, snoozes and wishes to cancel are what they were then.
func TestThePastOfLeasesAndGrants(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db, err := Open(ctx, newLedger(t), Options{})
	must(t, err)
	defer func() { _ = db.Close() }()
	s := teller{t: t, db: db, now: ledger.WallClock()}
	n := newIntent("k")
	n.GrantID = "g"
	_, err = db.Begin(ctx, n)
	must(t, err)
	m := int64(s.now)
	var read []ledger.History
	var places []int64
	for _, step := range []struct {
		query string
		args  []any
	}{
		{`SELECT 1`, nil}, // its grant does not exist yet
		{`INSERT INTO grants (grant_id, principal, target, granted_by, granted_at) VALUES ('g', 'agent-1', 'inbox', 'boss', ?)`, []any{m}},
		{`INSERT INTO grants (grant_id, principal, target, granted_by, granted_at) VALUES ('other', 'agent-1', 'inbox', 'boss', ?)`, []any{m}},
		{`UPDATE grants SET expires_at = ? WHERE grant_id = 'g'`, []any{m + 60_000}},
		{`INSERT INTO claims (op_key, operator, claimed_at, expires_at) VALUES ('k', 'ann', ?, ?)`, []any{m, m + 5000}},
		{`UPDATE claims SET operator = 'ben', expires_at = ?`, []any{m + 9000}},
		{`UPDATE claims SET expires_at = ?`, []any{m - 1}}, // released
		{`UPDATE grants SET revoked_at = ? WHERE grant_id = 'g'`, []any{m}},
		{`UPDATE intents SET cancel_requested_at = ?, updated_by = 'agent-2' WHERE op_key = 'k'`, []any{m}},
		{`UPDATE grants SET revoked_at = ? WHERE grant_id = 'other'`, []any{m}},
	} {
		s.sql(step.query, step.args...)
		h, err := db.History(ctx, "k", s.now)
		must(t, err)
		seq, err := db.LastSeq(ctx)
		must(t, err)
		read, places = append(read, h), append(places, seq)
	}
	s.decide(ledger.Decision{OpKey: "k", Kind: ledger.Snooze, Until: s.now + 60_000}, nil)
	if read[0].Grant != nil || read[3].Grant.ExpiresAt != s.now+60_000 || !read[6].Grant.RevokedAt.IsNone() || read[7].Grant.RevokedAt != s.now ||
		read[5].Claim.Operator != "ben" || read[6].Claim != nil || read[8].Intent.CancelRequestedAt != s.now {
		t.Fatalf("the scene is not as meant: %+v", read)
	}
	for i, want := range read {
		p, err := db.HistoryAt(ctx, "k", places[i], s.now)
		must(t, err)
		if !reflect.DeepEqual(p.History, want) {
			t.Errorf("after step %d:\n got %+v\nread %+v", i, p.History, want)
		}
	}
	notable, err := db.Changes(ctx, ledger.ChangesQuery{UpTo: places[9], Notable: true})
	must(t, err)
	var kinds []string
	for _, e := range notable {
		kinds = append(kinds, e.Kind)
	}
	if want := []string{"grant_changed", "changed", "grant_changed", "claim_changed", "claim_changed", "claimed", "grant_changed"}; !reflect.DeepEqual(kinds, want) {
		t.Errorf("what is notable: got %q, want %q", kinds, want)
	}
}

// Where everything has the same content and the same receipt, the past is read as fast,
// and still finds what stood in doubt then.
func TestThePastAmongManyOfTheSameContent(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path := newLedger(t)
	db, err := Open(ctx, path, Options{})
	must(t, err)
	defer func() { _ = db.Close() }()
	s := teller{t: t, db: db, now: ledger.WallClock()}
	s.inDoubt("before")
	s.begin("k")
	seq, err := db.LastSeq(ctx)
	must(t, err)
	s.settle("before", ledger.MarkDelivered, ledger.Delivered, "R")
	s.sql(`INSERT INTO intents (op_key, task, principal, target, payload_sha256, updated_by)
WITH RECURSIVE c (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 500)
SELECT printf('later-%03d', i), 'report', 'agent-1', 'inbox', ?, 's' FROM c`, testHash)
	p, err := db.HistoryAt(ctx, "k", seq, s.now)
	must(t, err)
	if !reflect.DeepEqual(p.Twins, []string{"before"}) {
		t.Errorf("its twins then: got %q, want before alone", p.Twins)
	}
	must(t, db.snapshot(ctx, func(q querier) error {
		for _, c := range []struct{ seq, want int64 }{{0, 0}, {1, 1}, {seq - 1, 1}, {seq, 2}, {seq + 3, 3}, {1 << 40, 502}} {
			if got, err := lastBegun(ctx, q, c.seq); err != nil || got != c.want {
				t.Errorf("at %d %d intents had been begun, %v; want %d", c.seq, got, err, c.want)
			}
		}
		return nil
	}))
}
