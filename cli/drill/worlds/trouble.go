package worlds

import "triage/ledger"

// trouble is a time in which the receiver, or what stands before it, answers otherwise
// than by what it knows.
type trouble struct {
	from, to int64
	kind     troubleKind
	stale    int64 // for replays: how old the answer is
}

type troubleKind string

const (
	down        troubleKind = "down"
	forbidden   troubleKind = "404 for forbidden"
	morePages   troubleKind = "pages unread"
	otherKey    troubleKind = "another key"
	replaying   troubleKind = "an old answer again"
	otherHash   troubleKind = "another content"
	otherOwner  troubleKind = "another owner"
	severalHits troubleKind = "several hits"
	undone      troubleKind = "undone"
	stillBusy   troubleKind = "still working"
	blindMiss   troubleKind = "a miss that means nothing" // only where absence_is_proof isn't promised
)

// quiet is a trouble that shows no word about this delivery; the others do.
func (k troubleKind) quiet() bool {
	switch k {
	case down, forbidden, morePages, otherKey, replaying, blindMiss:
		return true
	}
	return false
}

func (n *nature) drawTroubles(d dice) {
	for range []int{0, 0, 1, 1, 2, 3}[d.IntN(6)] {
		kinds := []troubleKind{down, down, morePages, otherKey, replaying, replaying}
		if n.target.Promises.Canary != "" || !n.authoritative {
			kinds = append(kinds, forbidden, forbidden, forbidden)
		}
		if !n.authoritative {
			kinds = append(kinds, blindMiss, blindMiss)
		}
		if d.chance(12) {
			kinds = []troubleKind{otherHash, otherOwner, severalHits, undone, stillBusy}
		}
		from := d.upTo(n.horizon / 2)
		long := 8*n.L + d.upTo(8*n.L) // far longer than a lookup, so that the canary sees it
		if d.chance(30) {
			from = d.upTo(2 * n.need())
		}
		n.troubles = append(n.troubles, trouble{from, from + long, kinds[d.IntN(len(kinds))], d.upTo(n.horizon / 2)})
	}
	if !n.authoritative {
		n.troubles = append(n.troubles, trouble{d.upTo(n.need()), d.upTo(n.horizon), blindMiss, 0})
	}
}

// troubleAt is what is wrong at an instant.
func (n *nature) troubleAt(at int64) (trouble, bool) {
	for _, t := range n.troubles {
		if at >= t.from && at < t.to {
			return t, true
		}
	}
	return trouble{}, false
}

// canSee says whether the canary, which is asked for just before and just after, is
// found at an instant. It meets the same troubles as the question itself: it is not seen
// where anything else comes back than its own key, found.
func (n *nature) canSee(at int64) bool {
	for _, t := range n.troubles {
		if at >= t.from && at < t.to && t.kind.hidesCanary(n.canaryHonest) {
			return false
		}
	}
	return true
}

func (k troubleKind) hidesCanary(honest bool) bool {
	switch k {
	case forbidden:
		return honest
	case down, morePages, otherKey, replaying, severalHits, stillBusy:
		return true
	}
	return false // found, and what else is wrong does not matter; or a miss that is the receiver's own
}

// wrong gives an answer the look of a trouble.
func (t trouble) wrong(key string, a *answer) {
	*a = answer{}
	other := "somebody-elses-key"
	a.Evidence.Status = 200
	a.Evidence.Key = &key
	a.Outcome, a.PayloadSHA256 = ledger.LookupFound, contentHash
	a.Receipt = "receipt-of-somebody"
	switch t.kind {
	case down:
		*a = answer{Outcome: ledger.LookupFailed, Cause: "http_503", Evidence: ledger.Evidence{Status: 503}}
	case morePages:
		*a = answer{Outcome: ledger.LookupFailed, Cause: "pages_unread", Evidence: ledger.Evidence{Status: 200}}
	case forbidden, blindMiss:
		*a = answer{Outcome: ledger.LookupNotFound, Evidence: ledger.Evidence{Status: 404}}
	case otherKey:
		a.Evidence.Key = &other
	case otherHash:
		a.PayloadSHA256 = otherContent
	case otherOwner:
		a.Owner = "somebody-else"
	case severalHits:
		*a = answer{Outcome: ledger.LookupAmbiguous, Evidence: ledger.Evidence{Status: 200}}
	case undone:
		a.Cause = ledger.CauseWithdrawn
	case stillBusy:
		*a = answer{Outcome: ledger.LookupInProgress, Evidence: ledger.Evidence{Status: 202, Key: &key}}
	}
}
