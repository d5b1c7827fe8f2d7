package drill

import (
	"fmt"
	"slices"

	"triage/actions/wording"
	"triage/ledger"
)

// due is what should come of a delivery.
type due int

// What is right depends on what the receiver made of it.
const (
	toLookUp   due = iota // it had arrived: a lookup settles it
	toSend                // it never arrived and is still wanted
	toClose               // the receiver refused it for good
	toHandOver            // nothing is safe from here: somebody has to find out
	toLetGo               // it never arrived, and nobody may deliver it now
)

// wanted says that the content should be at the receiver in the end.
func (d due) wanted() bool { return d != toClose && d != toLetGo }

// mark is a judgement at a glance.
type mark string

const (
	markRight mark = "✓"
	markOpen  mark = "–" // left open, or never delivered and the record says so
	markWrong mark = "✗" // a duplicate, or a record that isn't true
)

// judgement is what came of one delivery, held against what was right.
type judgement struct {
	fate      fate
	mark      mark
	words     string // one sentence
	settled   bool   // the ledger has an outcome
	duplicate bool
	lost      bool // wanted, not at the receiver, and nobody will send it any more
}

// step is one intent of a lineage: what the ledger has of it, and the receiver.
type step struct {
	ledger.History
	got   Delivery
	found bool // the receiver has something under the key
}

// ending is where one delivery stands on both sides.
type ending struct {
	lineage []step // the intent and its successors, oldest first
	copies  int    // how often the receiver has the content, under whatever key
}

func (e ending) last() step { return e.lineage[len(e.lineage)-1] }

// claimed is the newest intent that the ledger has as delivered.
func (e ending) claimed() (step, bool) {
	for i := len(e.lineage) - 1; i >= 0; i-- {
		if e.lineage[i].Intent.State == ledger.Delivered {
			return e.lineage[i], true
		}
	}
	return step{}, false
}

// judge compares what was done about a delivery with what was right.
func judge(f fate, e ending, now ledger.Millis) judgement {
	j := judgement{fate: f, settled: e.last().Intent.State.Final()}
	j.lost = j.settled && f.due.wanted() && e.copies == 0
	claimed, isClaimed := e.claimed()
	switch {
	case e.copies > 1:
		j.duplicate = true
		j.mark, j.words = markWrong, fmt.Sprintf("A duplicate: the receiver has it %s.", times(e.copies))
	case isClaimed:
		j.mark, j.words = judgeDelivered(f, e, claimed)
	case e.last().Intent.State == ledger.Failed:
		j.mark, j.words = judgeFailed(f, e)
	default:
		j.mark, j.words = judgeOpen(f, e, now)
	}
	return j
}

func times(n int) string {
	if n == 2 {
		return "twice"
	}
	return fmt.Sprintf("%d times", n)
}

// judgeDelivered: the ledger says DELIVERED. Is it true, and is the receipt?
func judgeDelivered(f fate, e ending, claimed step) (mark, string) {
	i, got := claimed.Intent, claimed.got
	switch {
	case !claimed.found:
		return markWrong, "The ledger says DELIVERED, and the receiver has nothing under its key."
	case got.State == StateRefused:
		return markWrong, "The ledger says DELIVERED, and the receiver refused it."
	case got.SHA256 != i.PayloadSHA256:
		return markWrong, "The ledger says DELIVERED, and the receiver has other content under its key."
	case got.Receipt != i.Receipt:
		typed := wording.FitMiddle(wording.Safe(i.Receipt), 40)
		return markWrong, fmt.Sprintf("Wrong receipt: the ledger has %s, the receiver %s.", typed, got.Receipt)
	case !f.due.wanted():
		return markWrong, "Delivered, although it was not to be delivered any more."
	case len(e.lineage) > 1:
		return markRight, "Delivered by a new intent; the receiver has it once."
	case i.SettledBy == ledger.BySender && len(claimed.Attempts) > 1:
		return markRight, "Sent again under its key; the receiver has it once."
	case i.SettledBy == ledger.ByOperator:
		return markRight, "Marked delivered by hand, with the right receipt."
	case i.SettledBy == ledger.ByLookup:
		return markRight, "DELIVERED by lookup; the receiver has it once."
	}
	return markRight, "DELIVERED by its sender; the receiver has it once."
}

// judgeFailed: the ledger says that it was not delivered.
func judgeFailed(f fate, e ending) (mark, string) {
	switch {
	case e.copies > 0:
		return markWrong, "Closed as not delivered, and the receiver has it."
	case f.due == toHandOver:
		return markOpen, "Never delivered, and closed before anyone found out why."
	case f.due.wanted():
		return markOpen, "Never delivered: a new intent was still possible."
	case f.due == toLetGo:
		return markRight, "Closed as not delivered; its grant was revoked."
	case e.last().Intent.SettledBy == ledger.BySender:
		return markOpen, "Refused again under a new key; closing was enough."
	}
	return markRight, "Closed as not delivered; the receiver refused it."
}

// judgeOpen: nothing was settled, which is right where nothing can be.
func judgeOpen(f fate, e ending, now ledger.Millis) (mark, string) {
	last := e.last()
	touched := len(last.Lookups)+len(last.Decisions) > 0
	switch {
	case len(e.lineage) > 1:
		return markOpen, fmt.Sprintf("Its new intent is %s; the receiver %s.", last.Intent.State, has(e.copies))
	case f.due == toHandOver && last.handedOver():
		return markRight, "Left for the right reason: its key was taken."
	case f.due == toLetGo && (last.handedOver() || last.denied()):
		return markRight, "Left for the right reason: its grant was revoked."
	case (f.due == toHandOver || f.due == toLetGo) && touched:
		return markOpen, "Left without a note that says why."
	case f.due == toLookUp && touched && now < last.got.ShownAt:
		return markOpen, "Left for a good reason: it could not be seen yet."
	case f.due == toClose:
		return markOpen, fmt.Sprintf("Still %s; the receiver refused it.", last.Intent.State)
	}
	return markOpen, fmt.Sprintf("Still %s; the receiver %s.", last.Intent.State, has(e.copies))
}

func has(copies int) string {
	if copies == 0 {
		return "does not have it"
	}
	return "has it"
}

// denied says that somebody tried to send it again, and why that was refused is on
// record.
func (s step) denied() bool {
	return slices.ContainsFunc(s.Decisions, func(d ledger.Decision) bool { return d.Kind == ledger.Denied })
}

// handedOver says that whoever comes next can read what was found.
func (s step) handedOver() bool {
	for _, d := range s.Decisions {
		if d.Kind == ledger.Note || d.Kind == ledger.SetAside {
			return true
		}
	}
	return false
}
