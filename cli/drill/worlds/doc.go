// Package worlds is the simulation behind `triage drill --worlds`: random incidents
// in virtual time, with an oracle that knows the truth. It asks one question: does
// following triage's verdict to the letter ever make a duplicate or a loss, as long
// as every promise is kept to the letter and no further?
//
// A world is one delivery that is wanted (sometimes two of the same content), a
// receiver, its senders, a ledger and the robots that operate it, in milliseconds of
// true time, all drawn from one seed. The receiver and the senders are in receiver.go
// and sender.go; they use what is promised up to its last millisecond. The ledger is
// either the memory of memory.go, which knows the ledger's rules, or a real one with
// the real actions (realbooks.go); verdicts are always those of verdict.Judge.
//
// What the package must never do: let a robot, a sender or the books look at the
// truth. Only the oracle may.
package worlds
