// Package actions holds what an operator can do to an uncertain delivery. Each
// act is one function, used by every face. Each re-reads the intent and rechecks
// everything, the verdict at that instant included, inside one immediate write
// transaction, against what the operator saw (design §6). No decision row, no
// effect; a refused act leaves one denied row.
//
// What it must never do: take an operator's identity from a flag or a variable,
// act on more than one intent at a time (lookups excepted), or read an error as
// an absence.
package actions
