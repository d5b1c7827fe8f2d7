package wording_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"triage/actions/wording"
)

func TestSafe(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "task-A/review-1 ~ ok", "task-A/review-1 ~ ok"},
		{"newline", "a\nb\r\nc", `a\nb\r\nc`},
		{"tab and NUL", "a\tb\x00c", `a\tb\x00c`},
		{"backspace and DEL", "a\bb\x7fc", `a\x08b\x7fc`},
		{"clear the screen", "a\x1b[2Jb", `a\x1b[2Jb`},
		{"window title", "\x1b]0;owned\a", `\x1b]0;owned\x07`},
		{"one-byte CSI as a code point", "a\u009b31mb", `a\u009b31mb`},
		{"one-byte CSI as a byte", "a\x9b31mb", `a\x9b31mb`},
		{"not UTF-8", "a\xff\xfe\xc3", `a\xff\xfe\xc3`},
		{"surrogate half", "a\xed\xa0\x80b", `a\xed\xa0\x80b`},
		{"replacement character itself", "a\ufffdb", "a\ufffdb"},
		{"bidi override", "pay\u202efdp.exe", `pay\u202efdp.exe`},
		{"bidi isolate and mark", "a\u2066b\u2069c\u200ed\u061c", `a\u2066b\u2069c\u200ed\u061c`},
		{"zero width", "a\u200bb\u200cc\u200dd\u2060e\ufefff", `a\u200bb\u200cc\u200dd\u2060e\ufefff`},
		{"separators", "a\u2028b\u2029c\u0085d", `a\u2028b\u2029c\u0085d`},
		{"tag characters", "a\U000e0061\U000e007f", `a\U000e0061\U000e007f`},
		{"variation selector", "\u26a0\ufe0f", "\u26a0" + `\ufe0f`},
		{"soft hyphen and joiner", "a\u00adb\u034fc", `a\u00adb\u034fc`},
		{"fillers that look empty", "\u3164\u115f\uffa0\u2800", `\u3164\u115f\uffa0\u2800`},
		{"spaces that pass for a space", "a\u00a0b\u2003c\u202fd", `a\u00a0b\u2003c\u202fd`},
		{"private use and unassigned", "\ue000\U0010fffd\u0378", `\ue000\U0010fffd\u0378`},
		{"ideographs", "周报　第1期", "周报　第1期"},
		{"emoji", "🚨👍🏽🇩🇪", "🚨👍🏽🇩🇪"},
		{"family is taken apart", "👨\u200d👩", "👨" + `\u200d` + "👩"},
		{"half a flag", "🇩x", `\U0001f1e9x`},
		{"combining", "e\u0301 a\u0308\u0304", "e\u0301 a\u0308\u0304"},
		{"Hebrew, Thai, Hindi", "שָׁלוֹם กำ हिन्दी", "שָׁלוֹם กำ हिन्दी"},
		{"runaway stack", "e" + strings.Repeat("\u0301", 6) + "x", "e" + strings.Repeat("\u0301", 4) + `\u0301\u0301x`},
		{"mark without a base", "\u0301a", `\u0301a`},
		{"mark on a space", " \u0301", ` \u0301`},
		{"mark after an escape", "\x1b\u0301", `\x1b\u0301`},
		{"skin tone without a hand", "🏽", `\U0001f3fd`},
		{"a letter that eats what follows", "\u0d4e", `\u0d4e`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := wording.Safe(c.in); got != c.want {
				t.Errorf("Safe(%+q)\n got %+q\nwant %+q", c.in, got, c.want)
			}
		})
	}
}

func TestSafeBlockKeepsLines(t *testing.T) {
	got := wording.SafeBlock("one\r\ntwo\n\tthree\rfour\x1b[A\u2028")
	want := "one\ntwo\n    three" + `\rfour\x1b[A\u2028`
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// FuzzSafe checks what every screen and table relies on, for any bytes at all.
func FuzzSafe(f *testing.F) {
	for _, s := range []string{
		"task-A", "a\nb", "\x1b[2J", "\u202e\u2066", "e\u0301\u0301\u0301\u0301\u0301\u0301", "🇩🇪🇩", "👨\u200d👩\u200d👧",
		"\u0d4e\u0d4e", "กำ", "\xff\x9b", "ｶﾞ", "\u1112\u1161\u11ab", "⚠\ufe0f", "🏽🏽", "\u0600x", "한국어", "\u094d\u0930",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		safe := wording.Safe(s)
		checkSafe(t, safe)
		if again := wording.Safe(safe); again != safe {
			t.Errorf("Safe is not the same when done twice: %+q, then %+q", safe, again)
		}
		for _, line := range strings.Split(wording.SafeBlock(s), "\n") {
			checkSafe(t, line)
		}
		for _, cells := range []int{0, 1, 2, 7} {
			checkFit(t, safe, cells)
		}
	})
}

func checkSafe(t *testing.T, s string) {
	t.Helper()
	if !utf8.ValidString(s) {
		t.Errorf("not UTF-8: %+q", s)
	}
	for _, r := range s {
		if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Variation_Selector) {
			t.Errorf("%U got through in %+q", r, s)
		}
	}
	// Neighbours must stay neighbours: a border or a space is not swallowed.
	if got := wording.Width("|" + s + "|"); got != wording.Width(s)+2 {
		t.Errorf("%+q joins with what stands beside it: %d cells, with a bar on either side %d", s, wording.Width(s), got)
	}
	if a, b, w := ansi.StringWidth(s), ansi.StringWidthWc(s), wording.Width(s); a > w || b > w {
		t.Errorf("%+q: measured %d and %d cells, Width says %d", s, a, b, w)
	}
}

func checkFit(t *testing.T, s string, cells int) {
	t.Helper()
	for name, got := range map[string]string{
		"Fit": wording.Fit(s, cells), "FitMiddle": wording.FitMiddle(s, cells), "Pad": wording.Pad(s, cells),
	} {
		if w := wording.Width(got); w > cells {
			t.Errorf("%s(%+q, %d) = %+q takes %d cells", name, s, cells, got, w)
		}
		checkSafe(t, got)
	}
	if w := wording.Width(wording.Pad(s, cells)); w != cells {
		t.Errorf("Pad(%+q, %d) takes %d cells", s, cells, w)
	}
	if cells < 2 {
		return // an ideograph fits on no line of one cell
	}
	lines := wording.Wrap(s, cells)
	for _, line := range lines {
		if w := wording.Width(line); w > max(cells, widest(line)) {
			t.Errorf("Wrap(%+q, %d) has a line of %d cells: %+q", s, cells, w, line)
		}
	}
	drop := func(s string) string { return strings.ReplaceAll(s, " ", "") }
	if got := strings.Join(lines, ""); drop(got) != drop(s) {
		t.Errorf("Wrap(%+q, %d) lost or added text: %+q", s, cells, got)
	}
}

// widest is the widest single character: Wrap cannot break inside one.
func widest(s string) int {
	most := 0
	for len(s) > 0 {
		cluster, _ := ansi.FirstGraphemeCluster(s, ansi.WcWidth)
		most = max(most, wording.Width(cluster))
		s = s[len(cluster):]
	}
	return most
}
