package verdict

import (
	"fmt"
	"slices"
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
	never  []clause // why no lookup can be timely; empty: one can
}

// findWindow derives the window, or everything that keeps it shut.
func (r *review) findWindow() window {
	w := window{never: plains(r.terms.neverTimely())}
	if len(r.ev.Attempts) == 0 {
		w.never = append(w.never, plain("the ledger records no attempt, so nobody knows when a request was sent"))
		return w
	}
	var shut [][]clause
	w.first, w.lastBy = r.ev.Attempts[0], r.ends[0]
	for _, e := range r.ends {
		if e.attempt.StartedAt < w.first.StartedAt {
			w.first = e.attempt
		}
		if !e.never && e.at > w.lastBy.at {
			w.lastBy = e
		}
		if why := r.keepsShut(e); len(why) > 0 {
			shut = append(shut, why)
		}
	}
	w.never = append(w.never, newestOf(shut)...)
	w.opens = later(w.lastBy.at, r.limits.settles.ms, r.limits.lag.ms, r.limits.skew)
	w.closes = earlier(later(w.first.StartedAt, r.limits.findable.ms), r.limits.skew)
	return w
}

// newestOf takes what the newest attempts say, and counts the others.
func newestOf(shut [][]clause) []clause {
	cut := max(0, len(shut)-shown)
	why := slices.Concat(shut[cut:]...)
	if cut > 0 {
		why = append(why, say("earlier attempts rule it out too: %s", whole(cut)))
	}
	return why
}

// keepsShut is what about one attempt rules out every proof.
func (r *review) keepsShut(e end) []clause {
	var why []clause
	a := e.attempt
	if e.never {
		why = append(why, plain(e.why))
	}
	if a.StartedAt < r.limits.since {
		why = append(why, say("attempt %d began at %s, before the promises surely held (since %s, and clock_skew %s)",
			a.N, when(a.StartedAt), when(r.terms.Promises.Since), r.terms.skewSpelt()))
	}
	if r.ahead(a.StartedAt) {
		why = append(why, say("attempt %d began at %s, which is in the future: its clock can't be believed",
			a.N, when(a.StartedAt)))
	}
	return why
}

// ahead says that an instant lies further in the future than clocks may differ.
func (r *review) ahead(m ledger.Millis) bool { return m > later(r.now, r.limits.skew) }

// connectorFile is the connector that reads exports: what it finds is as old as they
// are (design §7).
const connectorFile = "file"

// spell of a lookup: from its earlier to its later instant, so that a clock that
// stepped back meanwhile counts against the lookup at both ends. What an export
// shows was asked when the export was begun, and answered when it was finished; where
// that is not told, when it was read.
func (a answered) spell() (began, finished ledger.Millis) {
	began, finished = min(a.StartedAt, a.FinishedAt), max(a.StartedAt, a.FinishedAt)
	if asOf := a.shows.AsOf; !asOf.IsNone() {
		began = min(began, asOf)
		if done := a.shows.CompleteAt; a.Connector == connectorFile && !done.IsNone() {
			finished = max(asOf, done)
		}
	}
	return began, finished
}

// untimely lists, as clauses, why a lookup that finished is not timely. Empty: it
// is.
func (r *review) untimely(a answered) []clause {
	if a.FinishedAt.IsNone() {
		return []clause{plain("it is not recorded when it finished")}
	}
	var why []clause
	if last := r.lastAttempt(); a.Seq <= last.Seq {
		why = append(why, say("it began before attempt %d was recorded", last.N))
	}
	if a.Seq <= r.disputedSeq || a.shows.AsOf != 0 && r.disputedSeq > 0 && a.shows.AsOf <= later(r.disputedAt, r.limits.skew) {
		why = append(why, plain("it began before a receipt of this delivery was disputed"))
	}
	if a.shows.Replayed {
		why = append(why, plain("its answer was an old one served again, and tells nothing about the time since"))
	}
	why = append(why, r.wrongClock(a)...)
	if len(r.window.never) > 0 {
		return append(why, r.window.never...)
	}
	return append(why, r.outsideWindow(a)...)
}

// wrongClock: clocks that are seen to differ by more than was promised leave nothing
// of what instants prove.
func (r *review) wrongClock(a answered) []clause {
	var why []clause
	if off := a.shows.SkewMS; off > r.limits.skew || off < -r.limits.skew {
		why = append(why, say("the receiver's clock and ours were %s apart, more than clock_skew %s allows", span{ms: max(off, -off)}, r.terms.skewSpelt()))
	}
	if asOf := a.shows.AsOf; !asOf.IsNone() && asOf > later(a.StartedAt, r.limits.skew) {
		why = append(why, say("it shows the receiver as of %s, which is after it was asked: that clock can't be believed", when(asOf)))
	}
	return why
}

// word chooses between what is said of a lookup that asked the receiver itself and of
// one that read an export.
func (a answered) word(asked, exported string) string {
	if a.shows.AsOf.IsNone() {
		return asked
	}
	return exported
}

// outsideWindow compares a lookup's instants with the window.
func (r *review) outsideWindow(a answered) []clause {
	var why []clause
	began, finished := a.spell()
	if began <= r.window.opens {
		early := max(int64(r.window.opens)-int64(began), 1)
		why = append(why, say("it %s %s too early: until %s a late request could still have landed unseen (%s)",
			a.word("began", "shows the receiver"), span{ms: early}, when(r.window.opens), landing{r}))
	}
	if finished >= r.window.closes {
		why = append(why, say("it finished too late, at %s: only until %s what was sent can be relied on to be findable (%s)",
			when(finished), when(r.window.closes), keeping{r}))
	}
	if r.ahead(finished) {
		why = append(why, say("it finished at %s, which is in the future: its clock can't be believed", when(finished)))
	}
	return why
}

// inTime says, as a sentence, between which instants a timely lookup was made.
func (r *review) inTime(a answered) clause {
	began, finished := a.spell()
	return say("%s at %s, after %s (when a late request could last have landed unseen: %s), and %s at %s, before %s (until when what was sent can be relied on to be findable: %s).",
		a.word("It was asked", "It shows the receiver as it was"), when(began), when(r.window.opens), landing{r}, a.word("answered", "finished"), when(finished), when(r.window.closes), keeping{r})
}

// landing is how the window's opening is known, and keeping its closing.
type (
	landing struct{ *review }
	keeping struct{ *review }
)

func (w landing) String() string { return w.window.lastBy.why + "; " + w.waitTerms() }
func (w keeping) String() string { return w.keepTerms() }

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
		return 0, strings.Join(texts(r.window.never), "; ")
	}
	from := later(r.window.opens, 1)
	if later(max(from, r.now), r.limits.lookupMax) >= r.window.closes {
		return 0, fmt.Sprintf("from %s on nothing sent can be relied on to be findable (%s)",
			instant(r.window.closes), r.keepTerms())
	}
	return from, ""
}
