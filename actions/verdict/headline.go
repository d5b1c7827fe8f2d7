package verdict

import "triage/ledger"

// Title is the kind as a label of two or three words.
func (k Kind) Title() string {
	if t, ok := titles[k]; ok {
		return t
	}
	return string(k)
}

var titles = map[Kind]string{
	Delivered:           "Delivered",
	PayloadConflict:     "Other content found",
	WrongOwner:          "Someone else's",
	Ambiguous:           "More than one candidate",
	Withdrawn:           "Undone since",
	FoundUnverified:     "Found, not verified",
	InProgress:          "Still in progress",
	Refused:             "Refused for good",
	Absent:              "Proven absent",
	AbsenceInconclusive: "Not proven",
	LookupFailed:        "Lookup failed",
	NeverLookedUp:       "Never looked up",
	NeverSent:           "Never sent",
	NoLookup:            "No lookup",
}

// Headline is the verdict in one plain line, for a tired reader. It names what is
// proven and never lets a miss sound like an absence.
func (v Verdict) Headline() string {
	line := v.line()
	switch s := v.Standing; {
	case s.State == ledger.Delivered:
		return v.whileDelivered(line)
	case s.State == ledger.Failed:
		return v.whileFailed(line)
	case s.Superseded:
		return "Replaced by a new intent. " + line
	}
	return line
}

// whileDelivered words a verdict on an intent that is DELIVERED already.
func (v Verdict) whileDelivered(line string) string {
	by := v.Standing.by()
	switch {
	case v.Kind == Delivered:
		return line
	case undecidedKind(v.Kind), v.Kind == NeverSent:
		return "Recorded as DELIVERED by " + by + "; no evidence here confirms or denies it."
	}
	return "Recorded as DELIVERED by " + by + ", but: " + lower(line)
}

// whileFailed words a verdict on an intent that is FAILED already.
func (v Verdict) whileFailed(line string) string {
	by := v.Standing.by()
	switch {
	case v.Kind == Absent, v.Kind == Refused, v.Kind == NeverSent:
		return "Recorded as FAILED by " + by + ", and the evidence agrees: " + lower(line)
	case undecidedKind(v.Kind):
		return "Recorded as FAILED by " + by + "; no evidence here confirms or denies it."
	}
	return "Recorded as FAILED by " + by + ", but: " + lower(line)
}

// by names who settled it.
func (s Standing) by() string {
	switch s.SettledBy {
	case ledger.BySender:
		return "its sender"
	case ledger.ByLookup:
		return "a lookup"
	case ledger.ByOperator:
		return "an operator"
	}
	return "someone"
}

// line is the headline of an intent that is still open.
func (v Verdict) line() string {
	switch v.Kind {
	case AbsenceInconclusive:
		return v.notProven()
	case FoundUnverified:
		if v.Allows(ActDeliver) || v.Standing.State.Final() || v.Standing.Superseded {
			return "Something was found, but it is not proven to be this delivery."
		}
		return "Something was found, but it is not proven to be this delivery."
	}
	if s, ok := headlines[v.Kind]; ok {
		return s
	}
	return string(v.Kind)
}

// notProven tells waiting that helps from waiting that does not.
func (v Verdict) notProven() string {
	switch {
	case v.NotBefore.IsNone():
		return "Not proven, and waiting does not help."
	case v.MustWait(v.At):
		return "Not proven yet: it may be there already, or still arrive."
	case v.Withheld[ActLookup] != "":
		return "Not proven yet: a lookup could settle it, but none can be made from here now."
	}
	return "Not proven yet: a lookup now can settle it."
}

var headlines = map[Kind]string{
	Delivered:       "Delivered: a receipt proves it.",
	PayloadConflict: "Other content was found under this key: decide nothing, hand it over.",
	WrongOwner:      "What was found belongs to another account: decide nothing, hand it over.",
	Ambiguous:       "More than one delivery could be meant: decide nothing, hand it over.",
	Withdrawn:       "It was there and has been undone since: decide nothing, hand it over.",
	InProgress:      "The receiver has it and has not shown that it is done.",
	Refused:         "Refused for good by the receiver: it was not delivered.",
	Absent:          "Proven absent: it was not delivered.",
	LookupFailed:    "The last lookup failed: that tells nothing about the delivery.",
	NeverLookedUp:   "Nobody knows yet: no lookup has come back since it was last sent.",
	NeverSent:       "Never sent: no request has left its sender.",
	NoLookup:        "Nobody knows, and the receiver can't be asked from here.",
}

func standing(i ledger.Intent) Standing {
	return Standing{State: i.State, SettledBy: i.SettledBy, Superseded: i.Superseded(), Cancelled: !i.CancelRequestedAt.IsNone()}
}
