package ledger

// DecisionKind names what an operator did about an intent.
type DecisionKind string

// The kinds of decision (design §4).
const (
	MarkDelivered     DecisionKind = "mark_delivered"
	Reissue           DecisionKind = "reissue"
	RetrySameKey      DecisionKind = "retry_same_key"
	CloseNotDelivered DecisionKind = "close_not_delivered"
	AbandonAttempt    DecisionKind = "abandon_attempt"
	SetAside          DecisionKind = "set_aside"
	Dispute           DecisionKind = "dispute"
	Acknowledge       DecisionKind = "acknowledge"
	Note              DecisionKind = "note"
	Snooze            DecisionKind = "snooze"
	ClaimItem         DecisionKind = "claim"
	Release           DecisionKind = "release"
	TakeOver          DecisionKind = "take_over"
	Propose           DecisionKind = "propose"
	Confirm           DecisionKind = "confirm"
	Withdraw          DecisionKind = "withdraw"
	Denied            DecisionKind = "denied"
)

// Decision is what an operator did about an intent: with reason, evidence and
// the permission check that allowed it. Decisions form a hash chain.
type Decision struct {
	DecisionID string
	OpKey      string
	At         Millis
	Operator   string
	Kind       DecisionKind
	Reason     string
	Receipt    string
	NewOpKey   string
	Until      Millis
	Facts      string // JSON: Facts
	PrevHash   string
	Hash       string
	Seq        int64 // journal seq; not a column of decisions and not part of the hash
}

// Claim is a lease on an item, so that two people do not work on one.
type Claim struct {
	OpKey     string
	Operator  string
	ClaimedAt Millis
	ExpiresAt Millis
}

// Grant is the authorisation under which an agent was allowed to deliver.
type Grant struct {
	GrantID       string
	Principal     string
	Target        string
	PayloadSHA256 string // empty: any content
	GrantedBy     string
	GrantedAt     Millis
	ExpiresAt     Millis
	RevokedAt     Millis
}

// Event is one line of the journal, written by triggers only. OpKey is empty
// where the event concerns a grant.
type Event struct {
	Seq    int64
	At     Millis
	OpKey  string
	Kind   string // begun, changed, superseded, contradicted, attempt_started, attempt_finished, lookup_started, lookup_finished, claimed, claim_changed, granted, grant_changed, or a decision's kind
	Actor  string
	Detail string // JSON: every changed column, {"column": [old, new]}
}
