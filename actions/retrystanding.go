package actions

import (
	"fmt"
	"slices"

	"triage/ledger"
)

// retryWords say what became of the newest retry that was decided, as long as no attempt
// has taken it: it waits for a sender, it has ended unused, or what came up since ended
// it (design §4, decision_required).
func retryWords(h ledger.History, now ledger.Millis) string {
	if h.Intent.State.Final() || h.Intent.Superseded() {
		return ""
	}
	at := slices.IndexFunc(h.Decisions, func(d ledger.Decision) bool {
		return d.Kind == ledger.RetrySameKey && d.Seq > h.Intent.Derived.LastAttemptSeq
	})
	if at < 0 {
		return ""
	}
	newest := h.Decisions[at]
	for _, d := range h.Decisions[at:] {
		if d.Kind == ledger.RetrySameKey {
			newest = d
		}
	}
	words := fmt.Sprintf("%s allowed a retry under the same key at %s", newest.Operator, instant(newest.At))
	switch {
	case h.RetryUntil.IsNone():
		return words + ". What came up since has ended that: no sender may take it."
	case h.RetryUntil < now:
		return words + fmt.Sprintf(". No sender took it, and it ended at %s.", instant(h.RetryUntil))
	}
	return words + fmt.Sprintf(": a sender may take it until %s, and none has yet.", instant(h.RetryUntil))
}
