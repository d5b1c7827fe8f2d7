package tui

import (
	"context"
	"errors"
	"strings"

	"triage/actions"
	"triage/actions/wording"
	"triage/ledger"
)

// readTrouble says in plain words why something could not be read, and what to do.
// A driver's own text never gets onto the screen: it tells an operator nothing, and
// `triage list` prints it for whoever mends the cause.
func readTrouble(err error) string {
	var refusal *actions.Refusal
	if errors.As(err, &refusal) {
		return refusalText(err)
	}
	cause, remedy := plainCause(err)
	return cause + ". " + remedy
}

// plainCause is what an error comes to, without a full stop, and what to do about it.
func plainCause(err error) (cause, remedy string) {
	switch {
	case errors.Is(err, ledger.ErrBusy):
		return "The ledger is busy: another program holds its lock", "It is tried again every second."
	case errors.Is(err, context.DeadlineExceeded):
		return "The ledger did not answer within " + wording.Duration(readTimeout), "It is tried again every second."
	case errors.Is(err, ledger.ErrNotALedger):
		return "The file is no triage ledger any more", "Leave (q) and check the path."
	case errors.Is(err, ledger.ErrNewerSchema), errors.Is(err, ledger.ErrOlderSchema):
		return "The ledger has the schema of another version of triage", "Leave (q) and use that version."
	}
	for _, known := range knownCauses {
		if strings.Contains(err.Error(), known.text) {
			return known.cause, known.remedy
		}
	}
	if foreign(err.Error()) {
		return "The ledger gave an answer that cannot be read here", "`triage list` and `triage show KEY` print the error in full, for whoever looks after the ledger."
	}
	return wording.Safe(strings.TrimSuffix(err.Error(), ".")), "It is tried again every second."
}

// knownCauses are errors of disks and databases that an operator can do something
// about.
var knownCauses = []struct{ text, cause, remedy string }{
	{"database is locked", "The ledger is busy: another program holds its lock", "It is tried again every second."},
	{"disk I/O error", "The disk that holds the ledger reports an error", "Check that disk; it is tried again every second."},
	{"disk is full", "The disk that holds the ledger is full", "Make room; it is tried again every second."},
	{"malformed", "The ledger's file is damaged", "Leave (q) and have `triage verify` look at it; restore it from a backup if need be."},
	{"unable to open database", "The ledger's file can no longer be opened", "Check that it is still there and may be read."},
}

// foreign says that a text is a program's rather than a person's.
func foreign(text string) bool {
	for _, mark := range []string{"SQL", "sql", "Scan", "column index", "constraint", "NULL", "converting", "driver", "strconv", "runtime error"} {
		if strings.Contains(text, mark) {
			return true
		}
	}
	return false
}

// refusalText is an error in whole: what happened, what it means for the
// delivery, what to do now.
func refusalText(err error) string {
	var refusal *actions.Refusal
	if errors.As(err, &refusal) {
		parts := []string{}
		for _, p := range []string{refusal.What, refusal.Means, refusal.Do} {
			if p != "" {
				parts = append(parts, wording.Safe(p))
			}
		}
		if refusal.Code != "" {
			parts = append(parts, "("+wording.Safe(refusal.Code)+")")
		}
		return strings.Join(parts, " ")
	}
	cause, _ := plainCause(err)
	return "It could not be carried through. " + cause +
		". Whether anything was written shows in the intent itself, which is being read again."
}
