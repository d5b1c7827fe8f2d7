package actions

import (
	"context"

	"triage/actions/config"
	"triage/actions/lookup"
	"triage/actions/verdict"
	"triage/ledger"
)

// Desk is one operator's place at one ledger.
type Desk struct {
	Ledger   ledger.Operator
	Config   *config.Config
	Operator Identity
	Clock    ledger.Clock
	ReadOnly bool // reviewers: every act that writes is refused

	// Connect makes the connector of a target; nil means lookup.For.
	Connect func(config.Target) (lookup.Connector, error)
}

// Acts is what faces may ask of a desk. *Desk is the one implementation; faces
// declare the part they need.
type Acts interface {
	Queue(ctx context.Context, filter ledger.StateFilter, after *ledger.Cursor, limit int) ([]ledger.QueueRow, error)
	Counts(ctx context.Context) (ledger.Counts, error)
	Changed(ctx context.Context) (bool, error)
	Item(ctx context.Context, opKey string) (Item, error)
	Recheck(ctx context.Context, opKey string) (Permission, error)
	ItemAt(ctx context.Context, opKey string, when Moment) (Past, error)
	Changes(ctx context.Context, r ChangesRequest) (Changes, error)

	Lookup(ctx context.Context, opKey string) (Done, error)
	Deliver(ctx context.Context, r DeliverRequest) (Done, error)
	Reissue(ctx context.Context, r ReissueRequest) (Done, error)
	Retry(ctx context.Context, r Request) (Done, error)
	Close(ctx context.Context, r Request) (Done, error)
	Abandon(ctx context.Context, r AbandonRequest) (Done, error)
	Dispute(ctx context.Context, r DisputeRequest) (Done, error)
	SetAside(ctx context.Context, r Request) (Done, error)
	Acknowledge(ctx context.Context, r Request) (Done, error)
	Note(ctx context.Context, r Request) (Done, error)

	PlanSweep(ctx context.Context, r SweepRequest) (SweepPlan, error)
	Sweep(ctx context.Context, plan SweepPlan, tell func(SweepStep)) (SweepReport, error)
}

var _ Acts = (*Desk)(nil)

// Seen pins what an operator saw when they decided. An act whose intent has moved
// since does nothing.
type Seen struct {
	Version       int64
	PayloadSHA256 string
	Verdict       verdict.Kind // "": the version alone was pinned
}

// Request is what every deciding act carries.
type Request struct {
	OpKey  string
	Seen   Seen
	Reason string
}

// DeliverRequest marks an intent delivered.
type DeliverRequest struct {
	Request
	Receipt  string
	Evidence string // optional: where the operator saw it
}

// ReissueRequest makes a new intent.
type ReissueRequest struct {
	Request
	AcceptDuplicate string        // the stated phrase, where it is owed
	DeadlineAt      ledger.Millis // none: the new intent has no deadline
}

// AbandonRequest abandons an attempt that never finished.
type AbandonRequest struct {
	Request
	SenderKilled bool // the operator states that the sender was killed; Reason says how they know
}

// DisputeRequest takes back a wrong receipt.
type DisputeRequest struct {
	Request
	Receipt string // "": the receipt that the intent holds
}

// Done is what an act came to.
type Done struct {
	Item     Item            // the intent afterwards, read again
	Decision ledger.Decision // zero for a lookup
	Lookup   ledger.Lookup   // zero but for a lookup
	NewKey   string          // the successor's key, for a new intent
	Text     string          // what happened, in plain words
}
