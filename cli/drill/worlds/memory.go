package worlds

import (
	"encoding/json"
	"fmt"

	"triage/actions/verdict"
	"triage/ledger"
)

// memory is a ledger in memory that knows the ledger's rules (design §4). The shares of
// worlds that also go through a real ledger must come out the same.
type memory struct {
	w        *world
	intents  map[string]*leaf
	byTry    map[string]*leaf
	seq      int64
	fresh    int
	finished map[string]int64 // journal number of each lookup's finish
}

// leaf is all that is recorded about one intent.
type leaf struct {
	intent    ledger.Intent
	attempts  []ledger.Attempt
	lookups   []ledger.Lookup
	decisions []ledger.Decision
	back      int64           // journal number at which an attempt last came back
	given     map[string]bool // attempts that were abandoned
}

func newMemory(w *world) *memory {
	return &memory{w: w, intents: map[string]*leaf{}, byTry: map[string]*leaf{}, finished: map[string]int64{}}
}

func (m *memory) next() int64 { m.seq++; return m.seq }

func (m *memory) begin(n ledger.NewIntent, at ledger.Millis) {
	m.w.touched = true
	m.next()
	m.intents[n.OpKey] = &leaf{given: map[string]bool{}, intent: ledger.Intent{
		OpKey: n.OpKey, Task: n.Task, Stage: n.Stage, Principal: n.Principal, Target: n.Target, PayloadSHA256: n.PayloadSHA256,
		GrantID: n.GrantID, State: ledger.Pending, MaxAttempts: n.MaxAttempts, DeadlineAt: n.DeadlineAt, CreatedAt: at, Version: 1,
	}}
}

func (m *memory) state(key string) ledger.Intent { return m.intents[key].intent }

func (m *memory) givenUp(id string) bool { return m.byTry[id] != nil && m.byTry[id].given[id] }

func (l *leaf) changed() { l.intent.Version++ }

// attempt is the INSERT of an attempt. Blind leaves the ledger's rule against blind
// retries out.
func (m *memory) attempt(key, layer string, started ledger.Millis, blind bool) (string, ledger.Code) {
	l := m.intents[key]
	if code := m.guard(l, started); code != "" && (!blind || code != ledger.DecisionRequired && code != ledger.BudgetSpent) {
		return "", code
	}
	id := fmt.Sprintf("%s#%d", key, len(l.attempts)+1)
	l.attempts = append(l.attempts, ledger.Attempt{AttemptID: id, OpKey: key, N: len(l.attempts) + 1, Layer: layer, StartedAt: started, Seq: m.next()})
	m.byTry[id] = l
	l.intent.Derived.InFlight = id
	l.intent.Derived.LastAttemptSeq = m.seq
	l.changed()
	return id, ""
}

// guard says which of the ledger's rules refuses an attempt, in the order of its
// trigger.
func (m *memory) guard(l *leaf, started ledger.Millis) ledger.Code {
	i := &l.intent
	switch {
	case i.Superseded():
		return ledger.AlreadySuperseded
	case i.State.Final() || l.cameBack(ledger.OutcomeDelivered):
		return ledger.AlreadyFinal
	case i.Derived.InFlight != "":
		return ledger.AttemptInFlight
	case !i.CancelRequestedAt.IsNone():
		return ledger.NotAuthorised
	case m.heldBackBy(l) != nil:
		return ledger.DecisionRequired
	}
	standing := m.standingRetry(l, started)
	switch {
	case i.State == ledger.Unknown && !standing:
		return ledger.DecisionRequired
	case !i.DeadlineAt.IsNone() && i.DeadlineAt < started:
		return ledger.BudgetSpent
	case i.State == ledger.Pending && i.MaxAttempts > 0 && len(l.attempts) >= i.MaxAttempts && !standing:
		return ledger.BudgetSpent
	case i.State == ledger.Pending && (i.MaxAttempts == 0 || i.DeadlineAt.IsNone()) && l.unaccounted() && !standing:
		return ledger.BudgetSpent
	}
	return ""
}

// heldBackBy is the nearest intent that this one takes the place of, itself or through
// others, that is contradicted: the ledger's view held_back. Nobody acknowledges here.
func (m *memory) heldBackBy(l *leaf) *ledger.Intent {
	for key := l.intent.Supersedes; key != ""; key = m.intents[key].intent.Supersedes {
		if i := m.intents[key].intent; i.Contradicted() {
			return &i
		}
	}
	return nil
}

func (l *leaf) cameBack(o ledger.Outcome) bool {
	for _, a := range l.attempts {
		if a.Outcome == o {
			return true
		}
	}
	return false
}

// unaccounted: an attempt is neither not_sent nor rejected.
func (l *leaf) unaccounted() bool {
	for _, a := range l.attempts {
		if a.Outcome != ledger.OutcomeNotSent && a.Outcome != ledger.OutcomeRejected {
			return true
		}
	}
	return false
}

// standingRetry: a retry was decided after the last attempt, still stands at an
// instant, and nothing found since speaks against it.
func (m *memory) standingRetry(l *leaf, at ledger.Millis) bool {
	for _, d := range l.decisions {
		if d.Kind != ledger.RetrySameKey || d.Seq <= l.intent.Derived.LastAttemptSeq || d.Until < at {
			continue
		}
		stands := l.back < d.Seq // whoever came back since was alive after all
		for _, k := range l.lookups {
			switch k.Outcome {
			case ledger.LookupFound, ledger.LookupInProgress, ledger.LookupRefused, ledger.LookupAmbiguous:
				stands = stands && m.finished[k.LookupID] < d.Seq
			}
		}
		if stands {
			return true
		}
	}
	return false
}

