package actions

import (
	"fmt"
	"strings"

	"triage/actions/verdict"
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
	CodeRetryAfter      = "retry_after"
	CodeDeadline        = "deadline_passed"
	CodeNothingToDo     = "nothing_to_abandon"
	CodeNoReceipt       = "nothing_to_dispute"
	CodeNotContradicted = "not_contradicted"
	CodeSetAside        = "not_to_set_aside"
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

	Unrecorded error // why it could not be written down that this was refused; nil: it was
}

func (r *Refusal) Unwrap() error { return r.Unrecorded }

func (r *Refusal) Error() string {
	parts := []string{r.Code + ": " + r.What}
	for _, p := range []string{r.Means, r.Do} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, " ")
}

const nothingWasDone = "Nothing was done; what is known about the delivery is what it was."

// byLedger words a refusal that came from the database's own rules.
func byLedger(e *ledger.Error) *Refusal {
	return &Refusal{
		Kind: Denied, Code: string(e.Code),
		What:  "The ledger refuses: " + e.Text + ".",
		Means: nothingWasDone,
		Do:    "Read the intent again and decide on what it says now.",
	}
}

func alreadyFinal(item Item) *Refusal {
	i := item.Intent
	r := &Refusal{
		Kind: Denied, Code: string(ledger.AlreadyFinal),
		What:  fmt.Sprintf("The intent is %s already, settled by %s (%s).", i.State, i.SettledBy, i.UpdatedBy),
		Means: "Nothing was done; what is settled stays settled.",
		Do:    "If that is wrong, dispute its receipt or write a note, and hand it over.",
	}
	if i.Receipt != "" {
		r.What = fmt.Sprintf("The intent is %s already with receipt %s, settled by %s (%s).", i.State, i.Receipt, i.SettledBy, i.UpdatedBy)
	}
	return r
}

func alreadySuperseded(item Item) *Refusal {
	by := "somebody"
	for _, dec := range item.Decisions {
		if dec.Kind == ledger.Reissue && dec.NewOpKey == item.Intent.SupersededBy {
			by = fmt.Sprintf("%s at %s", dec.Operator, instant(dec.At))
		}
	}
	return &Refusal{
		Kind: Denied, Code: string(ledger.AlreadySuperseded),
		What:  fmt.Sprintf("The intent was already replaced by %s, by %s.", item.Intent.SupersededBy, by),
		Means: "There is exactly one successor; nothing else was made.",
		Do:    "Look at the successor.",
	}
}

// forbidden says why the verdict does not carry the act. Where the intent is
// settled already, it says by whom.
func forbidden(act verdict.Act, item Item) *Refusal {
	v, i := item.Verdict, item.Intent
	sends := act == verdict.ActReissue || act == verdict.ActRetry
	switch {
	case act == verdict.ActDispute:
		return nothingThere(CodeNoReceipt, v.Withheld[act])
	case act == verdict.ActAcknowledge:
		return nothingThere(CodeNotContradicted, v.Withheld[act])
	case i.Superseded():
		return alreadySuperseded(item)
	case i.State.Final():
		return alreadyFinal(item)
	case sends && !i.CancelRequestedAt.IsNone():
		return cancelWished(i)
	case act == verdict.ActAbandon:
		return &Refusal{
			Kind: Denied, Code: CodeNothingToDo, What: "No attempt of this intent is unfinished.",
			Means: nothingWasDone, Do: "There is nothing to abandon; look the operation up.",
		}
	case act == verdict.ActSetAside:
		return nothingThere(CodeSetAside, v.Withheld[act])
	case sends && item.HeldBackBy != nil && item.HeldBackBy.Contradicted():
		return nothingThere(string(ledger.DecisionRequired), v.Withheld[act])
	}
	r := &Refusal{
		Kind: Denied, Code: CodeVerdictForbids,
		What:  fmt.Sprintf("The verdict is %s, which does not allow %s.", v.Kind, act),
		Means: nothingWasDone,
		Do:    v.Withheld[act],
	}
	if len(v.Because) > 0 {
		r.What += " " + v.Because[0]
	}
	safe := make([]string, 0, len(v.Safe))
	for _, a := range v.Safe {
		safe = append(safe, string(a))
	}
	r.Do = strings.TrimSpace(r.Do + " Safe now: " + strings.Join(safe, ", ") + ".")
	if v.NotBefore > item.Now {
		r.Do += " A lookup from " + instant(v.NotBefore) + " on can prove more."
	}
	return r
}

// nothingThere refuses an act that has nothing to act on yet, or not any more.
func nothingThere(code, why string) *Refusal {
	return &Refusal{
		Kind: Denied, Code: code, What: why,
		Means: nothingWasDone, Do: "Read the intent again and decide on what it says now.",
	}
}

func cancelWished(i ledger.Intent) *Refusal {
	return &Refusal{
		Kind: Denied, Code: string(ledger.NotAuthorised),
		What:  "A wish to cancel was put on record at " + instant(i.CancelRequestedAt) + ".",
		Means: "Nothing more may be sent for it. Whether it was delivered is still to be found out.",
		Do:    "Look it up; a withdrawal of something delivered is an act of its own.",
	}
}
