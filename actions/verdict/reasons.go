package verdict

import "fmt"

func (r *review) saysNeverSent() reading {
	last := r.lastAttempt()
	if len(r.ev.Attempts) == 0 {
		return reading{}.says(NeverSent, plain("It is PENDING and no attempt is recorded: no sender has taken it."))
	}
	x := reading{seq: last.Seq, id: last.AttemptID}
	return x.says(NeverSent, say("It is PENDING, and every attempt recorded, the last at %s, never left its sender (not_sent).", instant(last.StartedAt)))
}

func (r *review) saysNeverLookedUp() reading {
	text := "Nobody has looked it up."
	if n := len(r.readings); n > 0 && len(r.ev.Attempts) > 0 {
		text = fmt.Sprintf("No lookup has come back that began after attempt %d was recorded. The last one before it, at %s, tells nothing about that attempt.",
			r.lastAttempt().N, instant(r.readings[n-1].at))
	} else if len(r.open) > 0 {
		text = fmt.Sprintf("A lookup began at %s and has not come back.", instant(r.open[len(r.open)-1].StartedAt))
	}
	return reading{}.says(NeverLookedUp, plain(text))
}

// aside lists, as sentences, what does not decide and would be missed all the
// same.
func (r *review) aside(decisive reading) []string {
	lines := r.sinceThen(decisive)
	if decisive.kind == FoundUnverified {
		lines = append(lines, r.comparing(decisive))
	}
	switch decisive.kind {
	case AbsenceInconclusive, LookupFailed: // told among the reasons
	case NeverLookedUp:
		lines = append(lines, r.discounted()...)
	default:
		for _, why := range r.contradicted {
			lines = append(lines, why.sentence().String())
		}
	}
	if held := r.heldBack(); held != "" {
		lines = append(lines, held)
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
		return []string{newest.gist.String(), "That takes nothing away from what is known."}
	}
	if decisive.kind != LookupFailed {
		return nil
	}
	for i := n - 2; i >= 0 && r.readings[i].seq > r.lastAttempt().Seq; i-- {
		if r.readings[i].kind == AbsenceInconclusive {
			return []string{"Before that: " + lower(r.readings[i].gist.String())}
		}
	}
	return nil
}

// comparing says what an operator owes before marking something unverified as
// delivered.
func (r *review) comparing(decisive reading) string {
	if decisive.ours || len(r.ev.Twins) == 0 {
		return "Compare what was found with what was approved before you mark it delivered."
	}
	return fmt.Sprintf("It may just as well belong to %s: the same content for %s, and nobody knows what became of it.",
		few(r.ev.Twins), r.receiver())
}

// discounted tells why the newest lookup does not count, where none does.
func (r *review) discounted() []string {
	n := len(r.elsewhere)
	if n == 0 || len(r.cameUpon) > 0 {
		return nil
	}
	l := r.elsewhere[n-1]
	return []string{fmt.Sprintf("Lookup %s at %s does not count, because %s.", r.name(l.LookupID), instant(l.StartedAt), l.why)}
}

// askedToWait tells until when the receiver asked not to be asked again.
func (r *review) askedToWait() []string {
	if r.until <= r.now {
		return nil
	}
	return []string{fmt.Sprintf("%s asked not to be asked again before %s.", r.receiver(), instant(r.until))}
}
