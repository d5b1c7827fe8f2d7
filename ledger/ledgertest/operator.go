package ledgertest

import (
	"errors"

	"triage/ledger"
)

func lookups(s *suite) {
	version := s.inDoubt("k").Version
	started, err := s.StartLookup(s.ctx, ledger.Lookup{OpKey: "k", Actor: "ann", Connector: "http", Environment: "production"})
	s.must(err)
	if started.LookupID == "" || started.StartedAt.IsNone() || started.Finished() || started.Seq == 0 {
		s.Errorf("got %+v", started)
	}
	seen := true
	done := ledger.Lookup{
		LookupID: started.LookupID, FinishedAt: s.now, Outcome: ledger.LookupNotFound, CanarySeen: &seen, Owner: "acct_17",
		Cause: "lag", Evidence: `{"status":404}`,
	}
	finish := func(l ledger.Lookup) error {
		return s.Act(s.ctx, func(t ledger.Tx) error { return t.FinishLookup(l) })
	}
	s.must(finish(done))
	s.refused("finishing twice", finish(done), ledger.AppendOnly)
	if err := finish(ledger.Lookup{LookupID: "no such lookup", FinishedAt: s.now, Outcome: ledger.LookupFailed}); err == nil {
		s.Error("a lookup that isn't there was finished")
	}
	_, err = s.StartLookup(s.ctx, ledger.Lookup{OpKey: "nobody", Actor: "ann", Connector: "http"})
	s.refused("a lookup of no intent", err, ledger.UnknownIntent)
	h := s.history("k")
	if h.Intent.Version != version {
		s.Errorf("lookups moved the version from %d to %d", version, h.Intent.Version)
	}
	if len(h.Lookups) != 1 || h.Lookups[0].Outcome != ledger.LookupNotFound || !*h.Lookups[0].CanarySeen || h.Lookups[0].Owner != "acct_17" ||
		h.Lookups[0].ReadEvidence().Status != 404 || h.Lookups[0].Environment != "production" {
		s.Errorf("got %+v", h.Lookups)
	}
}

// decisions form one chain, in the order in which they were taken.
func decisions(s *suite) {
	s.inDoubt("k")
	s.inDoubt("l")
	head := ledger.Genesis
	for n, key := range []string{"k", "l", "k"} {
		d := s.decision(key, ledger.Note)
		d.Reason = "said \"hm\" <&>\n\u2028 and 𝄞"
		d.Facts = `{"b":1,"a":[1.50,"x"]}`
		d = s.decide(d)
		if hash, err := ledger.ChainHash(d); err != nil || d.PrevHash != head || d.Hash != hash || d.DecisionID == "" {
			s.Errorf("decision %d: got %+v, want it to follow %s with hash %s (%v)", n, d, head, hash, err)
		}
		head = d.Hash
	}
	if got := s.history("k").Decisions; len(got) != 2 || got[0].Seq >= got[1].Seq || got[1].Facts != `{"b":1,"a":[1.50,"x"]}` || got[1].Hash != head {
		s.Errorf("got %+v", got)
	}
	err := s.Act(s.ctx, func(t ledger.Tx) error {
		_, err := t.Decide(s.decision("nobody", ledger.Note))
		return err
	})
	s.refused("a decision about no intent", err, ledger.UnknownIntent)
	err = s.Act(s.ctx, func(t ledger.Tx) error {
		_, err := t.Decide(s.decision("k", ledger.MarkDelivered))
		return err
	})
	s.refused("marking delivered without a receipt", err, ledger.ReceiptRequired)
	err = s.Act(s.ctx, func(t ledger.Tx) error {
		_, err := t.Decide(s.decision("k", ledger.AbandonAttempt))
		return err
	})
	s.refused("abandoning what is not in flight", err, ledger.IllegalTransition)
	report, err := s.Verify(s.ctx)
	s.must(err)
	if report.Head != head || report.Decisions != 3 {
		s.Errorf("verify says %+v, want the head %s", report, head)
	}
}

