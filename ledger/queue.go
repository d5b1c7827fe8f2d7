package ledger

import "time"

// StateFilter chooses which intents a page shows; the names are those of
// `triage list --state`.
type StateFilter string

// The filters. Open, the queue, is the default.
const (
	FilterOpen         StateFilter = "open"
	FilterUnknown      StateFilter = "unknown"
	FilterPending      StateFilter = "pending"
	FilterStuck        StateFilter = "stuck"
	FilterContradicted StateFilter = "contradicted"
	FilterSuperseded   StateFilter = "superseded"
	FilterSnoozed      StateFilter = "snoozed"
	FilterDelivered    StateFilter = "delivered"
	FilterFailed       StateFilter = "failed"
	FilterAll          StateFilter = "all"
)

// StateFilters lists every filter in the order in which help shows them.
var StateFilters = []StateFilter{
	FilterOpen, FilterUnknown, FilterPending, FilterStuck, FilterContradicted,
	FilterSuperseded, FilterSnoozed, FilterDelivered, FilterFailed, FilterAll,
}

// StuckRule says after which silence a PENDING intent counts as stuck
// (design §3). It is handed in because it lives in the operator's configuration.
type StuckRule struct {
	Default   time.Duration            // 5 minutes unless configured
	PerTarget map[string]time.Duration // overrides by target
}

// DefaultStuckAfter is the silence after which a PENDING intent is stuck where
// nothing is configured (design §3).
const DefaultStuckAfter = 5 * time.Minute

// After is the silence allowed to a target.
func (r StuckRule) After(target string) time.Duration {
	if d, ok := r.PerTarget[target]; ok {
		return d
	}
	if r.Default > 0 {
		return r.Default
	}
	return DefaultStuckAfter
}

// Stuck says whether a PENDING intent has been silent for too long: neither its
// newest attempt's start nor its creation is younger than the rule allows, or
// its deadline has passed. Derived, never stored. A row from the future is not
// stuck; SkewAhead tells of it.
func (r StuckRule) Stuck(i Intent, now Millis) bool {
	if i.State != Pending || i.Superseded() {
		return false
	}
	if !i.DeadlineAt.IsNone() && now > i.DeadlineAt {
		return true
	}
	newest := max(i.CreatedAt, i.Derived.LastAttemptAt)
	return now.Sub(newest) >= r.After(i.Target)
}

// SkewTolerance is how far ahead a PENDING intent's own times may be before the queue
// shows it: between any two clocks a little is nothing to tell of (design §5,
// clock_skew).
const SkewTolerance = 5 * time.Second

// Ahead says that a PENDING intent comes from the future: created or last attempted
// later than now. It is not stuck, and the queue shows it all the same, or an orphan
// whose sender's clock was a year ahead would be hidden for a year.
func Ahead(i Intent, now Millis) bool {
	return i.State == Pending && !i.Superseded() && SkewAhead(i, now) > SkewTolerance
}

// SkewAhead is how far the intent's own times lie in the future: clock skew to
// be shown, never hidden. Zero when they do not.
func SkewAhead(i Intent, now Millis) time.Duration {
	return max(0, max(i.CreatedAt, i.Derived.LastAttemptAt).Sub(now))
}

// QueueQuery asks for one page of intents.
type QueueQuery struct {
	Filter StateFilter
	Stuck  StuckRule
	Now    Millis
	After  *Cursor // nil: from the start
	Limit  int     // rows at most; 0 means 100
}

// Cursor is the place of a row in the queue's order: contradicted, UNKNOWN,
// PENDING, each oldest first.
type Cursor struct {
	Rank      int // the derived column queue; 3 where the row is not in the queue
	CreatedAt Millis
	OpKey     string
	Row       int64 // place in the whole table, for filters that go beyond the queue
}

// QueueRow is one line of the queue.
type QueueRow struct {
	Intent      Intent
	Stuck       bool
	LastOutcome Outcome // of the newest attempt, "" if it never finished or there is none
	LastCause   string
	LastLookup  LookupOutcome // of the newest finished lookup
	Claim       *Claim        // a lease that has not expired
	Cursor      Cursor
}

// Counts are exact over the open intents and cost the same at any size of
// ledger.
type Counts struct {
	Unknown      int
	Stuck        int
	Contradicted int
	Snoozed      int
	Ahead        int    // PENDING, and from the future: clock skew
	InFlight     int    // PENDING, and neither stuck nor ahead
	Oldest       Millis // creation of the oldest item in the queue; none if empty
}

// Open is the number of rows in the queue.
func (c Counts) Open() int { return c.Unknown + c.Stuck + c.Contradicted + c.Ahead }

// History is one intent with all that is recorded about it.
type History struct {
	Intent    Intent
	Attempts  []Attempt  // by n
	Lookups   []Lookup   // by seq
	Decisions []Decision // by seq
	Claim     *Claim     // a lease that has not expired
	Grant     *Grant     // nil: no grant_id, or it names none
	Events    []Event    // by seq

	// ReceiptHolders maps receipts named by this intent's evidence to another
	// intent of the same target that holds it.
	ReceiptHolders map[string]string
	// Twins are other intents of the same target with the same payload hash whose
	// outcome nobody knows.
	Twins []string
	// RetryUntil is until when a decided retry may be taken, if one stands that no
	// attempt has taken and nothing has ended (view standing_retry); it may lie in the
	// past. None: no retry stands.
	RetryUntil Millis
	// HeldBackBy is the nearest intent that this one takes the place of, itself or
	// through others, that is contradicted and that nobody has acknowledged; nil if none.
	// While it is, no attempt of this one is taken.
	HeldBackBy *Intent
}
