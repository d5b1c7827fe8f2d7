package ledger

// Outcome of an attempt. Empty: it never finished.
type Outcome string

// What an attempt can come to (design §4).
const (
	OutcomeDelivered Outcome = "delivered" // came back with a receipt
	OutcomeRejected  Outcome = "rejected"  // a definite refusal of every request it made
	OutcomeUnknown   Outcome = "unknown"   // no usable answer
	OutcomeNotSent   Outcome = "not_sent"  // nothing left this machine, in every request it made
)

// Attempt is one call made for an intent. Its id serves diagnosis, never
// identity.
type Attempt struct {
	AttemptID  string
	OpKey      string
	N          int
	Layer      string // who retried: app, sdk, scheduler
	StartedAt  Millis
	FinishedAt Millis // none: never finished
	Outcome    Outcome
	Cause      string // timeout, connection_reset, http_503, …
	HTTPStatus int    // 0: none
	Error      string
	Receipt    string
	Seq        int64 // journal seq of the row's first event
}

// Finished says that the sender came back and wrote an outcome.
func (a Attempt) Finished() bool { return a.Outcome != "" }

// Result is what a sender writes when an attempt comes back.
type Result struct {
	Outcome    Outcome
	Cause      string
	HTTPStatus int
	Error      string
	Receipt    string
}