func settling(s *suite) {
	v := s.inDoubt("k").Version
	settle := func(version int64, to ledger.State, receipt string) error {
		return s.Act(s.ctx, func(t ledger.Tx) error { return t.Settle("k", version, to, receipt, ledger.ByOperator, "ann") })
	}
	s.refused("FAILED without a decision", settle(v, ledger.Failed, ""), ledger.DecisionRequired)
	s.refused("DELIVERED without a decision", settle(v, ledger.Delivered, "R"), ledger.IllegalTransition)
	s.refused("DELIVERED without a receipt", settle(v, ledger.Delivered, ""), ledger.ReceiptRequired)
	s.fails("a version that has passed", settle(v-1, ledger.Delivered, "R"), ledger.ErrMoved)
	s.is("k", ledger.Unknown, false)
	s.must(s.settle("k", ledger.MarkDelivered, ledger.Delivered, "R-1"))
	if i := s.get("k"); i.State != ledger.Delivered || i.Receipt != "R-1" || i.SettledBy != ledger.ByOperator || i.UpdatedBy != "ann" || i.Version != v+1 {
		s.Errorf("got %+v", i)
	}
	s.refused("FAILED after DELIVERED", s.settle("k", ledger.CloseNotDelivered, ledger.Failed, ""), ledger.IllegalTransition)
	_, err := s.StartAttempt(s.ctx, ledger.Attempt{OpKey: "k"})
	s.refused("an attempt after DELIVERED", err, ledger.AlreadyFinal)

	v = s.inDoubt("found").Version
	s.look("found", ledger.Lookup{Outcome: ledger.LookupFound, Receipt: "R-2", PayloadSHA256: hash1})
	s.must(s.Act(s.ctx, func(t ledger.Tx) error { return t.Settle("found", v, ledger.Delivered, "R-2", ledger.ByLookup, "ann") }))
	v = s.inDoubt("conflict").Version
	s.look("conflict", ledger.Lookup{Outcome: ledger.LookupFound, Receipt: "R-3", PayloadSHA256: hash2})
	s.refused("a lookup that found another hash", s.Act(s.ctx, func(t ledger.Tx) error {
		return t.Settle("conflict", v, ledger.Delivered, "R-3", ledger.ByLookup, "ann")
	}), ledger.IllegalTransition)

	s.must(s.Act(s.ctx, func(t ledger.Tx) error {
		for receipt, want := range map[string]string{"R-1": "k", "R-2": "found", "R-9": ""} {
			if holder, err := t.ReceiptHolder("inbox", receipt, "conflict"); err != nil || holder != want {
				s.Errorf("%s is held by %q (%v), want %q", receipt, holder, err, want)
			}
		}
		if holder, err := t.ReceiptHolder("inbox", "R-1", "k"); err != nil || holder != "" {
			s.Errorf("R-1 is held by %q (%v), and k itself does not count", holder, err)
		}
		return nil
	}))
}

func replacing(s *suite) {
	s.inDoubt("k")
	err := s.Act(s.ctx, func(t ledger.Tx) error {
		_, err := t.Succeed(fresh("k-2"), "k", s.now)
		return err
	})
	s.refused("a successor without its decision", err, ledger.DecisionRequired)
	s.must(s.reissue("k", "k-2"))
	if old, next := s.get("k"), s.get("k-2"); old.SupersededBy != "k-2" || old.State != ledger.Unknown || next.Supersedes != "k" || next.State != ledger.Pending || next.Version != 1 {
		s.Errorf("got %+v and %+v", old, next)
	}
	s.refused("a second successor", s.reissue("k", "k-3"), ledger.AlreadySuperseded)
	_, err = s.Get(s.ctx, "k-3")
	s.fails("the second successor", err, ledger.ErrNoSuchIntent)
	_, err = s.StartAttempt(s.ctx, ledger.Attempt{OpKey: "k"})
	s.refused("an attempt on a replaced intent", err, ledger.AlreadySuperseded)
	s.inDoubt("l")
	if err := s.reissue("l", "k-2"); err == nil {
		s.Error("an intent that stands already took another's place")
	}
	s.is("l", ledger.Unknown, false)
	if i := s.get("l"); i.Superseded() {
		s.Errorf("got %+v", i)
	}
}

func contradictions(s *suite) {
	s.inDoubt("closed")
	s.must(s.settle("closed", ledger.CloseNotDelivered, ledger.Failed, ""))
	s.look("closed", ledger.Lookup{Outcome: ledger.LookupFound, Receipt: "R", PayloadSHA256: hash1})
	s.is("closed", ledger.Failed, true)
	s.decide(s.decision("closed", ledger.Acknowledge))
	s.is("closed", ledger.Failed, false)
	s.look("closed", ledger.Lookup{Outcome: ledger.LookupFound, Receipt: "R", PayloadSHA256: hash1})
	s.is("closed", ledger.Failed, false)

	s.inDoubt("marked")
	s.must(s.settle("marked", ledger.MarkDelivered, ledger.Delivered, "R-1"))
	s.look("marked", ledger.Lookup{Outcome: ledger.LookupNotFound})
	s.is("marked", ledger.Delivered, false)
	s.look("marked", ledger.Lookup{Outcome: ledger.LookupNotFound, Evidence: `{"proves":"absent"}`})
	s.is("marked", ledger.Delivered, true)

	s.inDoubt("disputed")
	s.must(s.settle("disputed", ledger.MarkDelivered, ledger.Delivered, "R-2"))
	s.decide(s.decision("disputed", ledger.Dispute))
	s.is("disputed", ledger.Delivered, true)
	s.must(s.reissue("disputed", "anew"))
	s.is("disputed", ledger.Delivered, false)
}

var errGiveUp = errors.New("the act gave up")

// rollback: an act that fails, or panics, leaves nothing, and the next one works.
func rollback(s *suite) {
	before := s.inDoubt("k")
	seq, err := s.LastSeq(s.ctx)
	s.must(err)
	act := func(end func()) error {
		return s.Act(s.ctx, func(t ledger.Tx) error {
			if _, err := t.Decide(s.decision("k", ledger.Dispute)); err != nil {
				return err
			}
			end()
			return errGiveUp
		})
	}
	s.fails("an act that fails", act(func() {}), errGiveUp)
	func() {
		defer func() {
			if r := recover(); r != "broken" {
				s.Errorf("the panic came out as %v", r)
			}
		}()
		_ = act(func() { panic("broken") })
	}()
	after := s.get("k")
	if now, err := s.LastSeq(s.ctx); err != nil || now != seq || after.Version != before.Version || after.Contradicted() {
		s.Errorf("got seq %d (%v) and %+v, want seq %d and %+v", now, err, after, seq, before)
	}
	s.decide(s.decision("k", ledger.Note))
}
