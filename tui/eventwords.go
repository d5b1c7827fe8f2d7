package tui

import (
	"encoding/json"
	"fmt"
	"strings"

	"triage/actions/wording"
	"triage/ledger"
)

// told is the detail of an event: columns with what they were and became, and the odd
// plain member.
type told map[string]any

func readTold(e ledger.Event) told {
	t := told{}
	_ = json.Unmarshal([]byte(e.Detail), &t) // what can't be read says nothing
	return t
}

// became is what a column was set to, nil for none.
func (t told) became(column string) any {
	if pair, ok := t[column].([]any); ok && len(pair) == 2 {
		return pair[1]
	}
	return nil
}

func (t told) text(column string) string {
	switch v := t.became(column).(type) {
	case string:
		return wording.Safe(v)
	case float64:
		return fmt.Sprintf("%.0f", v)
	}
	return ""
}

func (m *Model) instantOf(t told, column string) string {
	if at, ok := t.became(column).(float64); ok {
		return m.fullStamp(ledger.Millis(at))
	}
	return ""
}

// eventWords say in half a sentence who did what.
func (m *Model) eventWords(e ledger.Event) string {
	t, who := readTold(e), writer(e.Actor)
	with := func(words, name, value string) string {
		if value == "" {
			return words
		}
		return words + ", " + name + value
	}
	switch e.Kind {
	case "begun":
		return with(who+" began it", "replacing ", t.text("supersedes"))
	case "attempt_started":
		return "attempt " + t.text("n") + " began, written by " + who
	case "attempt_finished":
		words := "attempt " + t.text("n") + " came back " + t.text("outcome")
		return with(with(words, "", t.text("cause")), "receipt ", t.text("receipt")) + ", written by " + who
	case "changed":
		return m.changedWords(t, who)
	case "superseded":
		return t.text("superseded_by") + " took its place, written by " + who
	case "contradicted":
		return "that contradicted what had been decided"
	case "lookup_started":
		return who + " asked the receiver"
	case "lookup_finished":
		words := "the receiver answered " + who + ": " + lookupWord(t.text("outcome"))
		return with(with(words, "receipt ", t.text("receipt")), "", t.text("cause"))
	case "claimed", "claim_changed":
		return with(who+" holds it", "until ", m.instantOf(t, "expires_at"))
	case "granted":
		return who + " gave the grant " + t.text("grant_id")
	case "grant_changed":
		if at := m.instantOf(t, "revoked_at"); at != "" {
			return "the grant " + t.text("grant_id") + " was revoked, as of " + at
		}
		return "the grant " + t.text("grant_id") + " was shortened, to " + m.instantOf(t, "expires_at")
	}
	words, ok := decisionVerbs[ledger.DecisionKind(e.Kind)]
	if !ok {
		return who + ": " + wording.Safe(e.Kind)
	}
	return with(with(with(who+" "+words, "receipt ", t.text("receipt")), "new key ", t.text("new_op_key")), "until ", m.instantOf(t, "until"))
}

// changedWords tell of a writer's own change of the row.
func (m *Model) changedWords(t told, who string) string {
	if at := m.instantOf(t, "cancel_requested_at"); at != "" {
		return who + " asked, at " + at + ", for it not to be sent any more"
	}
	state := t.text("state")
	switch {
	case state == "":
		return who + " wrote to it"
	case t.text("receipt") != "":
		return "it became " + state + " with the receipt " + t.text("receipt") + ", written by " + who
	}
	return "it became " + state + ", written by " + who
}

func lookupWord(outcome string) string {
	if words, ok := lookupWords[ledger.LookupOutcome(outcome)]; ok && outcome != "" {
		return words
	}
	return outcome
}

// decisionVerbs are what people did, after their name.
var decisionVerbs = map[ledger.DecisionKind]string{
	ledger.MarkDelivered:     "marked it delivered",
	ledger.Reissue:           "decided on a new intent in its place",
	ledger.RetrySameKey:      "allowed one more attempt under the same key",
	ledger.CloseNotDelivered: "closed it as not delivered",
	ledger.AbandonAttempt:    "gave up waiting for its open attempt",
	ledger.SetAside:          "set it aside",
	ledger.Dispute:           "disputed its receipt",
	ledger.Acknowledge:       "acknowledged the contradiction",
	ledger.Note:              "wrote a note",
	ledger.Snooze:            "put it off",
	ledger.ClaimItem:         "claimed it",
	ledger.Release:           "released it",
	ledger.TakeOver:          "took it over",
	ledger.Propose:           "proposed an act",
	ledger.Confirm:           "confirmed a proposed act",
	ledger.Withdraw:          "withdrew a proposed act",
	ledger.Denied:            "was refused an act",
}

// differences are the columns of the intent that an event changed, with what each was and
// became. The receipt of a decision is the decision's own.
func (m *Model) differences(e ledger.Event) string {
	t := readTold(e)
	var out []string
	for _, column := range []string{"state", "receipt", "settled_by", "superseded_by", "contradicted_at", "snoozed_until", "cancel_requested_at"} {
		pair, ok := t[column].([]any)
		if !ok || len(pair) != 2 || column == "receipt" && e.Kind != "changed" {
			continue
		}
		out = append(out, column+" "+m.value(column, pair[0])+" → "+m.value(column, pair[1]))
	}
	return strings.Join(out, ", ")
}
