package lookup

import (
	"context"
	"time"

	"triage/ledger"
)

// sighting is what asking for the canary came to.
type sighting struct {
	seen    bool
	text    string
	cause   string    // of a failure
	retryAt time.Time // the receiver asked not to be asked before
	// redirected: it was seen at another address than was asked.
	redirected bool
}

// seekCanary asks for the key that is known to exist, by the same address, with
// the same credentials and through the same mapping. Many services answer "not
// found" for "not allowed"; a canary that is found rules that out (design §5).
func (c *asker) seekCanary(ctx context.Context, intent ledger.Intent) sighting {
	canary := intent
	canary.OpKey = c.target.Promises.Canary
	e := c.put(ctx, canary)
	switch {
	case e.reading.outcome != ledger.LookupFound:
		text := "not seen, " + string(e.reading.outcome)
		if e.reading.cause != "" {
			text += " (" + e.reading.cause + ")"
		}
		return sighting{text: text, cause: e.reading.cause, retryAt: e.retryAt}
	case c.mapping.key != nil && e.reading.key == nil:
		return sighting{text: "not seen, the answer names no key"}
	case e.replayed:
		return sighting{text: "not seen, the answer was an old one"}
	}
	return sighting{seen: true, text: "seen", redirected: e.redirected}
}

// beside is the sighting as it counts for an answer. One behind a redirect shows nothing
// about a "not found" that was given without one: somebody else may have answered.
func (s sighting) beside(e exchange) sighting {
	if s.seen && s.redirected && e.reading.outcome == ledger.LookupNotFound && !e.redirected {
		return sighting{text: "not seen, only after a redirect"}
	}
	return s
}
