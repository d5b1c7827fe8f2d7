package actions

import (
	"context"
	"fmt"

	"triage/actions/verdict"
	"triage/ledger"
)

// Retry lets a sender try once more under the same key: only where absence is
// proven, the receiver honours the key, and the permission recheck passes (design
// §6). It sends nothing itself: the intent becomes sendable until an instant so
// early that what is sent then still lands while the key is honoured.
func (d *Desk) Retry(ctx context.Context, r Request) (Done, error) {
	return d.perform(ctx, deed{
		act: verdict.ActRetry, kind: ledger.RetrySameKey, request: r,
		decision: func(item Item, f *facts) ledger.Decision {
			f.LastAttemptN = f.Intent.LastAttemptN
			// RetryUntil itself is too late; the ledger takes until for the last instant.
			return ledger.Decision{Until: min(item.Verdict.SafeUntil-1, ledger.LastMillis)}
		},
		text: func(_ Item, made ledger.Decision) string {
			return fmt.Sprintf("A sender may try once more under the same key until %s. Nothing was sent yet.", instant(made.Until))
		},
	})
}
