// Package lookup asks receivers what became of an operation, under its original
// key. It reads only. Anything that an answer does not positively say is
// "failed": an error is never read as an absence (design §5).
//
// What it must never do: write to the ledger, follow an address that came from
// the ledger, or let a secret into an answer.
package lookup

import (
	"context"

	"triage/ledger"
)

// Connector asks one target's receiver.
type Connector interface {
	// Kind is the connector's name in the ledger: http, exec, sql, file.
	Kind() string
	// Look asks about one intent. It always returns an answer, bounded in time
	// (the context's deadline and the connector's own) and in size.
	Look(ctx context.Context, intent ledger.Intent) Answer
}

// Answer is what a receiver's reply was positively classified as.
type Answer struct {
	Outcome       ledger.LookupOutcome // never empty
	CanarySeen    *bool                // nil: no canary is named
	Receipt       string
	PayloadSHA256 string
	Owner         string
	Cause         string          // short machine word: timeout, tls, http_403, withdrawn, …
	Evidence      ledger.Evidence // redacted and bounded
}
