package tui

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"triage/ledger"
)

// anyInput throws keys, pastes, sizes, times and changes in the ledger at the
// screen. Whatever comes: nothing is done that was not confirmed on the
// confirming button after a pause, every view fits its screen, and no control
// character of a row reaches it.
func anyInput(t *rapid.T) {
	bad := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
		"\x1b]0;x\a\x1b[31m", "\u202e\u2066\u200b", "\x9b2J\xff", strings.Repeat("界", 130), "a\r\nb\tc", "e" + strings.Repeat("\u0301", 40), "🏽\u0d4e🇩",
	})).Draw(t, "text")
	desk := scene()
	desk.items = append(desk.items, hostileItem(bad))
	desk.reviews = hostilePast(reviewed().reviews, bad)
	// The driver wants a testing.TB; rapid.T is not one, so failures go through t.
	d := drive(failing{t: t}, desk, 80, 24, func(o *Options) { o.LedgerName, o.Notices = bad, []string{bad} })
	for range rapid.IntRange(1, 25).Draw(t, "steps") {
		before := len(desk.acts())
		armed, step := d.armed(), anyStep(t, d, bad)
		if acts := desk.acts(); len(acts) > before && (!armed || step != "enter") && !strings.HasPrefix(acts[len(acts)-1], "lookup ") {
			t.Fatalf("%q did %q without being confirmed", step, acts[before:])
		}
		d.checkView(t)
		if d.quit {
			return
		}
	}
}

// armed says that an Enter now, after a pause, would confirm.
func (d *driver) armed() bool {
	f, ok := d.m.over.(*form)
	return ok && f.focus == f.onConfirm() && f.quiet.open && !f.running
}

func anyStep(t *rapid.T, d *driver, bad string) string {
	all := strings.Fields("j k g G enter esc tab shift+tab up down left right home end pgup pgdown backspace space / o H y ? l d n x a t c r s L W S D A u V [ ] @ m w ctrl+u ctrl+z")
	switch rapid.IntRange(0, 10).Draw(t, "kind") {
	case 0:
		d.send(tea.WindowSizeMsg{Width: rapid.IntRange(1, 210).Draw(t, "width"), Height: rapid.IntRange(1, 70).Draw(t, "height")})
		return "resize"
	case 1:
		d.clock.pass(quietGap)
		d.send(tea.PasteMsg{Content: rapid.SampledFrom([]string{bad, "\r\r\r", "\t\t\r", "text\n"}).Draw(t, "paste")})
		return "paste"
	case 2:
		d.tick(time.Duration(rapid.IntRange(0, 100_000).Draw(t, "ms")) * time.Millisecond)
		return "tick"
	case 3:
		d.desk.set(func(f *fakeDesk) {
			f.trouble = nil
			if rapid.Bool().Draw(t, "trouble") {
				f.trouble = errors.New(bad)
			}
			f.items[0].Intent.State, f.items[0].Intent.Version = ledger.Delivered, f.items[0].Intent.Version+1
		})
		return "write"
	case 4: // held down
		key := rapid.SampledFrom(all).Draw(t, "held")
		for range 6 {
			d.clock.pass(30 * time.Millisecond)
			armed := d.armed()
			before := len(d.desk.acts())
			d.press(key)
			if acts := d.desk.acts(); armed && len(acts) > before && !strings.HasPrefix(acts[before], "lookup ") {
				t.Fatalf("holding %q did %q", key, acts[before:])
			}
		}
		return "hold"
	case 6: // a dialog filled in, up to its confirming button
		d.calmly("esc", "esc", rapid.SampledFrom(strings.Fields("t d x a n S D A L")).Draw(t, "dialog"))
		for range rapid.IntRange(1, 5).Draw(t, "fields") {
			d.calmly("tab")
			d.typed("some words")
		}
		return "fill in"
	case 5:
		d.typed(rapid.StringN(0, 6, -1).Draw(t, "typed"))
		return "type"
	}
	key := rapid.SampledFrom(all).Draw(t, "key")
	if rapid.Bool().Draw(t, "pause") {
		d.clock.pass(quietGap)
	}
	d.press(key)
	return key
}

func (d *driver) checkView(t *rapid.T) {
	d.screen() // checks the size
	view := d.m.View()
	if c := view.Cursor; c != nil && (c.X < 0 || c.Y < 0 || c.X >= d.m.width || c.Y >= d.m.height) {
		t.Fatalf("the cursor is at %d,%d on a screen of %d×%d", c.X, c.Y, d.m.width, d.m.height)
	}
	for _, r := range withoutStyles(view.Content) {
		if r != '\n' && unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			t.Fatalf("%U got onto the screen", r)
		}
	}
}

// withoutStyles takes out the one kind of escape that the screen itself writes.
func withoutStyles(s string) string {
	var out strings.Builder
	for len(s) > 0 {
		if rest, ok := strings.CutPrefix(s, "\x1b["); ok {
			if end := strings.IndexFunc(rest, func(r rune) bool { return r != ';' && (r < '0' || r > '9') }); end >= 0 && rest[end] == 'm' {
				s = rest[end+1:]
				continue
			}
		}
		out.WriteByte(s[0])
		s = s[1:]
	}
	return out.String()
}

// failing hands a driver's failures to rapid.
type failing struct {
	testing.TB
	t *rapid.T
}

func (f failing) Helper()                   {}
func (f failing) Errorf(s string, a ...any) { f.t.Errorf(s, a...) }
func (f failing) Fatalf(s string, a ...any) { f.t.Fatalf(s, a...) }

func TestAnyInput(t *testing.T) { rapid.Check(t, anyInput) }

func FuzzScreen(f *testing.F) { f.Fuzz(rapid.MakeFuzz(anyInput)) }
