package ledgertest

import (
	"slices"

	"triage/ledger"
)

func begin(s *suite) {
	bytes := int64(1)<<62 + 1
	n := fresh("k")
	n.PayloadBytes, n.PayloadRef, n.GrantID, n.MaxAttempts, n.DeadlineAt = &bytes, "file:report.pdf", "g", 3, s.now+60_000
	i, err := s.Begin(s.ctx, n)
	s.must(err)
	if i.State != ledger.Pending || i.Version != 1 || *i.PayloadBytes != bytes || i.PayloadRef != n.PayloadRef || i.GrantID != "g" ||
		i.MaxAttempts != 3 || i.DeadlineAt != s.now+60_000 || i.UpdatedBy != "sender-1" || i.Stage != "monday" || i.CreatedAt.IsNone() {
		s.Errorf("got %+v", i)
	}
	again, err := s.Begin(s.ctx, n)
	s.must(err)
	if again.CreatedAt != i.CreatedAt || again.Version != 1 {
		s.Errorf("beginning again: got %+v, want what is stored, %+v", again, i)
	}
	for what, change := range map[string]func(*ledger.NewIntent){
		"hash":      func(n *ledger.NewIntent) { n.PayloadSHA256 = hash2 },
		"target":    func(n *ledger.NewIntent) { n.Target = "outbox" },
		"principal": func(n *ledger.NewIntent) { n.Principal = "agent-2" },
	} {
		other := n
		change(&other)
		_, err := s.Begin(s.ctx, other)
		s.refused("another "+what+" under the key", err, ledger.SameKeyDifferentPayload)
	}
	for what, bad := range map[string]ledger.NewIntent{
		"an empty key":        {OpKey: "", Task: "t", Principal: "p", Target: "r", PayloadSHA256: hash1},
		"a control character": {OpKey: "a\x1b[2J", Task: "t", Principal: "p", Target: "r", PayloadSHA256: hash1},
		"no hash":             {OpKey: "z", Task: "t", Principal: "p", Target: "r"},
	} {
		if _, err := s.Begin(s.ctx, bad); err == nil {
			s.Errorf("%s was taken", what)
		}
	}
	_, err = s.Get(s.ctx, "nobody")
	s.fails("a key that isn't there", err, ledger.ErrNoSuchIntent)

	s.finish(s.start("k"), ledger.Result{Outcome: ledger.OutcomeDelivered, Receipt: "R-1"})
	if done, err := s.Begin(s.ctx, n); err != nil || done.State != ledger.Delivered || done.Receipt != "R-1" {
		s.Errorf("beginning again after delivery: got %+v, %v, want the receipt", done, err)
	}
}

func attempts(s *suite) {
	s.begin("k")
	a := s.start("k")
	if a.AttemptID == "" || a.N != 1 || a.Layer != "app" || a.StartedAt.IsNone() || a.Finished() || a.Seq == 0 {
		s.Errorf("got %+v", a)
	}
	if i := s.get("k"); i.Version != 2 || i.Derived.InFlight != a.AttemptID || i.Derived.Attempts != 1 {
		s.Errorf("got %+v", i)
	}
	_, err := s.StartAttempt(s.ctx, ledger.Attempt{OpKey: "k"})
	s.refused("a second attempt", err, ledger.AttemptInFlight)
	_, err = s.StartAttempt(s.ctx, ledger.Attempt{OpKey: "nobody"})
	s.refused("an attempt of no intent", err, ledger.UnknownIntent)

	done, err := s.FinishAttempt(s.ctx, a.AttemptID, ledger.Result{Outcome: ledger.OutcomeNotSent, Cause: "connection_refused", HTTPStatus: 0, Error: "refused"})
	s.must(err)
	if done.Outcome != ledger.OutcomeNotSent || done.Cause != "connection_refused" || done.Error != "refused" || done.FinishedAt.IsNone() {
		s.Errorf("got %+v", done)
	}
	s.is("k", ledger.Pending, false)
	_, err = s.FinishAttempt(s.ctx, a.AttemptID, ledger.Result{Outcome: ledger.OutcomeDelivered})
	s.refused("finishing twice", err, ledger.AppendOnly)
	if _, err := s.FinishAttempt(s.ctx, "no such attempt", ledger.Result{Outcome: ledger.OutcomeUnknown}); err == nil {
		s.Error("an attempt that isn't there was finished")
	}
	second, err := s.StartAttempt(s.ctx, ledger.Attempt{OpKey: "k", AttemptID: "mine", N: 5, Layer: "sdk", StartedAt: s.now - 1000})
	s.must(err)
	if second.AttemptID != "mine" || second.N != 5 || second.Layer != "sdk" || second.StartedAt != s.now-1000 {
		s.Errorf("got %+v", second)
	}
}

