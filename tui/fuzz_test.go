package tui

import (
	"context"
	"errors"
	"fmt"
	"image/color"
	"io"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"triage/actions/wording"
	"triage/ledger"
	"triage/tui/screentest"
)

// A script of bytes is played to the screen: keys, held keys, pastes, sizes, hostile
// rows, changes by others, troubles. Whatever it holds, nothing is decided that was not
// confirmed on a button in sight after a pause, and nothing but text and our own styles
// reaches the screen.
//
// Each run plays the same scripts. A long search, on all processors:
//
//	go test ./tui -run '^$' -fuzz FuzzKeys -fuzztime 1h
//	go test ./tui -run '^$' -fuzz FuzzLines -fuzztime 1h
//
// What it finds stays in testdata/fuzz and is played by every run from then on.

func FuzzKeys(f *testing.F) {
	for _, seed := range []string{"", "\x0b\x00\x06\x01\x0c\x04", "\x06\x02\x05\x04\x01\x03", "\x04\x00\x04\x05\x00\x09\x06\x07"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(playKeys)
}

func FuzzLines(f *testing.F) {
	for _, seed := range []string{"", "\x01\x04\x02\x09\x03\x00", "\x05\x02\x02\x08\x03\x01"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(playLines)
}

func TestScriptsOfKeys(t *testing.T) { scripts(t, 30, playKeys) }

func TestScriptsOfLines(t *testing.T) { scripts(t, 50, playLines) }

// scripts plays the same random scripts on every run.
func scripts(t *testing.T, n int, play func(*testing.T, []byte)) {
	if testing.Short() {
		n /= 10
	}
	for seed := range uint64(n) {
		random := rand.New(rand.NewPCG(seed, 4))
		script := make([]byte, 2*(5+random.IntN(60)))
		for i := range script {
			script[i] = byte(random.UintN(256))
		}
		if play(t, script); t.Failed() {
			t.Fatalf("script %d: %q", seed, script)
		}
	}
}

// hostile are texts that try to leave their place.
var hostile = []string{
	"\x1b]0;owned\a\x1b[31m\x1b[2J", "\u202e\u2066\u200b\u200e\u061c", "\x9b2J\xff\xc3\x28", strings.Repeat("界", 130), "a\r\nb\tc\vd\x00e\x7f",
	"e" + strings.Repeat("\u0301", 40), "🏽\u0d4e🇩", "👩‍👩‍👧‍👦🇩🇪❤️🧑🏽‍🚀", "עברית \u05d0\u202bمرحبا", "\ufeff\u2028\u2029\u00ad\U000e0041", "ﷺ꧅𒐫", "[▶ Close ] y", strings.Repeat("long-word", 60),
	" ", "plain", "-", "!", "? UNKNOWN",
}

// player is one run of a script.
type player struct {
	*driver
	input time.Time // when the last input came
}

var fuzzKeys = strings.Fields("j k g G enter esc tab shift+tab up down left right home end pgup pgdown backspace space / o O H V W L y h u ? l d n r x a t c s S D A f F w [ ] @ . 1 9 z ctrl+u")

func playKeys(t *testing.T, script []byte) {
	p := &player{driver: drive(t, scene(), 80, 24)}
	p.input = p.clock.Now()
	for i := 0; i+1 < len(script) && !p.quit && !t.Failed(); i += 2 {
		p.step(script[i]%16, int(script[i+1]))
		p.check()
	}
}

// step does one thing of a script. n chooses which.
func (p *player) step(what byte, n int) {
	bad := hostile[n%len(hostile)]
	switch what {
	case 0:
		widths, heights := []int{0, 1, 2, 7, 59, 60, 61, 75, 76, 80, 96, 109, 110, 120, 193, 240}, []int{1, 2, 14, 15, 16, 19, 20, 24, 40, 70}
		p.send(tea.WindowSizeMsg{Width: widths[n%len(widths)], Height: heights[n/len(widths)%len(heights)]})
	case 1:
		p.clock.pass(quietGap)
		p.heard(tea.PasteMsg{Content: []string{bad, "\r", "\t\t\r\n", "y\n\n\n", "some words\n"}[n%5]}, "")
	case 2:
		p.tick(time.Duration(n*n) * 100 * time.Millisecond)
	case 3:
		p.desk.set(func(f *fakeDesk) {
			i := &f.items[n%len(f.items)].Intent
			i.Version++
			i.State = []ledger.State{ledger.Unknown, ledger.Pending, ledger.Delivered, ledger.Failed, ledger.State(bad)}[n%5]
		})
		p.tick(time.Second)
	case 4:
		p.desk.set(func(f *fakeDesk) { f.items = append(f.items, hostileItem(bad+fmt.Sprint(len(f.items)))) })
		p.tick(time.Second)
	case 5: // held down
		for range 6 {
			p.clock.pass(30 * time.Millisecond)
			p.heard(keyNamed(fuzzKeys[n%len(fuzzKeys)]), fuzzKeys[n%len(fuzzKeys)])
		}
	case 6: // a dialog, filled in up to its confirming button, or past it
		p.calm("esc", "esc", []string{"d", "n", "r", "x", "a", "t", "S", "D", "A", "L"}[n%10])
		for range n / 10 % 6 {
			p.calm("tab")
			for _, r := range []string{"words", "rcpt_1", phrase}[n%3] {
				p.heard(keyNamed(string(r)), string(r))
			}
		}
	case 7:
		for _, r := range bad {
			p.heard(tea.KeyPressMsg{Code: r, Text: string(r)}, string(r))
		}
	case 8:
		p.send(tea.BackgroundColorMsg{Color: color.Gray{Y: uint8(n)}})
	case 9:
		p.desk.set(func(f *fakeDesk) {
			if f.trouble = nil; n%2 == 0 {
				f.trouble = errors.New(bad)
			}
		})
		p.tick(time.Second)
	case 10:
		p.clock.pass(quietGap)
		p.heard(tea.KeyPressMsg{Code: tea.KeyEnter, IsRepeat: true}, "repeated enter")
	default:
		if what%2 == 0 {
			p.clock.pass(quietGap)
		}
		p.heard(keyNamed(fuzzKeys[n%len(fuzzKeys)]), fuzzKeys[n%len(fuzzKeys)])
	}
}

func (p *player) calm(keys ...string) {
	for _, key := range keys {
		p.clock.pass(quietGap)
		p.heard(keyNamed(key), key)
	}
}

// button is a button that has the focus. What stands in the ledger can look like one,
// but not at the beginning of a line with Cancel beside it.
var button = regexp.MustCompile(`(?m)^ *\[  Cancel \]   \[▶ ([^\]]+) \]`)

// heard sends an input and checks what it did against what was in sight before.
func (p *player) heard(msg tea.Msg, key string) {
	before := len(p.desk.acts())
	confirms := key == "enter" && p.clock.Now().Sub(p.input) >= quietGap && button.MatchString(p.screen())
	pinned, selected, free := "", p.m.intent.key, p.m.over == nil && p.m.typing == nil && !p.m.tooSmall()
	if f, ok := p.m.over.(*form); ok {
		pinned = f.key
	}
	p.input = p.clock.Now()
	p.send(msg)
	for _, did := range p.desk.acts()[before:] {
		name, rest, _ := strings.Cut(did, " ")
		switch {
		case name == "asked": // part of a sweep
		case name == "lookup" && key == "l" && free && rest == selected:
		case name == "sweep" && confirms:
		case confirms && strings.HasPrefix(rest, pinned+" reason=") || confirms && strings.HasPrefix(rest, pinned+" receipt="):
		default:
			p.t.Errorf("%q did %q without being confirmed. The screen:\n%s", key, did, p.screen())
		}
	}
}

// check looks for whatever has no place on a screen.
func (p *player) check() {
	p.t.Helper()
	view := p.m.View()
	lines := strings.Split(withoutStyles(view.Content), "\n")
	if len(lines) != max(p.m.height, 1) {
		p.t.Errorf("the view has %d lines on a screen of %d", len(lines), p.m.height)
	}
	for y, l := range lines {
		textOnly(p.t, l)
		if w := wording.Width(l); w != p.m.width {
			p.t.Errorf("line %d takes %d cells of %d: %q", y, w, p.m.width, l)
		}
	}
	textOnly(p.t, view.WindowTitle)
	for _, copied := range p.copied {
		textOnly(p.t, copied)
	}
	if c := view.Cursor; c != nil && (c.X < 0 || c.Y < 0 || c.X >= p.m.width || c.Y >= p.m.height) {
		p.t.Errorf("the cursor is at %d,%d on a screen of %d×%d", c.X, c.Y, p.m.width, p.m.height)
	}
}

func textOnly(t testing.TB, s string) {
	t.Helper()
	if !utf8.ValidString(s) {
		t.Errorf("no UTF-8: %q", s)
	}
	for _, r := range s {
		if r != '\n' && unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Bidi_Control, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) {
			t.Errorf("%U got out: %q", r, s[max(strings.IndexRune(s, r)-40, 0):])
			return
		}
	}
}

var fuzzLines = []string{
	"", "l", "d", "n", "r", "x", "a", "t", "S", "D", "A", "L", "o", "W", "V", "H", "?", "y", "u", "space", "j", "k", "G", "g", "list", "open", "copy", "stop", "counts",
	"1", "2", "3", "4", "5", "7", "99", "esc", "filter", "filter bill", "words", phrase, "close", "mark delivered", "yes", "y", "go on", "@", "q?",
}

// playLines plays a script to the plain mode.
func playLines(t *testing.T, script []byte) {
	l := listen(t, scene())
	last := l.clock.Now() // when the last line came
	asked := regexp.MustCompile(`To go through with it, type: (.*)\n`)
	for i := 0; i+1 < len(script) && !l.quit && !t.Failed(); i += 2 {
		what, n := script[i]%8, int(script[i+1])
		bad := hostile[n%len(hostile)]
		text, pause := fuzzLines[n%len(fuzzLines)], what != 1
		said := asked.FindAllStringSubmatch(l.out.String(), -1)
		word := ""
		if l.plain.asking != nil && len(said) > 0 {
			word = said[len(said)-1][1]
		}
		switch what {
		case 2: // the word, perhaps at once
			text, pause = word, n%4 > 0
		case 3:
			l.desk.set(func(f *fakeDesk) { f.items[n%len(f.items)].Intent.Version++ })
			l.tick(time.Second)
			continue
		case 4:
			l.desk.set(func(f *fakeDesk) { f.items = append(f.items, hostileItem(bad+fmt.Sprint(len(f.items)))) })
			l.tick(time.Second)
			continue
		case 5:
			text = bad
		}
		if pause {
			l.clock.pass(quietGap)
		}
		paused := l.clock.Now().Sub(last) >= quietGap
		last = l.clock.Now()
		before, selected := len(l.desk.acts()), l.m.intent.key
		l.line(text)
		for _, did := range l.desk.acts()[before:] {
			lookup := strings.HasPrefix(did, "lookup "+selected) && (text == "l") && word == ""
			if !lookup && !strings.HasPrefix(did, "asked ") && (!paused || word == "" || !strings.EqualFold(text, word)) {
				t.Errorf("%q did %q though %q was asked for (paused: %v)", text, did, word, paused)
			}
		}
	}
	textOnly(t, l.out.String())
}

// Random bytes typed at the whole program: what it writes is UTF-8, and of escapes only
// those that its renderer is known to use.
func TestRandomBytesAtTheProgram(t *testing.T) {
	known := regexp.MustCompile(`^(?:\[[?>=<]?[0-9;:]*[ !$']?[A-Za-z@` + "`" + `]|\](?:11;\?|52;c;[A-Za-z0-9+/=]*)(?:\x07|\x1b\\)|[78=>MH])`)
	for seed := range uint64(4) {
		random := rand.New(rand.NewPCG(seed, 48))
		desk := scene()
		for _, bad := range hostile {
			desk.items = append(desk.items, hostileItem(bad))
		}
		ctx, leave := context.WithCancel(context.Background())
		s := screentest.Start(t, 80, 24, func(in io.Reader, out io.Writer, w, h int) error {
			return Run(ctx, Options{
				Acts: desk, LedgerName: hostile[0], Tick: time.Millisecond, Quiet: time.Hour, ReportDir: os.DevNull,
				Input: in, Output: out, Width: w, Height: h, Environ: []string{"TERM=xterm-256color", "LANG=C.UTF-8"},
			})
		})
		s.WaitFor(" of ")
		for range 400 {
			// Not ctrl+c, ctrl+z and q, which end it; nor the letters that end their long forms.
			if b := byte(random.UintN(256)); !slices.Contains([]byte{3, 26, 'q', 'u', '~'}, b) {
				s.Type(string([]byte{b}))
			}
		}
		s.Type("\x1b\\\x1b[201~") // what was typed may have begun a string or a paste
		s.Resize(40, 10)
		s.WaitFor("This window is too small") // everything was taken in
		leave()
		if err := s.Ended(); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		for _, did := range desk.acts() {
			if !strings.HasPrefix(did, "lookup ") {
				t.Errorf("seed %d: it did %q", seed, did)
			}
		}
		for i, part := range strings.Split(string(s.Raw()), "\x1b") {
			rest := part
			if i > 0 {
				if rest = known.ReplaceAllString(part, ""); rest == part && part != "\\" {
					t.Fatalf("seed %d: an escape that nobody knows: %q", seed, part[:min(len(part), 40)])
				}
			}
			textOnly(t, strings.NewReplacer("\r", "", "\b", "", "\a", "").Replace(rest))
		}
	}
}
