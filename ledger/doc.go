// Package ledger holds the words and the rules of the delivery ledger: intents,
// attempts, lookups, decisions, claims, grants and the journal of events.
//
// It is the contract between agents, which write what they are about to send and
// what came of it, and operators, who settle what nobody knows. The package
// itself does no I/O: an engine (package ledger/sqlite) keeps the rows and
// enforces the invariants inside the database, so that a Go program has no rights
// that a Python script lacks.
//
// What it must never do: judge what evidence proves. That is package
// actions/verdict. Nor may it ever hold payload bytes or a secret.
package ledger
