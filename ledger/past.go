package ledger

// Past is one intent as it stood once an event of the journal was written: its own
// columns replayed from its events, and of what hangs on it only what was there then.
// Nothing of the future leaks in.
//
// Where many intents have the same content or the same receipt, Twins and
// ReceiptHolders come from 200 of them at most. What an unfinished attempt or lookup
// came to later is left out; so is what became of other intents.
type Past struct {
	History
	Seq   int64  // the place in the journal that was asked for
	First int64  // seq of the intent's begin
	Nth   int    // how many events the intent had by then
	Of    int    // how many it has now
	Next  *Event // its first event after Seq; nil: there is none yet
}

// Change is an event, told so that one need not open its intent to understand it.
type Change struct {
	Event
	Target string // of its intent
	Reason string // where the event is a decision
}

// ChangesQuery asks for events between two places of the journal, newest first. The
// next page begins with UpTo just before the last event's seq.
type ChangesQuery struct {
	After int64 // events after this seq
	UpTo  int64 // and up to this one
	// Notable leaves out what senders and lookups write all day, and new grants: what
	// is left is what people decided, claimed or wished, what disagreed with it,
	// successors, and grants that were revoked or shortened.
	Notable bool
	Limit   int // events at most; 0 means 100
}
