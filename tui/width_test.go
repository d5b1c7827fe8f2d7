package tui

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"

	"triage/actions/wording"
)

// gauge measures a screen as a terminal does that counts characters as a reader sees
// them: how far each line moves the cursor.
func gauge(t *testing.T, view string, width int) []int {
	t.Helper()
	lines := strings.Split(view, "\n")
	term := vt.NewEmulator(width+8, len(lines)+1)
	if _, err := term.WriteString(strings.Join(lines, "\ue000\r\n") + "\ue000\r\n"); err != nil {
		t.Fatal(err)
	}
	cells := make([]int, len(lines))
	for y := range lines {
		for cells[y] = width + 7; cells[y] >= 0; cells[y]-- {
			if c := term.CellAt(cells[y], y); c != nil && c.Content == "\ue000" {
				break
			}
		}
	}
	return cells
}

// disputed is how many cells less a line takes where skin tones and the vowel signs of
// some scripts are understood. Such a line may be short there, and is never too long
// anywhere.
func disputed(plain string) int { return wording.Width(plain) - ansi.StringWidth(plain) }

// crowded are the texts of which every field of every record is made.
var crowded = map[string]string{
	"CJK":             strings.Repeat("周报告第四十八期", 9),
	"emoji":           "👩‍👩‍👧‍👦👍🏽🇩🇪🇯🇵❤️☎️🧑🏽‍🚀✊🏿 flags 🇺🇳🇺",
	"combining marks": strings.Repeat("e\u0301a\u0308n\u0303", 20) + strings.Repeat("\u0301", 9) + "किमपि กำ ؀1",
	"tabs and lines":  "a\tb\nc\r\nd\ve\ff\u0085g\u2028h",
	"bidi":            "עברית مرحبا \u202eevil\u202c \u2066x\u2069 \u061c",
	"a long word":     strings.Repeat("Supercalifragilistic", 30),
	"long with edges": strings.Repeat("界x", 90),
	"escapes":         "\x1b[31m\x1b]8;;x\a\x9b2J\xff\xfe\x00\x7f",
	"wide and zero":   "ｆｕｌｌ\u200bｗｉｄｔｈ\u3000\u00ad\ufeff\u115f\u3164ﷺ𒐫",
	"a space":         " ",
}

// widths are where the layout changes, and those beside them.
var widths = []int{60, 61, 62, 63, 75, 76, 77, 80, 95, 96, 109, 110, 111, 119, 120, 121, 160, 192, 193, 200}

// Every line of every screen and dialog takes exactly the width of the screen, whatever
// the fields hold. Each text meets half of the views and each view a few of the widths.
func TestNoTextBreaksARow(t *testing.T) {
	turn := 0
	for i, name := range slices.Sorted(maps.Keys(crowded)) {
		t.Run(name, func(t *testing.T) {
			for _, view := range everyView(t, crowded[name], i%2) {
				for range 2 {
					turn++
					width, height := widths[turn%len(widths)], []int{15, 19, 24, 40}[turn/3%4]
					view.d.send(tea.WindowSizeMsg{Width: width, Height: height})
					content := view.d.m.View().Content
					lines := strings.Split(content, "\n")
					if len(lines) != height {
						t.Errorf("%s at %d×%d has %d lines", view.name, width, height, len(lines))
					}
					for y, cells := range gauge(t, content, width) {
						if plain := withoutStyles(lines[y]); cells+disputed(plain) != width {
							t.Fatalf("%s at %d×%d: line %d takes %d cells: %q", view.name, width, height, y, cells, plain)
						}
					}
				}
			}
		})
	}
}

type shownView struct {
	name string
	d    *driver
}

// everyView opens everything that can be opened on an intent and a ledger of which all
// fields hold that text.
func everyView(t *testing.T, bad string, half int) []shownView {
	t.Helper()
	var out []shownView
	for i, keys := range []string{"", "enter", "enter G", "enter H", "/ x", "?", "W", "y", "y k", "d", "d tab", "n", "n tab enter", "n tab enter tab enter", "S", "D", "A", "t", "t tab", "L", "L tab enter", "V", "V w", "space", "l", "x", "r", "a"} {
		if i%2 != half {
			continue
		}
		desk := scene()
		desk.items = append(desk.items, hostileItem(bad))
		desk.allow = hostilePermission(bad)
		d := drive(t, desk, 100, 30, func(o *Options) { o.LedgerName, o.Notices = bad, []string{bad, bad} })
		for range len(desk.items) { // to the hostile one, wherever its key sorts
			if d.m.queue.selected == bad {
				break
			}
			d.press("j")
		}
		d.calmly(strings.Fields(keys)...)
		out = append(out, shownView{fmt.Sprintf("%q", keys), d})
	}
	return out
}

// A terminal that offers to count whole characters is not asked to: the layout counts
// code points, and the two must agree.
func TestTheRendererCountsAsTheLayoutDoes(t *testing.T) {
	s := start(t, scene(), 80, 24)
	s.WaitFor("1 of 6")
	s.Type("\x1b[?2027;2$y")
	s.Press("j")
	s.WaitFor("2 of 6")
	if strings.Contains(string(s.Raw()), "\x1b[?2027h") {
		t.Error("it took the offer")
	}
}
