package ledger

import "context"

// Agent is the ledger as those who deliver see it: begin, attempt, settle.
// What senders owe beyond these calls is in docs/agents.md.
type Agent interface {
	// Begin persists the intent as PENDING before the first send. Beginning the
	// same key again with the same content returns the stored intent, with its
	// receipt when it has one; other content under the key is
	// SameKeyDifferentPayload.
	Begin(ctx context.Context, n NewIntent) (Intent, error)
	// StartAttempt commits the attempt durably; only then may the call be made.
	// An empty AttemptID is filled in, an n of 0 becomes the next one, a
	// StartedAt of none becomes now.
	StartAttempt(ctx context.Context, a Attempt) (Attempt, error)
	// FinishAttempt writes what an attempt came to and leaves the intent's state
	// alone, for a sender that will retry within its own budget.
	FinishAttempt(ctx context.Context, attemptID string, r Result) (Attempt, error)
	// Finish writes what an attempt came to and settles its intent where that
	// follows: a receipt makes it DELIVERED, a definite refusal of all it ever
	// sent FAILED, no usable answer UNKNOWN. Evidence is written whatever
	// happened to the intent meanwhile.
	Finish(ctx context.Context, attemptID string, r Result) (Intent, error)
	// Get returns one intent, or ErrNoSuchIntent.
	Get(ctx context.Context, opKey string) (Intent, error)
	// Sendable lists what a sender may send now (the view of that name).
	Sendable(ctx context.Context, limit int) ([]Sendable, error)
}

// Sendable is a row of the view: an intent that a sender may attempt now.
type Sendable struct {
	OpKey string
	Why   string // never_attempted, not_sent, retry_decided
}

// Reader is the ledger as an operator's screen sees it. Every call is one short
// read transaction.
type Reader interface {
	Queue(ctx context.Context, q QueueQuery) ([]QueueRow, error)
	// Search finds intents in any state by the beginning of what SearchField names.
	Search(ctx context.Context, q SearchQuery) ([]Found, error)
	Counts(ctx context.Context, stuck StuckRule, now Millis) (Counts, error)
	// History returns ErrNoSuchIntent for a key that is not there.
	History(ctx context.Context, opKey string, now Millis) (History, error)
	// Left returns one page of intents that were sent and left the queue by somebody's
	// decision, in the order of their cursors.
	Left(ctx context.Context, q LeftQuery) ([]Intent, error)
	// LookedUpSince says whether a lookup of the intent has come back with an answer that
	// began then or later. One that failed told nothing, and one from the future (by more
	// than 5 s, SkewTolerance) is not believed.
	LookedUpSince(ctx context.Context, opKey string, since Millis) (bool, error)
	// RetryAt is when a target's receiver may be asked again, by what it asked for in
	// the lookups of the last MaxRetryAfter; none: now. It lies after now, and at most
	// MaxRetryAfter after it.
	RetryAt(ctx context.Context, target string, now Millis) (Millis, error)
	// Journal returns events with seq greater than after, oldest first.
	Journal(ctx context.Context, after int64, limit int) ([]Event, error)
	// LastSeq is the newest event's seq, 0 when there is none.
	LastSeq(ctx context.Context) (int64, error)
	// HistoryAt is the intent as it stood once the event seq was written, and nothing
	// of what came later; now says which claims had not expired. Where it had not been
	// begun then it returns ErrNoSuchIntent.
	HistoryAt(ctx context.Context, opKey string, seq int64, now Millis) (Past, error)
	// SeqAt is the newest event that was written at an instant or before it, 0 where
	// there is none. The journal's clock never runs backwards.
	SeqAt(ctx context.Context, at Millis) (int64, error)
	// Changes returns events between two places of the journal, newest first.
	Changes(ctx context.Context, q ChangesQuery) ([]Change, error)
	// Changed reports cheaply whether another connection has committed since the
	// last call.
	Changed(ctx context.Context) (bool, error)
	// Verify checks the whole ledger. It reads everything: never call it on the
	// way to a screen.
	Verify(ctx context.Context) (VerifyReport, error)
}

// Operator is the ledger as actions see it.
type Operator interface {
	Reader
	// StartLookup records a lookup before the call is made.
	StartLookup(ctx context.Context, l Lookup) (Lookup, error)
	// Act runs f inside one immediate write transaction. An error from f rolls
	// everything back. f must be quick: agents wait for it.
	Act(ctx context.Context, f func(Tx) error) error
}

// Tx is the inside of one immediate write transaction.
type Tx interface {
	// History re-reads everything the rules need, inside the transaction.
	History(opKey string, now Millis) (History, error)
	// Decide appends a decision to the chain. DecisionID, PrevHash and Hash are
	// filled in.
	Decide(d Decision) (Decision, error)
	// Settle brings an intent to a final state, on condition that its version is
	// still the one given.
	Settle(opKey string, version int64, to State, receipt string, by SettledBy, actor string) error
	// Succeed inserts a new intent that supersedes another.
	Succeed(n NewIntent, supersedes string, at Millis) (Intent, error)
	// FinishLookup writes what a lookup came to. One that was finished meanwhile is
	// AppendOnly.
	FinishLookup(l Lookup) error
	// ReceiptHolder is another intent of the target that holds the receipt, or whose
	// attempt or lookup under its own key came back with it; "" if there is none.
	ReceiptHolder(target, receipt, exceptKey string) (string, error)
}

// Ledger is a whole engine.
type Ledger interface {
	Agent
	Operator
	Close() error
}

// Finding is one thing that verify found wrong.
type Finding struct {
	Check  string `json:"check"`            // integrity, schema, journal, chain, states, derived
	OpKey  string `json:"op_key,omitempty"` // the intent it concerns
	Detail string `json:"detail"`           // what is wrong, in plain words
}

// VerifyReport tells what verify looked at and what it found.
type VerifyReport struct {
	Intents   int64     `json:"intents"`
	Decisions int64     `json:"decisions"`
	Events    int64     `json:"events"`
	Head      string    `json:"head"` // hash of the last decision; 64 zeros if there is none
	Findings  []Finding `json:"findings"`
}

// Genesis is the prev_hash of the first decision.
const Genesis = "0000000000000000000000000000000000000000000000000000000000000000"
