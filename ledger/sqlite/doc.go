// Package sqlite keeps the delivery ledger in a SQLite file. The rules stand in
// the schema (schema/v1), as types, CHECKs and triggers, so that they hold against
// every writer in every language; the Go code only reads and writes.
//
// What it must never do: create or alter a file that is not a ledger (only Init
// makes one), hold a transaction open between two calls, or keep agents waiting.
package sqlite
