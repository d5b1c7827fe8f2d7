package verdict

import (
	"fmt"
	"strings"
)

// CanProveAbsence says whether a lookup of this target can ever prove that nothing
// was delivered (design §5). If not, why names every promise that is missing or
// how they fail to add up; no verdict then says "wait". If so, why may still name
// what it will not cover, and is empty otherwise. For the start and for doctor.
func (t Terms) CanProveAbsence() (ok bool, why string) {
	if reasons := t.neverAbsent(); len(reasons) > 0 {
		return false, strings.Join(reasons, "; ")
	}
	if !t.limits().attempt.known {
		return true, "attempt_timeout is not promised, so an attempt that never finishes has no end, " +
			"and nothing can be proven about it until its sender is known to have been killed"
	}
	return true, ""
}

// neverAbsent lists, as clauses, what keeps every lookup of this target from
// proving an absence.
func (t Terms) neverAbsent() []string {
	var why []string
	if !t.HasLookup {
		why = append(why, "no lookup is configured")
	}
	if !t.Promises.AbsenceIsProof {
		why = append(why, "absence_is_proof is not promised, so a miss is no proof here")
	}
	return append(append(why, t.unnamed()...), t.neverTimely()...)
}

// neverRefused is the same for a refusal.
func (t Terms) neverRefused() []string {
	var why []string
	if !t.Promises.RefusalIsFinal {
		why = append(why, "refusal_is_final is not promised, so what was refused may still be accepted")
	}
	return append(append(why, t.unnamed()...), t.neverTimely()...)
}

// unnamed: an answer about a business identifier is not one about this key, so
// neither a miss nor a refusal by it proves anything.
func (t Terms) unnamed() []string {
	if t.Promises.LookupBy == "" || t.Promises.LookupBy == ByKey {
		return nil
	}
	return []string{"it is asked by a business identifier (lookup_by: content) and not by the key"}
}

// neverTimely lists, as clauses, which promises keep every lookup from being
// timely. T is not among the missing ones: only an attempt that never finished
// needs it.
func (t Terms) neverTimely() []string {
	l := t.limits()
	var why []string
	if !l.settles.known {
		why = append(why, "settles_within is not promised, so a late request may land at any time")
	}
	if !l.lag.known {
		why = append(why, "lookup_lag is not promised, so a lookup may miss what is there at any time")
	}
	if !l.findable.known {
		why = append(why, "neither lookup_retention nor key_retention is promised, so what was sent may already be forgotten")
	}
	if len(why) > 0 {
		return why
	}
	needed := later(0, l.attempt.ms, l.settles.ms, l.lag.ms, l.lookupMax, l.skew, l.skew)
	if int64(needed) < l.findable.ms {
		return nil
	}
	return []string{fmt.Sprintf("attempt_timeout + settles_within + lookup_lag + the lookup's timeout + twice clock_skew come to %s, "+
		"which is not less than the %s for which what was sent can be found", length(int64(needed)), length(l.findable.ms))}
}
