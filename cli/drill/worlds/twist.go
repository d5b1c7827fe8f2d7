package worlds

import (
	"encoding/json"
	"slices"

	"triage/actions/verdict"
	"triage/ledger"
)

// twist is one thing that is not as it should be: a promise that is false, a term that
// is left out of the verdict, or a duty that senders neglect. A nil twist is none.
type twist struct {
	name string
	what string // for the table
	tag  tag    // what senders, clocks and operators do otherwise

	tune   func(*nature)                           // draws worlds in which it can matter, for the row and its control alike
	lie    func(*nature, dice)                     // makes a promise false
	omits  func(*verdict.Evidence, *verdict.Terms) // leaves a term out of every verdict
	until  func(*verdict.Terms)                    // leaves a term out of retry's until alone
	beside *twist                                  // what else is wrong in the row and in its control; the row must show more harm
}

// tag names what a sender, a clock or an operator does otherwise.
type tag int

const (
	nothing tag = iota
	dutyRowFirst
	dutyNotSent
	dutyRejected
	dutyTransient
	dutySDK
	dutyReceipt
	dutyBlind
	dutyDeadline
	deadlineExact
	sinceExact
	untilExact
	lieTimeout
	lieSkew
	lieKilled
)

func (t *twist) is(one tag) bool { return t != nil && t.tag == one }

// judge is verdict.Judge, with whatever is left out.
func (t *twist) judge(ev verdict.Evidence, terms verdict.Terms, now ledger.Millis) verdict.Verdict {
	if t == nil || t.omits == nil && t.until == nil {
		return verdict.Judge(ev, terms, now)
	}
	if t.until != nil {
		return t.judgeRetry(ev, terms, now)
	}
	ev.Attempts, ev.Lookups, ev.Decisions = slices.Clone(ev.Attempts), slices.Clone(ev.Lookups), slices.Clone(ev.Decisions)
	t.omits(&ev, &terms)
	return verdict.Judge(ev, terms, now)
}

// judgeRetry takes all but the retry from the true terms.
func (t *twist) judgeRetry(ev verdict.Evidence, terms verdict.Terms, now ledger.Millis) verdict.Verdict {
	v := verdict.Judge(ev, terms, now)
	if v.Kind != verdict.Absent {
		return v
	}
	if terms.Promises.LookupRetention == nil {
		terms.Promises.LookupRetention = terms.Promises.KeyRetention
	}
	t.until(&terms)
	loose := verdict.Judge(ev, terms, now)
	if loose.Kind != verdict.Absent || !loose.Allows(verdict.ActRetry) {
		return v
	}
	if !v.Allows(verdict.ActRetry) {
		v.Safe = append(slices.Clone(v.Safe), verdict.ActRetry)
	}
	v.RetryUntil, v.SafeUntil = loose.RetryUntil, loose.SafeUntil
	return v
}

// eachEvidence changes what lookups show.
func eachEvidence(ev *verdict.Evidence, change func(*ledger.Evidence)) {
	for i := range ev.Lookups {
		if ev.Lookups[i].Evidence == "" {
			continue
		}
		e := ev.Lookups[i].ReadEvidence()
		change(&e)
		raw, err := json.Marshal(e)
		if err == nil {
			ev.Lookups[i].Evidence = string(raw)
		}
	}
}

// control is the same worlds with nothing left out.
func (t *twist) control() *twist {
	c := &twist{name: t.name + " (control)", tune: t.tune}
	if t.beside != nil {
		c.tag = t.beside.tag
	}
	return c
}
