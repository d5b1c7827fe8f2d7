package tui

import (
	"context"

	"triage/actions"
	"triage/ledger"
)

// Acts is all that the screen asks of the rest of the program. *actions.Desk
// answers it.
type Acts interface {
	Queue(ctx context.Context, filter ledger.StateFilter, after *ledger.Cursor, limit int) ([]ledger.QueueRow, error)
	Counts(ctx context.Context) (ledger.Counts, error)
	Item(ctx context.Context, opKey string) (actions.Item, error)
	// Changed reports cheaply whether anyone else has written to the ledger since
	// the last call.
	Changed(ctx context.Context) (bool, error)

	Lookup(ctx context.Context, opKey string) (actions.Done, error)
	Deliver(ctx context.Context, r actions.DeliverRequest) (actions.Done, error)
	Reissue(ctx context.Context, r actions.ReissueRequest) (actions.Done, error)
	Retry(ctx context.Context, r actions.Request) (actions.Done, error)
	Close(ctx context.Context, r actions.Request) (actions.Done, error)
	Abandon(ctx context.Context, r actions.AbandonRequest) (actions.Done, error)
	SetAside(ctx context.Context, r actions.Request) (actions.Done, error)
	Dispute(ctx context.Context, r actions.DisputeRequest) (actions.Done, error)
	Acknowledge(ctx context.Context, r actions.Request) (actions.Done, error)
	Note(ctx context.Context, r actions.Request) (actions.Done, error)

	// PlanSweep counts what a sweep would ask about; it asks nobody. Sweep asks, and
	// tells of every step; once ctx ends it finishes the question under way and stops.
	PlanSweep(ctx context.Context, r actions.SweepRequest) (actions.SweepPlan, error)
	Sweep(ctx context.Context, plan actions.SweepPlan, tell func(actions.SweepStep)) (actions.SweepReport, error)
	Recheck(ctx context.Context, opKey string) (actions.Permission, error)

	// ItemAt is one intent as it stood at a moment, and Changes what happened in the
	// ledger between two.
	ItemAt(ctx context.Context, opKey string, when actions.Moment) (actions.Past, error)
	Changes(ctx context.Context, r actions.ChangesRequest) (actions.Changes, error)
}
