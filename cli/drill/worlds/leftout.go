package worlds

import (
	"encoding/json"
	"time"

	"triage/actions/verdict"
	"triage/ledger"
)

// leftOut are the terms of end, timely and until, and the duties of senders, each left
// out in turn. Every one of them must show harm, or no world needs it.
var leftOut = []*twist{
	{name: "end/finished_at", what: "end: whoever finishes an orphan in its sender's place is believed about when it ended",
		tune: func(n *nature) { n.janitor = true },
		omits: func(ev *verdict.Evidence, _ *verdict.Terms) {
			for i := range ev.Attempts {
				ev.Attempts[i].Cause = ""
			}
		}},
	{name: "end/T", what: "end: an attempt that never finished ended when it began",
		omits: promises(func(p *verdict.Promises) {
			if p.AttemptTimeout != nil {
				p.AttemptTimeout = ms(0)
			}
		})},
	{name: "end/never", what: "end: without attempt_timeout an orphan ended when it began, instead of never",
		tune:  func(n *nature) { n.unlimited() },
		omits: promises(func(p *verdict.Promises) { p.AttemptTimeout = ms(0) })},
	{name: "end/statement", what: "end: abandoning counts as an end without the statement that the sender was killed",
		omits: func(ev *verdict.Evidence, _ *verdict.Terms) {
			for i, d := range ev.Decisions {
				if f, ok := verdict.ReadAbandon(d); ok {
					f.SenderKilled = true
					raw, _ := json.Marshal(f)
					ev.Decisions[i].Facts = string(raw)
				}
			}
		}},
	{name: "end/every", what: "end: of every attempt, not of the last one alone",
		omits: func(ev *verdict.Evidence, _ *verdict.Terms) {
			if n := len(ev.Attempts); n > 1 {
				ev.Attempts = ev.Attempts[n-1:]
			}
		}},
	{name: "timely/S", what: "timely: settles_within", omits: promises(func(p *verdict.Promises) { p.SettlesWithin = ms(0) })},
	{name: "timely/G", what: "timely: lookup_lag", omits: promises(func(p *verdict.Promises) { p.LookupLag = ms(0) })},
	{name: "timely/K", what: "timely: clock_skew", omits: promises(func(p *verdict.Promises) { p.ClockSkew = ms(0) })},
	{name: "timely/strictly", what: "timely: strictly after (a lookup begun at the very instant counts)", tune: (*nature).edges,
		omits: promises(func(p *verdict.Promises) { p.LookupLag = longer(p.LookupLag, -1) })},
	{name: "timely/retention", what: "timely: finished before the receiver may forget",
		omits: promises(func(p *verdict.Promises) { p.LookupRetention = ms(1 << 40) })},
	{name: "timely/retention-K", what: "timely: clock_skew less than the retention",
		omits: promises(func(p *verdict.Promises) {
			kept, skew := p.LookupRetention, p.ClockSkew
			if kept == nil {
				kept = p.KeyRetention
			}
			if skew == nil {
				skew = ms(verdict.DefaultClockSkew.Milliseconds())
			}
			p.LookupRetention = longer(kept, skew.Milliseconds())
		})},
	{name: "timely/retention-1ms", what: "timely: strictly before the receiver may forget (a lookup finished at the very instant counts)", tune: (*nature).edges,
		omits: promises(func(p *verdict.Promises) {
			kept := p.LookupRetention
			if kept == nil {
				kept = p.KeyRetention
			}
			p.LookupRetention = longer(kept, 1)
		})},
	{name: "timely/seq", what: "timely: begun after the last attempt's row (where clocks lie too)", tag: lieSkew, beside: &twist{tag: lieSkew},
		omits: func(ev *verdict.Evidence, _ *verdict.Terms) {
			for i := range ev.Lookups {
				ev.Lookups[i].Seq += 1 << 40
			}
		}},
	{name: "timely/canary", what: "timely: the canary",
		omits: func(ev *verdict.Evidence, t *verdict.Terms) {
			t.Promises.Canary = ""
			for i := range ev.Lookups {
				ev.Lookups[i].CanarySeen = nil
			}
		}},
	{name: "timely/replayed", what: "timely: answers served again",
		omits: func(ev *verdict.Evidence, _ *verdict.Terms) {
			eachEvidence(ev, func(e *ledger.Evidence) { e.Replayed = false })
		}},
	{name: "timely/as_of", what: "timely: an export is as old as its as-of",
		omits: func(ev *verdict.Evidence, _ *verdict.Terms) {
			eachEvidence(ev, func(e *ledger.Evidence) { e.AsOf, e.CompleteAt = 0, 0 })
		}},
	{name: "timely/elsewhere", what: "timely: another environment or connector",
		omits: func(ev *verdict.Evidence, t *verdict.Terms) {
			for i := range ev.Lookups {
				ev.Lookups[i].Connector, ev.Lookups[i].Environment = t.Connector, t.Environment
			}
		}},
	{name: "timely/since", what: "timely: since", tune: (*nature).promisedLate, omits: promises(func(p *verdict.Promises) { p.Since = 0 })},
	{name: "timely/since+K", what: "since: clock_skew on top of the receiver's own word for it", tag: sinceExact, tune: (*nature).promisedLate},
	{name: "timely/absence_is_proof", what: "absent: absence_is_proof", omits: promises(func(p *verdict.Promises) { p.AbsenceIsProof = true })},
	{name: "timely/refusal_is_final", what: "refused: refusal_is_final", omits: promises(func(p *verdict.Promises) { p.RefusalIsFinal = true })},
	{name: "found/found_is_final", what: "delivered: found_is_final",
		omits: func(ev *verdict.Evidence, t *verdict.Terms) {
			t.Promises.FoundIsFinal = true
			eachEvidence(ev, func(e *ledger.Evidence) { e.Final = nil })
		}},
	{name: "until/T", tune: (*nature).repeating, what: "until: attempt_timeout", until: func(t *verdict.Terms) { t.Promises.AttemptTimeout = ms(0) }},
	{name: "until/S", tune: (*nature).repeating, what: "until: settles_within", until: func(t *verdict.Terms) { t.Promises.SettlesWithin = ms(0) }},
	{name: "until/K", tune: (*nature).skewed, what: "until: clock_skew", until: func(t *verdict.Terms) { t.Promises.ClockSkew = ms(0) }},
	{name: "until/R", tune: (*nature).repeating, what: "until: key_retention", until: func(t *verdict.Terms) { t.Promises.KeyRetention = ms(1 << 40) }},
	{name: "until/strictly", what: "until: strictly before first attempt + R − T − S − K", tag: untilExact, tune: (*nature).lastMoment},
	{name: "duty/row", what: "duty: the attempt's row before the call", tag: dutyRowFirst},
	{name: "duty/not_sent", what: "duty: not_sent only if true of every request", tag: dutyNotSent},
	{name: "duty/rejected", what: "duty: rejected only if true of every request", tag: dutyRejected,
		tune: func(n *nature) { n.refusesBusy, n.refusal, n.silent = true, takesAll, 10 }},
	{name: "duty/transient", what: "duty: rejected only for a refusal that is final by contract", tag: dutyTransient},
	{name: "duty/sdk", what: "duty: several requests only where the key is honoured and T + S + K < R", tag: dutySDK},
	{name: "duty/deadline", what: "duty: a deadline before which the last own retry still lands", tag: dutyDeadline},
	{name: "duty/deadline-1ms", what: "duty: strictly before that deadline (it is exactly first attempt + R − T − S − K)", tag: deadlineExact, tune: (*nature).retrying},
	{name: "duty/blind", what: "rule: no attempt after unknown without a decision", tag: dutyBlind},
	{name: "duty/receipt", what: "duty: the receipt is written whatever happens", tag: dutyReceipt},
}

