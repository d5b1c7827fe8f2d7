package tui

import (
	"slices"
	"strings"
	"testing"
)

func TestKeysThatAreOffSayWhy(t *testing.T) {
	for _, c := range []struct {
		row       int
		key, want string
	}{
		{2, "d", "d: mark delivered is off: the receiver holds other content under this key"},
		{1, "x", "x: close is off: nothing proves that it was not delivered"},
		{1, "a", "a: abandon attempt is off: no attempt is in flight"},
		{4, "l", `l: look up is off: no lookup is configured for target "billing"`},
		{0, "c", "c: claim is off: not in this version"},
		{1, "r", "r: retry same key is off: nobody has asked the receiver since the last attempt"},
		{1, "K", "K is no key here; ? lists them."},
		{4, "W", "billing: it can't be looked up"},
		{0, "u", "u: unmark all is off: nothing is marked"},
		{1, "A", "A: acknowledge is off: nothing contradicts what was decided about it"},
		{1, "D", "D: dispute the receipt is off: nothing here names a receipt that could be disputed"},
		{0, "S", "S: set aside is off: it is contradicted, and stays on top until somebody acknowledges that: acknowledge it first"},
		{0, "s", "s: snooze is off: not in this version"},
		{0, "W", "W: what the configuration warns of is off: it warns of nothing"},
	} {
		d := drive(t, scene(), 120, 40)
		for range c.row {
			d.press("j")
		}
		d.press(c.key)
		d.shows(c.want)
		didNothing(t, d)
	}
}

func TestReadOnlyTurnsEveryActOff(t *testing.T) {
	d := drive(t, scene(), 120, 40, func(o *Options) { o.ReadOnly = true })
	d.press("j")
	d.shows("READ-ONLY", "(off: the screen was opened with --read-only)")
	for _, b := range d.m.bindings {
		if b.act == "" {
			continue
		}
		d.press(b.Keys()[0])
		if d.m.over != nil {
			t.Errorf("%s opened a dialog", b.Keys()[0])
		}
		d.shows("is off: the screen was opened with --read-only")
	}
	didNothing(t, d)
}

func TestCopyClaimsNothing(t *testing.T) {
	d := drive(t, scene(), 80, 24)
	d.press("j", "y", "h") // h comes too soon
	if len(d.copied) != 0 {
		t.Errorf("typing ahead copied %q", d.copied)
	}
	d.calmly("h")
	if !slices.Equal(d.copied, []string{sha}) {
		t.Errorf("copied %q", d.copied)
	}
	d.shows("sent to the terminal's clipboard; if it doesn't arrive, here it", sha)
}

func TestCopyNeverPutsControlCharactersIntoAClipboard(t *testing.T) {
	desk := scene()
	desk.items[0].Verdict.Receipt = "rcpt\nrm -rf /\x1b"
	d := drive(t, desk, 80, 24)
	d.press("j", "y")
	d.calmly("r")
	if !slices.Equal(d.copied, []string{`rcpt\nrm -rf /\x1b`}) {
		t.Errorf("copied %q", d.copied)
	}
	d.shows("so this copy is not the")
}

func TestHelpIsMadeFromTheBindings(t *testing.T) {
	d := drive(t, scene(), 120, 70)
	d.press("?")
	d.shows("c, s: later versions")
	d.hides("snooze")
	for _, b := range d.m.bindings {
		if b.group == groupLater {
			continue
		}
		d.shows("  "+b.Help().Key+" ", b.Help().Desc)
		if why := b.reason(d.m); why != "" {
			d.shows("(off: " + why[:min(len(why), 30)])
		}
	}
	d.press("q")
	if d.quit || d.m.over != nil {
		t.Error("q in help leaves help, not the screen")
	}
}

func TestBindingsAreUnambiguous(t *testing.T) {
	seen := map[string]string{}
	for _, b := range newBindings() {
		for _, k := range b.Keys() {
			if other, twice := seen[k]; twice {
				t.Errorf("%q is both %q and %q", k, other, b.Help().Desc)
			}
			seen[k] = b.Help().Desc
		}
	}
	for _, want := range strings.Fields("j k g G / enter esc l d n x a t y H ? q space u L r c s S D A") {
		if seen[want] == "" {
			t.Errorf("%q is not bound", want)
		}
	}
}

func TestNoticesOfTheConfigurationAreShown(t *testing.T) {
	d := drive(t, scene(), 80, 24, func(o *Options) { o.Notices = []string{"billing can never prove an absence.\x1b[2J"} })
	d.shows("The configuration: billing can never prove an absence.", `\x1b[2J`)
	d.press("W")
	d.shows("What the configuration warns of", "billing can never prove an absence.")
}
