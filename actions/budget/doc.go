// Package budget tells what an intent has spent of its attempts and of its time, which
// layer spent it, and whether what is left outlives the receiver's memory of the key.
//
// It is pure: no clock, no ledger. It decides nothing; verdicts and the ledger's own
// rules do.
package budget
