package verdict

import (
	"strings"

	"triage/ledger"
)

// readFound says what a lookup that found something comes to (design §5, from
// delivered to in_progress). What speaks against marking it delivered is asked
// first.
func (r *review) readFound(x reading, a answered, subject clause) reading {
	x.receipt = a.Receipt
	if r.keyIsReceipt() {
		x.receipt = r.ev.Intent.OpKey
	}
	if kind, why := r.conflicts(a.Lookup); kind != "" {
		return x.saysAll(kind, say("%s found it, but", subject), why)
	}
	if open := r.notFinal(a.shows); open != "" {
		return x.says(InProgress, say("%s found it%s, but %s.", subject, withReceipt(a.Receipt), open))
	}
	// Neither is another's, or it were a conflict.
	x.ours = len(r.terms.unnamed()) == 0 && a.shows.Key != nil && a.PayloadSHA256 != ""
	if doubts := r.doubts(&x, a); len(doubts) > 0 {
		return x.saysAll(FoundUnverified, say("%s found something%s, but", subject, withReceipt(a.Receipt)), doubts)
	}
	return x.says(Delivered, say("%s found it under the byte-identical key with the equal payload hash and the receipt %s.", subject, x.receipt))
}

// saysAll gives a reading its kind and one sentence for each clause.
func (x reading) saysAll(kind Kind, start clause, clauses []clause) reading {
	for _, c := range clauses {
		x = x.says(kind, say("%s %s.", start, c))
	}
	return x
}

// conflicts lists, as clauses, everything found that forbids calling this
// delivered, and the kind of the first in the table's order; "" if there is none.
func (r *review) conflicts(l *ledger.Lookup) (Kind, []clause) {
	var kind Kind
	var why []clause
	note := func(k Kind, c clause) {
		if kind == "" {
			kind = k
		}
		why = append(why, c)
	}
	if l.PayloadSHA256 != "" && !strings.EqualFold(l.PayloadSHA256, r.ev.Intent.PayloadSHA256) {
		note(PayloadConflict, say("with the content %s, and what was approved is %s", l.PayloadSHA256, r.ev.Intent.PayloadSHA256))
	}
	if owner := r.owner(); l.Owner != "" && l.Owner != owner {
		note(WrongOwner, say("it belongs to %s, and %s acts there as %s", l.Owner, r.ev.Intent.Principal, owner))
	}
	for _, receipt := range r.receipts(l) {
		if other := r.heldBy(receipt); other != "" {
			note(Ambiguous, say("its receipt %s is held by %s, another intent for %s", receipt, other, r.receiver()))
		}
	}
	if l.Cause == ledger.CauseWithdrawn {
		note(Withdrawn, say("%s shows that it was undone since", r.receiver()))
	}
	return kind, why
}

// receipts a lookup names: its own, and the key where the key is the receipt.
func (r *review) receipts(l *ledger.Lookup) []string {
	var names []string
	if l.Receipt != "" {
		names = append(names, l.Receipt)
	}
	if r.keyIsReceipt() && l.Receipt != r.ev.Intent.OpKey {
		names = append(names, r.ev.Intent.OpKey)
	}
	return names
}

// owner is the principal's name at the receiver.
func (r *review) owner() string {
	if name := r.terms.Accounts[r.ev.Intent.Principal]; name != "" {
		return name
	}
	return r.ev.Intent.Principal
}

// notFinal says, as a clause, why what was found may still be in the making, "" if
// it is done. An answer that shows itself unfinished outweighs the promise.
func (r *review) notFinal(e ledger.Evidence) string {
	switch {
	case e.Final != nil && *e.Final:
		return ""
	case e.Final != nil:
		return "the answer shows that it is not done"
	case r.terms.Promises.FoundIsFinal:
		return ""
	}
	return "found_is_final is not promised and the answer shows nothing final"
}

// doubts lists, as clauses, what keeps something found from being proven to be
// this delivery.
func (r *review) doubts(x *reading, a answered) []clause {
	var why []clause
	if len(r.terms.unnamed()) > 0 {
		why = append(why, plain("by a business identifier (lookup_by: content), not by the key"))
	}
	if a.shows.Key == nil {
		why = append(why, plain("the answer does not repeat the key"))
	}
	if a.PayloadSHA256 == "" {
		why = append(why, plain("the answer tells no payload hash"))
	}
	if strings.TrimSpace(x.receipt) == "" {
		why = append(why, plain("the answer names no receipt, and DELIVERED needs one"))
	}
	if a.Cause != "" { // withdrawn is a conflict, and told before
		why = append(why, say("it names a cause, %s, as failures do", a.Cause))
	}
	if doubt := r.dispute(x); !doubt.none() {
		why = append(why, doubt)
	}
	return why
}

func withReceipt(receipt string) string {
	if receipt == "" {
		return ""
	}
	return " with the receipt " + receipt
}
