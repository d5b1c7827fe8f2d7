package verdict

import (
	"time"

	"triage/ledger"
)

// Promises are what a receiver guarantees, in the operator's words (design §5).
// A nil duration is unknown, and unknown means the cautious end: an unknown
// retention is expired, an unknown lag is endless.
type Promises struct {
	AttemptTimeout  *time.Duration // T: a sender's hard limit on one attempt, process pauses included
	SettlesWithin   *time.Duration // S: how long after an attempt's end its request may still land and be worked off
	LookupLag       *time.Duration // G: how long after that a lookup may miss it
	KeyRetention    *time.Duration // R: how long the key is honoured, from the first attempt
	LookupRetention *time.Duration // how long it can be found; nil means R
	ClockSkew       *time.Duration // K: between any two clocks; nil means DefaultClockSkew

	AbsenceIsProof bool // "not found" is authoritative
	FoundIsFinal   bool // found means done, not a mere 202
	RefusalIsFinal bool // refused now is refused for ever

	LookupBy LookupBy
	SameKey  SameKey
	Receipt  ReceiptKind

	Since  ledger.Millis // from when all this holds; none: always
	Canary string        // a key known to exist
}

// Skew is K as a verdict counts it: rounded up to whole milliseconds, and the default
// where nothing sensible is promised.
func (p Promises) Skew() time.Duration {
	return time.Duration(Terms{Promises: p}.limits().skew) * time.Millisecond
}

// DefaultClockSkew is assumed between any two clocks where nothing is promised.
const DefaultClockSkew = 5 * time.Second

// LookupBy says what the receiver is asked by.
type LookupBy string

// The idempotency key (the default), or a business identifier, whose answers can
// at best be found_unverified.
const (
	ByKey     LookupBy = "key"
	ByContent LookupBy = "content"
)

// SameKey says what the receiver does with a key it has seen.
type SameKey string

// Empty is unknown, which counts as not honoured.
const (
	ReturnsOriginal SameKey = "returns_original"
	SameKeyNone     SameKey = "none"
)

// ReceiptKind says whether the receiver has receipts of its own.
type ReceiptKind string

// A service without receipts is settled with the key itself.
const (
	OwnReceipt   ReceiptKind = "own"
	KeyAsReceipt ReceiptKind = "key"
)

// Terms are everything the operator's configuration says about one target that
// a verdict depends on.
type Terms struct {
	Promises      Promises
	HasLookup     bool              // a lookup is configured for the target
	Unconfigured  string            // why nothing at all is configured for the target, as a sentence; "": something is
	LookupOff     string            // why none can be made now all the same, as a sentence; "": one can. Recorded ones count
	Connector     string            // http, exec, sql, file
	Environment   string            // lookups through another environment don't count
	LookupTimeout time.Duration     // hard limit on one lookup
	ExportAsOf    ledger.Millis     // lookups read an export that shows the receiver as of then; none: they ask it
	Accounts      map[string]string // principal → owner as the receiver names it
}
