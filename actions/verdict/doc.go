// Package verdict says what the recorded evidence proves about a delivery, given
// what its receiver promises, at one instant. Judge is the whole of it: a pure
// function without I/O and without a clock, from rows of the ledger and the
// operator's configuration to a kind, its reasons in plain words, and what is
// safe to do now (design §5).
//
// The rules lean to one side. What is not known counts as the worst that it could
// be: an unknown retention has expired, an unknown lag never ends, a duration
// finer than a millisecond is rounded against the proof, and an instant that only
// just meets a limit does not meet it.
//
// How evidence is weighed, strongest first:
//
//  1. The newest word by which a receiver shows a finished effect: delivered, or a
//     conflict (other content, another owner, several candidates, undone since).
//     A sender's receipt proves delivery too, but never against a conflict: a
//     receiver may hand the original's receipt to a request with other content.
//     Different receipts for one key are several candidates. A newer lookup that
//     finds the equal hash under the same key clears a conflict, unless its answer
//     was an old one served again: that proves a delivery, and nothing about what
//     came of it since.
//  2. Found but unverified, or still in progress: whichever is newer. No later
//     miss takes either away. A proven refusal does end "in progress".
//  3. A proof that nothing was delivered: refused, or absent. It stands until a
//     new attempt, a dispute, or contrary evidence; failures and further misses
//     change nothing. A later refusal that proves nothing is contrary to an
//     absence, because the receiver knows of the operation after all.
//  4. Nothing proven: never sent, no lookup, never looked up, or what the newest
//     lookup since the last attempt came to.
//
// Lookups through another connector or environment, or begun before the promises
// held, prove nothing. But where one of them found something, an absence is not
// believed either: somewhere the operation exists.
//
// A row that counts and yet is no positive, consistent record of its outcome reads as
// a failed lookup: evidence that can't be read or could be read in two ways, another
// key echoed, a status that speaks of no delivery, an answer cut off, a miss or a
// refusal with a receipt or a cause. Where such a row was about this key and came upon
// something, no absence is believed beside it either.
//
// A verdict costs in proportion to the rows, and tells of the newest of each sort.
//
// An attempt that began before the promises held can still show a receipt, but no
// absence, no refusal and no key clock can be derived across it.
//
// Decisions are evidence of what operators stated: an abandoned attempt's sender
// was killed, a receipt is wrong. A mark_delivered decision is a person's word and
// tells nothing about the receiver: it is shown as known, and weighs nothing.
//
// What the package must never do: read an error as an absence, do I/O, ask the
// time, or change what it was given. Reasons quote receipts, owners and other
// foreign text as recorded; faces make it safe to show.
package verdict
