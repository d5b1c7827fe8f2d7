package ledgertest

import (
	"fmt"
	"slices"
	"time"

	"triage/ledger"
)

// scene fills the queue: three UNKNOWN, two contradicted, stuck and fresh PENDING,
// one snoozed, one set aside, one replaced, and settled ones. It returns the time
// at which what is stuck is stuck.
func scene(s *suite) ledger.Millis {
	for _, key := range []string{"u1", "u2", "u3", "snoozed", "aside", "replaced", "c1", "c2"} {
		s.inDoubt(key)
	}
	s.begin("p1")
	s.begin("p2")
	s.start("p2")
	s.begin("settled")
	s.finish(s.start("settled"), ledger.Result{Outcome: ledger.OutcomeDelivered, Receipt: "R"})
	s.begin("refused")
	s.finish(s.start("refused"), ledger.Result{Outcome: ledger.OutcomeRejected})
	d := s.decision("snoozed", ledger.Snooze)
	d.Until = s.now + ledger.Millis((24 * time.Hour).Milliseconds())
	s.decide(d)
	s.decide(s.decision("aside", ledger.SetAside))
	s.must(s.reissue("replaced", "replacement"))
	s.decide(s.decision("c1", ledger.Dispute))
	s.must(s.settle("c2", ledger.CloseNotDelivered, ledger.Failed, ""))
	s.look("c2", ledger.Lookup{Outcome: ledger.LookupFound})
	return ledger.WallClock().Add(10 * time.Minute)
}

func (s *suite) page(q ledger.QueueQuery) (keys []string, rows []ledger.QueueRow) {
	s.Helper()
	rows, err := s.Queue(s.ctx, q)
	s.must(err)
	for _, r := range rows {
		keys = append(keys, r.Intent.OpKey)
	}
	return keys, rows
}

func queueFilters(s *suite) {
	later := scene(s)
	for _, c := range []struct {
		filter ledger.StateFilter
		now    ledger.Millis
		want   []string
	}{
		{"", s.now, []string{"c1", "c2", "u1", "u2", "u3"}},
		{ledger.FilterOpen, later, []string{"c1", "c2", "u1", "u2", "u3", "replacement", "p1", "p2"}},
		{ledger.FilterUnknown, later, []string{"c1", "u1", "u2", "u3"}},
		{ledger.FilterPending, s.now, []string{"replacement", "p1", "p2"}},
		{ledger.FilterStuck, s.now, nil},
		{ledger.FilterStuck, later, []string{"replacement", "p1", "p2"}},
		{ledger.FilterContradicted, later, []string{"c1", "c2"}},
		{ledger.FilterSnoozed, later, []string{"snoozed"}},
		{ledger.FilterUnknown, later.Add(48 * time.Hour), []string{"c1", "u1", "u2", "u3", "snoozed"}},
		{ledger.FilterSuperseded, later, []string{"replaced"}},
		{ledger.FilterDelivered, later, []string{"settled"}},
		{ledger.FilterFailed, later, []string{"c2", "refused"}},
	} {
		got, rows := s.page(ledger.QueueQuery{Filter: c.filter, Now: c.now})
		if c.filter == ledger.FilterFailed || c.now > later { // in the order of begin there
			slices.Sort(got)
			slices.Sort(c.want)
		}
		if !slices.Equal(got, c.want) {
			s.Errorf("filter %q at %d: got %v, want %v", c.filter, c.now, got, c.want)
		}
		for _, r := range rows {
			if want := (ledger.StuckRule{}).Stuck(r.Intent, c.now); r.Stuck != want {
				s.Errorf("%s at %d: stuck %v, want %v", r.Intent.OpKey, c.now, r.Stuck, want)
			}
		}
	}
	if _, err := s.Queue(s.ctx, ledger.QueueQuery{Filter: "nonsense"}); err == nil {
		s.Error("a filter that isn't one was taken")
	}
	_, rows := s.page(ledger.QueueQuery{Now: s.now})
	if u := rows[2]; u.LastOutcome != ledger.OutcomeUnknown || u.LastCause != "timeout" || u.Intent.Derived.Attempts != 1 {
		s.Errorf("got %+v", u)
	}
	if c := rows[1]; c.LastLookup != ledger.LookupFound {
		s.Errorf("got %+v", c)
	}
	rule := ledger.StuckRule{PerTarget: map[string]time.Duration{"inbox": time.Hour}}
	if got, _ := s.page(ledger.QueueQuery{Filter: ledger.FilterStuck, Now: later, Stuck: rule}); got != nil {
		s.Errorf("stuck after an hour: got %v", got)
	}
}

// queuePages: whatever the page size, every row comes once and in order, and the
// counts count them.
func queuePages(s *suite) {
	later := scene(s)
	for _, filter := range ledger.StateFilters {
		whole, _ := s.page(ledger.QueueQuery{Filter: filter, Now: later, Limit: 1000})
		for _, size := range []int{1, 2, 3} {
			var all []string
			q := ledger.QueueQuery{Filter: filter, Now: later, Limit: size}
			for range 100 {
				keys, rows := s.page(q)
				if len(rows) == 0 {
					break
				}
				all = append(all, keys...)
				q.After = &rows[len(rows)-1].Cursor
			}
			if !slices.Equal(all, whole) {
				s.Errorf("filter %q by %d: got %v, want %v", filter, size, all, whole)
			}
		}
	}
	for _, now := range []ledger.Millis{s.now, later} {
		counts, err := s.Counts(s.ctx, ledger.StuckRule{}, now)
		s.must(err)
		open, rows := s.page(ledger.QueueQuery{Now: now})
		if counts.Open() != len(open) || counts.Contradicted != 2 || counts.Unknown != 3 || counts.Snoozed != 1 || counts.Stuck+counts.InFlight != 3 {
			s.Errorf("at %d: got %+v for %v", now, counts, open)
		}
		oldest := rows[0].Intent.CreatedAt
		for _, r := range rows {
			oldest = min(oldest, r.Intent.CreatedAt)
		}
		if counts.Oldest != oldest {
			s.Errorf("at %d: the oldest is from %d, want %d", now, counts.Oldest, oldest)
		}
	}
	if empty, err := s.Counts(s.ctx, ledger.StuckRule{}, s.now); err != nil || empty.Oldest.IsNone() {
		s.Errorf("got %+v, %v", empty, err)
	}
}

