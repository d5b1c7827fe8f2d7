package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"triage/actions/wording"
)

// copyMenu sends one identifier to the terminal's clipboard (OSC 52). Nobody
// answers whether it got there, so it shows the text in whole as well.
type copyMenu struct {
	quiet   quiet
	choices []copyChoice
	sent    *copyChoice
}

type copyChoice struct{ key, name, value string }

func (m *Model) openCopy() tea.Cmd {
	i := m.intent.item.Intent
	menu := &copyMenu{quiet: newQuiet(m.asks.clock(), m.options.Quiet)}
	for _, c := range []copyChoice{{"k", "key", i.OpKey}, {"h", "hash", i.PayloadSHA256}, {"r", "receipt", i.Receipt}} {
		if c.value == "" && i.Receipt == "" {
			c.value = m.intent.item.Verdict.Receipt
		}
		if c.value != "" {
			menu.choices = append(menu.choices, c)
		}
	}
	m.over = menu
	return nil
}

func (c *copyMenu) press(m *Model, k tea.KeyPressMsg) tea.Cmd {
	listening, _ := c.quiet.heard(m.asks.clock())
	if k.String() == "esc" || listening && c.sent != nil {
		m.over = nil
		return nil
	}
	if !listening {
		return nil
	}
	for _, choice := range c.choices {
		if choice.key == k.String() {
			c.sent = &choice
			// What goes into a clipboard gets pasted into shells: never a raw
			// control character.
			return tea.SetClipboard(wording.Safe(choice.value))
		}
	}
	return nil
}

func (c *copyMenu) paste(m *Model, _ string) { c.quiet.heard(m.asks.clock()) }

func (c *copyMenu) hints() string {
	if c.sent != nil {
		return "any key: back"
	}
	var words []string
	for _, choice := range c.choices {
		words = append(words, choice.key+" "+choice.name)
	}
	return strings.Join(append(words, "esc back"), " · ")
}

func (c *copyMenu) lines(m *Model, width, height int) ([]line, *tea.Position) {
	inner, margin := box(width)
	out := []line{m.theme.rule(text("Copy", m.theme.strong), inner), nil}
	if c.sent == nil {
		out = append(out, c.offer(m, inner)...)
	} else {
		out = append(out, c.report(m, inner)...)
	}
	if len(out) > height {
		out = out[:height]
	}
	return indented(out, margin), nil
}

func (c *copyMenu) offer(m *Model, width int) []line {
	var out []line
	for _, choice := range c.choices {
		body := wrapped(wording.Safe(choice.value), width-labelWidth-2, m.theme.plain)
		label := choice.key + "  " + choice.name
		out = append(out, labelled(label, labelWidth, m.theme.strong, body)...)
	}
	return out
}

func (c *copyMenu) report(m *Model, width int) []line {
	shown := wording.Safe(c.sent.value)
	out := wrapped("The "+c.sent.name+" was sent to the terminal's clipboard; if it doesn't arrive, here it is in full:", width, m.theme.plain)
	out = append(out, nil)
	out = append(out, wrapped(shown, width, m.theme.strong)...)
	if shown != c.sent.value {
		out = append(out, nil)
		out = append(out, wrapped("! It holds characters that cannot be seen. They were sent as the escapes shown here, so this copy is not the exact text.", width, m.theme.danger)...)
	}
	return out
}
