package ledgertest

import (
	"fmt"
	"reflect"
	"slices"

	"pgregory.net/rapid"

	"triage/ledger"
)

// seen is what the ledger said of an intent at a place in its journal.
type seen struct {
	seq int64
	h   ledger.History
}

func (s *suite) lastSeq() int64 {
	s.Helper()
	seq, err := s.LastSeq(s.ctx)
	s.must(err)
	return seq
}

func (s *suite) historyAt(key string, seq int64) ledger.Past {
	s.Helper()
	p, err := s.HistoryAt(s.ctx, key, seq, s.now)
	s.must(err)
	return p
}

func (p *play) remember(h ledger.History) { p.seen = append(p.seen, seen{p.lastSeq(), h}) }

// pastAgrees: every intent as it stood is what was read of it then, to the last field,
// whatever has been written since.
func (p *play) pastAgrees(t *rapid.T) {
	for _, s := range p.seen {
		key := s.h.Intent.OpKey
		past := p.historyAt(key, s.seq)
		if len(s.h.Twins) >= 20 { // of many, any 20
			past.Twins, s.h.Twins = nil, nil
		}
		if !reflect.DeepEqual(past.History, s.h) {
			t.Fatalf("%s at %d:\n got %+v\nread %+v", key, s.seq, past.History, s.h)
		}
		now := p.history(key)
		if past.Nth != len(s.h.Events) || past.First != now.Events[0].Seq || past.Of != len(now.Events) || (past.Next == nil) != (past.Nth == past.Of) {
			t.Fatalf("%s at %d is change %d of %d, next %+v; read %d of %d", key, s.seq, past.Nth, past.Of, past.Next, len(s.h.Events), len(now.Events))
		}
		if past.Next != nil && !reflect.DeepEqual(*past.Next, now.Events[past.Nth]) {
			t.Fatalf("%s at %d: next is %+v, want %+v", key, s.seq, *past.Next, now.Events[past.Nth])
		}
	}
}

// ask begins a lookup and answer finishes one, so that others write in between.
func (p *play) ask(t *rapid.T) {
	key, _ := p.picked(t, false)
	l, err := p.StartLookup(p.ctx, ledger.Lookup{OpKey: key, Actor: "ann", Connector: "http", Environment: "production"})
	p.must(err)
	p.asked = append(p.asked, l)
}

func (p *play) answer(t *rapid.T) {
	if len(p.asked) == 0 {
		t.Skip("nothing was asked")
	}
	n := rapid.IntRange(0, len(p.asked)-1).Draw(t, "lookup")
	l := p.asked[n]
	p.asked = slices.Delete(p.asked, n, n+1)
	seen := true
	l.FinishedAt, l.Outcome, l.Cause, l.CanarySeen, l.Evidence = p.now, ledger.LookupNotFound, "lag", &seen, `{"status":404}`
	p.must(p.Act(p.ctx, func(t ledger.Tx) error { return t.FinishLookup(l) }))
}

// asItStood: step by step, nothing that came later shows.
func asItStood(s *suite) {
	s.begin("other")
	s.begin("k")
	a := s.start("k")
	s.finish(a, ledger.Result{Outcome: ledger.OutcomeUnknown, Cause: "timeout", Error: "no answer", HTTPStatus: 504})
	s.decide(s.decision("k", ledger.Note))
	s.look("k", ledger.Lookup{Outcome: ledger.LookupFound, Receipt: "R-1", PayloadSHA256: hash2, Owner: "acct", Evidence: `{"status":200}`})
	s.must(s.settle("k", ledger.MarkDelivered, ledger.Delivered, "R-2"))
	s.decide(s.decision("k", ledger.Dispute))
	s.must(s.reissue("k", "k2"))

	events := s.history("k").Events
	for n, want := range []string{
		"begun PENDING v1 attempts= lookups= decisions=0",
		"attempt_started PENDING v2 attempts=? lookups= decisions=0",
		"attempt_finished PENDING v3 attempts=unknown lookups= decisions=0",
		"changed UNKNOWN v4 attempts=unknown lookups= decisions=0",
		"note UNKNOWN v4 attempts=unknown lookups= decisions=1",
		"lookup_started UNKNOWN v4 attempts=unknown lookups=? decisions=1",
		"lookup_finished UNKNOWN v4 attempts=unknown lookups=found decisions=1",
		"mark_delivered UNKNOWN v4 attempts=unknown lookups=found decisions=2",
		"changed DELIVERED v5 attempts=unknown lookups=found decisions=2",
		"dispute DELIVERED v6 attempts=unknown lookups=found decisions=3",
		"reissue DELIVERED v6 attempts=unknown lookups=found decisions=4",
		"superseded DELIVERED v7 attempts=unknown lookups=found decisions=4",
	} {
		if n >= len(events) {
			s.Fatalf("the journal has %d lines, want one more: %s", len(events), want)
		}
		p := s.historyAt("k", events[n].Seq)
		if got := stood(p); got != want || p.Nth != n+1 || p.Of != len(events) {
			s.Errorf("change %d of %d: got %s, want change %d of %d: %s", p.Nth, p.Of, got, n+1, len(events), want)
		}
		if i := p.Intent; (i.Receipt != "") != (i.State == ledger.Delivered) || (i.SettledBy != "") != i.State.Final() ||
			(i.SupersededBy != "") != (n == 11) || i.Contradicted() != (n == 9 || n == 10) {
			s.Errorf("change %d: got %+v", n+1, i)
		}
	}
	if p := s.historyAt("k", events[5].Seq); !reflect.DeepEqual(p.Lookups[0], ledger.Lookup{
		LookupID: p.Lookups[0].LookupID, OpKey: "k", StartedAt: p.Lookups[0].StartedAt, Actor: "ann", Connector: "http", Seq: events[5].Seq,
	}) || len(p.ReceiptHolders) != 0 {
		s.Errorf("before its answer: got %+v", p)
	}
	if p := s.historyAt("k", events[1].Seq); p.Attempts[0] != (ledger.Attempt{
		AttemptID: a.AttemptID, OpKey: "k", N: 1, Layer: "app", StartedAt: a.StartedAt, Seq: events[1].Seq,
	}) || p.Intent.Derived.InFlight != a.AttemptID || p.Next == nil || p.Next.Kind != "attempt_finished" {
		s.Errorf("before it came back: got %+v", p)
	}
	if p := s.historyAt("k", s.lastSeq()+10); p.Next != nil || !reflect.DeepEqual(p.History, s.history("k")) {
		s.Errorf("in the present: got %+v", p)
	}
	for what, ask := range map[string]struct {
		key string
		seq int64
	}{"before its begin": {"k", events[0].Seq - 1}, "a key that isn't there": {"nobody", s.lastSeq()}, "before everything": {"other", 0}} {
		_, err := s.HistoryAt(s.ctx, ask.key, ask.seq, s.now)
		s.fails(what, err, ledger.ErrNoSuchIntent)
	}
}

