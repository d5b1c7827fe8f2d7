package tui

import (
	tea "charm.land/bubbletea/v2"
)

// overlay is what lies over the screen and gets every key: a dialog, the copy
// menu, help.
type overlay interface {
	press(m *Model, k tea.KeyPressMsg) tea.Cmd
	paste(m *Model, content string)
	// lines are at most height lines for a width, and where the cursor stands in
	// them, nil for nowhere.
	lines(m *Model, width, height int) ([]line, *tea.Position)
	// hints are the keys that work in it.
	hints() string
}

// box is the text column of an overlay: as wide as can be read, with a margin.
func box(width int) (inner, margin int) {
	inner = min(width-2, 100)
	return inner, (width - inner) / 2
}

// indented moves lines to the right.
func indented(lines []line, margin int) []line {
	if margin == 0 {
		return lines
	}
	out := make([]line, len(lines))
	for i, l := range lines {
		out[i] = append(line{{text: spaces(margin)}}, l...)
	}
	return out
}

// moreMark stands beside a text of which one line is shown.
const moreMark = " … pgup, pgdn"

// window shows part of a text, and says where more is.
func window(lines []line, top, height int, t theme) (shown []line, at int) {
	at = max(min(top, len(lines)-height), 0)
	if len(lines) <= height {
		return lines, 0
	}
	shown = append([]line(nil), lines[at:at+height]...)
	if height == 1 {
		shown[0] = append(shown[0][:len(shown[0]):len(shown[0])], span{moreMark, t.muted})
		return shown, at
	}
	if at > 0 && height > 2 {
		shown[0] = text("… more above (pgup)", t.muted)
	}
	if at+height < len(lines) {
		shown[height-1] = text("… more below (pgdn)", t.muted)
	}
	return shown, at
}
