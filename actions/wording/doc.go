// Package wording turns what the ledger and receivers say into words for people:
// durations and ages as one says them, instants with their zone, and foreign text
// made safe to show. Safe is the one place in the program that does the latter;
// every face sends every string that it did not write itself through it.
//
// What it must never do: change what is stored, or hide that something was
// there. An invisible character becomes a visible escape, never nothing.
package wording
