package worlds

import (
	"triage/actions/verdict"
	"triage/ledger"
)

// books are the ledger, as senders and operators use it: the memory of memory.go, or
// a real ledger with the real actions. Refusals are the ledger's codes; "" is none.
type books interface {
	begin(n ledger.NewIntent, at ledger.Millis)
	attempt(key, layer string, started ledger.Millis, blind bool) (id string, refused ledger.Code)
	finish(id string, r ledger.Result, at ledger.Millis, settle bool) (refused string)
	cancel(key string, at ledger.Millis)
	sendable(key string) bool
	state(key string) ledger.Intent
	givenUp(attemptID string) bool
	retryUntil(key string) ledger.Millis

	see(o *operator, key string) sight
	look(o *operator, r route, key string) ledger.LookupOutcome
	act(o *operator, d deed) (newKey, refused string)
}

// sight is what an operator has before them.
type sight struct {
	intent  ledger.Intent
	verdict verdict.Verdict
	open    string // the attempt that never finished and may be abandoned; "" if none
}

// deed is an act with what the operator saw when deciding it.
type deed struct {
	act     verdict.Act
	key     string
	seen    sight
	receipt string
	killed  bool // for abandon: the statement that the sender was killed
}
