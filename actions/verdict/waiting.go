package verdict

import (
	"fmt"
	"strings"

	"triage/ledger"
)

// setWaiting says from when another lookup helps. An absence or a refusal is
// provable in the lookup window. "In progress" is worth asking about again one
// attempt_timeout after the answer that said so: the longest that a single call to
// this receiver takes. Where nothing is gained by waiting it says why.
func (r *review) setWaiting(v *Verdict, decisive reading) {
	switch v.Kind {
	case InProgress:
		if r.limits.attempt.known && !decisive.at.IsNone() {
			v.NotBefore = later(decisive.at, r.limits.attempt.ms)
			v.Because = append(v.Because, fmt.Sprintf("Look up again from %s, attempt_timeout %s after that answer.",
				instant(v.NotBefore), spelt(r.terms.Promises.AttemptTimeout)))
		}
	case AbsenceInconclusive, LookupFailed, NeverLookedUp:
		v.NotBefore = r.provableFrom(v, decisive)
	}
}

// provableFrom is the first instant at which a lookup can prove that nothing was
// delivered, told in the verdict's reasons either way.
func (r *review) provableFrom(v *Verdict, decisive reading) ledger.Millis {
	why := r.unprovable(decisive)
	told := len(why)+len(r.window.never) > 0
	from, shut := r.notBefore()
	if len(why) == 0 && from.IsNone() {
		why = []string{shut}
	}
	switch {
	case len(why) > 0:
		v.Because = append(v.Because, noUseWaiting(why, told && v.Kind == AbsenceInconclusive))
		return 0
	case !r.terms.ExportAsOf.IsNone():
		v.Because = append(v.Because, r.byExport(v.Kind, from))
	case from > r.now:
		v.Because = append(v.Because, fmt.Sprintf("A lookup begun at %s or later can prove that nothing was delivered%s, if it finishes before %s (%s).",
			instant(from), r.unlessTold(v.Kind), instant(r.window.closes), r.keepTerms()))
	default:
		v.Because = append(v.Because, fmt.Sprintf("A lookup begun now can prove that nothing was delivered, if it finishes before %s (%s).",
			instant(r.window.closes), r.keepTerms()))
	}
	return from
}

// byExport is what an export has to show; looking up again in one that is older than
// that proves nothing.
func (r *review) byExport(kind Kind, from ledger.Millis) string {
	line := fmt.Sprintf("An export that shows the receiver as of %s or later can prove that nothing was delivered%s, if it is finished before %s (%s).",
		instant(from), r.unlessTold(kind), instant(r.window.closes), r.keepTerms())
	if have := r.terms.ExportAsOf; have < from {
		return line + fmt.Sprintf(" The one that is configured is as of %s: ask for a newer one.", instant(have))
	}
	return line + " The one that is configured is new enough."
}

// unprovable lists, as clauses, what keeps every lookup to come from proving that
// nothing was delivered. After a refusal only another refusal is to be expected.
func (r *review) unprovable(decisive reading) []string {
	absent, refused := r.terms.neverAbsent(), r.terms.neverRefused()
	why := absent
	switch {
	case decisive.outcome == ledger.LookupRefused:
		why = refused
	case decisive.outcome != ledger.LookupNotFound && len(refused) == 0:
		why = nil // it has not said anything yet, and a refusal would count
	}
	return append(why, texts(r.contradicted)...)
}

// unlessTold is what has to be waited for, in brackets; a miss that came too early
// has told it already.
func (r *review) unlessTold(kind Kind) string {
	if kind == AbsenceInconclusive {
		return ""
	}
	return inBrackets(r.window.lastBy.why + "; " + r.waitTerms())
}

// noUseWaiting says so, with the reasons where they were not told before.
func noUseWaiting(why []string, told bool) string {
	if told {
		return "Waiting does not help: a later lookup that misses it would prove nothing either."
	}
	return "Waiting does not help: " + strings.Join(why, "; ") + "."
}

// setKeyClock says until when the receiver still honours the key: first attempt's
// start + R − K. There is no clock where the receiver does not honour keys, where
// nothing was attempted, and where the first start can't be relied on.
func (r *review) setKeyClock(v *Verdict) {
	if r.noKeyClock() != "" {
		return
	}
	v.KeySafeUntil = earlier(later(r.window.first.StartedAt, r.limits.keyKept.ms), r.limits.skew)
}

// Why a key's life is not known, as clauses.
const (
	notHonoured = "returns_original is not promised for same_key, so a second request under the key may act a second time"
	notKept     = "key_retention is not promised, so the key may already be forgotten"
)

// noKeyClock says, as a clause, why there is no key clock, "" if there is one.
func (r *review) noKeyClock() string {
	p := r.terms.Promises
	switch {
	case p.SameKey != ReturnsOriginal:
		return notHonoured
	case !r.limits.keyKept.known:
		return notKept
	case len(r.ev.Attempts) == 0:
		return "nothing was attempted under the key yet"
	case r.window.first.StartedAt < r.limits.since:
		return fmt.Sprintf("attempt %d began before the promises surely held (since %s, and clock_skew %s)", r.window.first.N, instant(p.Since), r.terms.skewSpelt())
	case r.ahead(r.window.first.StartedAt):
		return fmt.Sprintf("attempt %d began in the future, so its clock can't be believed", r.window.first.N)
	}
	return ""
}

// retryUntil is the latest instant for a retry under the same key, exclusive:
// first attempt's start + R − T − S − K, so that what it sends still lands while
// the key is honoured (design §6). None, with the reason as a clause, where it
// can't be known.
func (r *review) retryUntil() (ledger.Millis, string) {
	if why := r.noKeyClock(); why != "" {
		return 0, why
	}
	return r.terms.Promises.LatestStart(r.window.first.StartedAt)
}

// LatestStart is the instant before which an attempt has to begin, strictly, so that
// what it sends still lands while the key is honoured: first start + R − T − S − K
// (design §6). None, with the reason as a clause, where the promises don't tell.
func (p Promises) LatestStart(first ledger.Millis) (ledger.Millis, string) {
	l := Terms{Promises: p}.limits()
	switch {
	case p.SameKey != ReturnsOriginal:
		return 0, notHonoured
	case !l.keyKept.known:
		return 0, notKept
	case !l.attempt.known:
		return 0, "attempt_timeout is not promised, so nobody knows how late a retry would still send"
	case !l.settles.known:
		return 0, "settles_within is not promised, so nobody knows how late a retry may still land"
	}
	return earlier(later(first, l.keyKept.ms), l.attempt.ms, l.settles.ms, l.skew), ""
}
