package actions

import (
	"triage/actions/verdict"
	"triage/ledger"
)

// Check is one line of a permission recheck: what was asked, what was found, and
// what decided it.
type Check struct {
	What  string // "operator", "grant", "content", …
	OK    bool
	Found string // in plain words, with the grant id and instants it rests on
}

// Permission is what a live recheck found. Recovery is not re-authorisation:
// anything unclear or unreachable denies (design §6).
type Permission struct {
	Allowed bool
	Checks  []Check
	At      ledger.Millis
}

// PermissionQuestion is everything that a recheck may look at.
type PermissionQuestion struct {
	Operator Identity
	Act      verdict.Act
	Intent   ledger.Intent
	Grant    *ledger.Grant // nil: none named, or it does not exist
	Verdict  verdict.Verdict
	Now      ledger.Millis
}
