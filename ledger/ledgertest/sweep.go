package ledgertest

import (
	"slices"
	"time"

	"triage/ledger"
)

// left: what was sent and left the queue by somebody's decision is found, page by
// page, and nothing else is.
func left(s *suite) {
	for _, key := range []string{"aside-1", "aside-2", "aside-3", "closed", "marked", "replaced", "open", "disputed"} {
		s.inDoubt(key)
	}
	s.begin("closed, never sent")
	s.must(s.settle("closed, never sent", ledger.CloseNotDelivered, ledger.Failed, ""))
	s.begin("settled")
	s.finish(s.start("settled"), ledger.Result{Outcome: ledger.OutcomeDelivered, Receipt: "R"})
	for _, key := range []string{"aside-1", "aside-2", "aside-3"} {
		s.decide(s.decision(key, ledger.SetAside))
	}
	s.must(s.settle("closed", ledger.CloseNotDelivered, ledger.Failed, ""))
	s.must(s.settle("marked", ledger.MarkDelivered, ledger.Delivered, "R-1"))
	s.must(s.settle("disputed", ledger.MarkDelivered, ledger.Delivered, "R-2"))
	s.decide(s.decision("disputed", ledger.Dispute)) // in the queue again
	s.must(s.reissue("replaced", "replacement"))

	target := s.get("closed").Target
	first := s.history("closed").Attempts[0].StartedAt
	s.leaves("set aside", ledger.LeftQuery{SetAside: true}, "aside-1", "aside-2", "aside-3")
	s.leaves("decided", ledger.LeftQuery{Target: target, Since: first.Add(-time.Hour)}, "closed", "marked", "replaced")
	s.leaves("decided, too old", ledger.LeftQuery{Target: target, Since: ledger.WallClock().Add(time.Hour)})
	s.leaves("another target", ledger.LeftQuery{Target: "elsewhere", Since: first.Add(-time.Hour)})
	s.leaves("set aside, too old", ledger.LeftQuery{SetAside: true, Since: ledger.WallClock().Add(time.Hour)})

	s.look("closed", ledger.Lookup{StartedAt: s.now + 1, Outcome: ledger.LookupFailed})
	s.look("closed", ledger.Lookup{StartedAt: s.now.Add(time.Hour), Outcome: ledger.LookupNotFound})
	s.look("closed", ledger.Lookup{StartedAt: s.now, Outcome: ledger.LookupNotFound})
	for since, want := range map[ledger.Millis]bool{s.now - 1: true, s.now: true, s.now + 1: false} {
		got, err := s.LookedUpSince(s.ctx, "closed", since)
		s.must(err)
		if got != want {
			s.Errorf("looked up at %d or later: %v, want %v", since, got, want)
		}
	}
	_, err := s.StartLookup(s.ctx, ledger.Lookup{OpKey: "marked", StartedAt: s.now, Actor: "ann", Connector: "http"})
	s.must(err)
	if got, err := s.LookedUpSince(s.ctx, "marked", s.now); err != nil || got {
		s.Errorf("a lookup that never finished counts: %v, %v", got, err)
	}
}

// leaves compares the keys, read two at a time.
func (s *suite) leaves(what string, q ledger.LeftQuery, want ...string) {
	s.Helper()
	var got []string
	for q.Limit = 2; ; {
		page, err := s.Left(s.ctx, q)
		s.must(err)
		for _, i := range page {
			got = append(got, i.OpKey)
			after := i.LeftCursor()
			q.After = &after
		}
		if len(page) < q.Limit {
			break
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		s.Errorf("%s: %v, want %v", what, got, want)
	}
}
