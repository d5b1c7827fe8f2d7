package ledger

import (
	"errors"
	"strings"
)

// Code names a rule of the ledger. The database's error text contains the code
// followed by a colon, whatever words a driver puts before it (design §4).
type Code string

// The codes that the database itself raises.
const (
	SameKeyDifferentPayload Code = "same_key_different_payload"
	IllegalTransition       Code = "illegal_transition"
	ReceiptRequired         Code = "receipt_required"
	UnknownIntent           Code = "unknown_intent"
	AlreadyFinal            Code = "already_final"
	AppendOnly              Code = "append_only"
	AttemptInFlight         Code = "attempt_in_flight"
	AlreadySuperseded       Code = "already_superseded"
	BudgetSpent             Code = "budget_spent"
	DecisionRequired        Code = "decision_required"
	NotAuthorised           Code = "not_authorised"
	StaleHead               Code = "stale_head"
)

// Codes lists every code that the database raises.
var Codes = []Code{
	SameKeyDifferentPayload, IllegalTransition, ReceiptRequired, UnknownIntent, AlreadyFinal, AppendOnly,
	AttemptInFlight, AlreadySuperseded, BudgetSpent, DecisionRequired, NotAuthorised, StaleHead,
}

// Error is a refusal by the ledger's own rules. Text is safe to show once it
// went through the face's edge.
type Error struct {
	Code Code
	Text string // the database's own words after the code
}

func (e *Error) Error() string { return string(e.Code) + ": " + e.Text }

// CodeOf finds the rule that err reports, or "".
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// FromDriver finds a code in a driver's error text and returns the ledger's own
// error for it, or nil when the text reports none of the ledger's rules.
func FromDriver(text string) *Error {
	for _, c := range Codes {
		if _, after, ok := strings.Cut(text, string(c)+": "); ok {
			return &Error{Code: c, Text: after}
		}
	}
	return nil
}

// Errors about the ledger as a whole.
var (
	// ErrNotALedger: the file is missing, empty, a directory, or another
	// program's database. Nothing was created or altered.
	ErrNotALedger = errors.New("not a triage ledger")
	// ErrNewerSchema: the ledger was written by a newer triage.
	ErrNewerSchema = errors.New("the ledger has a newer schema")
	// ErrOlderSchema: only `triage init` migrates.
	ErrOlderSchema = errors.New("the ledger has an older schema")
	// ErrBusy: the write lock could not be had in time; nothing was written.
	ErrBusy = errors.New("the ledger is busy")
	// ErrReadOnly: the ledger was opened for reading only.
	ErrReadOnly = errors.New("the ledger is open for reading only")
	// ErrMoved: the intent's version is no longer the one the caller saw; nothing
	// was written.
	ErrMoved = errors.New("the intent changed meanwhile")
	// ErrNoSuchIntent: no intent has this key.
	ErrNoSuchIntent = errors.New("no intent has this key")
)
