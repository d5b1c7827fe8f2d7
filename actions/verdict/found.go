package verdict

import (
	"fmt"
	"strings"

	"triage/ledger"
)

// readFound says what a lookup that found something comes to (design §5, from
// delivered to in_progress). What speaks against marking it delivered is asked
// first.
func (r *review) readFound(x reading, l ledger.Lookup, subject string) reading {
	e := l.ReadEvidence()
	if e.Key != nil && *e.Key != r.ev.Intent.OpKey {
		return x.says(LookupFailed, fmt.Sprintf("%s was answered about another key, %s. That tells nothing about the delivery.", subject, *e.Key))
	}
	x.receipt = l.Receipt
	if r.keyIsReceipt() {
		x.receipt = r.ev.Intent.OpKey
	}
	if kind, why := r.conflicts(l); kind != "" {
		return x.saysAll(kind, subject+" found it, but", why)
	}
	if open := r.notFinal(e); open != "" {
		return x.says(InProgress, fmt.Sprintf("%s found it%s, but %s.", subject, withReceipt(l.Receipt), open))
	}
	if doubts := r.doubts(&x, l, e); len(doubts) > 0 {
		return x.saysAll(FoundUnverified, subject+" found something"+withReceipt(l.Receipt)+", but", doubts)
	}
	return x.says(Delivered, fmt.Sprintf("%s found it under the byte-identical key with the equal payload hash and the receipt %s.", subject, x.receipt))
}

// saysAll gives a reading its kind and one sentence for each clause.
func (x reading) saysAll(kind Kind, start string, clauses []string) reading {
	for _, c := range clauses {
		x = x.says(kind, start+" "+c+".")
	}
	return x
}

// conflicts lists, as clauses, everything found that forbids calling this
// delivered, and the kind of the first in the table's order; "" if there is none.
func (r *review) conflicts(l ledger.Lookup) (Kind, []string) {
	var kind Kind
	var why []string
	note := func(k Kind, clause string) {
		if kind == "" {
			kind = k
		}
		why = append(why, clause)
	}
	if l.PayloadSHA256 != "" && !strings.EqualFold(l.PayloadSHA256, r.ev.Intent.PayloadSHA256) {
		note(PayloadConflict, fmt.Sprintf("with the content %s, and what was approved is %s", l.PayloadSHA256, r.ev.Intent.PayloadSHA256))
	}
	if owner := r.owner(); l.Owner != "" && l.Owner != owner {
		note(WrongOwner, fmt.Sprintf("it belongs to %s, and %s acts there as %s", l.Owner, r.ev.Intent.Principal, owner))
	}
	for _, receipt := range r.receipts(l) {
		if other := r.heldBy(receipt); other != "" {
			note(Ambiguous, fmt.Sprintf("its receipt %s is held by %s, another intent for %s", receipt, other, r.receiver()))
		}
	}
	if l.Cause == ledger.CauseWithdrawn {
		note(Withdrawn, r.receiver()+" shows that it was undone since")
	}
	return kind, why
}

// receipts a lookup names: its own, and the key where the key is the receipt.
func (r *review) receipts(l ledger.Lookup) []string {
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
func (r *review) doubts(x *reading, l ledger.Lookup, e ledger.Evidence) []string {
	var why []string
	if len(r.terms.unnamed()) > 0 {
		why = append(why, "by a business identifier (lookup_by: content), not by the key")
	}
	if e.Key == nil {
		why = append(why, "the answer does not repeat the key")
	}
	if l.PayloadSHA256 == "" {
		why = append(why, "the answer tells no payload hash")
	}
	if strings.TrimSpace(x.receipt) == "" {
		why = append(why, "the answer names no receipt, and DELIVERED needs one")
	}
	if doubt := r.dispute(x); doubt != "" {
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
