package ledgertest

import (
	"flag"
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"triage/ledger"
)

// model is the state machine of one intent (design §3 and §4), as short as it can be
// said: what the ledger must do, without a database.
type model struct {
	state     ledger.State
	receipt   string
	by        ledger.SettledBy
	budget    bool             // max_attempts 3 and a deadline far away
	outcomes  []ledger.Outcome // by attempt; "" never finished
	receipts  []string         // that attempts came back with
	inFlight  int              // number of the attempt, 0 if none
	retry     bool             // a retry decision newer than the last attempt, which nothing since speaks against
	successor bool             // a new intent has taken its place
	disagreed bool             // contradicted
	known     bool             // and acknowledged
	aside     bool
	shown     string // receipt by which a lookup contradicted, where that was the newest contradiction
}

func (m *model) has(outcomes ...ledger.Outcome) bool {
	return slices.ContainsFunc(m.outcomes, func(o ledger.Outcome) bool { return slices.Contains(outcomes, o) })
}

// start is what an attempt is refused with, or "".
func (m *model) start() ledger.Code {
	switch {
	case m.successor:
		return ledger.AlreadySuperseded
	case m.state.Final() || m.has(ledger.OutcomeDelivered):
		return ledger.AlreadyFinal
	case m.inFlight > 0:
		return ledger.AttemptInFlight
	case m.state == ledger.Unknown && !m.retry:
		return ledger.DecisionRequired
	case m.retry:
	case m.budget && len(m.outcomes) >= 3:
		return ledger.BudgetSpent
	case !m.budget && m.has("", ledger.OutcomeUnknown):
		return ledger.BudgetSpent
	}
	m.outcomes, m.receipts = append(m.outcomes, ""), append(m.receipts, "")
	m.inFlight, m.retry = len(m.outcomes), false
	return ""
}

// finish is Finish of attempt n (from 1), which never finished yet.
func (m *model) finish(n int, o ledger.Outcome, receipt string) {
	m.outcomes[n-1], m.receipts[n-1], m.retry = o, receipt, false
	if m.inFlight == n {
		m.inFlight = 0
	}
	if o == ledger.OutcomeDelivered {
		m.seen(receipt, true)
	}
	switch {
	case m.state.Final():
	case o == ledger.OutcomeDelivered && receipt != "":
		m.state, m.receipt, m.by = ledger.Delivered, receipt, ledger.BySender
	case m.state == ledger.Unknown:
	case o == ledger.OutcomeRejected && !m.has("", ledger.OutcomeUnknown):
		m.state, m.by = ledger.Failed, ledger.BySender
	case o != ledger.OutcomeNotSent:
		m.state = ledger.Unknown
	}
}

// seen: the receiver has it, under this receipt. What a lookup shows once more says
// nothing new; an attempt that comes back does so once.
func (m *model) seen(receipt string, byAttempt bool) {
	disagrees := m.state == ledger.Failed || m.successor || m.state == ledger.Delivered && receipt != "" && receipt != m.receipt
	if disagrees && (byAttempt || m.shown != receipt) {
		m.disagreed, m.known, m.shown = true, false, receipt
		if byAttempt {
			m.shown = ""
		}
	}
}

func (m *model) settle(to ledger.State, receipt string) ledger.Code {
	again := m.state == to && m.receipt == receipt && m.by == ledger.ByOperator // changes nothing
	if m.state.Final() && !again || to == ledger.Failed && m.has(ledger.OutcomeDelivered) && !again {
		return ledger.IllegalTransition
	}
	m.state, m.receipt, m.by = to, receipt, ledger.ByOperator
	return ""
}

func (m *model) abandon() ledger.Code {
	if !m.has("") {
		return ledger.IllegalTransition
	}
	m.inFlight = 0
	if m.state == ledger.Pending && !m.successor {
		m.state = ledger.Unknown
	}
	return ""
}

func (m *model) replace() ledger.Code {
	if m.successor {
		return ledger.AlreadySuperseded
	}
	m.successor, m.retry = true, false
	m.known = m.disagreed
	return ""
}

// rank is the place in the queue, 3 for none.
func (m *model) rank() int {
	switch {
	case m.disagreed && !m.known:
		return 0
	case m.successor || m.aside:
		return 3
	case m.state == ledger.Unknown:
		return 1
	case m.state == ledger.Pending:
		return 2
	}
	return 3
}

