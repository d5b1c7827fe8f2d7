package tui

import (
	"slices"
	"strings"

	"triage/actions"
	"triage/actions/verdict"
	"triage/actions/wording"
)

// The reasons why a key is off. They only spare an operator a refusal: actions
// checks everything again.

// noItem is why a key that needs an intent does nothing.
func (m *Model) noItem() string {
	switch {
	case m.intent.key == "":
		return "no intent is selected"
	case m.intent.item == nil && m.intent.trouble != nil:
		return "this intent could not be read"
	case m.intent.item == nil:
		return "this intent is still being read"
	}
	return ""
}

// actOff is why an act cannot be chosen now, "" when it can.
func (m *Model) actOff(act verdict.Act) string {
	if m.options.ReadOnly {
		return readOnlyWords
	}
	if why := m.noItem(); why != "" {
		return why
	}
	if _, busy := m.lookups[m.intent.key]; busy && act == verdict.ActLookup {
		return "this intent is being looked up already"
	}
	return m.itemOff(act)
}

// itemOff asks the verdict: an act is on where it is safe, open at a risk, or
// left to what the operator knows from outside. What sends again needs the
// permission too.
func (m *Model) itemOff(act verdict.Act) string {
	item := m.intent.item
	v := item.Verdict
	if act == verdict.ActLookup && item.LookupOff != "" {
		return wording.Safe(item.LookupOff)
	}
	if why := m.heldWords(*item); act == verdict.ActLookup && why != "" {
		return why + ", " + m.heldFor(*item) + " more"
	}
	if v.Allows(act) || v.AllowsAtRisk(act) || v.AllowsByHand(act) {
		if sendsAgain(act) {
			return m.denial(item.MaySend)
		}
		return ""
	}
	why := m.said(strings.TrimSuffix(v.Withheld[act], "."))
	if why == "" || v.Kind.Conflict() && settles(act) {
		return clause(v.Kind)
	}
	return midSentence(why)
}

const readOnlyWords = "the screen was opened with --read-only"

// settles says that an act decides the outcome or what follows from it, which a
// conflict forbids whatever else is to be said.
func settles(act verdict.Act) bool {
	switch act {
	case verdict.ActDeliver, verdict.ActReissue, verdict.ActRetry, verdict.ActClose, verdict.ActAbandon:
		return true
	}
	return false
}

// sendsAgain says that an act leads to another delivery, which has to be
// authorised anew.
func sendsAgain(act verdict.Act) bool { return act == verdict.ActReissue || act == verdict.ActRetry }

// denial is a failed permission check as half a sentence, "" for one that passed.
func (m *Model) denial(p actions.Permission) string {
	if p.Allowed {
		return ""
	}
	var why []string
	for _, c := range p.Checks {
		if !c.OK && c.What != "policy" {
			why = append(why, checkWords(c)+m.said(c.Found))
		}
	}
	if len(why) == 0 {
		return "the permission recheck denies it"
	}
	return strings.Join(why, "; ")
}

// checkWords are how a sentence about a failed check begins.
func checkWords(c actions.Check) string {
	switch c.What {
	case "validity":
		if strings.HasPrefix(c.Found, "revoked") {
			return "the grant was "
		}
		return "the grant "
	case "principal", "target", "content":
		return "the grant is for another " + c.What + ": "
	}
	return wording.Safe(c.What) + ": "
}

// refusedAnew tells, where a new delivery would otherwise be open, that it would be
// denied; "" where there is nothing to tell.
func (m *Model) refusedAnew(item actions.Item) string {
	v := item.Verdict
	open := v.Allows(verdict.ActReissue) || v.AllowsAtRisk(verdict.ActReissue)
	retry := v.Allows(verdict.ActRetry)
	why := m.denial(item.MaySend)
	switch {
	case why == "" || !open && !retry:
		return ""
	case !retry:
		return "A new intent would be refused: " + why + "."
	case !open:
		return "A retry would be refused: " + why + "."
	}
	return "A new intent and a retry would be refused: " + why + "."
}

// offered are the acts of a verdict as the screen groups them. Marking delivered
// where nobody can be asked rests on the operator's word alone, so it is called by
// hand here. What the permission forbids is not offered: refusedAnew tells of it.
type offered struct{ safe, byHand, atRisk []verdict.Act }

func (m *Model) offers(item actions.Item) offered {
	v := item.Verdict
	without := func(acts []verdict.Act, drop func(verdict.Act) bool) []verdict.Act {
		return slices.DeleteFunc(slices.Clone(acts), drop)
	}
	o := offered{safe: v.Safe, byHand: v.ByHand, atRisk: v.AtRisk}
	if v.Kind == verdict.NoLookup && v.Allows(verdict.ActDeliver) {
		o.safe = without(o.safe, func(a verdict.Act) bool { return a == verdict.ActDeliver })
		o.byHand = append([]verdict.Act{verdict.ActDeliver}, o.byHand...)
	}
	if !item.MaySend.Allowed {
		o.safe, o.atRisk = without(o.safe, sendsAgain), without(o.atRisk, sendsAgain)
	}
	return o
}
