package worlds

import "triage/ledger"

// judgement is what the oracle says of a world once everything has happened: it knows
// what landed, and what the books claim.
type judgement struct {
	Duplicates   int     // effects beyond the one that was wanted, under whatever keys
	FalseDone    int     // recorded as delivered, and never was
	Dropped      int     // recorded as failed, still wanted and acceptable, and nobody sends it
	OverEffect   int     // recorded as failed, and it was delivered
	FalseProofs  int     // a verdict said what was not so, whatever came of it; see claims.go
	Unwritten    int     // still in doubt, and its sender had the receipt and did not write it
	Lines        int     // deliveries
	Incidents    int     // deliveries that came into doubt
	InDoubt      int     // of those: not settled in the end
	CouldSettle  int     // of those: evidence could have settled it
	SettledAfter []int64 // of those settled: milliseconds from begin; worlds of human lengths only
}

// losses are deliveries that somebody relies on, or has given up, wrongly.
func (j judgement) losses() int { return j.FalseDone + j.Dropped }

// harm is anything that must never happen.
func (j judgement) harm() int { return j.Duplicates + j.losses() + j.OverEffect + j.FalseProofs }

// judgeWorld holds the books against the truth.
func (w *world) judgeWorld() judgement {
	var j judgement
	for _, l := range w.lines {
		w.judgeLine(l, &j)
	}
	j.FalseProofs += w.falseClaims()
	return j
}

func (w *world) judgeLine(l *line, j *judgement) {
	j.Lines++
	effects := 0
	for _, key := range l.keys {
		landed := w.effectsUnder(key)
		effects += landed
		if landed == 0 && w.recordedDelivered(key) {
			j.FalseDone++
		}
		if landed > 0 && w.books.state(key).State == ledger.Failed {
			j.OverEffect++
		}
		if w.falselyWritten(key) {
			j.FalseProofs++
		}
	}
	j.Duplicates += max(0, effects-1)
	head := w.books.state(l.head)
	if head.State == ledger.Failed && effects == 0 && !l.cancelled && w.nature.refusal != refusesAll {
		j.Dropped++
	}
	if l.doubted < 0 {
		return
	}
	j.Incidents++
	switch {
	case !w.settledNow(l):
		j.InDoubt++
		if w.twist.is(dutyReceipt) && w.hadReceipt(l) {
			j.Unwritten++
		}
		if w.couldSettle(l) {
			j.CouldSettle++
		}
	case w.nature.human && l.settled >= 0:
		j.SettledAfter = append(j.SettledAfter, l.settled-l.begun)
	}
}

func (w *world) effectsUnder(key string) int {
	if rec := w.records[key]; rec != nil {
		return len(rec.effects)
	}
	return 0
}

// hadReceipt: a sender came back with a receipt, and the books don't have it.
func (w *world) hadReceipt(l *line) bool {
	for _, a := range w.attempts {
		if a.line == l && a.written && a.result.Outcome == ledger.OutcomeDelivered && w.books.givenUp(a.id) {
			return true
		}
	}
	return false
}
