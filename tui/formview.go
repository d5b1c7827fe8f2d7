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

// lines draw the dialog: what is pinned, the text, the fields, the buttons.
func (f *form) lines(m *Model, width, height int) ([]line, *tea.Position) {
	inner, margin := box(width)
	head, foot := f.head(m, inner), f.foot(m, inner)
	f.page = max(height-len(head)-len(foot)-1, 1)
	var body []line
	body, f.top = window(f.body(m, inner), f.top, f.page, m.theme)
	out := slices.Concat(head, body, []line{nil})
	var cursor *tea.Position
	if in := f.focused(); in != nil && !f.running {
		_, x := in.render(inner - labelWidth)
		cursor = &tea.Position{X: margin + labelWidth + x, Y: len(out) + f.focus - 1}
	}
	out = append(out, foot...)
	if len(out) > height {
		out = out[:height]
	}
	return indented(out, margin), cursor
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

func (f *form) foot(m *Model, width int) []line {
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
		shown, _ := in.render(width - labelWidth)
		fill := "_"
		shown += strings.Repeat(fill, max(width-labelWidth-wording.Width(shown), 0))
		out = append(out, line{{wording.Pad(label, labelWidth), style}, {shown, t.plain}})
	}
	if len(out) > 0 {
		out = append(out, nil)
	}
	out = append(out, f.buttons(t))
	return append(out, f.advice(m, width)...)
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

// advice is one or two lines under the buttons.
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
	return out[:2]
}
