package tui

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"triage/actions"
	"triage/ledger"
)

var rewriteGolden = flag.Bool("golden", false, "rewrite tui's testdata/*.golden from what is shown")

func golden(t *testing.T, got string) {
	t.Helper()
	path := filepath.Join("testdata", strings.ReplaceAll(strings.TrimPrefix(t.Name(), "TestGolden/"), "/", "_")+".golden")
	if *rewriteGolden {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (go test ./tui -golden rewrites it).\ngot:\n%s\nwant:\n%s", path, got, want)
	}
}

func TestGolden(t *testing.T) {
	down := func(n int) []string { return strings.Split(strings.Repeat("j", n), "") }
	to := func(n int, keys ...string) func(*driver) {
		return func(d *driver) { d.press(down(n)...); d.calmly(keys...) }
	}
	// The scene's order: contradicted, then by age: lost, conflict, absent, stuck, claimed.
	for _, c := range []struct {
		name          string
		width, height int
		do            func(*driver)
	}{
		{"contradicted-80", 80, 24, to(0)},
		{"lost-80", 80, 24, to(1)},
		{"lost-120", 120, 40, to(1)},
		{"lost-200", 200, 60, to(1)},
		{"lost-opened-80", 80, 24, to(1, "enter")},
		{"lost-opened-end-80", 80, 24, to(1, "enter", "G")},
		{"lost-journal-80", 80, 24, to(1, "enter", "H")},
		{"conflict-120", 120, 40, to(2)},
		{"absent-120", 120, 40, to(3)},
		{"stuck-120", 120, 40, to(4)},
		{"claimed-80", 80, 24, to(5)},
		{"narrow-60x15", 60, 15, to(1)},
		{"narrow-opened-60x15", 60, 15, to(1, "enter")},
		{"too-small", 40, 10, to(0)},
		{"help-80", 80, 24, to(1, "?")},
		{"help-120", 120, 60, to(1, "?")},
		{"key-off-80", 80, 24, to(2, "d")},
		{"later-key-off-80", 80, 24, to(0, "s")},
		{"deliver-80", 80, 24, to(1, "d")},
		{"deliver-120", 120, 40, to(1, "d")},
		{"close-80", 80, 24, to(3, "x")},
		{"abandon-80", 80, 24, to(4, "a")},
		{"set-aside-80", 80, 24, to(2, "S")},
		{"dispute-80", 80, 24, to(0, "D")},
		{"acknowledge-80", 80, 24, to(0, "A")},
		{"marks-80", 80, 24, to(1, "space", "j", "space")},
		{"marks-60x15", 60, 15, to(1, "space", "j", "space")},
		{"sweep-80", 80, 24, to(0, "L")},
		{"sweep-120", 120, 36, to(0, "L")},
		{"sweep-60x15", 60, 15, to(0, "L")},
		{"sweep-marked-200", 200, 60, to(1, "space", "j", "j", "j", "space", "L")},
		{"swept-80", 80, 24, to(0, "L", "tab", "enter")},
		{"note-80", 80, 24, to(1, "t")},
		{"new-1-80", 80, 24, to(1, "n")},
		{"new-2-80", 80, 24, to(1, "n", "tab", "enter")},
		{"new-3-80", 80, 24, to(1, "n", "tab", "enter", "tab", "enter")},
		{"new-3-free-200", 200, 60, to(3, "n", "tab", "enter", "tab", "enter")},
		{"copy-80", 80, 24, to(1, "y")},
		{"copied-80", 80, 24, to(1, "y", "h")},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := drive(t, scene(), c.width, c.height)
			c.do(d)
			golden(t, d.screen())
		})
	}
}

func TestGoldenEmpty(t *testing.T) {
	d := drive(t, crowd(0), 80, 24)
	golden(t, d.screen())
}

func TestGoldenDenied(t *testing.T) {
	desk := scene()
	d := drive(t, desk, 80, 24)
	d.press("j")
	desk.set(func(f *fakeDesk) { f.allow = revoked().allow }) // only now
	d.calmly("n", "tab", "enter", "tab", "enter")
	golden(t, d.screen())
}

func TestGoldenRefused(t *testing.T) {
	desk := scene()
	desk.answers["deliver"] = func(string) (actions.Done, error) {
		return actions.Done{}, &actions.Refusal{
			Kind: actions.Denied, Code: "receipt_held", What: "Receipt rcpt_7 is held by task-Z of the same target.",
			Means: "Whether this intent was delivered is as open as before.", Do: "Look at task-Z, then ask the receiver which of the two it is.",
		}
	}
	d := drive(t, desk, 80, 24)
	d.press("j")
	d.calmly("d", "tab")
	d.typed("rcpt_7")
	d.calmly("tab")
	d.typed("seen in the console")
	d.calmly("tab", "tab", "enter")
	golden(t, d.screen())
}

func TestGoldenMoved(t *testing.T) {
	desk := scene()
	d := drive(t, desk, 80, 24)
	d.press("j")
	d.calmly("d")
	desk.set(func(f *fakeDesk) {
		f.items[0].Intent.State, f.items[0].Intent.Version, f.items[0].Intent.UpdatedBy = ledger.Delivered, 4, "agent-1"
	})
	d.tick(time.Second)
	golden(t, d.screen())
}

func TestGoldenStale(t *testing.T) {
	desk := scene()
	d := drive(t, desk, 80, 24)
	desk.set(func(f *fakeDesk) { f.trouble = errors.New("the ledger is busy: database is locked") })
	d.tick(time.Second)
	d.tick(42 * time.Second)
	golden(t, d.screen())
}

func TestGoldenHostile(t *testing.T) {
	desk := scene()
	desk.items = []actions.Item{hostileItem("\x1b[2J\u202e\x9b31m" + strings.Repeat("界", 120) + "\r\n")}
	d := drive(t, desk, 80, 24)
	golden(t, d.screen())
}