func (m *memory) sendable(key string) bool {
	l := m.intents[key]
	i := &l.intent
	if i.Superseded() || i.Derived.InFlight != "" || !i.CancelRequestedAt.IsNone() ||
		m.heldBackBy(l) != nil || l.cameBack(ledger.OutcomeDelivered) {
		return false
	}
	unsent := i.State == ledger.Pending && !l.cameBack(ledger.OutcomeUnknown) && !l.cameBack(ledger.OutcomeRejected) && !l.open() &&
		(i.MaxAttempts == 0 || len(l.attempts) < i.MaxAttempts)
	return unsent || !i.State.Final() && m.standingRetry(l, 0)
}

func (l *leaf) open() bool {
	for _, a := range l.attempts {
		if !a.Finished() {
			return true
		}
	}
	return false
}

// finish writes what an attempt came to and, with settle, what follows for the intent.
func (m *memory) finish(id string, r ledger.Result, at ledger.Millis, settle bool) string {
	m.w.touched = true
	l := m.byTry[id]
	var a *ledger.Attempt
	for k := range l.attempts {
		if l.attempts[k].AttemptID == id {
			a = &l.attempts[k]
		}
	}
	if a.Finished() {
		return string(ledger.AppendOnly)
	}
	l.back = m.next()
	a.FinishedAt, a.Outcome, a.Cause, a.Receipt, a.HTTPStatus = at, r.Outcome, r.Cause, r.Receipt, r.HTTPStatus
	l.changed()
	i := &l.intent
	if i.Derived.InFlight == id {
		i.Derived.InFlight = ""
	}
	if r.Outcome == ledger.OutcomeDelivered && (i.State == ledger.Failed || i.Superseded() || i.State == ledger.Delivered && i.Receipt != r.Receipt) {
		m.contradict(l)
	}
	if settle {
		m.follow(l, *a)
	}
	return ""
}

func (m *memory) contradict(l *leaf) {
	m.next()
	l.intent.ContradictedAt = 1
	l.changed()
}

func (m *memory) follow(l *leaf, a ledger.Attempt) {
	i := &l.intent
	switch {
	case i.State.Final():
	case a.Outcome == ledger.OutcomeDelivered && a.Receipt != "":
		m.settle(l, ledger.Delivered, a.Receipt, ledger.BySender)
	case i.State != ledger.Pending:
	case a.Outcome == ledger.OutcomeRejected && (l.open() || l.cameBack(ledger.OutcomeUnknown)), a.Outcome == ledger.OutcomeUnknown:
		m.move(l, ledger.Unknown)
	case a.Outcome == ledger.OutcomeRejected:
		m.settle(l, ledger.Failed, "", ledger.BySender)
	}
}

func (m *memory) move(l *leaf, to ledger.State) {
	m.next()
	l.intent.State = to
	l.changed()
}

func (m *memory) settle(l *leaf, to ledger.State, receipt string, by ledger.SettledBy) {
	m.w.touched = true
	m.move(l, to)
	l.intent.Receipt, l.intent.SettledBy = receipt, by
}

func (m *memory) cancel(key string, at ledger.Millis) {
	m.next()
	m.intents[key].intent.CancelRequestedAt = at
	m.intents[key].changed()
}

// evidence is what a verdict depends on.
func (m *memory) evidence(l *leaf) verdict.Evidence {
	ev := verdict.Evidence{Intent: l.intent, Attempts: l.attempts, Lookups: l.lookups, Decisions: l.decisions, HeldBackBy: m.heldBackBy(l)}
	for key, other := range m.intents {
		if key == l.intent.OpKey {
			continue
		}
		if other.intent.Receipt != "" {
			if ev.ReceiptHolders == nil {
				ev.ReceiptHolders = map[string]string{}
			}
			ev.ReceiptHolders[other.intent.Receipt] = key
		}
		if !other.intent.State.Final() && !other.intent.Superseded() {
			ev.Twins = append(ev.Twins, key)
		}
	}
	return ev
}

func (m *memory) judge(l *leaf, now ledger.Millis) verdict.Verdict {
	return m.w.twist.judge(m.evidence(l), m.w.nature.terms, now)
}

func (m *memory) see(o *operator, key string) sight {
	l := m.intents[key]
	s := sight{intent: l.intent, verdict: m.judge(l, o.clock.at(m.w.now))}
	if a, ok := m.evidence(l).Abandonable(); ok {
		s.open = a.AttemptID
	}
	return s
}

// killedFacts is what an abandon decision states.
func killedFacts(id string, killed bool) string {
	raw, _ := json.Marshal(verdict.AbandonFacts{AttemptID: id, SenderKilled: killed})
	return string(raw)
}

// retryUntil is that of the newest retry that was decided.
func (m *memory) retryUntil(key string) ledger.Millis {
	var until ledger.Millis
	for _, d := range m.intents[key].decisions {
		if d.Kind == ledger.RetrySameKey {
			until = d.Until
		}
	}
	return until
}
