package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"triage/actions/wording"
)

func spaces(n int) string { return strings.Repeat(" ", max(n, 0)) }

const labelWidth = 14

func (f *form) hints() string {
	if f.running {
		return "esc leave; it goes on"
	}
	return "tab next · enter press · esc cancel · pgup/pgdn read"
}

// fieldWidth is what the label of a field takes.
const fieldWidth = 16

// asker is a decision with words that must stand beside the fields: a phrase to
// type.
type asker interface {
	asks(m *Model, width int) []line
}

// headed is a decision that is about more than one intent, and says itself what is
// pinned.
type headed interface {
	head(m *Model, f *form, width int) []line
}

// fitted is a dialog cut to a screen: what always stays in sight, and how many lines
// are left for the text.
type fitted struct {
	inner, margin   int
	head, ask, foot []line
	gap             int // empty lines above the fields
	room            int // lines for the text
	height          int
}

func (p fitted) tooLow() bool { return p.room < 1 }

// fit lays the dialog out. Where that leaves the text too little room, what is
// pinned shrinks to one line and the empty lines go.
func (f *form) fit(m *Model, width, height int) fitted {
	roomy := f.fitTo(m, width, height, false)
	if roomy.room >= 5 {
		return roomy
	}
	return f.fitTo(m, width, height, true)
}

func (f *form) fitTo(m *Model, width, height int, low bool) fitted {
	p := fitted{height: height, gap: 1}
	p.inner, p.margin = box(width)
	h, own := f.subject.(headed)
	switch {
	case own:
		p.head = h.head(m, f, p.inner)
	case low:
		p.head = f.lowHead(m, p.inner)
	default:
		p.head = f.head(m, p.inner)
	}
	if low {
		p.gap = 0
	}
	if a, ok := f.subject.(asker); ok {
		p.ask = a.asks(m, p.inner)
	}
	p.foot = f.foot(m, p.inner, low)
	const most = 3 // lines of advice
	advice := f.advice(m, p.inner)
	p.foot = append(p.foot, advice[:min(len(advice), most)]...)
	taken := len(p.head) + p.gap + len(p.ask) + len(p.foot)
	if over := taken - height + 1; over > 0 && len(advice) > 2 {
		p.foot, taken = p.foot[:len(p.foot)-1], taken-1
	}
	p.room = height - taken
	return p
}

// tooLowLines stand where a dialog does not fit: it is not shown in part.
func (f *form) tooLowLines(m *Model, p fitted) []line {
	words := fmt.Sprintf("This window is too low to show this dialog whole: it needs %d more lines. Make it larger, or leave with esc: nothing is done.", 1-p.room)
	out := append([]line{m.theme.rule(text(f.title, m.theme.strong), p.inner)}, wrapped(words, p.inner, m.theme.danger)...)
	return indented(out[:min(len(out), p.height)], p.margin)
}

// lowHead is what is pinned, in two lines.
func (f *form) lowHead(m *Model, width int) []line {
	t := m.theme
	pinned := fmt.Sprintf("  version %d, %s, %s", f.seen.Version, wording.Fit(wording.Safe(f.seen.PayloadSHA256), 9), f.seen.Verdict)
	key := wording.FitMiddle(wording.Safe(f.key), max(width-wording.Width(pinned), 12))
	title := text(f.title, t.strong)
	if room := width - title.width() - len("─ ") - len("  at ") - 1; room >= 5 {
		title = append(title, span{"  at " + wording.FitMiddle(f.place, room), t.plain})
	}
	return []line{t.rule(title, width), {{key, t.strong}, {pinned, t.muted}}}
}

// lines draw the dialog: what is pinned, the text, the fields, the buttons.
func (f *form) lines(m *Model, width, height int) ([]line, *tea.Position) {
	p := f.fit(m, width, height)
	if f.page = max(p.room, 1); p.tooLow() {
		return f.tooLowLines(m, p), nil
	}
	var body []line
	width = p.inner
	if f.page == 1 {
		width -= len(moreMark) // so that the mark beside the only line is not cut off
	}
	body, f.top = window(f.body(m, width), f.top, f.page, m.theme)
	out := slices.Concat(p.head, body, make([]line, p.gap), p.ask)
	var cursor *tea.Position
	if in := f.focused(); in != nil && !f.running {
		_, x := in.render(p.inner - fieldWidth)
		cursor = &tea.Position{X: p.margin + fieldWidth + x, Y: len(out) + f.focus - 1}
	}
	return indented(append(out, p.foot...), p.margin), cursor
}

func (f *form) head(m *Model, width int) []line {
	t := m.theme
	out := []line{t.rule(text(f.title, t.strong), width)}
	for _, part := range labelled("key", labelWidth, t.muted, wrapped(wording.Safe(f.key), width-labelWidth, t.strong)) {
		if len(out) > 2 { // the rest of a very long key is in the intent
			break
		}
		out = append(out, part)
	}
	out = append(out, labelled("sha256", labelWidth, t.muted, wrapped(wording.Safe(f.seen.PayloadSHA256), width-labelWidth, t.plain))...)
	pinned := fmt.Sprintf("at %s, version %d, verdict %s", f.place, f.seen.Version, f.seen.Verdict)
	out = append(out, labelled("as seen", labelWidth, t.muted, wrapped(pinned, width-labelWidth, t.plain))...)
	return append(out, nil)
}

// body is the text: first what went wrong, then what is decided.
func (f *form) body(m *Model, width int) []line {
	t := m.theme
	var out []line
	if f.moved != "" {
		out = append(out, wrapped("! "+f.moved, width, t.danger)...)
		out = append(out, nil)
	}
	if f.problem != "" {
		out = append(out, wrapped(t.glyphs.failed+" "+f.problem, width, t.danger)...)
		out = append(out, nil)
	}
	return append(out, f.subject.content(m, width)...)
}

// foot are the fields and the buttons.
func (f *form) foot(m *Model, width int, low bool) []line {
	t := m.theme
	var out []line
	for i := range f.fields {
		in := &f.fields[i]
		label := in.label
		if in.required != "" {
			label += " *"
		}
		style := t.muted
		if f.focus == i+1 {
			style = t.strong
			label = t.glyphs.bar + label
		} else {
			label = " " + label
		}
		shown, _ := in.render(width - fieldWidth)
		shown += strings.Repeat("_", max(width-fieldWidth-wording.Width(shown), 0))
		out = append(out, line{{wording.Pad(label, fieldWidth), style}, {shown, t.plain}})
	}
	if len(out) > 0 && !low {
		out = append(out, nil)
	}
	return append(out, f.buttons(t))
}

func (f *form) buttons(t theme) line {
	if f.running {
		return text("Writing to the ledger …", t.strong)
	}
	draw := func(name string, at int) span {
		if f.focus == at {
			return span{"[" + t.glyphs.arrow + " " + name + " ]", t.button}
		}
		return span{"[  " + name + " ]", t.plain}
	}
	return line{draw("Cancel", 0), {"   ", t.plain}, draw(f.confirm, f.onConfirm())}
}

// advice is what stands under the buttons, two lines at least so that nothing
// jumps.
func (f *form) advice(m *Model, width int) []line {
	t := m.theme
	words := f.hint
	if in := f.focused(); words == "" && in != nil {
		words = in.help
	}
	if words == "" && f.focus == 0 && !f.running {
		words = "Cancel has the focus."
		if len(f.fields) > 0 {
			words += " tab: to the fields, then to “" + f.confirm + "”. * must be filled in."
		}
	}
	out := wrapped(words, width, t.warn)
	for len(out) < 2 {
		out = append(out, nil)
	}
	return out
}