// clockSkew: a PENDING row from the future is not stuck, and is not hidden.
func clockSkew(s *suite) {
	s.begin("here")
	s.begin("from the future")
	_, err := s.StartAttempt(s.ctx, ledger.Attempt{OpKey: "from the future", StartedAt: s.now.Add(365 * 24 * time.Hour)})
	s.must(err)
	got, rows := s.page(ledger.QueueQuery{Now: s.now})
	if !slices.Equal(got, []string{"from the future"}) || rows[0].Stuck || ledger.SkewAhead(rows[0].Intent, s.now) < 364*24*time.Hour {
		s.Errorf("got %v: %+v", got, rows)
	}
	counts, err := s.Counts(s.ctx, ledger.StuckRule{}, s.now)
	s.must(err)
	if counts.Ahead != 1 || counts.InFlight != 1 || counts.Stuck != 0 || counts.Open() != 1 {
		s.Errorf("got %+v", counts)
	}
	if got, _ := s.page(ledger.QueueQuery{Filter: ledger.FilterStuck, Now: s.now}); got != nil {
		s.Errorf("stuck: got %v", got)
	}
}

func history(s *suite) {
	_, err := s.History(s.ctx, "nobody", s.now)
	s.fails("a key that isn't there", err, ledger.ErrNoSuchIntent)
	s.inDoubt("twin")
	s.inDoubt("holder")
	s.must(s.settle("holder", ledger.MarkDelivered, ledger.Delivered, "R-1"))
	s.inDoubt("k")
	s.decide(s.decision("k", ledger.Note))
	s.look("k", ledger.Lookup{Outcome: ledger.LookupFound, Receipt: "R-1"})
	s.look("k", ledger.Lookup{Outcome: ledger.LookupFailed})
	h := s.history("k")
	if len(h.Attempts) != 1 || len(h.Lookups) != 2 || len(h.Decisions) != 1 || h.Claim != nil || h.Grant != nil {
		s.Errorf("got %+v", h)
	}
	var kinds []string
	for n, e := range h.Events {
		kinds = append(kinds, e.Kind)
		if n > 0 && e.Seq <= h.Events[n-1].Seq || e.OpKey != "k" {
			s.Errorf("event %+v is out of order", e)
		}
	}
	want := []string{"begun", "attempt_started", "attempt_finished", "changed", "note", "lookup_started", "lookup_finished", "lookup_started", "lookup_finished"}
	if !slices.Equal(kinds, want) {
		s.Errorf("got %v, want %v", kinds, want)
	}
	if h.Lookups[0].Seq >= h.Lookups[1].Seq || h.Decisions[0].Seq != h.Events[4].Seq || h.Attempts[0].Seq != h.Events[1].Seq {
		s.Errorf("the rows don't stand where the journal has them: %+v", h)
	}
	if !slices.Equal(h.Twins, []string{"twin"}) || h.ReceiptHolders["R-1"] != "holder" || len(h.ReceiptHolders) != 1 {
		s.Errorf("got twins %v and holders %v", h.Twins, h.ReceiptHolders)
	}
	s.must(s.Act(s.ctx, func(t ledger.Tx) error {
		inside, err := t.History("k", s.now)
		if err != nil || len(inside.Lookups) != 2 || inside.Intent.Version != h.Intent.Version {
			s.Errorf("inside an act: got %+v, %v", inside, err)
		}
		return nil
	}))
}

func journal(s *suite) {
	if seq, err := s.LastSeq(s.ctx); err != nil || seq != 0 {
		s.Errorf("an empty journal ends at %d, %v", seq, err)
	}
	first, err := s.Changed(s.ctx)
	s.must(err)
	again, err := s.Changed(s.ctx)
	s.must(err)
	for n := range 5 {
		s.begin(fmt.Sprint("k-", n))
	}
	moved, err := s.Changed(s.ctx)
	s.must(err)
	still, err := s.Changed(s.ctx)
	s.must(err)
	if !first || again || !moved || still {
		s.Errorf("changed says %v, %v, after writing %v, %v; want true, false, true, false", first, again, moved, still)
	}
	last, err := s.LastSeq(s.ctx)
	s.must(err)
	var all []ledger.Event
	for after := int64(0); ; after = all[len(all)-1].Seq {
		page, err := s.Journal(s.ctx, after, 2)
		s.must(err)
		if len(page) == 0 {
			break
		}
		all = append(all, page...)
	}
	if len(all) != 5 || last != 5 {
		s.Fatalf("got %d events, the last %d", len(all), last)
	}
	for n, e := range all {
		if e.Seq != int64(n+1) || e.Kind != "begun" || e.Actor != "sender-1" || e.OpKey != fmt.Sprint("k-", n) || e.At < all[0].At {
			s.Errorf("event %d: got %+v", n, e)
		}
	}
}
