package verdict

import "triage/ledger"

// Kind of verdict (design §5, the table).
type Kind string

// The kinds of verdict.
const (
	Delivered           Kind = "delivered"
	PayloadConflict     Kind = "payload_conflict"
	WrongOwner          Kind = "wrong_owner"
	Ambiguous           Kind = "ambiguous"
	Withdrawn           Kind = "withdrawn"
	FoundUnverified     Kind = "found_unverified"
	InProgress          Kind = "in_progress"
	Refused             Kind = "refused"
	Absent              Kind = "absent"
	AbsenceInconclusive Kind = "absence_inconclusive"
	LookupFailed        Kind = "lookup_failed"
	NeverLookedUp       Kind = "never_looked_up"
	NeverSent           Kind = "never_sent"
	NoLookup            Kind = "no_lookup"
)

// Kinds lists every kind in the table's order.
var Kinds = []Kind{
	Delivered, PayloadConflict, WrongOwner, Ambiguous, Withdrawn, FoundUnverified, InProgress, Refused,
	Absent, AbsenceInconclusive, LookupFailed, NeverLookedUp, NeverSent, NoLookup,
}

// Act is a command's name, as in `triage deliver`.
type Act string

// The acts that a verdict may call safe.
const (
	ActLookup      Act = "lookup"
	ActDeliver     Act = "deliver"
	ActReissue     Act = "reissue"
	ActRetry       Act = "retry"
	ActClose       Act = "close"
	ActAbandon     Act = "abandon"
	ActSetAside    Act = "set-aside"
	ActDispute     Act = "dispute"
	ActAcknowledge Act = "acknowledge"
	ActNote        Act = "note"
)

// Verdict is what the evidence proves, given the promises, now.
type Verdict struct {
	Kind    Kind
	Because []string // reasons in plain words, each naming its evidence
	Safe    []Act    // what is safe now
	AtRisk  []Act    // open only with the stated phrase that accepts a possible duplicate

	NotBefore    ledger.Millis // from when waiting helps: a lookup begun then can prove something; in the past: one begun now can; none: waiting does not help
	SafeUntil    ledger.Millis // until when what Safe names stays safe; none: no limit known
	KeySafeUntil ledger.Millis // the key clock: how long the receiver still honours the key; none: unknown or never
	RetryUntil   ledger.Millis // the latest instant for a retry under the same key: first start + R − T − S − K; none: retry is not safe

	Receipt  string // for Delivered and FoundUnverified: the receipt the evidence names
	Evidence string // lookup_id or attempt_id that decides, "" if none

	At       ledger.Millis  // the instant that was judged
	Standing Standing       // what is settled already, whatever the evidence says
	Known    []string       // what is recorded and what is promised, in plain words
	Unknown  []string       // what nobody knows, and why
	ByHand   []Act          // acts that rest on what the operator knows from outside; the verdict neither supports nor forbids them
	Withheld map[Act]string // why an act is in none of Safe, AtRisk and ByHand, as a sentence
}

// Standing is what is settled about an intent already.
type Standing struct {
	State      ledger.State
	SettledBy  ledger.SettledBy
	Superseded bool // a new intent has taken its place
	Cancelled  bool // a wish to cancel is recorded; it undoes nothing
}

// Conflict says that something was found which forbids calling this delivered, and
// every deciding act with it: note it, hand it over, set it aside (design §5).
func (k Kind) Conflict() bool {
	switch k {
	case PayloadConflict, WrongOwner, Ambiguous, Withdrawn:
		return true
	}
	return false
}

// AllowsByHand says whether act may rest on what the operator knows from outside.
func (v Verdict) AllowsByHand(act Act) bool { return contains(v.ByHand, act) }

// MustWait says that a lookup begun now can't prove an absence, and one begun at
// NotBefore can.
func (v Verdict) MustWait(now ledger.Millis) bool { return v.NotBefore > now }

// Allows says whether act is safe now.
func (v Verdict) Allows(act Act) bool { return contains(v.Safe, act) }

// AllowsAtRisk says whether act is open with the stated phrase.
func (v Verdict) AllowsAtRisk(act Act) bool { return contains(v.AtRisk, act) }

func contains(acts []Act, act Act) bool {
	for _, a := range acts {
		if a == act {
			return true
		}
	}
	return false
}