// randomHistories plays random histories of a few intents against the model.
func randomHistories(s *suite) {
	if f := flag.Lookup("rapid.checks"); f != nil && f.Value.String() == f.DefValue {
		s.must(f.Value.Set("10")) // every step writes durably; more is `-rapid.checks=500`
		defer func() { _ = f.Value.Set(f.DefValue) }()
	}
	round := 0
	rapid.Check(s.T, func(t *rapid.T) {
		round++
		p := &play{suite: s, t: t, round: round, models: map[string]*model{}, ids: map[string][]string{}}
		t.Repeat(map[string]func(*rapid.T){
			"begin": p.begin, "start": p.start, "finish": p.finish, "mark": p.mark, "close": p.close, "abandon": p.abandon,
			"retry": p.retry, "replace": p.replace, "look": p.look, "dispute": p.dispute, "acknowledge": p.acknowledge,
			"set aside": p.setAside, "ask": p.ask, "answer": p.answer, "": p.agree,
		})
		p.pastAgrees(t)
	})
}

// play is one random history.
type play struct {
	*suite
	t      *rapid.T
	round  int
	fresh  int // successors that were tried
	models map[string]*model
	ids    map[string][]string // attempt ids by key
	asked  []ledger.Lookup     // that have no answer yet
	seen   []seen              // what was read on the way
}

// picked draws an intent that was begun and, where that is asked, has an open
// attempt. Without one the step is given up before anything is drawn.
func (p *play) picked(t *rapid.T, open bool) (string, *model) {
	var keys []string
	for key, m := range p.models {
		if !open || m.has("") {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		t.Skip("there is none")
	}
	slices.Sort(keys)
	key := rapid.SampledFrom(keys).Draw(t, "intent")
	return key, p.models[key]
}

func (p *play) want(what string, err error, code ledger.Code) {
	if got := ledger.CodeOf(err); got != code || (err != nil) != (code != "") {
		p.t.Fatalf("%s: got %v, want %q", what, err, code)
	}
}

func (p *play) begin(t *rapid.T) {
	key := fmt.Sprintf("r%d-%s", p.round, rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "intent"))
	if p.models[key] == nil {
		p.models[key] = &model{state: ledger.Pending, budget: rapid.Bool().Draw(t, "budget")}
	}
	n := fresh(key)
	if p.models[key].budget {
		n.MaxAttempts, n.DeadlineAt = 3, p.now+600_000
	}
	_, err := p.Begin(p.ctx, n)
	p.want("begin", err, "")
	n.PayloadSHA256 = hash2
	_, err = p.Begin(p.ctx, n)
	p.want("begin with other content", err, ledger.SameKeyDifferentPayload)
}

func (p *play) start(t *rapid.T) {
	key, m := p.picked(t, false)
	want := m.start()
	a, err := p.StartAttempt(p.ctx, ledger.Attempt{OpKey: key})
	p.want("attempt on "+key, err, want)
	if err == nil {
		p.ids[key] = append(p.ids[key], a.AttemptID)
	}
}

func (p *play) finish(t *rapid.T) {
	key, m := p.picked(t, true)
	var open []int
	for n, o := range m.outcomes {
		if o == "" {
			open = append(open, n+1)
		}
	}
	n := rapid.SampledFrom(open).Draw(t, "attempt")
	r := ledger.Result{Outcome: rapid.SampledFrom([]ledger.Outcome{
		ledger.OutcomeDelivered, ledger.OutcomeRejected, ledger.OutcomeUnknown, ledger.OutcomeNotSent,
	}).Draw(t, "outcome")}
	if r.Outcome == ledger.OutcomeDelivered {
		r.Receipt = p.receipt(t)
	}
	m.finish(n, r.Outcome, r.Receipt)
	_, err := p.Finish(p.ctx, p.ids[key][n-1], r)
	p.want("finish", err, "")
}

func (p *play) receipt(t *rapid.T) string {
	return rapid.SampledFrom([]string{"R-1", "R-2"}).Draw(t, "receipt")
}

func (p *play) mark(t *rapid.T) {
	key, m := p.picked(t, false)
	receipt := p.receipt(t)
	want := m.settle(ledger.Delivered, receipt)
	p.want("mark delivered", p.settle(key, ledger.MarkDelivered, ledger.Delivered, receipt), want)
}

