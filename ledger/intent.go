package ledger

// State of an intent, spelled as the ledger spells it (design §3).
type State string

// The four states. Delivered and Failed are final.
const (
	Pending   State = "PENDING"
	Unknown   State = "UNKNOWN"
	Delivered State = "DELIVERED"
	Failed    State = "FAILED"
)

// Final says that the state never changes again.
func (s State) Final() bool { return s == Delivered || s == Failed }

// SettledBy tells who brought an intent to its final state, so that a hand-made
// outcome never looks like a natural one.
type SettledBy string

// Who may settle.
const (
	BySender   SettledBy = "sender"
	ByLookup   SettledBy = "lookup"
	ByOperator SettledBy = "operator"
)

// Intent is one authorised act of delivery, identified by its OpKey (the
// idempotency key). An empty string, zero or nil stands for NULL.
type Intent struct {
	OpKey         string
	Task          string
	Stage         string
	Principal     string // on whose authority
	Target        string // the receiver, by the name that the ledger uses
	PayloadSHA256 string // 64 lower-case hex digits: the approved bytes
	PayloadBytes  *int64
	PayloadRef    string // where the approved bytes can be fetched again; never the bytes
	GrantID       string

	State     State
	Receipt   string // the receiver's own id for the committed effect
	SettledBy SettledBy

	MaxAttempts int    // 0: none set
	DeadlineAt  Millis // no attempt may start after it

	Supersedes   string
	SupersededBy string

	ContradictedAt    Millis // later evidence disagrees with a decision
	SnoozedUntil      Millis
	CancelRequestedAt Millis

	CreatedAt Millis
	UpdatedAt Millis
	UpdatedBy string
	Version   int64 // raised on every change of the row and its attempts

	Derived Derived
}

// Derived columns of an intent, kept by triggers and recomputed by verify. They
// spare the queue a look at other tables.
type Derived struct {
	Attempts       int    // attempt rows
	LastAttemptAt  Millis // newest attempt's start
	LastAttemptSeq int64  // journal seq of the last attempt row
	InFlight       string // attempt_id that never finished and was not abandoned
	SetAsideAt     Millis
	AcknowledgedAt Millis
}

// Superseded says that a new intent has taken this one's place.
func (i Intent) Superseded() bool { return i.SupersededBy != "" }

// Contradicted says that later evidence disagrees with what was decided and
// that nobody has dealt with it yet.
func (i Intent) Contradicted() bool {
	return !i.ContradictedAt.IsNone() && i.Derived.AcknowledgedAt.IsNone()
}

// NewIntent is what an agent fixes before its first send.
type NewIntent struct {
	OpKey         string
	Task          string
	Stage         string
	Principal     string
	Target        string
	PayloadSHA256 string
	PayloadBytes  *int64
	PayloadRef    string
	GrantID       string
	MaxAttempts   int
	DeadlineAt    Millis
	UpdatedBy     string // who writes: the sender's name; the principal if empty
}
