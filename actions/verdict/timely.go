package verdict

import (
	"fmt"
	"strings"

	"triage/ledger"
)

// window is the time in which a lookup is timely (design §5): it begins after every
// attempt's end + S + G + K and finishes before the first attempt's start +
// lookup_retention − K, both strictly.
type window struct {
	opens  ledger.Millis // a timely lookup begins strictly after this
	closes ledger.Millis // and finishes strictly before this
	lastBy end           // the attempt that ends last
	first  ledger.Attempt
	never  []string // why no lookup can be timely, as clauses; empty: one can
}

// findWindow derives the window, or everything that keeps it shut.
func (r *review) findWindow() window {
	w := window{never: r.terms.neverTimely()}
	if len(r.ev.Attempts) == 0 {
		w.never = append(w.never, "the ledger records no attempt, so nobody knows when a request was sent")
		return w
	}
	w.first, w.lastBy = r.ev.Attempts[0], r.ends[0]
	for _, e := range r.ends {
		if e.attempt.StartedAt < w.first.StartedAt {
			w.first = e.attempt
		}
		if !e.never && e.at > w.lastBy.at {
			w.lastBy = e
		}
		w.never = append(w.never, r.keepsShut(e)...)
	}
	w.opens = later(w.lastBy.at, r.limits.settles.ms, r.limits.lag.ms, r.limits.skew)
	w.closes = earlier(later(w.first.StartedAt, r.limits.findable.ms), r.limits.skew)
	return w
}

// keepsShut is what about one attempt rules out every proof.
func (r *review) keepsShut(e end) []string {
	var why []string
	a := e.attempt
	if e.never {
		why = append(why, e.why)
	}
	if a.StartedAt < r.terms.Promises.Since {
		why = append(why, fmt.Sprintf("attempt %d began at %s, before the promises held (since %s)",
			a.N, instant(a.StartedAt), instant(r.terms.Promises.Since)))
	}
	if r.ahead(a.StartedAt) {
		why = append(why, fmt.Sprintf("attempt %d began at %s, which is in the future: its clock can't be believed",
			a.N, instant(a.StartedAt)))
	}
	return why
}

// ahead says that an instant lies further in the future than clocks may differ.
func (r *review) ahead(m ledger.Millis) bool { return m > later(r.now, r.limits.skew) }

// spell of a lookup: from its earlier to its later instant, so that a clock that
// stepped back meanwhile counts against the lookup at both ends.
func spell(l ledger.Lookup) (began, finished ledger.Millis) {
	return min(l.StartedAt, l.FinishedAt), max(l.StartedAt, l.FinishedAt)
}

// untimely lists, as clauses, why a lookup that finished is not timely. Empty: it
// is.
func (r *review) untimely(l ledger.Lookup) []string {
	var why []string
	if l.FinishedAt.IsNone() {
		return []string{"it is not recorded when it finished"}
	}
	if last := r.lastAttempt(); l.Seq <= last.Seq {
		why = append(why, fmt.Sprintf("it began before attempt %d was recorded", last.N))
	}
	if l.Seq <= r.disputedSeq {
		why = append(why, "it began before a receipt of this delivery was disputed")
	}
	if l.ReadEvidence().Replayed {
		why = append(why, "its answer was an old one served again, and tells nothing about the time since")
	}
	if len(r.window.never) > 0 {
		return append(why, r.window.never...)
	}
	return append(why, r.outsideWindow(l)...)
}

// outsideWindow compares a lookup's instants with the window.
func (r *review) outsideWindow(l ledger.Lookup) []string {
	var why []string
	began, finished := spell(l)
	if began <= r.window.opens {
		early := max(int64(r.window.opens)-int64(began), 1)
		why = append(why, fmt.Sprintf("it began %s too early: %s", length(early), r.landsUntil()))
	}
	if finished >= r.window.closes {
		why = append(why, fmt.Sprintf("it finished too late, at %s: only %s", instant(finished), r.findableUntil()))
	}
	if r.ahead(finished) {
		why = append(why, fmt.Sprintf("it finished at %s, which is in the future: its clock can't be believed", instant(finished)))
	}
	return why
}

// landsUntil says, as a clause, what a timely lookup has to begin after.
func (r *review) landsUntil() string {
	return fmt.Sprintf("until %s a late request could still have landed unseen (%s; %s)",
		instant(r.window.opens), r.window.lastBy.why, r.waitTerms())
}

// findableUntil says, as a clause, what a timely lookup has to finish before.
func (r *review) findableUntil() string {
	return fmt.Sprintf("until %s what was sent can be relied on to be findable (%s)", instant(r.window.closes), r.keepTerms())
}

// waitTerms spells out S + G + K.
func (r *review) waitTerms() string {
	p := r.terms.Promises
	return fmt.Sprintf("settles_within %s + lookup_lag %s + clock_skew %s after that",
		spelt(p.SettlesWithin), spelt(p.LookupLag), r.terms.skewSpelt())
}

// keepTerms spells out lookup_retention − K.
func (r *review) keepTerms() string {
	name, kept := "lookup_retention", r.terms.Promises.LookupRetention
	if kept == nil {
		name, kept = "key_retention", r.terms.Promises.KeyRetention
	}
	return fmt.Sprintf("%s %s after attempt %d began at %s, less clock_skew %s",
		name, spelt(kept), r.window.first.N, instant(r.window.first.StartedAt), r.terms.skewSpelt())
}

// notBefore is the first millisecond at which a lookup begun then is timely. It may
// lie in the past: then a lookup begun now is timely. None, with the reason as a
// clause: no lookup begun from now on can be timely, so waiting does not help.
func (r *review) notBefore() (ledger.Millis, string) {
	if len(r.window.never) > 0 {
		return 0, strings.Join(r.window.never, "; ")
	}
	from := later(r.window.opens, 1)
	if later(max(from, r.now), r.limits.lookupMax) >= r.window.closes {
		return 0, fmt.Sprintf("from %s on nothing sent can be relied on to be findable (%s)",
			instant(r.window.closes), r.keepTerms())
	}
	return from, ""
}
