package verdict

import (
	"fmt"

	"triage/ledger"
)

// The acts of this file decide no outcome: they say where an intent belongs in the
// queue, and which receipt is not to be believed.

// maySetAside: the way out for conflicts and for receivers that can never prove
// anything (design §3). It is safe where nothing else is; elsewhere somebody has to
// know why nothing more can be found out.
func (r *review) maySetAside(v *Verdict) {
	i := r.ev.Intent
	switch why := r.settled(); {
	case why != "":
		v.Withheld[ActSetAside] = why
	case i.Contradicted():
		v.Withheld[ActSetAside] = "It is contradicted, and stays on top until somebody acknowledges that: acknowledge it first."
	case !i.Derived.SetAsideAt.IsNone():
		v.Withheld[ActSetAside] = fmt.Sprintf("It was set aside at %s already.", instant(i.Derived.SetAsideAt))
	case v.Kind.Conflict():
		v.Safe = append(v.Safe, ActSetAside)
	default:
		v.ByHand = append(v.ByHand, ActSetAside)
	}
}

// mayDispute: a receipt that something here names can be wrong, in every state. Who
// says so knows it from outside.
func (r *review) mayDispute(v *Verdict) {
	named, standing := r.ev.receipts()
	switch {
	case len(standing) > 0:
		v.ByHand = append(v.ByHand, ActDispute)
	case len(named) > 0:
		v.Withheld[ActDispute] = fmt.Sprintf("The receipt %s is disputed already.", few(named))
	default:
		v.Withheld[ActDispute] = "Nothing here names a receipt that could be disputed."
	}
}

// mayAcknowledge: what disagrees with a decision has been dealt with, says whoever
// dealt with it.
func (r *review) mayAcknowledge(v *Verdict) {
	i := r.ev.Intent
	switch {
	case i.Contradicted():
		v.ByHand = append(v.ByHand, ActAcknowledge)
	case !i.ContradictedAt.IsNone():
		v.Withheld[ActAcknowledge] = fmt.Sprintf("What contradicted it was acknowledged at %s already.", instant(i.Derived.AcknowledgedAt))
	default:
		v.Withheld[ActAcknowledge] = "Nothing contradicts what was decided about it."
	}
}

// Disputable are the receipts that something here names and that nobody has disputed
// since, in the order in which they were named.
func (ev Evidence) Disputable() []string {
	_, standing := ev.ordered().receipts()
	return standing
}

// receipts lists what this evidence, which is in order, names as a receipt: the
// intent itself, an attempt, a lookup or an operator. Standing are those that no
// dispute newer than the row that names them took back.
func (ev Evidence) receipts() (named, standing []string) {
	newest := map[string]int64{} // seq of the newest row that names it
	name := func(receipt string, seq int64) {
		if receipt == "" {
			return
		}
		if _, known := newest[receipt]; !known {
			named = append(named, receipt)
		}
		newest[receipt] = max(newest[receipt], seq)
	}
	for _, a := range ev.Attempts {
		name(a.Receipt, a.Seq)
	}
	for _, l := range ev.Lookups {
		name(l.Receipt, l.Seq)
	}
	disputed := map[string]int64{}
	for _, d := range ev.Decisions {
		switch d.Kind {
		case ledger.MarkDelivered:
			name(d.Receipt, d.Seq)
		case ledger.Dispute:
			receipt := disputedReceipt(d, ev.Intent)
			disputed[receipt] = max(disputed[receipt], d.Seq)
		}
	}
	name(ev.Intent.Receipt, 0)
	for _, receipt := range named {
		if at, ok := disputed[receipt]; !ok || at < newest[receipt] {
			standing = append(standing, receipt)
		}
	}
	return named, standing
}

// heldBack says, as a sentence, why no sender may take this intent: what it replaces,
// itself or through others, was found since, and the ledger refuses every attempt until somebody acknowledges
// that. "" if nothing holds it back.
func (r *review) heldBack() string {
	p := r.ev.HeldBackBy
	if p == nil || !p.Contradicted() || r.settled() != "" {
		return ""
	}
	through := ""
	if direct := r.ev.Intent.Supersedes; direct != p.OpKey {
		through = fmt.Sprintf(" by way of %s", direct)
	}
	return fmt.Sprintf("It replaces %s%s, and at %s evidence came up that disagrees with replacing it: no sender may take this one until somebody has looked at %s and acknowledged that, because it may be a duplicate.",
		p.OpKey, through, instant(p.ContradictedAt), p.OpKey)
}

// knownContradiction tells what stands on top of the queue, and whom it holds back.
func (r *review) knownContradiction() []string {
	i := r.ev.Intent
	if !i.Contradicted() {
		return nil
	}
	line := fmt.Sprintf("Since %s evidence disagrees with what was decided, and nobody has acknowledged that.", instant(i.ContradictedAt))
	if i.Superseded() {
		line += fmt.Sprintf(" Until somebody does, no sender may take %s, nor what replaces that.", i.SupersededBy)
	}
	return []string{line}
}
