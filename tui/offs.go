package tui

import (
	"fmt"
	"strings"

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
	switch {
	case laterActs[act]:
		return notInThisVersion
	case m.options.ReadOnly:
		return "the screen was opened with --read-only"
	}
	if why := m.noItem(); why != "" {
		return why
	}
	if _, busy := m.lookups[m.intent.key]; busy && act == verdict.ActLookup {
		return "this intent is being looked up already"
	}
	return itemOff(act, m)
}

// itemOff asks the verdict: an act is on where it is safe, open at a risk, or
// left to what the operator knows from outside.
func itemOff(act verdict.Act, m *Model) string {
	item := m.intent.item
	v := item.Verdict
	if act == verdict.ActLookup && item.LookupOff != "" {
		return wording.Safe(item.LookupOff)
	}
	if v.Allows(act) || v.AllowsAtRisk(act) || v.AllowsByHand(act) {
		return ""
	}
	why := wording.Safe(strings.TrimSuffix(v.Withheld[act], "."))
	if why == "" || v.Kind.Conflict() {
		why = clause(v.Kind)
	}
	return fmt.Sprintf("%s (%s)", midSentence(why), v.Kind)
}

// midSentence lowers a sentence's first letter; a name or an abbreviation stays.
func midSentence(s string) string {
	if len(s) > 1 && s[0] >= 'A' && s[0] <= 'Z' && (s[1] == ' ' || s[1] >= 'a' && s[1] <= 'z') {
		return strings.ToLower(s[:1]) + s[1:]
	}
	return s
}
