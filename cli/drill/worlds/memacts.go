package worlds

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"triage/actions/verdict"
	"triage/ledger"
)

// look writes the lookup's row before the call and finishes it afterwards; the verdict
// delivered settles the intent (design §6).
func (m *memory) look(o *operator, r route, key string) ledger.LookupOutcome {
	l := m.intents[key]
	at := len(l.lookups)
	l.lookups = append(l.lookups, ledger.Lookup{
		LookupID: fmt.Sprintf("%s?%d", key, at+1), OpKey: key, StartedAt: o.clock.at(m.w.now), Actor: o.name,
		Connector: r.connector, Environment: r.environment, Seq: m.next(),
	})
	a := m.w.ask(r, key)
	if r.dies {
		return ""
	}
	k := &l.lookups[at]
	k.FinishedAt = max(o.clock.at(m.w.now), k.StartedAt)
	k.Outcome, k.CanarySeen, k.Receipt = a.Outcome, a.CanarySeen, a.Receipt
	k.PayloadSHA256, k.Owner, k.Cause = a.PayloadSHA256, a.Owner, a.Cause
	k.Evidence = encode(a.Evidence)
	v := m.proves(o, l, *k)
	if v.Evidence == k.LookupID && v.Evidence != "" {
		a.Evidence.Proves = string(v.Kind)
		k.Evidence = encode(a.Evidence)
	}
	m.finished[k.LookupID] = m.next()
	m.disagree(l, *k)
	if v.Kind == verdict.Delivered && v.Receipt != "" && k.Outcome == ledger.LookupFound && k.Receipt == v.Receipt && !l.intent.State.Final() {
		m.settle(l, ledger.Delivered, v.Receipt, ledger.ByLookup)
	}
	return k.Outcome
}

// encode writes evidence as the actions do.
func encode(e ledger.Evidence) string {
	raw, err := json.Marshal(e)
	if err != nil {
		return "{}"
	}
	return string(raw)
}

// disagree marks an intent whose decision a lookup contradicts. What was contradicted
// before in the same words is nothing new; no robot acknowledges, so that is enough.
func (m *memory) disagree(l *leaf, k ledger.Lookup) {
	i := l.intent
	against := false
	switch {
	case i.State == ledger.Failed || i.Superseded():
		against = k.Outcome == ledger.LookupFound || k.Outcome == ledger.LookupInProgress || k.Outcome == ledger.LookupAmbiguous || l.refusalDisagrees(k)
	case i.State == ledger.Delivered && i.SettledBy == ledger.ByOperator:
		against = k.Outcome == ledger.LookupAmbiguous || k.Outcome == ledger.LookupFound && (k.Receipt != i.Receipt || k.PayloadSHA256 != i.PayloadSHA256)
	case i.State == ledger.Delivered:
		against = k.Outcome == ledger.LookupFound && k.Receipt != i.Receipt
	}
	if against {
		m.contradict(l)
	}
}

// refusalDisagrees: it shows that something came, where the decision rests on nothing
// having come.
func (l *leaf) refusalDisagrees(k ledger.Lookup) bool {
	if k.Outcome != ledger.LookupRefused {
		return false
	}
	return k.PayloadSHA256 != "" && k.PayloadSHA256 != l.intent.PayloadSHA256 ||
		l.intent.SettledBy != ledger.BySender &&
			!slices.ContainsFunc(l.lookups, func(p ledger.Lookup) bool { return p.ReadEvidence().Proves == string(verdict.Refused) })
}

// act does what the verdict of this instant allows, if nothing moved since the
// operator looked.
func (m *memory) act(o *operator, d deed) (newKey, refused string) {
	l := m.intents[d.key]
	now := o.clock.at(m.w.now)
	v := m.judge(l, now)
	switch {
	case l.intent.Version != d.seen.intent.Version || v.Kind != d.seen.verdict.Kind:
		return "", "changed_meanwhile"
	case !v.Allows(d.act) && !v.AllowsByHand(d.act):
		return "", "verdict_forbids"
	}
	row := ledger.Decision{OpKey: d.key, At: now, Operator: o.name, Reason: "by the verdict", Seq: m.next()}
	row.DecisionID = fmt.Sprintf("d-%d", m.seq)
	switch d.act {
	case verdict.ActDeliver:
		row.Kind, row.Receipt = ledger.MarkDelivered, d.receipt
		m.settle(l, ledger.Delivered, d.receipt, ledger.ByOperator)
	case verdict.ActClose:
		row.Kind = ledger.CloseNotDelivered
		m.settle(l, ledger.Failed, "", ledger.ByOperator)
	case verdict.ActRetry:
		row.Kind, row.Until = ledger.RetrySameKey, v.SafeUntil-1
		if m.w.twist.is(untilExact) {
			row.Until++
		}
	case verdict.ActAbandon:
		row.Kind, row.Facts = ledger.AbandonAttempt, killedFacts(d.seen.open, d.killed)
		l.given[d.seen.open] = true
		l.intent.Derived.InFlight = ""
		l.changed()
		if l.intent.State == ledger.Pending {
			m.move(l, ledger.Unknown)
		}
	case verdict.ActReissue:
		newKey = m.succeed(l, now)
		row.Kind, row.NewOpKey = ledger.Reissue, newKey
	}
	l.decisions = append(l.decisions, row)
	return newKey, ""
}

func (m *memory) succeed(l *leaf, now ledger.Millis) string {
	m.fresh++
	key := fmt.Sprintf("%s~%08x", root(l.intent.OpKey), m.fresh)
	n := m.w.intentFor(key)
	n.MaxAttempts = l.intent.MaxAttempts
	m.begin(n, now)
	m.intents[key].intent.Supersedes = l.intent.OpKey
	l.intent.SupersededBy = key
	l.changed()
	return key
}

// root is the key that a fresh one was made from.
func root(key string) string {
	base, _, _ := strings.Cut(key, "~")
	return base
}

// proves judges a lookup that may settle its intent, or contradict a person's word. No
// other one needs it.
func (m *memory) proves(o *operator, l *leaf, k ledger.Lookup) verdict.Verdict {
	if k.Outcome != ledger.LookupFound && k.Outcome != ledger.LookupRefused && l.intent.State != ledger.Delivered {
		return verdict.Verdict{}
	}
	return m.judge(l, o.clock.at(m.w.now))
}
