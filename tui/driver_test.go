package tui

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"triage/actions/wording"
)

// driver feeds a model with messages and runs its commands at once, one after
// the other.
type driver struct {
	t       testing.TB
	m       *Model
	desk    *fakeDesk
	clock   *fakeClock
	copied  []string // what was sent to the clipboard
	quit    bool
	face    tea.Model // what messages go to; nil: the model itself
	held    []tea.Cmd // commands kept back, see hold
	holding bool
}

func drive(t testing.TB, desk *fakeDesk, width, height int, change ...func(*Options)) *driver {
	t.Helper()
	clock := &fakeClock{now: noon}
	o := Options{Acts: desk, LedgerName: "/srv/agents/ledger.db", Zone: time.UTC, Now: clock.Now, Environ: []string{"TERM=xterm-256color"}}
	for _, c := range change {
		c(&o)
	}
	d := &driver{t: t, m: New(context.Background(), o), desk: desk, clock: clock}
	d.m.asks.timer = func(time.Duration, func(time.Time) tea.Msg) tea.Cmd { return nil }
	d.send(tea.WindowSizeMsg{Width: width, Height: height})
	d.run(d.m.Init())
	return d
}

func (d *driver) send(msg tea.Msg) {
	d.t.Helper()
	face := d.face
	if face == nil {
		face = d.m
	}
	_, cmd := face.Update(msg)
	d.run(cmd)
}

// run does what Bubble Tea does with a command.
func (d *driver) run(cmd tea.Cmd) {
	d.t.Helper()
	if cmd == nil {
		return
	}
	if d.holding {
		d.held = append(d.held, cmd)
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.QuitMsg:
		d.quit = true
	default:
		v := reflect.ValueOf(msg)
		switch {
		case v.Kind() == reflect.Slice && v.Type().Elem() == reflect.TypeFor[tea.Cmd]():
			for i := range v.Len() {
				d.run(v.Index(i).Interface().(tea.Cmd))
			}
		case strings.HasSuffix(v.Type().String(), "setClipboardMsg"):
			d.copied = append(d.copied, v.String())
		default:
			d.send(msg)
		}
	}
}

// hold keeps commands back until release.
func (d *driver) hold() { d.holding = true }

func (d *driver) release() {
	d.t.Helper()
	held := d.held
	d.held, d.holding = nil, false
	for _, cmd := range held {
		d.run(cmd)
	}
}

// press sends keys one right after the other.
func (d *driver) press(names ...string) {
	d.t.Helper()
	for _, name := range names {
		d.send(keyNamed(name))
	}
}

// calmly sends keys with a pause before each, as a person does who reads.
func (d *driver) calmly(names ...string) {
	d.t.Helper()
	for _, name := range names {
		d.clock.pass(quietGap)
		d.send(keyNamed(name))
	}
}

func (d *driver) typed(text string) {
	d.t.Helper()
	for _, r := range text {
		d.send(keyNamed(string(r)))
	}
}

func keyNamed(name string) tea.KeyPressMsg {
	codes := map[string]tea.KeyPressMsg{
		"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "tab": {Code: tea.KeyTab}, "shift+tab": {Code: tea.KeyTab, Mod: tea.ModShift},
		"up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown}, "left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight},
		"home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd}, "pgup": {Code: tea.KeyPgUp}, "pgdown": {Code: tea.KeyPgDown},
		"backspace": {Code: tea.KeyBackspace}, "space": {Code: tea.KeySpace, Text: " "}, "ctrl+c": {Code: 'c', Mod: tea.ModCtrl},
		"ctrl+u": {Code: 'u', Mod: tea.ModCtrl}, "ctrl+z": {Code: 'z', Mod: tea.ModCtrl},
	}
	if k, ok := codes[name]; ok {
		return k
	}
	r := []rune(name)[0]
	return tea.KeyPressMsg{Code: r, Text: name}
}

// tick lets time pass and the screen look for changes.
func (d *driver) tick(passed time.Duration) {
	d.t.Helper()
	d.clock.pass(passed)
	d.send(ticked{d.clock.Now()})
}

// screen is what is shown, without styles, checked for its size.
func (d *driver) screen() string {
	d.t.Helper()
	content := d.m.View().Content
	lines := strings.Split(content, "\n")
	if len(lines) != d.m.height {
		d.t.Errorf("the view has %d lines on a screen of %d", len(lines), d.m.height)
	}
	for y, l := range lines {
		plain := ansi.Strip(l)
		if w := wording.Width(plain); w > d.m.width {
			d.t.Errorf("line %d takes %d cells on a screen of %d: %q", y, w, d.m.width, plain)
		}
		lines[y] = strings.TrimRight(plain, " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

func (d *driver) shows(texts ...string) {
	d.t.Helper()
	screen := d.screen()
	for _, text := range texts {
		if !strings.Contains(screen, text) {
			d.t.Errorf("the screen does not show %q:\n%s", text, screen)
		}
	}
}

func (d *driver) hides(texts ...string) {
	d.t.Helper()
	screen := d.screen()
	for _, text := range texts {
		if strings.Contains(screen, text) {
			d.t.Errorf("the screen shows %q:\n%s", text, screen)
		}
	}
}
