package actions

import (
	"strings"

	"triage/ledger"
)

// RefusalKind decides the exit code of a command.
type RefusalKind int

// The kinds of refusal.
const (
	Denied   RefusalKind = iota // permission, precondition, consent: exit 3
	Changed                     // changed meanwhile, or claimed by someone else: exit 4
	Failed                      // unknown key, receiver gave nothing usable: exit 1
	Unusable                    // configuration or usage: exit 2
)

// The actions' own codes, beside those of the ledger.
const (
	CodeVerdictForbids  = "verdict_forbids"
	CodeConsentRequired = "consent_required"
	CodeReasonRequired  = "reason_required"
	CodeReceiptHeld     = "receipt_held"
	CodeReceiptMismatch = "receipt_mismatch"
	CodeChanged         = "changed_meanwhile"
	CodeClaimed         = "claimed"
	CodeReadOnly        = "read_only"
	CodeNoIdentity      = "no_identity"
	CodeNoLookup        = "no_lookup"
	CodeLookupOff       = "lookup_off"
	CodeNothingToDo     = "nothing_to_abandon"
)

// Refusal is an act that did not happen. Its three parts are what every error owes
// its reader: what happened, what it means for the delivery, what to do now.
type Refusal struct {
	Kind  RefusalKind
	Code  string // one of the codes above, or a ledger.Code
	What  string
	Means string
	Do    string
	Wants string // the phrase that is owed, for CodeConsentRequired
}

func (r *Refusal) Error() string {
	parts := []string{r.Code + ": " + r.What}
	for _, p := range []string{r.Means, r.Do} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, " ")
}

const nothingWasDone = "Nothing was done; the delivery is as uncertain as before."

// byLedger words a refusal that came from the database's own rules.
func byLedger(e *ledger.Error) *Refusal {
	return &Refusal{
		Kind: Denied, Code: string(e.Code),
		What:  "The ledger refuses: " + e.Text + ".",
		Means: nothingWasDone,
		Do:    "Read the intent again and decide on what it says now.",
	}
}
