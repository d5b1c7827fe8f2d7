package tui

import (
	tea "charm.land/bubbletea/v2"

	"triage/actions/wording"
)

// newChoice is a field in which one of several answers is chosen. Nothing is chosen
// at first: nobody states by default what they have not read.
func newChoice(label, help, required string, choices ...string) field {
	f := newField(label, help, required)
	f.choices, f.chosen = choices, -1
	return f
}

// turn chooses the next answer, or the one before it.
func (f *field) turn(k tea.KeyPressMsg) {
	at, n := f.chosen, len(f.choices)
	switch k.String() {
	case "space", "right":
		at = (at + 1) % n
	case "left":
		at = (max(at, 0) + n - 1) % n
	default:
		return
	}
	f.chosen = at
}

// choice is the answer as it is drawn.
func (f *field) choice(width int) string {
	words := wording.Safe(f.value())
	if f.chosen < 0 {
		words = "not chosen yet: space chooses"
	}
	return wording.Fit("< "+words+" >", width)
}
