package tui

import (
	"strings"

	"triage/actions/wording"
	"triage/ledger"
)

// matches says whether a filter text can be seen in a row, upper and lower case
// alike. It looks at the words as they are shown, so that what one reads is what
// one can search for.
func matches(row ledger.QueueRow, needle string, now ledger.Millis) bool {
	needle = strings.ToLower(needle)
	for _, field := range seenFields(row, now) {
		if strings.Contains(strings.ToLower(wording.Safe(field)), needle) {
			return true
		}
	}
	return false
}

func seenFields(row ledger.QueueRow, now ledger.Millis) []string {
	i := row.Intent
	_, state, _ := theme{}.stateMark(i, row.Stuck, now)
	fields := []string{i.OpKey, i.Target, i.Task, i.Stage, i.Principal, state, string(row.LastOutcome), row.LastCause, rowLookup(row)}
	if row.Claim != nil {
		fields = append(fields, row.Claim.Operator)
	}
	return fields
}
