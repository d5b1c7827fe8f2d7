package tui

import (
	"triage/actions"
	"triage/actions/wording"
	"triage/ledger"
)

// held is until when the receiver of an intent asked to be left alone; none: it did
// not.
func held(item actions.Item) ledger.Millis { return item.HeldUntil }

// heldWords say, as half a sentence, why a receiver is not asked now; "" where it
// may be.
func (m *Model) heldWords(item actions.Item) string {
	until := held(item)
	if until <= m.now {
		return ""
	}
	return wording.Safe(item.Intent.Target) + " asked to be left alone until " + m.when(wholeSecond(until))
}

// heldFor is how long that is from now.
func (m *Model) heldFor(item actions.Item) string { return wording.Wait(held(item).Sub(m.now)) }
