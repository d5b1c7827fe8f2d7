package tui

import (
	"time"

	"triage/actions"
	"triage/actions/verdict"
	"triage/ledger"
)

// Messages are facts: something happened. Each answer carries its request, so
// that an answer to an old one is dropped.

// ticked: a second (Options.Tick) has passed.
type ticked struct{ at time.Time }

// changesChecked: the ledger was asked whether anyone else has written.
type changesChecked struct {
	changed bool
	err     error
}

// queueRead: a part of the queue, and its counts, were read.
type queueRead struct {
	request queueRequest
	rows    []ledger.QueueRow
	starts  []windowStart // where the windows before this one begin
	more    bool          // rows follow after the last one
	scanned int           // rows looked at, where a filter text chose among them
	counts  ledger.Counts
	at      ledger.Millis
	err     error
}

// itemRead: one intent was read.
type itemRead struct {
	key  string
	item actions.Item
	err  error
}

// lookupEnded: a lookup came back, whatever it found.
type lookupEnded struct {
	key  string
	done actions.Done
	err  error
}

// actEnded: an act that an operator confirmed was done or refused.
type actEnded struct {
	act  act
	done actions.Done
	err  error
}

// act is what an operator confirmed in a dialog.
type act struct {
	id   int // of the dialog it was confirmed in
	name verdict.Act
	key  string
	do   doing
}

// permissionRechecked: a live recheck came back.
type permissionRechecked struct {
	dialog     int
	permission actions.Permission
	err        error
}
