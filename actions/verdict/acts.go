package verdict

import (
	"fmt"
	"slices"
	"strings"

	"triage/ledger"
)

// setActs says what may be done now (design §5, safe now; §6). Reading and noting
// are always safe. Acts that decide the outcome end with a final state or with a
// successor. What is left out is left out with its reason.
func (r *review) setActs(v *Verdict, decisive reading) {
	v.Withheld = map[Act]string{}
	if v.Kind.Conflict() {
		v.Safe = append(v.Safe, ActNote)
		r.maySetAside(v)
	}
	for _, rule := range []func(*Verdict, reading){r.mayDeliver, r.mayRetry, r.mayReissue, r.mayClose, r.mayLookUp, r.mayAbandon} {
		rule(v, decisive)
	}
	if !v.Kind.Conflict() {
		v.Safe = append(v.Safe, ActNote)
		r.maySetAside(v)
	}
	r.mayDispute(v)
	r.mayAcknowledge(v)
}

// settled says why nothing is left to decide, "" if something is.
func (r *review) settled() string {
	i := r.ev.Intent
	switch {
	case i.Superseded():
		return fmt.Sprintf("The intent %s has taken its place; decide there.", i.SupersededBy)
	case i.State.Final():
		return fmt.Sprintf("It is %s already, and that is final.", i.State)
	}
	return ""
}

func (r *review) mayLookUp(v *Verdict, _ reading) {
	if !r.terms.HasLookup {
		v.Withheld[ActLookup] = fmt.Sprintf("No lookup is configured for %s.", r.receiver())
		return
	}
	if off := r.terms.LookupOff; off != "" {
		v.Withheld[ActLookup] = off
		return
	}
	v.Safe = append(v.Safe, ActLookup)
}

// mayDeliver: safe where it was found, and where the receiver can't be asked at
// all; by hand wherever the evidence is not against it, because no lookup is
// required first (design §6).
func (r *review) mayDeliver(v *Verdict, decisive reading) {
	switch why := r.settled(); {
	case why != "":
		v.Withheld[ActDeliver] = why
	case v.Kind.Conflict():
		v.Withheld[ActDeliver] = "What was found is not provably this delivery: note it, hand it over, and set it aside when nothing more can be found out."
	case v.Kind == FoundUnverified && !decisive.ours && len(r.ev.Twins) > 0:
		v.Withheld[ActDeliver] = fmt.Sprintf("What was found may just as well belong to %s: the same content for the same receiver, and nobody knows what became of it. Settle that first.",
			few(r.ev.Twins))
	case v.Kind != Delivered && r.conflictElsewhere() != "":
		v.Withheld[ActDeliver] = r.conflictElsewhere()
	case v.Kind == Delivered, v.Kind == FoundUnverified, v.Kind == NoLookup:
		v.Safe = append(v.Safe, ActDeliver)
	default:
		v.ByHand = append(v.ByHand, ActDeliver)
	}
}

// conflictElsewhere says, as a sentence, that the newest lookup which does not count
// and yet found something found a conflict; "" if not so.
func (r *review) conflictElsewhere() string {
	if len(r.cameUpon) == 0 {
		return ""
	}
	u := r.cameUpon[len(r.cameUpon)-1]
	kind := r.conflictOf(u)
	if kind == "" {
		return ""
	}
	return fmt.Sprintf("Lookup %s does not count here, but it came upon a conflict (%s): find out first what that is.", r.name(u.LookupID), lower(kind.Title()))
}

// conflictOf is the conflict that a lookup which does not count came upon, "" if
// none. Owners are left out where their names may be those of another account map.
func (r *review) conflictOf(u uncounted) Kind {
	if key := u.ReadEvidence().Key; key != nil && *key != r.ev.Intent.OpKey {
		return ""
	}
	switch u.Outcome {
	case ledger.LookupAmbiguous:
		return Ambiguous
	case ledger.LookupFound:
		if kind, _ := r.conflicts(u.Lookup); kind != WrongOwner || u.flawed {
			return kind
		}
	}
	return ""
}

// mayClose: only where it is proven that nothing was delivered, or that nothing
// was sent.
func (r *review) mayClose(v *Verdict, _ reading) {
	switch why := r.settled(); {
	case why != "":
		v.Withheld[ActClose] = why
	case v.Kind == Absent, v.Kind == Refused, v.Kind == NeverSent:
		v.Safe = append(v.Safe, ActClose)
	default:
		v.Withheld[ActClose] = "Nothing proves that it was not delivered."
	}
}

// mayReissue: free on a proof; at an accepted risk where nothing is known either
// way; else not at all.
func (r *review) mayReissue(v *Verdict, decisive reading) {
	open := r.settled()
	if r.markedAndDisproven(decisive) {
		open = ""
	}
	proven := v.Kind == Absent || v.Kind == Refused
	switch {
	case open != "":
		v.Withheld[ActReissue] = open
	case r.cancelled() != "":
		v.Withheld[ActReissue] = r.cancelled()
	case r.heldBack() != "":
		v.Withheld[ActReissue] = r.heldBack()
	case proven:
		v.Safe = append(v.Safe, ActReissue)
	case !undecidedKind(v.Kind):
		v.Withheld[ActReissue] = noNewIntent(v.Kind)
	case r.mayStillBeSending() != "":
		v.Withheld[ActReissue] = r.mayStillBeSending()
	case len(r.cameUpon) > 0 && !r.missedSince():
		v.Withheld[ActReissue] = "A lookup that does not count here came upon something: find out first what that is."
	default:
		v.AtRisk = append(v.AtRisk, ActReissue)
	}
}

