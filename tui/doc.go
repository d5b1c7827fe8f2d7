// Package tui is the screen: a queue of uncertain deliveries on the left, one
// intent with its verdict on the right, and the dialogs in which an operator
// decides.
//
// It knows one interface, Acts, which it declares itself, and talks to nothing
// else. Update does no I/O: named commands (asks.go) do it and come back with
// messages that say what happened and carry the request they answer, so that an
// old answer is recognised and dropped.
//
// What it must never do: decide anything that package actions does not decide
// again, move the selection by itself, let a paste, a held key or typing ahead
// confirm anything, or show a foreign string that has not been through
// wording.Safe.
package tui
