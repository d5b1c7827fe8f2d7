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
	plain, strong, muted       look
	danger, warn, good, accent look
	button                     look // what has the focus in a dialog
	glyphs                     glyphs
}

// look is a style as the escapes before and after a text. The zero look is plain.
type look struct{ on, off string }

func newLook(style lipgloss.Style) look {
	on, off, _ := strings.Cut(style.Render("x"), "x")
	return look{on, off}
}

// glyphs are the characters that draw; a terminal without UTF-8 gets ASCII.
type glyphs struct {
	bar, vertical, horizontal, done, failed, span, open, arrow, dot string
}

var (
	drawn   = glyphs{bar: "▌", vertical: "│", horizontal: "─", done: "✓", failed: "✗", span: "━", open: "╌", arrow: "▶", dot: "·"}
	dumbest = glyphs{bar: ">", vertical: "|", horizontal: "-", done: "+", failed: "x", span: "=", open: "-", arrow: ">", dot: "."}
)

func newTheme(bg background, dumb bool) theme {
	plain := lipgloss.NewStyle()
	coloured := func(n string) lipgloss.Style { return plain.Foreground(lipgloss.Color(n)) }
	// Without an answer only the two colours that read on black and on white.
	t := theme{
		strong: newLook(plain.Bold(true)),
		danger: newLook(coloured("1").Bold(true)),
		warn:   newLook(coloured("5").Bold(true)),
		good:   newLook(plain.Bold(true)),
		accent: newLook(plain.Bold(true)),
		button: newLook(plain.Bold(true).Reverse(true)),
		glyphs: drawn,
	}
	switch bg {
	case backgroundDark:
		t.danger, t.warn = newLook(coloured("9").Bold(true)), newLook(coloured("11").Bold(true))
		t.good, t.accent, t.muted = newLook(coloured("10")), newLook(coloured("14")), newLook(coloured("7"))
	case backgroundLight:
		t.accent, t.muted = newLook(coloured("4")), newLook(coloured("8"))
	}
	if dumb {
		t.glyphs = dumbest
	}
	return t
}

// span is a piece of a line. Its text is safe already, and plain: no escapes.
type span struct {
	text  string
	style look
}

// line is one line of the screen before it has a width.
type line []span

func text(s string, style look) line { return line{{s, style}} }

func (l line) width() int {
	cells := 0
	for _, s := range l {
		cells += wording.Width(s.text)
	}
	return cells
}

// render cuts and fills the line to exactly the width. It is the only place
// where styles become escapes, and our own symbols what the terminal can show.
func (l line) render(width int) string {
	var out strings.Builder
	for _, s := range l.cut(width) {
		if wording.ASCII() {
			s.text = wording.InASCII(s.text)
		}
		out.WriteString(s.style.on + s.text + s.style.off)
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
	out = append(out, span{text: strings.Repeat(" ", gap)})
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
func wrapped(s string, width int, style look) []line {
	var out []line
	for _, part := range wording.Wrap(s, width) {
		out = append(out, text(part, style))
	}
	return out
}

// labelled is text that wraps beside its label.
func labelled(label string, labelWidth int, labelStyle look, body []line) []line {
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
type styleOf func(theme) look

func dangerStyle(t theme) look { return t.danger }
func warnStyle(t theme) look   { return t.warn }
