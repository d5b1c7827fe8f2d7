package verdict

import (
	"fmt"

	"triage/ledger"
)

func (r *review) saysNeverSent() reading {
	last := r.lastAttempt()
	if len(r.ev.Attempts) == 0 {
		return reading{}.says(NeverSent, "It is PENDING and no attempt is recorded: no sender has taken it.")
	}
	x := reading{seq: last.Seq, id: last.AttemptID}
	return x.says(NeverSent, fmt.Sprintf("It is PENDING, and every attempt recorded, the last at %s, never left its sender (not_sent).", instant(last.StartedAt)))
}

func (r *review) saysNeverLookedUp() reading {
	text := "Nobody has looked it up."
	if n := len(r.readings); n > 0 && len(r.ev.Attempts) > 0 {
		text = fmt.Sprintf("No lookup has come back that began after attempt %d was recorded. The last one before it, at %s, tells nothing about that attempt.",
			r.lastAttempt().N, instant(r.readings[n-1].at))
	} else if len(r.open) > 0 {
		text = fmt.Sprintf("A lookup began at %s and has not come back.", instant(r.open[len(r.open)-1].StartedAt))
	}
	return reading{}.says(NeverLookedUp, text)
}

// aside lists, as sentences, what does not decide and would be missed all the
// same.
func (r *review) aside(decisive reading) []string {
	lines := r.sinceThen(decisive)
	if decisive.kind == FoundUnverified {
		lines = append(lines, r.comparing())
	}
	switch decisive.kind {
	case AbsenceInconclusive, LookupFailed: // told among the reasons
	case NeverLookedUp:
		lines = append(lines, r.discounted()...)
	default:
		for _, why := range r.contradictedElsewhere() {
			lines = append(lines, capital(why)+".")
		}
	}
	return append(lines, r.askedToWait()...)
}

// sinceThen tells of the newest lookup where an older piece of evidence decides, and
// of an earlier miss where the newest lookup failed.
func (r *review) sinceThen(decisive reading) []string {
	n := len(r.readings)
	if n == 0 || decisive.kind == NeverLookedUp || decisive.kind == NeverSent || decisive.kind == NoLookup {
		return nil
	}
	newest := r.readings[n-1]
	if newest.id != decisive.id {
		if newest.kind != LookupFailed && newest.kind != AbsenceInconclusive && newest.kind != Absent {
			return nil
		}
		return []string{newest.gist, "That takes nothing away from what is known."}
	}
	if decisive.kind != LookupFailed {
		return nil
	}
	for i := n - 2; i >= 0 && r.readings[i].seq > r.lastAttempt().Seq; i-- {
		if r.readings[i].kind == AbsenceInconclusive {
			return []string{"Before that: " + lower(r.readings[i].gist)}
		}
	}
	return nil
}

// comparing says what an operator owes before marking something unverified as
// delivered.
func (r *review) comparing() string {
	if len(r.ev.Twins) == 0 {
		return "Compare what was found with what was approved before you mark it delivered."
	}
	return fmt.Sprintf("It may just as well belong to %s: the same content for %s, and nobody knows what became of it.",
		few(r.ev.Twins), r.receiver())
}

// discounted tells why the newest lookup does not count, where none does.
func (r *review) discounted() []string {
	n := len(r.elsewhere)
	if n == 0 || len(r.foundElsewhere()) > 0 {
		return nil
	}
	l := r.elsewhere[n-1]
	return []string{fmt.Sprintf("Lookup %s at %s does not count, because %s.", r.name(l), instant(l.StartedAt), r.discounts(l))}
}

// askedToWait tells until when the receiver asked not to be asked again.
func (r *review) askedToWait() []string {
	var until ledger.Millis
	for _, l := range r.ev.Lookups {
		if r.discounts(l) == "" {
			until = max(until, l.ReadEvidence().RetryAt)
		}
	}
	if until <= r.now {
		return nil
	}
	return []string{fmt.Sprintf("%s asked not to be asked again before %s.", r.receiver(), instant(until))}
}
