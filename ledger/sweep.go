package ledger

// LeftQuery asks for one page of intents that were sent and left the queue by
// somebody's decision, so that nobody looks at them any more.
type LeftQuery struct {
	// SetAside asks for the open ones that were set aside, of every target; else for
	// those of one Target that were closed, replaced or marked delivered by hand.
	SetAside bool
	Target   string
	Since    Millis      // only those whose first attempt began then or later; none: all
	After    *LeftCursor // nil: from the start
	Limit    int         // rows at most; 0 means 500
}

// LeftCursor is the place of a row in the order of LeftQuery.
type LeftCursor struct {
	Target        string
	LastAttemptAt Millis
	OpKey         string
}

// LeftCursor is an intent's place in that order.
func (i Intent) LeftCursor() LeftCursor {
	return LeftCursor{Target: i.Target, LastAttemptAt: i.Derived.LastAttemptAt, OpKey: i.OpKey}
}
