package verdict

import (
	"fmt"
	"strings"

	"triage/ledger"
)

// read says what one finished lookup that counts comes to. What is not positively
// known is a failure.
func (r *review) read(l ledger.Lookup) reading {
	x := reading{outcome: l.Outcome, seq: l.Seq, id: l.LookupID, at: l.FinishedAt}
	subject := fmt.Sprintf("Lookup %s at %s", r.name(l), instant(l.StartedAt))
	switch l.Outcome {
	case ledger.LookupFound:
		return r.readFound(x, l, subject)
	case ledger.LookupNotFound:
		return r.concluded(x, Absent, r.missShort(l), subject+" did not find the key")
	case ledger.LookupRefused:
		return r.concluded(x, Refused, r.refusalShort(l), subject+" was told that "+r.receiver()+" refused it")
	case ledger.LookupInProgress:
		return x.says(InProgress, subject+" was told that "+r.receiver()+" is still working on it.")
	case ledger.LookupAmbiguous:
		return x.says(Ambiguous, subject+" came upon more than one candidate.")
	}
	x.gist = subject + " failed" + inBrackets(l.Cause) + "."
	return x.says(LookupFailed, x.gist+" That tells nothing about the delivery.")
}

// says gives a reading its kind and one sentence.
func (x reading) says(kind Kind, sentence string) reading {
	if x.gist == "" {
		x.gist = sentence
	}
	x.kind, x.because = kind, append(x.because, sentence)
	return x
}

// concluded is a miss or a refusal: proven where nothing falls short, else
// inconclusive with everything that does.
func (r *review) concluded(x reading, kind Kind, short []string, sentence string) reading {
	x.gist = sentence + "."
	if len(short) == 0 {
		x.proof = true
		x = x.says(kind, sentence+", and that is proof: it began late enough and finished early enough.")
		return x.says(kind, capital(r.landsUntil())+", and "+r.findableUntil()+".")
	}
	x = x.says(AbsenceInconclusive, sentence+", and that is no proof.")
	for _, s := range short {
		x.because = append(x.because, capital(s)+".")
	}
	return x
}

// missShort lists, as clauses, what a "not found" lacks to be proof (design §5,
// absent).
func (r *review) missShort(l ledger.Lookup) []string {
	short := r.lacksPromise(r.terms.neverAbsent())
	switch seen := l.CanarySeen; {
	case seen != nil && !*seen:
		short = append(short, "the same credentials did not find the canary, a key known to exist, so this miss is not believed")
	case seen == nil && r.terms.Promises.Canary != "":
		short = append(short, fmt.Sprintf("the canary %s was not asked for with it, so this miss is not believed", r.terms.Promises.Canary))
	}
	if l.ReadEvidence().Truncated {
		short = append(short, "its answer was cut off, so the key may stand in what was not read")
	}
	return append(short, append(r.untimely(l), r.contradictedElsewhere()...)...)
}

// refusalShort is the same for a refusal (design §5, refused).
func (r *review) refusalShort(l ledger.Lookup) []string {
	short := r.lacksPromise(r.terms.neverRefused())
	if l.CanarySeen != nil && !*l.CanarySeen {
		short = append(short, "the same credentials did not find the canary, so this may be a refusal of the question")
	}
	return append(short, append(r.untimely(l), r.contradictedElsewhere()...)...)
}

// lacksPromise leaves out what untimely names as well.
func (r *review) lacksPromise(why []string) []string {
	return why[:len(why)-len(r.terms.neverTimely())]
}

// contradictedElsewhere names, as clauses, lookups that don't count and yet came
// upon something.
func (r *review) contradictedElsewhere() []string {
	var why []string
	for _, l := range r.foundElsewhere() {
		why = append(why, fmt.Sprintf("lookup %s at %s came upon something (%s); it does not count, because %s, but beside it no absence is believed",
			r.name(l), instant(l.StartedAt), l.Outcome, r.discounts(l)))
	}
	return why
}

// readAttempt says what an attempt's own row shows of a delivery. It reports false
// for a row that shows none.
func (r *review) readAttempt(a ledger.Attempt) (reading, bool) {
	delivered := a.Outcome == ledger.OutcomeDelivered
	receipt := a.Receipt
	if delivered && strings.TrimSpace(receipt) == "" && r.keyIsReceipt() {
		receipt = r.ev.Intent.OpKey
	}
	named := strings.TrimSpace(receipt) != ""
	if !delivered && !named {
		return reading{}, false
	}
	x := reading{seq: a.Seq, id: a.AttemptID, at: a.FinishedAt, receipt: receipt}
	if !named {
		return x.says(FoundUnverified, fmt.Sprintf("Attempt %d came back at %s as delivered, but names no receipt.", a.N, instant(a.FinishedAt))), true
	}
	subject := fmt.Sprintf("Attempt %d came back at %s with the receipt %s", a.N, instant(a.FinishedAt), receipt)
	if other := r.heldBy(receipt); other != "" {
		return x.says(Ambiguous, fmt.Sprintf("%s, which %s, another intent for %s, holds too.", subject, other, r.receiver())), true
	}
	if doubt := r.dispute(&x); doubt != "" {
		return x.says(FoundUnverified, subject+", but "+doubt+"."), true
	}
	if !delivered {
		return x.says(FoundUnverified, fmt.Sprintf("%s, but its outcome is recorded as %s.", subject, outcomeWord(a.Outcome))), true
	}
	return x.says(Delivered, subject+"."), true
}

func outcomeWord(o ledger.Outcome) string {
	if o == "" {
		return "not finished"
	}
	return string(o)
}

// heldBy is another intent of this target that holds the receipt, "" if none does.
func (r *review) heldBy(receipt string) string {
	if other := r.ev.ReceiptHolders[receipt]; receipt != "" && other != r.ev.Intent.OpKey {
		return other
	}
	return ""
}

// dispute says, as a clause, who disputed the reading's receipt, "" if nobody did.
// It marks the reading as disputed where the dispute is the newer of the two.
func (r *review) dispute(x *reading) string {
	d, ok := r.disputes[x.receipt]
	if !ok || x.receipt == "" {
		return ""
	}
	x.disputed = d.Seq > x.seq
	return fmt.Sprintf("%s disputed that receipt at %s: %s", d.Operator, instant(d.At), d.Reason)
}

func (r *review) keyIsReceipt() bool { return r.terms.Promises.Receipt == KeyAsReceipt }

// receiver is the target's name, as reasons write it.
func (r *review) receiver() string {
	if r.ev.Intent.Target == "" {
		return "the receiver"
	}
	return r.ev.Intent.Target
}
