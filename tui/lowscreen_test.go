package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"triage/actions"
	"triage/ledger"
)

// On the smallest screen every step of every dialog shows its buttons, the field
// that has the focus, what just happened, and the phrase that is to be typed.
func TestDialogsOnTheSmallestScreen(t *testing.T) {
	next := []string{"tab", "enter"}
	for _, c := range []struct {
		name  string
		row   int
		keys  []string
		shows []string // always in sight
	}{
		{"deliver", 1, []string{"d"}, []string{"[  Mark delivered ]"}},
		{"deliver against a proof", 3, []string{"d"}, []string{"! This contradicts a proof", "[  Mark delivered ]"}},
		{"close", 3, []string{"x"}, []string{"[  Close ]"}},
		{"retry", 3, []string{"r"}, []string{"[  Allow one more attempt ]"}},
		{"abandon", 4, []string{"a"}, []string{"[  Abandon ]"}},
		{"set aside", 2, []string{"S"}, []string{"[  Set aside ]"}},
		{"dispute", 0, []string{"D"}, []string{"[  Dispute ]"}},
		{"acknowledge", 0, []string{"A"}, []string{"[  Acknowledge ]"}},
		{"note", 1, []string{"t"}, []string{"[  Write the note ]"}},
		{"new 1", 1, []string{"n"}, []string{"step 1 of 3", "[  Go on ]"}},
		{"new 2", 1, append([]string{"n"}, next...), []string{"step 2 of 3", "[  Go on ]"}},
		{"new 3", 1, append(append([]string{"n"}, next...), next...), []string{"step 3 of 3", "[  Make the new intent ]", phrase}},
		{"new 3, free", 3, append(append([]string{"n"}, next...), next...), []string{"step 3 of 3", "[  Make the new intent ]"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := drive(t, scene(), 60, 15)
			d.press(strings.Split(strings.Repeat("j", c.row), "")...)
			d.calmly(c.keys...)
			f := d.m.over.(*form)
			d.shows(append(c.shows, "[▶ Cancel ]", "Cancel has the focus.")...)
			for i := range f.fields {
				d.calmly("tab")
				label := "▌" + f.fields[i].label
				first, _, _ := strings.Cut(f.fields[i].help, " ")
				d.shows(append(c.shows, label, first)...)
				if y := d.m.View().Cursor; y == nil || !strings.Contains(strings.Split(d.screen(), "\n")[y.Y], label) {
					t.Errorf("the cursor stands at %v, not beside %q:\n%s", y, label, d.screen())
				}
			}
			if text := f.body(d.m, 58); len(text) > f.page {
				d.shows("… more below")
			}
			d.calmly("tab", "enter") // something is missing, or it goes on
			if d.m.over == f && f.hint != "" {
				d.shows("[▶ " + f.confirm)
			}
		})
	}
}

// With the line that says it is stale too, and with what went wrong.
func TestALowDialogShowsWhatWentWrong(t *testing.T) {
	desk := scene()
	desk.answers["note"] = func(string) (actions.Done, error) {
		return actions.Done{}, &actions.Refusal{Kind: actions.Changed, Code: "claimed", What: "carol is working on it.", Means: "Nothing was done.", Do: "Talk to her."}
	}
	d := drive(t, desk, 60, 15)
	d.press("j")
	d.calmly("t", "tab")
	d.typed("a word")
	d.calmly("tab", "enter")
	d.shows("Refused. carol is working on it.", "[▶ Cancel ]", "a word")
	desk.set(func(f *fakeDesk) { f.trouble = ledger.ErrBusy })
	d.tick(time.Second)
	d.shows("! STALE", "Refused. carol is working on it.", "[▶ Cancel ]", "a word")
}

// A dialog that does not fit is not shown in part, and nothing can be confirmed in
// it.
func TestADialogThatDoesNotFitSaysSo(t *testing.T) {
	desk := scene()
	desk.items[0].Target.DuplicateMeans = strings.Repeat("the customer gets the weekly report twice and ", 9) + "that is all"
	d := drive(t, desk, 80, 24)
	d.press("j")
	d.calmly("n", "tab", "enter", "tab", "enter", "tab")
	d.typed("needed")
	d.shows("that is all", "needed")
	d.send(tea.WindowSizeMsg{Width: 60, Height: 15})
	d.shows("This window is too low to show this dialog whole", "leave with esc")
	d.hides("Cancel ]")
	d.calmly("tab", "x", "tab", "enter")
	didNothing(t, d)
	d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	d.shows("needed", "▌Reason")
	d.send(tea.WindowSizeMsg{Width: 60, Height: 15})
	d.press("esc")
	d.shows("New intent: cancelled, nothing was done.")
}

func TestQLeavesATooSmallScreenWithADialogOpen(t *testing.T) {
	d := opened(t, "t")
	d.send(tea.WindowSizeMsg{Width: 40, Height: 10})
	d.shows("or q leaves")
	d.press("q")
	if !d.quit {
		t.Error("q did not leave")
	}
}

// The footer never shows a letter without its name, at any width and verdict.
func TestTheFooterNamesItsKeys(t *testing.T) {
	for width := 60; width <= 121; width++ {
		for row := range 6 {
			d := drive(t, scene(), width, 24)
			for range row {
				d.press("j")
			}
			lines := strings.Split(strings.TrimRight(d.screen(), "\n"), "\n")
			foot := lines[len(lines)-1]
			if !strings.HasSuffix(foot, "? help") && !strings.HasSuffix(foot, "q leave") {
				t.Errorf("width %d, row %d: help is gone from %q", width, row, foot)
			}
			words := strings.Fields(strings.NewReplacer("safe:", "", "by hand:", "", "risk:", "").Replace(foot))
			for i, w := range words {
				if len(w) == 1 && w != "?" && (i+1 == len(words) || len(words[i+1]) == 1) {
					t.Errorf("width %d, row %d: %q stands without a name in %q", width, row, w, foot)
				}
			}
		}
	}
	d := drive(t, scene(), 60, 15)
	d.press("j")
	d.shows("safe: l look up  t note  risk: n new") // what can do no harm stays longest
	d.press("j", "j")
	d.shows("safe: l look up  n new  r retry  x close  t note")
}
