// Package cli is the second face of triage: the same actions as commands, for
// scripts and for pagers (design §8). It parses, wires, prints and chooses exit
// codes; what may be done is decided in package actions.
//
// What it must never do: decide anything, print foreign text raw, or offer a flag
// that says who the operator is.
package cli
