package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// pager is a text that one scrolls through and leaves: help, and what the
// configuration warns of.
type pager struct {
	title     string
	text      func(m *Model, width int) []line
	top, page int
	under     overlay // what it lies over, nil for the screen itself
}

func (m *Model) openHelp() tea.Cmd {
	m.over = &pager{title: "Keys", text: (*Model).keyTable}
	return nil
}

func (m *Model) openNotices() tea.Cmd {
	m.over = &pager{title: "What the configuration warns of", text: (*Model).noticeLines}
	return nil
}

func (m *Model) noNotices() string {
	if len(m.notices()) == 0 {
		return "it warns of nothing"
	}
	return ""
}

// notices are what the configuration warns of, and why the selected intent's
// receiver can't be asked.
func (m *Model) notices() []string {
	out := slices.Clone(m.options.Notices)
	if item := m.intent.item; item != nil && item.LookupOff != "" {
		out = append(out, item.Intent.Target+": it can't be looked up: "+strings.TrimSuffix(item.LookupOff, ".")+".")
	}
	return out
}

func (m *Model) noticeLines(width int) []line {
	var out []line
	for _, notice := range m.notices() {
		out = append(out, m.bullet(notice, width)...)
	}
	return out
}

func (p *pager) press(m *Model, k tea.KeyPressMsg) tea.Cmd {
	switch k.String() {
	case "j", "down":
		p.top++
	case "k", "up":
		p.top = max(p.top-1, 0)
	case "pgdown", "space":
		p.top += max(p.page-2, 1)
	case "pgup":
		p.top = max(p.top-max(p.page-2, 1), 0)
	case "esc", "?", "q", "enter":
		m.over = p.under
	}
	return nil
}

func (p *pager) paste(*Model, string) {}

func (p *pager) hints() string { return "j/k pgdn/pgup scroll · esc back" }

func (p *pager) lines(m *Model, width, height int) ([]line, *tea.Position) {
	inner, margin := box(width)
	out := []line{m.theme.rule(text(p.title, m.theme.strong), inner)}
	p.page = height - 1
	var body []line
	body, p.top = window(p.text(m, inner), p.top, p.page, m.theme)
	return indented(append(out, body...), margin), nil
}

// keyTable is every binding by group, with the reason beside each that is off.
func (m *Model) keyTable(width int) []line {
	t := m.theme
	var out []line
	for _, group := range groups {
		out = append(out, text(group, t.strong))
		for _, b := range m.bindings {
			if b.group != group {
				continue
			}
			words, style := b.Help().Desc, t.plain
			if why := b.reason(m); why != "" {
				words, style = words+"  (off: "+why+")", t.muted
			}
			out = append(out, labelled("  "+b.Help().Key, labelWidth, t.accent, wrapped(words, width-labelWidth, style))...)
		}
	}
	out = append(out, wrapped(laterKeys()+": later versions", width, t.muted)...)
	out = append(out, text("Symbols", t.strong))
	for _, s := range [][2]string{
		{"?", "UNKNOWN: it may have been delivered, nobody knows"},
		{"~", "PENDING: begun and not settled; stuck when silent for too long"},
		{"!", "contradicted: later evidence disagrees with what was decided"},
		{marked, "marked for a sweep"},
		{t.glyphs.done, "DELIVERED"}, {t.glyphs.failed, "FAILED"},
	} {
		out = append(out, labelled("  "+s[0], labelWidth, t.accent, wrapped(s[1], width-labelWidth, t.plain))...)
	}
	return out
}
