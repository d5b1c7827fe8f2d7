package verdict

import (
	"fmt"
	"slices"

	"triage/ledger"
)

// shown bounds how many rows of one sort a verdict tells of; others are counted.
const shown = 4

// explain says what is known and what is not, for a person who has just been woken
// up: short sentences, in the order in which things happened.
func (r *review) explain(v *Verdict) {
	v.Known = slices.Concat(r.knownAttempts(), r.knownLookups(), r.knownDecisions(), r.knownStanding(v), r.knownClock(v))
	v.Unknown = r.unknown(v)
}

func (r *review) knownAttempts() []string {
	all := r.ev.Attempts
	if len(all) == 0 {
		return []string{"No attempt is recorded."}
	}
	var lines []string
	if cut := len(all) - shown; cut > 0 {
		lines = append(lines, fmt.Sprintf("%s earlier attempts, the first at %s.", whole(cut), instant(r.window.first.StartedAt)))
		all = all[cut:]
	}
	for _, a := range all {
		lines = append(lines, r.knownAttempt(a))
	}
	return lines
}

func (r *review) knownAttempt(a ledger.Attempt) string {
	began := fmt.Sprintf("Attempt %d began at %s", a.N, instant(a.StartedAt))
	if !a.Finished() {
		if d, ok := r.abandoned.of(a); ok {
			return fmt.Sprintf("%s and never came back; %s abandoned it at %s.", began, d.Operator, instant(d.At))
		}
		return began + " and has not come back."
	}
	words := map[ledger.Outcome]string{
		ledger.OutcomeDelivered: "as delivered",
		ledger.OutcomeRejected:  "with a definite refusal",
		ledger.OutcomeUnknown:   "without a usable answer",
		ledger.OutcomeNotSent:   "without having sent anything",
	}
	return fmt.Sprintf("%s and %s at %s %s%s.", began, cameBack(a), instant(a.FinishedAt), words[a.Outcome], inBrackets(a.Cause))
}

func (r *review) knownLookups() []string {
	var lines []string
	all := r.readings
	if cut := len(all) - shown; cut > 0 {
		lines = append(lines, fmt.Sprintf("%s earlier lookups.", whole(cut)))
		all = all[cut:]
	}
	for _, x := range all {
		lines = append(lines, x.gist.String())
	}
	if n := len(r.open); n > 0 {
		l := r.open[n-1]
		lines = append(lines, fmt.Sprintf("Lookup %s began at %s and has not come back.", r.name(l.LookupID), instant(l.StartedAt)))
	}
	if n := len(r.elsewhere); n > 0 {
		l := r.elsewhere[n-1]
		lines = append(lines, fmt.Sprintf("%s not counted; the last, %s at %s: %s.",
			count(n, "lookup is", "lookups are"), r.name(l.LookupID), instant(l.StartedAt), l.why))
	}
	return lines
}

// knownDecisions tells what operators stated. A mark_delivered decision is their
// word and no evidence of the receiver's.
func (r *review) knownDecisions() []string {
	var lines []string
	for _, d := range r.ev.Decisions {
		who := fmt.Sprintf("at %s: %s", instant(d.At), d.Reason)
		switch d.Kind {
		case ledger.MarkDelivered:
			lines = append(lines, fmt.Sprintf("%s marked it delivered with the receipt %s, by their own word, %s", d.Operator, d.Receipt, who))
		case ledger.CloseNotDelivered:
			lines = append(lines, fmt.Sprintf("%s closed it as not delivered %s", d.Operator, who))
		case ledger.Dispute:
			lines = append(lines, fmt.Sprintf("%s disputed the receipt %s %s", d.Operator, disputedReceipt(d, r.ev.Intent), who))
		}
	}
	if cut := len(lines) - shown; cut > 0 {
		lines = append([]string{fmt.Sprintf("%s earlier decisions about what became of it.", whole(cut))}, lines[cut:]...)
	}
	return lines
}