// noNewIntent says, as a sentence, why a kind admits no new intent, phrase or not.
func noNewIntent(k Kind) string {
	switch k {
	case Delivered:
		return "It was delivered: nothing is left to send."
	case NeverSent:
		return "Nothing was sent yet: its sender can still take it."
	case FoundUnverified:
		return "What was found may be this delivery: a new intent could deliver it twice."
	case InProgress:
		return "The receiver is still working on it: a new intent could deliver it twice."
	}
	return "What was found has to be cleared up first: a new intent could deliver it twice."
}

// missedSince says that a lookup that counts has missed it since the last attempt, and
// since the last one that came upon something.
func (r *review) missedSince() bool {
	seen := r.cameUpon[len(r.cameUpon)-1].Seq
	return slices.ContainsFunc(r.sinceLastAttempt(), func(x reading) bool {
		return x.outcome == ledger.LookupNotFound && x.seq > seen
	})
}

// undecidedKind: nothing is known either way (design §6, new intent).
func undecidedKind(k Kind) bool {
	switch k {
	case NoLookup, NeverLookedUp, LookupFailed, AbsenceInconclusive:
		return true
	}
	return false
}

// markedAndDisproven: marked delivered by an operator's word, or by a receipt that
// was disputed since, and then proven not to be there (design §3, contradicted).
// The proof must be newer than the word that it disproves.
func (r *review) markedAndDisproven(decisive reading) bool {
	i := r.ev.Intent
	if i.State != ledger.Delivered || i.Superseded() || !decisive.proof {
		return false
	}
	_, disputed := r.disputes[i.Receipt]
	if i.SettledBy != ledger.ByOperator && !disputed {
		return false
	}
	for _, d := range r.ev.Decisions {
		if d.Kind == ledger.MarkDelivered && d.Seq >= decisive.seq {
			return false
		}
	}
	return true // a proof older than a dispute is none
}

// cancelled says why nothing new may be sent, "" where no cancel is wished.
func (r *review) cancelled() string {
	if at := r.ev.Intent.CancelRequestedAt; !at.IsNone() {
		return fmt.Sprintf("It was asked at %s not to send this any more; nothing new is to be sent.", instant(at))
	}
	return ""
}

// mayStillBeSending: an attempt never finished and its end, where one is known, has
// not come, abandoned or not. A new intent beside a living sender is a duplicate in
// the making.
func (r *review) mayStillBeSending() string {
	for _, e := range r.ends {
		a := e.attempt
		_, abandoned := r.abandoned.of(a)
		switch {
		case a.Finished() && a.Cause != causeAbandoned, e.never && abandoned: // given up: whoever types the phrase knows
			continue
		case e.never:
			return fmt.Sprintf("Attempt %d never came back and its sender may still be at work: abandon it first.", a.N)
		case r.now <= later(e.at, r.limits.skew):
			return fmt.Sprintf("Attempt %d may still be at work until %s.", a.N, instant(later(e.at, r.limits.skew)))
		}
	}
	return ""
}

// mayRetry: only on a proven absence, where the receiver honours the key for long
// enough, and nothing stands in the way of another attempt.
func (r *review) mayRetry(v *Verdict, _ reading) {
	until, why := r.noRetry(v.Kind)
	if why != "" {
		v.Withheld[ActRetry] = why
		return
	}
	v.Safe = append(v.Safe, ActRetry)
	v.RetryUntil, v.SafeUntil = until, until
	if d := r.ev.Intent.DeadlineAt; !d.IsNone() {
		v.SafeUntil = min(until, d)
	}
}

// noRetry says, as a sentence, why a retry under the same key is not safe, and
// until when it is where it is.
func (r *review) noRetry(kind Kind) (ledger.Millis, string) {
	if why := r.settled(); why != "" {
		return 0, why
	}
	if why := r.cancelled(); why != "" {
		return 0, why
	}
	if why := r.heldBack(); why != "" {
		return 0, why
	}
	if kind != Absent {
		return 0, "A retry is safe only where it is proven that nothing was delivered."
	}
	if a, ok := r.ev.InFlight(); ok {
		return 0, fmt.Sprintf("Attempt %d never finished: abandon it first.", a.N)
	}
	if d := r.ev.Intent.DeadlineAt; !d.IsNone() && r.now >= d {
		return 0, fmt.Sprintf("Its deadline passed at %s.", instant(d))
	}
	until, why := r.retryUntil()
	switch {
	case why != "":
		return 0, capital(why) + "."
	case r.now >= until:
		return 0, fmt.Sprintf("A retry had to be decided before %s, for it to land while %s still honours the key.", instant(until), r.receiver())
	}
	return until, ""
}

// mayAbandon: an attempt that never finished may be given up by who knows what
// became of its sender. The statement that the sender was killed can be added
// later, as long as nobody made it.
func (r *review) mayAbandon(v *Verdict, _ reading) {
	_, open := r.ev.Abandonable()
	switch {
	case r.settled() != "":
		v.Withheld[ActAbandon] = r.settled()
	case !open:
		v.Withheld[ActAbandon] = "No attempt is unfinished."
	default:
		v.ByHand = append(v.ByHand, ActAbandon)
	}
}

// few names up to three keys.
func few(keys []string) string {
	if len(keys) > 3 {
		return fmt.Sprintf("%s and %d more", strings.Join(keys[:3], ", "), len(keys)-3)
	}
	return strings.Join(keys, ", ")
}