func stood(p ledger.Past) string {
	attempts, lookups := "", ""
	for _, a := range p.Attempts {
		attempts += orOpen(string(a.Outcome))
	}
	for _, l := range p.Lookups {
		lookups += orOpen(string(l.Outcome))
	}
	return fmt.Sprintf("%s %s v%d attempts=%s lookups=%s decisions=%d", p.Events[len(p.Events)-1].Kind, p.Intent.State, p.Intent.Version, attempts, lookups, len(p.Decisions))
}

func orOpen(outcome string) string {
	if outcome == "" {
		return "?"
	}
	return outcome
}

// changes: pages of the journal between two places, newest first, and where an instant
// lies in it.
func changes(s *suite) {
	if seq, err := s.SeqAt(s.ctx, ledger.LastMillis); err != nil || seq != 0 {
		s.Errorf("in an empty journal: got %d, %v", seq, err)
	}
	s.inDoubt("k")
	from := s.lastSeq()
	s.inDoubt("l")
	s.decide(s.decision("k", ledger.Note))
	s.must(s.reissue("l", "l2"))
	to := s.lastSeq()
	s.begin("later")

	all, err := s.Journal(s.ctx, 0, 1000)
	s.must(err)
	var want []ledger.Change
	for _, e := range slices.Backward(all[from:to]) {
		c := ledger.Change{Event: e, Target: "inbox"}
		if e.Kind == "note" || e.Kind == "reissue" {
			c.Reason = "because"
		}
		want = append(want, c)
	}
	for _, size := range []int{0, 1, 3} {
		var got []ledger.Change
		for q := (ledger.ChangesQuery{After: from, UpTo: to, Limit: size}); ; q.UpTo = got[len(got)-1].Seq - 1 {
			page, err := s.Changes(s.ctx, q)
			s.must(err)
			if len(page) == 0 {
				break
			}
			got = append(got, page...)
		}
		if !reflect.DeepEqual(got, want) {
			s.Errorf("by %d: got %+v, want %+v", size, got, want)
		}
	}
	notable, err := s.Changes(s.ctx, ledger.ChangesQuery{UpTo: to, Notable: true})
	s.must(err)
	var kinds []string
	for _, e := range notable {
		kinds = append(kinds, e.Kind+" "+e.OpKey)
	}
	if !slices.Equal(kinds, []string{"superseded l", "reissue l", "note k"}) {
		s.Errorf("what is notable: got %q", kinds)
	}
	for n, e := range all {
		seq, err := s.SeqAt(s.ctx, e.At)
		s.must(err)
		before, err := s.SeqAt(s.ctx, e.At-1)
		s.must(err)
		if seq < e.Seq || all[seq-1].At != e.At || before >= e.Seq || before > 0 && all[before-1].At >= e.At {
			s.Errorf("event %d at %d: found %d, and %d a millisecond before", n+1, e.At, seq, before)
		}
	}
	if last := all[len(all)-1]; last.Seq != s.lastSeq() {
		s.Errorf("the journal ends at %d", last.Seq)
	} else if seq, err := s.SeqAt(s.ctx, last.At+1); err != nil || seq != last.Seq {
		s.Errorf("after everything: got %d, %v", seq, err)
	}
}