func (r *review) knownStanding(v *Verdict) []string {
	var lines []string
	i := r.ev.Intent
	if i.Superseded() {
		lines = append(lines, fmt.Sprintf("The intent %s has taken its place.", i.SupersededBy))
	}
	lines = append(lines, r.knownContradiction()...)
	if wish := v.WishToCancel(i); wish != "" {
		lines = append(lines, wish)
	}
	return lines
}

// WishToCancel says what a wish to cancel means as things stand, "" where none is on
// record. It undoes nothing: to take back what was delivered is a new act (design §3).
func (v Verdict) WishToCancel(i ledger.Intent) string {
	if i.CancelRequestedAt.IsNone() {
		return ""
	}
	wish := fmt.Sprintf("It was asked at %s not to send this any more", instant(i.CancelRequestedAt))
	const takeBack = "to take it back is a new act, with permissions of its own."
	switch {
	case v.Kind == Delivered:
		return wish + ". That undoes nothing: it was delivered all the same, and " + takeBack
	case i.State == ledger.Delivered:
		return wish + ". That undoes nothing: it is recorded as delivered, and " + takeBack
	case i.State == ledger.Failed && !v.Kind.Conflict():
		return wish + ", and it is recorded as not delivered."
	case v.Kind == NeverSent:
		return wish + ". Nothing was sent, and no attempt is admitted any more."
	case v.Kind == Absent, v.Kind == Refused:
		return wish + ". It is proven that nothing was delivered, and nothing more is to be sent."
	}
	return wish + ". That undoes nothing: what was sent may still be delivered."
}

// knownClock words the key clock.
func (r *review) knownClock(v *Verdict) []string {
	if v.KeySafeUntil.IsNone() {
		return nil
	}
	by := fmt.Sprintf("%s, by %s's key_retention %s", instant(v.KeySafeUntil), r.receiver(), spelt(r.terms.Promises.KeyRetention))
	if left := int64(v.KeySafeUntil) - int64(r.now); left > 0 {
		line := fmt.Sprintf("Same key safe for %s, until %s.", length(left), by)
		if !v.Allows(ActRetry) {
			line += " That alone makes no retry safe."
		}
		return []string{line}
	}
	return []string{fmt.Sprintf("Same key not safe any more since %s.", by)}
}

func (r *review) unknown(v *Verdict) []string {
	var lines []string
	if s, ok := openQuestion[v.Kind]; ok && (v.Kind != NeverSent || r.heldBack() == "") {
		lines = append(lines, s)
	}
	if !undecidedKind(v.Kind) && v.Kind != Absent {
		return lines
	}
	if a, ok := r.ev.InFlight(); ok {
		lines = append(lines, fmt.Sprintf("Whether the sender of attempt %d is still alive.", a.N))
	}
	if why := r.noKeyClock(); why != "" {
		lines = append(lines, "Until when the key is honoured: "+why+".")
	}
	if r.terms.HasLookup && undecidedKind(v.Kind) {
		for _, why := range r.terms.neverTimely() {
			lines = append(lines, capital(why)+".")
		}
	}
	return lines
}

// openQuestion is what stays open under each kind; Delivered, Refused and Absent
// leave nothing open about the delivery.
var openQuestion = map[Kind]string{
	PayloadConflict:     "What became of the content that was approved here.",
	WrongOwner:          "What became of this delivery: what was found belongs to someone else.",
	Ambiguous:           "Which delivery, if any, is this one.",
	Withdrawn:           "Who undid it, and why.",
	FoundUnverified:     "Whether what was found is this delivery.",
	InProgress:          "Whether it will be carried out.",
	AbsenceInconclusive: "Whether it was delivered, or still will be.",
	LookupFailed:        "Whether it was delivered.",
	NeverLookedUp:       "Whether it was delivered.",
	NeverSent:           "Why no sender takes it.",
	NoLookup:            "Whether it was delivered.",
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return whole(n) + " " + many
}
