package verdict

import (
	"strings"

	"triage/ledger"
)

// read says what one finished lookup that counts comes to. What is not positively
// known is a failure.
func (r *review) read(a answered) reading {
	x := reading{outcome: a.Outcome, seq: a.Seq, id: a.LookupID, at: a.FinishedAt, replayed: a.shows.Replayed}
	subject := say("Lookup %s at %s", r.name(a.LookupID), when(a.StartedAt))
	if !a.flaw.none() {
		return unusable(x, a, subject)
	}
	switch a.Outcome {
	case ledger.LookupFound:
		return r.readFound(x, a, subject)
	case ledger.LookupNotFound:
		return r.concluded(x, Absent, r.missShort(a), a, say("%s did not find the key", subject))
	case ledger.LookupRefused:
		return r.concluded(x, Refused, r.refusalShort(a), a, say("%s was told that %s refused it", subject, r.receiver()))
	case ledger.LookupInProgress:
		return x.says(InProgress, say("%s was told that %s is still working on it.", subject, r.receiver()))
	case ledger.LookupAmbiguous:
		return x.says(Ambiguous, say("%s came upon more than one candidate.", subject))
	}
	if x.heard = a.shows.Heard && (a.shows.Key == nil || *a.shows.Key == r.ev.Intent.OpKey); x.heard {
		x.gist = say("%s failed%s, and yet the receiver spoke of this delivery.", subject, inBrackets(a.Cause))
		return x.says(LookupFailed, say("%s What it said can't be used; no miss before it is believed.", x.gist))
	}
	x.gist = say("%s failed%s.", subject, inBrackets(a.Cause))
	return x.says(LookupFailed, say("%s That tells nothing about the delivery.", x.gist))
}

// unusable is an answer whose outcome is not believed.
func unusable(x reading, a answered, subject clause) reading {
	x.outcome, x.heard = ledger.LookupFailed, a.Outcome == ledger.LookupRefused && !a.foreign
	if a.foreign {
		x.gist = say("%s was answered about another key, %s.", subject, *a.shows.Key)
	} else {
		x.gist = say("%s is recorded as %s, but counts as failed: %s.", subject, a.Outcome, a.flaw)
	}
	return x.says(LookupFailed, say("%s That tells nothing about the delivery.", x.gist))
}

// says gives a reading its kind and one sentence.
func (x reading) says(kind Kind, sentence clause) reading {
	if x.gist.none() {
		x.gist = sentence
	}
	x.kind, x.because = kind, append(x.because, sentence)
	return x
}

// concluded is a miss or a refusal: proven where nothing falls short, else
// inconclusive with everything that does.
func (r *review) concluded(x reading, kind Kind, short []clause, a answered, told clause) reading {
	x.gist = say("%s.", told)
	if len(short) == 0 {
		x.proof = true
		x = x.says(kind, say("%s, and that is proof: it began late enough and finished early enough.", told))
		return x.says(kind, r.inTime(a))
	}
	x = x.says(AbsenceInconclusive, say("%s, and that is no proof.", told))
	for _, s := range short {
		x.because = append(x.because, s.sentence())
	}
	return x
}

// missShort lists, as clauses, what a "not found" lacks to be proof (design §5,
// absent).
func (r *review) missShort(a answered) []clause {
	var short []clause
	switch seen := a.CanarySeen; {
	case seen != nil && !*seen:
		short = append(short, plain("the same credentials did not find the canary, a key known to exist, so this miss is not believed"))
	case seen == nil && r.terms.Promises.Canary != "":
		short = append(short, say("the canary %s was not asked for with it, so this miss is not believed", r.terms.Promises.Canary))
	}
	return r.short(r.noAbsence, short, a)
}

// refusalShort is the same for a refusal (design §5, refused).
func (r *review) refusalShort(a answered) []clause {
	var short []clause
	if a.CanarySeen != nil && !*a.CanarySeen {
		short = append(short, plain("the same credentials did not find the canary, so this may be a refusal of the question"))
	}
	return r.short(r.noRefusal, short, a)
}

func (r *review) short(promises, canary []clause, a answered) []clause {
	var all []clause
	for _, some := range [][]clause{promises, canary, r.untimely(a), r.contradicted} {
		all = append(all, some...)
	}
	return all
}

// lacksPromise leaves out what untimely names as well.
func (r *review) lacksPromise(why []string) []string {
	return why[:len(why)-len(r.terms.neverTimely())]
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
		return x.says(FoundUnverified, say("Attempt %d came back at %s as delivered, but names no receipt.", a.N, when(a.FinishedAt))), true
	}
	subject := say("Attempt %d came back at %s with the receipt %s", a.N, when(a.FinishedAt), receipt)
	if other := r.heldBy(receipt); other != "" {
		return x.says(Ambiguous, say("%s, which %s, another intent for %s, holds too.", subject, other, r.receiver())), true
	}
	if doubt := r.dispute(&x); !doubt.none() {
		return x.says(FoundUnverified, say("%s, but %s.", subject, doubt)), true
	}
	if !delivered {
		return x.says(FoundUnverified, say("%s, but its outcome is recorded as %s.", subject, outcomeWord(a.Outcome))), true
	}
	return x.says(Delivered, say("%s.", subject)), true
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

// dispute says, as a clause, who disputed the reading's receipt; nothing if nobody
// did. It marks the reading as disputed where the dispute is the newer of the two.
func (r *review) dispute(x *reading) clause {
	d, ok := r.disputes[x.receipt]
	if !ok || x.receipt == "" {
		return clause{}
	}
	x.disputed = d.Seq > x.seq
	return say("%s disputed that receipt at %s: %s", d.Operator, when(d.At), d.Reason)
}

func (r *review) keyIsReceipt() bool { return r.terms.Promises.Receipt == KeyAsReceipt }

// receiver is the target's name, as reasons write it.
func (r *review) receiver() string {
	if r.ev.Intent.Target == "" {
		return "the receiver"
	}
	return r.ev.Intent.Target
}
