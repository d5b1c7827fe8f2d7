package verdict

import (
	"slices"
	"strings"

	"triage/ledger"
)

// Judge says what the evidence proves, given the terms, at the instant now (design
// §5). It is a pure function: the same arguments give the same verdict, whatever
// the order of their slices, and nothing that it is given is changed.
func Judge(ev Evidence, terms Terms, now ledger.Millis) Verdict {
	r := newReview(ev, terms, now)
	decisive := r.weigh()
	v := Verdict{Kind: decisive.kind, Because: texts(decisive.because), Evidence: decisive.id, At: now}
	if v.Kind == Delivered || v.Kind == FoundUnverified {
		v.Receipt = decisive.receipt
	}
	v.Standing = standing(r.ev.Intent)
	r.setWaiting(&v, decisive)
	r.setKeyClock(&v)
	r.setActs(&v, decisive)
	v.Because = append(v.Because, r.aside(decisive)...)
	r.explain(&v)
	return v
}

// weigh finds the reading that decides, strongest evidence first; the order is
// argued in the package comment.
func (r *review) weigh() reading {
	if x, ok := r.finished(); ok {
		return x
	}
	proof, proven := r.proof()
	if x, ok := r.pending(proof); ok {
		return x
	}
	if r.neverSent() {
		return r.saysNeverSent()
	}
	if proven {
		return proof
	}
	if x, ok := r.contested(); ok {
		return x
	}
	return r.undecided()
}

// finished weighs the evidence of a finished effect: receipts and conflicts. An old
// answer served again proves a delivery, but clears no conflict: it may be the older
// of the two.
func (r *review) finished() (reading, bool) {
	newest, found := r.newest(func(x reading) bool { return x.kind == Delivered && !x.replayed || x.kind.Conflict() })
	if found && newest.kind.Conflict() {
		return newest, true
	}
	var receipts []reading
	for _, a := range r.ev.Attempts {
		x, ok := r.readAttempt(a)
		switch {
		case ok && x.kind == Ambiguous:
			return x, true
		case ok && x.kind == Delivered:
			receipts = append(receipts, x)
		}
	}
	for _, x := range r.readings {
		if x.kind == Delivered {
			receipts = append(receipts, x)
		}
	}
	if len(receipts) == 0 {
		return reading{}, false
	}
	return r.agreeing(receipts), true
}

// agreeing is the first proof of delivery, unless another names a different
// receipt: then one key has two effects. Where the key is the receipt, a sender's
// own name for it is no second one.
func (r *review) agreeing(receipts []reading) reading {
	chosen := receipts[0]
	for _, x := range receipts[1:] {
		if bare(x.receipt) != bare(chosen.receipt) && !r.keyIsReceipt() {
			chosen.because = append(slices.Clone(chosen.because), x.because...)
			return chosen.says(Ambiguous, say("These are two receipts for one key: %s and %s.", chosen.receipt, x.receipt))
		}
	}
	return chosen
}

// bare is a receipt without the blanks and line ends that writers leave around it: with
// them it is still the same one.
func bare(receipt string) string { return strings.TrimSpace(receipt) }

// proof finds the standing proof that nothing was delivered. A refusal that proves
// nothing is contrary evidence to an absence before it. A refusal tells more than a
// miss after it, unless an operator's word stands between the two: then the miss is
// what speaks against that word.
func (r *review) proof() (reading, bool) {
	var standing reading
	for _, x := range r.readings {
		switch {
		case x.proof && x.kind == Refused, x.proof && standing.kind != Refused,
			x.proof && standing.seq < r.markedSeq && x.seq > r.markedSeq:
			standing = x
		case (x.heard || !x.proof && x.outcome == ledger.LookupRefused) && standing.kind == Absent:
			standing = reading{}
		}
	}
	return standing, standing.proof
}

// pending weighs what is positive but neither verified nor finished. A miss takes
// none of it away; a proven refusal that is newer ends "in progress".
func (r *review) pending(proof reading) (reading, bool) {
	unverified, found := r.newest(func(x reading) bool { return x.kind == FoundUnverified && !x.disputed })
	for _, a := range r.ev.Attempts {
		if x, ok := r.readAttempt(a); ok && x.kind == FoundUnverified && !x.disputed && (!found || x.seq > unverified.seq) {
			unverified, found = x, true
		}
	}
	working, busy := r.newest(func(x reading) bool { return x.kind == InProgress })
	switch {
	case found && busy && working.seq > unverified.seq:
		return working, true
	case found:
		return unverified, true
	case busy && (proof.kind != Refused || proof.seq < working.seq):
		return working, true
	}
	return reading{}, false
}

// contested is what was found before its receipt was disputed. It is weaker than a
// proof that is newer than the dispute, and stronger than knowing nothing.
func (r *review) contested() (reading, bool) {
	for _, a := range slices.Backward(r.ev.Attempts) {
		if x, ok := r.readAttempt(a); ok && x.disputed {
			return x, true
		}
	}
	return r.newest(func(x reading) bool { return x.disputed })
}

// neverSent is design §5: PENDING, and no attempt or only not_sent ones. It is not
// said against a receiver that has heard of the operation.
func (r *review) neverSent() bool {
	if r.ev.Intent.State != ledger.Pending || len(r.cameUpon) > 0 {
		return false
	}
	for _, a := range r.ev.Attempts {
		if a.Outcome != ledger.OutcomeNotSent {
			return false
		}
	}
	_, heardOf := r.newest(func(x reading) bool {
		return x.kind == FoundUnverified || x.kind == InProgress || x.outcome == ledger.LookupRefused || x.heard
	})
	return !heardOf
}

// undecided is what is left when nothing is proven.
func (r *review) undecided() reading {
	if !r.terms.HasLookup {
		x := reading{}.says(NoLookup, say("No lookup is configured for %s, so it can't be asked from here.", r.receiver()))
		if why := r.terms.Unconfigured; why != "" {
			x = x.says(NoLookup, plain(why))
		}
		return x
	}
	since := r.sinceLastAttempt()
	if len(since) == 0 {
		return r.saysNeverLookedUp()
	}
	return since[len(since)-1]
}

// newest is the newest reading that fits.
func (r *review) newest(fits func(reading) bool) (reading, bool) {
	for _, x := range slices.Backward(r.readings) {
		if fits(x) {
			return x, true
		}
	}
	return reading{}, false
}