func (p *play) close(t *rapid.T) {
	key, m := p.picked(t, false)
	want := m.settle(ledger.Failed, "")
	p.want("close", p.settle(key, ledger.CloseNotDelivered, ledger.Failed, ""), want)
}

func (p *play) take(d ledger.Decision) error {
	return p.Act(p.ctx, func(t ledger.Tx) error {
		_, err := t.Decide(d)
		return err
	})
}

func (p *play) abandon(t *rapid.T) {
	key, m := p.picked(t, false)
	want := m.abandon()
	p.want("abandon", p.take(p.decision(key, ledger.AbandonAttempt)), want)
}

func (p *play) retry(t *rapid.T) {
	key, m := p.picked(t, false)
	d := p.decision(key, ledger.RetrySameKey)
	d.Until = p.now + 600_000
	m.retry = !m.successor
	p.want("retry", p.take(d), "")
}

func (p *play) replace(t *rapid.T) {
	key, m := p.picked(t, false)
	want := m.replace()
	p.fresh++
	p.want("replace", p.reissue(key, fmt.Sprintf("%s-%d", key, p.fresh)), want)
}

func (p *play) look(t *rapid.T) {
	key, m := p.picked(t, false)
	receipt := p.receipt(t)
	p.suite.look(key, ledger.Lookup{Outcome: ledger.LookupFound, Receipt: receipt, PayloadSHA256: hash1})
	m.seen(receipt, false)
	m.retry = false
	if m.state.Final() {
		return
	}
	m.state, m.receipt, m.by = ledger.Delivered, receipt, ledger.ByLookup
	i := p.get(key)
	p.must(p.Act(p.ctx, func(t ledger.Tx) error {
		return t.Settle(key, i.Version, ledger.Delivered, receipt, ledger.ByLookup, "ann")
	}))
}

func (p *play) dispute(t *rapid.T) {
	key, m := p.picked(t, false)
	m.disagreed, m.known, m.retry = true, false, false
	p.want("dispute", p.take(p.decision(key, ledger.Dispute)), "")
}

func (p *play) acknowledge(t *rapid.T) {
	key, m := p.picked(t, false)
	m.known = m.disagreed
	p.want("acknowledge", p.take(p.decision(key, ledger.Acknowledge)), "")
}

func (p *play) setAside(t *rapid.T) {
	key, m := p.picked(t, false)
	m.aside = true
	p.want("set aside", p.take(p.decision(key, ledger.SetAside)), "")
}

// agree: after every step the ledger says what the model says.
func (p *play) agree(t *rapid.T) {
	for key, m := range p.models {
		h := p.history(key)
		i := h.Intent
		if i.State != m.state || i.Receipt != m.receipt || i.SettledBy != m.by || i.Superseded() != m.successor ||
			i.Contradicted() != (m.disagreed && !m.known) || (i.Derived.InFlight != "") != (m.inFlight > 0) || len(h.Attempts) != len(m.outcomes) {
			t.Fatalf("%s: the ledger says %+v, the model %+v", key, i, m)
		}
		for n, a := range h.Attempts {
			if a.Outcome != m.outcomes[n] || a.Receipt != m.receipts[n] {
				t.Fatalf("%s: attempt %d is %+v, the model says %q %q", key, n+1, a, m.outcomes[n], m.receipts[n])
			}
		}
		p.remember(h)
	}
	p.queued(t)
}

// queued: every intent stands where the queue should have it.
func (p *play) queued(t *rapid.T) {
	ranks := map[string]int{}
	for _, filter := range []ledger.StateFilter{ledger.FilterUnknown, ledger.FilterPending, ledger.FilterContradicted} {
		rows, err := p.Queue(p.ctx, ledger.QueueQuery{Filter: filter, Now: p.now, Limit: 10_000})
		p.must(err)
		for _, r := range rows {
			ranks[r.Intent.OpKey] = r.Cursor.Rank
		}
	}
	for key, m := range p.models {
		got, ok := ranks[key]
		if !ok {
			got = 3
		}
		if got != m.rank() {
			t.Fatalf("%s stands at %d of the queue, the model says %d: %+v", key, got, m.rank(), m)
		}
	}
}