// outcomes: where each way to come back leads (design §3).
func outcomes(s *suite) {
	for _, c := range []struct {
		key    string
		before []ledger.Outcome // of earlier attempts, within a budget
		last   ledger.Result
		state  ledger.State
		by     ledger.SettledBy
	}{
		{"receipt", nil, ledger.Result{Outcome: ledger.OutcomeDelivered, Receipt: "R"}, ledger.Delivered, ledger.BySender},
		{"delivered without a receipt", nil, ledger.Result{Outcome: ledger.OutcomeDelivered}, ledger.Unknown, ""},
		{"delivered with blanks for a receipt", nil, ledger.Result{Outcome: ledger.OutcomeDelivered, Receipt: " \n"}, ledger.Unknown, ""},
		{"refusal", nil, ledger.Result{Outcome: ledger.OutcomeRejected, HTTPStatus: 422}, ledger.Failed, ledger.BySender},
		{"no answer", nil, ledger.Result{Outcome: ledger.OutcomeUnknown, Cause: "timeout"}, ledger.Unknown, ""},
		{"not sent", nil, ledger.Result{Outcome: ledger.OutcomeNotSent}, ledger.Pending, ""},
		{"refusal after nothing was sent", []ledger.Outcome{ledger.OutcomeNotSent}, ledger.Result{Outcome: ledger.OutcomeRejected}, ledger.Failed, ledger.BySender},
		{"refusal after no answer", []ledger.Outcome{ledger.OutcomeUnknown}, ledger.Result{Outcome: ledger.OutcomeRejected}, ledger.Unknown, ""},
		{"receipt after no answer", []ledger.Outcome{ledger.OutcomeUnknown}, ledger.Result{Outcome: ledger.OutcomeDelivered, Receipt: "R"}, ledger.Delivered, ledger.BySender},
	} {
		n := fresh(c.key)
		n.MaxAttempts, n.DeadlineAt = 5, s.now+600_000
		_, err := s.Begin(s.ctx, n)
		s.must(err)
		for _, o := range c.before {
			_, err := s.FinishAttempt(s.ctx, s.start(c.key).AttemptID, ledger.Result{Outcome: o})
			s.must(err)
		}
		if i := s.finish(s.start(c.key), c.last); i.State != c.state || i.SettledBy != c.by || i.Receipt != "" != (c.state == ledger.Delivered) {
			s.Errorf("%s: got %s by %q with receipt %q, want %s by %q", c.key, i.State, i.SettledBy, i.Receipt, c.state, c.by)
		}
	}
}

// lateEvidence: whatever happened meanwhile, what an attempt came to is written.
func lateEvidence(s *suite) {
	s.begin("abandoned")
	a := s.start("abandoned")
	s.decide(s.decision("abandoned", ledger.AbandonAttempt))
	s.is("abandoned", ledger.Unknown, false)
	_, err := s.StartAttempt(s.ctx, ledger.Attempt{OpKey: "abandoned"})
	s.refused("a blind retry", err, ledger.DecisionRequired)
	if i := s.finish(a, ledger.Result{Outcome: ledger.OutcomeDelivered, Receipt: "late"}); i.State != ledger.Delivered || i.SettledBy != ledger.BySender {
		s.Errorf("got %+v", i)
	}

	s.begin("closed")
	a = s.start("closed")
	s.decide(s.decision("closed", ledger.AbandonAttempt))
	s.must(s.settle("closed", ledger.CloseNotDelivered, ledger.Failed, ""))
	s.finish(a, ledger.Result{Outcome: ledger.OutcomeDelivered, Receipt: "late"})
	s.is("closed", ledger.Failed, true)

	s.begin("replaced")
	a = s.start("replaced")
	s.must(s.reissue("replaced", "replacement"))
	s.finish(a, ledger.Result{Outcome: ledger.OutcomeUnknown})
	s.is("replaced", ledger.Unknown, false)
}

func budgets(s *suite) {
	s.begin("none")
	_, err := s.FinishAttempt(s.ctx, s.start("none").AttemptID, ledger.Result{Outcome: ledger.OutcomeUnknown})
	s.must(err)
	_, err = s.StartAttempt(s.ctx, ledger.Attempt{OpKey: "none"})
	s.refused("an own retry without a budget", err, ledger.BudgetSpent)

	n := fresh("two")
	n.MaxAttempts, n.DeadlineAt = 2, s.now+600_000
	_, err = s.Begin(s.ctx, n)
	s.must(err)
	for range 2 {
		_, err := s.FinishAttempt(s.ctx, s.start("two").AttemptID, ledger.Result{Outcome: ledger.OutcomeUnknown})
		s.must(err)
	}
	_, err = s.StartAttempt(s.ctx, ledger.Attempt{OpKey: "two"})
	s.refused("a third of two", err, ledger.BudgetSpent)

	n = fresh("past")
	n.DeadlineAt = s.now - 1000
	_, err = s.Begin(s.ctx, n)
	s.must(err)
	_, err = s.StartAttempt(s.ctx, ledger.Attempt{OpKey: "past", StartedAt: s.now - 5000})
	s.refused("an attempt after the deadline, by the database's clock", err, ledger.BudgetSpent)
}

func sendable(s *suite) {
	s.begin("never sent")
	s.begin("not sent")
	s.finish(s.start("not sent"), ledger.Result{Outcome: ledger.OutcomeNotSent})
	s.begin("in flight")
	s.start("in flight")
	s.inDoubt("in doubt")
	s.inDoubt("retry decided")
	d := s.decision("retry decided", ledger.RetrySameKey)
	d.Until = s.now + 600_000
	s.decide(d)
	s.inDoubt("retry too late")
	d = s.decision("retry too late", ledger.RetrySameKey)
	d.Until = s.now - 1
	s.decide(d)
	want := []ledger.Sendable{{OpKey: "never sent", Why: "never_attempted"}, {OpKey: "not sent", Why: "not_sent"}, {OpKey: "retry decided", Why: "retry_decided"}}
	got, err := s.Sendable(s.ctx, 0)
	s.must(err)
	if !slices.Equal(got, want) {
		s.Errorf("got %v, want %v", got, want)
	}
	for _, one := range got { // what is listed can be sent, and inserting the attempt is the claim
		s.start(one.OpKey)
	}
	if got, err := s.Sendable(s.ctx, 0); err != nil || len(got) != 0 {
		s.Errorf("got %v, %v, want nothing left", got, err)
	}
}
