package drill

import (
	"context"
	"fmt"
	"io"

	"triage/ledger"
)

// maxLineage bounds how many successors of one intent the debrief follows.
const maxLineage = 100

// Debrief tells what really happened to each delivery, what the right move was,
// and what came of what was done: counted at the receiver and read in the ledger.
func (s *Scene) Debrief(ctx context.Context, out io.Writer) error {
	_, _ = fmt.Fprintln(out, "What really happened:")
	for _, item := range s.Items {
		end, err := s.ending(ctx, item.OpKey)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(out, "\n%s\n  What happened:  %s\n  The right move: %s\n  Now:            %s\n",
			item.OpKey, item.Story, item.Right, end.String())
		if err != nil {
			return err
		}
	}
	return nil
}

// ending is where one delivery stands, on both sides.
type ending struct {
	lineage   []ledger.Intent // the intent and its successors, oldest first
	delivered int             // how often the receiver has its content under those keys
}

func (s *Scene) ending(ctx context.Context, key string) (ending, error) {
	var e ending
	for ; key != "" && len(e.lineage) < maxLineage; key = e.last().SupersededBy {
		intent, err := s.world.books.Get(ctx, key)
		if err != nil {
			return ending{}, err
		}
		e.lineage = append(e.lineage, intent)
		d, found, err := s.Receiver.Get(ctx, key)
		if err != nil {
			return ending{}, err
		}
		if found && d.State == StateDelivered && d.SHA256 == intent.PayloadSHA256 {
			e.delivered++
		}
	}
	return e, nil
}

func (e ending) last() ledger.Intent { return e.lineage[len(e.lineage)-1] }

// claimedDelivered says that the ledger has it as delivered, under any of its keys.
func (e ending) claimedDelivered() bool {
	for _, i := range e.lineage {
		if i.State == ledger.Delivered {
			return true
		}
	}
	return false
}

// harm says that the receiver has it twice, or that one side says it was delivered
// and the other doesn't have it.
func (e ending) harm() bool {
	return e.delivered > 1 ||
		e.claimedDelivered() && e.delivered == 0 ||
		e.last().State == ledger.Failed && e.delivered > 0
}

// String says in plain words how it ended.
func (e ending) String() string {
	last := e.last()
	switch {
	case e.delivered > 1:
		return fmt.Sprintf("a duplicate: the receiver has it %d times.", e.delivered)
	case e.claimedDelivered() && e.delivered == 0:
		return "a loss: the ledger says DELIVERED, and the receiver has nothing."
	case last.State == ledger.Failed && e.delivered > 0:
		return "closed as not delivered, although the receiver has it."
	case last.State == ledger.Delivered && len(e.lineage) > 1:
		return "DELIVERED by a new intent, once at the receiver."
	case last.State == ledger.Delivered:
		return fmt.Sprintf("DELIVERED, settled by %s, once at the receiver.", last.SettledBy)
	case last.State == ledger.Failed:
		return "FAILED, closed as not delivered, and nothing at the receiver."
	case e.delivered == 1:
		return fmt.Sprintf("still %s; the receiver has it once.", last.State)
	default:
		return fmt.Sprintf("still %s; the receiver does not have this content.", last.State)
	}
}
