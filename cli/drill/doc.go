// Package drill is the fire drill: a small world in which deliveries really go
// wrong, so that an operator can practise settling them and a reader can see what
// each way of "trying again" costs.
//
// It has a receiver that commits and then loses its answer, senders that really
// send and really time out, one sender that is killed for real, and a
// configuration that tells the truth about all of it. Nothing here is simulated
// by writing rows: what the ledger says came about the way it comes about in
// production. Only the promises are shorter, so that nobody has to wait.
//
// What it must never do: reach beyond loopback, write outside the directory it
// was given, or touch a ledger that it did not make.
package drill
