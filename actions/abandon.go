package actions

import (
	"context"

	"triage/actions/verdict"
	"triage/ledger"
)

// Abandon gives up an attempt that never finished and makes its intent UNKNOWN.
// The attempt's row stays open, so that a sender that comes back can still write
// its receipt. Where the operator states that the sender was killed, and how they
// know, the attempt counts as ended now; else at its start + attempt_timeout, or
// never (design §5, "End").
func (d *Desk) Abandon(ctx context.Context, r AbandonRequest) (Done, error) {
	return d.perform(ctx, deed{
		act: verdict.ActAbandon, kind: ledger.AbandonAttempt, request: r.Request,
		decision: func(item Item, f *facts) ledger.Decision {
			attempt, _ := verdict.FromHistory(item.History).Abandonable()
			f.AttemptID, f.SenderKilled = attempt.AttemptID, &r.SenderKilled
			return ledger.Decision{}
		},
		text: func(before Item, _ ledger.Decision) string {
			if r.SenderKilled && before.Verdict.Kind == verdict.Absent {
				return "The attempt is abandoned and counts as ended now; the intent is UNKNOWN. The absence that was proven before counted from an earlier end, so it has to be proven anew: look it up again when the verdict says so. Nothing was sent."
			}
			if r.SenderKilled {
				return "The attempt is abandoned and counts as ended now; the intent is UNKNOWN. Look it up next; nothing was sent."
			}
			return "The attempt is abandoned; the intent is UNKNOWN. As nobody stated that the sender was killed, the attempt counts as ended only at its start + attempt_timeout. Look it up next; nothing was sent."
		},
	})
}
