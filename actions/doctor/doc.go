// Package doctor goes through a configuration as a reviewer would: target by target, ten
// questions that decide whether a lost answer ends in a duplicate or a loss. It answers
// what the configuration, a bounded sample of the ledger and one harmless lookup can tell,
// asks for the rest, and says what each gap means for the delivery.
//
// Review is a pure function. What is read from a ledger or a receiver is handed in
// (Gather, Ask). What it must never do: write anywhere, read a whole ledger, or repeat a
// secret that it found.
package doctor
