package tui

import (
	"strings"

	"triage/actions/wording"
	"triage/ledger"
)

// matches says whether a filter text can be seen in a row, upper and lower case
// alike. It looks at the words as they are shown, so that what one reads is what
// one can search for.
func matches(row ledger.QueueRow, needle string) bool {
	needle = strings.ToLower(needle)
	for _, field := range seenFields(row) {
		if strings.Contains(strings.ToLower(wording.Safe(field)), needle) {
			return true
		}
	}
	return false
}

func seenFields(row ledger.QueueRow) []string {
	i := row.Intent
	_, state, _ := theme{}.stateMark(i, row.Stuck)
	fields := []string{i.OpKey, i.Target, i.Task, i.Stage, i.Principal, state, string(row.LastOutcome), row.LastCause, string(row.LastLookup)}
	if row.Claim != nil {
		fields = append(fields, row.Claim.Operator)
	}
	return fields
}
