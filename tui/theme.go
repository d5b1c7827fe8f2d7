package tui

import (
	"strings"

	"charm.land/lipgloss/v2"

	"triage/actions/wording"
)

// background is what the terminal said about itself; many never answer.
type background int

const (
	backgroundUnknown background = iota
	backgroundDark
	backgroundLight
)

// theme is how things look. Whatever a colour says, a symbol or a word beside it
// says too, so that nothing is lost without colour. Only the terminal's own
// sixteen colours are used: people have made those readable for themselves.
type theme struct {
	plain, strong, muted       lipgloss.Style
	danger, warn, good, accent lipgloss.Style
	button                     lipgloss.Style // what has the focus in a dialog
	glyphs                     glyphs
}

// glyphs are the characters that draw; a dumb terminal gets ASCII.
type glyphs struct {
	bar, vertical, horizontal, done, failed, span, open, arrow, dot string
}

var (
	drawn   = glyphs{bar: "▌", vertical: "│", horizontal: "─", done: "✓", failed: "✗", span: "━", open: "╌", arrow: "▶", dot: "·"}
	dumbest = glyphs{bar: ">", vertical: "|", horizontal: "-", done: "+", failed: "x", span: "=", open: "-", arrow: ">", dot: "."}
)

func newTheme(bg background, dumb bool) theme {
	style := lipgloss.NewStyle
	coloured := func(n string) lipgloss.Style { return style().Foreground(lipgloss.Color(n)) }
	// Without an answer only the two colours that read on black and on white.
	t := theme{
		plain:  style(),
		strong: style().Bold(true),
		muted:  style(),
		danger: coloured("1").Bold(true),
		warn:   coloured("5").Bold(true),
		good:   style().Bold(true),
		accent: style().Bold(true),
		button: style().Bold(true).Reverse(true),
		glyphs: drawn,
	}
	switch bg {
	case backgroundDark:
		t.danger, t.warn = coloured("9").Bold(true), coloured("11").Bold(true)
		t.good, t.accent, t.muted = coloured("10"), coloured("14"), coloured("7")
	case backgroundLight:
		t.accent, t.muted = coloured("4"), coloured("8")
	}
	if dumb {
		t.glyphs = dumbest
	}
	return t
}

// span is a piece of a line. Its text is safe already, and plain: no escapes.
type span struct {
	text  string
	style lipgloss.Style
}

// line is one line of the screen before it has a width.
type line []span

func text(s string, style lipgloss.Style) line { return line{{s, style}} }

func (l line) width() int {
	cells := 0
	for _, s := range l {
		cells += wording.Width(s.text)
	}
	return cells
}

// render cuts and fills the line to exactly the width. It is the only place
// where styles become escapes.
func (l line) render(width int) string {
	var out strings.Builder
	for _, s := range l.cut(width) {
		out.WriteString(s.style.Render(s.text))
	}
	return out.String()
}

// cut makes the line exactly so wide. Where something was cut off an ellipsis
// shows it.
func (l line) cut(width int) line {
	out := make(line, 0, len(l)+1)
	left := width
	for i, s := range l {
		if left == 0 {
			break
		}
		if wording.Width(s.text) >= left && l[i+1:].width() > 0 {
			s.text += " " // one cell too wide, so that Fit puts the ellipsis
		}
		s.text = wording.Fit(s.text, left)
		left -= wording.Width(s.text)
		out = append(out, s)
	}
	if left > 0 {
		out = append(out, span{text: spaces(left)})
	}
	return out
}

// both puts one line at the left and one at the right end of a width. Where
// there is no room for both, the right one gives way.
func both(left, right line, width int) line {
	gap := width - left.width() - right.width()
	if gap < 1 {
		return left
	}
	out := append(line{}, left...)
	out = append(out, span{text: strings.Repeat(" ", gap), style: lipgloss.NewStyle()})
	return append(out, right...)
}

// rule is a horizontal line with a title in it.
func (t theme) rule(title line, width int) line {
	h := t.glyphs.horizontal
	out := line{{h + " ", t.muted}}
	out = append(out, title...)
	out = append(out, span{" ", t.muted})
	return append(out, span{strings.Repeat(h, max(0, width-out.width())), t.muted})
}

// wrapped breaks text into lines of one style.
func wrapped(s string, width int, style lipgloss.Style) []line {
	var out []line
	for _, part := range wording.Wrap(s, width) {
		out = append(out, text(part, style))
	}
	return out
}

// labelled is text that wraps beside its label.
func labelled(label string, labelWidth int, labelStyle lipgloss.Style, body []line) []line {
	out := make([]line, 0, len(body))
	for i, b := range body {
		head := label
		if i > 0 {
			head = ""
		}
		out = append(out, append(line{{wording.Pad(head, labelWidth), labelStyle}}, b...))
	}
	return out
}

// styleOf picks a style from a theme.
type styleOf func(theme) lipgloss.Style

func dangerStyle(t theme) lipgloss.Style { return t.danger }
func warnStyle(t theme) lipgloss.Style   { return t.warn }