// promises leaves a promise out of every verdict.
func promises(change func(*verdict.Promises)) func(*verdict.Evidence, *verdict.Terms) {
	return func(_ *verdict.Evidence, t *verdict.Terms) { change(&t.Promises) }
}

// longer is a promised length and so many milliseconds more; none stays none.
func longer(d *time.Duration, more int64) *time.Duration {
	if d == nil {
		return nil
	}
	return ms(max(0, d.Milliseconds()+more))
}

// falsePromises are the promises, each false in turn.
var falsePromises = []*twist{
	{name: "false/attempt_timeout", what: "attempt_timeout: attempts last longer", tag: lieTimeout},
	{name: "false/settles_within", what: "settles_within: requests land later", lie: func(n *nature, _ dice) { n.S = 3*n.S + n.T + 5*n.unit }},
	{name: "false/lookup_lag", what: "lookup_lag: lookups miss it for longer", lie: func(n *nature, _ dice) { n.G = 3*n.G + n.T + 5*n.unit }},
	{name: "false/key_retention", what: "key_retention: the key is forgotten sooner", lie: func(n *nature, _ dice) { n.R /= 6 }},
	{name: "false/lookup_retention", what: "lookup_retention: it can't be found as long", lie: func(n *nature, _ dice) { n.LR /= 6 }},
	{name: "false/absence_is_proof", what: "absence_is_proof: some misses mean nothing", lie: func(n *nature, _ dice) { n.authoritative = false }},
	{name: "false/same_key", what: "same_key: a second request acts again", lie: func(n *nature, _ dice) { n.honours = false }},
	{name: "false/found_is_final", what: "found_is_final: what was found is dropped later",
		lie: func(n *nature, _ dice) { n.foundFinal, n.showsFinal, n.showsWork, n.drops = false, false, false, true }},
	{name: "false/refusal_is_final", what: "refusal_is_final: what was refused is accepted later",
		lie: func(n *nature, _ dice) { n.refusalFinal, n.refusal, n.keepsRefused = false, refusesFirst, true }},
	{name: "false/canary", what: "canary: seen by those who may not see the rest", lie: func(n *nature, _ dice) { n.canaryHonest = false }},
	{name: "false/clock_skew", what: "clock_skew: clocks differ by more", tag: lieSkew},
	{name: "false/killed", what: "the statement that a sender was killed, about one that lives", tag: lieKilled},
}
