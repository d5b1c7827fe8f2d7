package tui

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"triage/actions"
	"triage/actions/config"
	"triage/actions/verdict"
	"triage/ledger"
)

var sizes = [][2]int{{60, 15}, {80, 24}, {120, 36}, {200, 60}}

// rated is the scene with a lookup that may be made once in ten seconds.
func rated() *fakeDesk {
	desk := scene()
	for i := range desk.items {
		if desk.items[i].LookupOff == "" {
			desk.items[i].Target.Lookup = &config.Lookup{Rate: config.Rate{Count: 6, Per: time.Minute}}
		}
	}
	return desk
}

// confirmed has a sweep of everything confirmed, with its commands kept back.
func confirmed(t *testing.T, desk *fakeDesk, width, height int) *driver {
	t.Helper()
	d := drive(t, desk, width, height)
	d.press("L")
	d.calmly("tab")
	d.hold()
	d.calmly("enter")
	if !d.m.sweep.running {
		t.Fatalf("no sweep was begun:\n%s", d.screen())
	}
	return d
}

// moved tells of one more step.
func (d *driver) moved(step actions.SweepStep) {
	d.t.Helper()
	s := d.m.sweep
	last := newSweepFeed(s.progress.of)
	close(last.moved) // nothing more comes from it
	d.send(sweepMoved{n: s.n, feed: last, progress: s.progress.after(step)})
}

func TestTheSweepDialogCountsWhatItWouldAsk(t *testing.T) {
	for _, size := range sizes {
		d := drive(t, rated(), size[0], size[1])
		d.press("L")
		d.shows("Sweep  5 intents at 2 targets, counted 22:15:00 UTC", "[▶ Cancel ]", "Look up 5 intents ]")
		var read string
		for range 12 { // page through all of it
			read += d.screen()
			d.calmly("pgdown")
		}
		read = strings.Join(strings.Fields(read), " ")
		for _, want := range []string{
			"It reads only", "report-inbox (production)", "4 intents: 1 contradicted and 3 UNKNOWN.",
			"Left out: 1 intent", `billing: no lookup is configured for target "billing": invoice-4712`,
		} {
			if !strings.Contains(read, want) {
				t.Errorf("%v: nowhere does it say %q:\n%s", size, want, read)
			}
		}
		d.calmly("enter")
		d.shows("Sweep: cancelled, nothing was done.")
		didNothing(t, d)
	}
}

func TestTheSweepDialogSaysHowLongItTakes(t *testing.T) {
	desk := rated()
	for i := range 20 {
		item := lost()
		item.Intent.OpKey, item.Target.Lookup = "more-"+string(rune('a'+i)), desk.items[0].Target.Lookup
		desk.items = append(desk.items, item)
	}
	d := drive(t, desk, 120, 36)
	d.press("L")
	d.shows("At 6 requests a minute that takes at least 3 m.") // 24 of them, 6 at once
	for i := range desk.items {
		desk.items[i].Target.Promises.Canary = "probe-1"
	}
	d = drive(t, desk, 120, 36)
	d.press("L")
	d.shows("that takes at least 11 m.") // 72 requests, with the canary before and after
}

func TestMarkedIntentsAloneAreSwept(t *testing.T) {
	desk := scene()
	desk.sweeps.plan = func(r actions.SweepRequest) (actions.SweepPlan, error) {
		if !slices.Equal(r.Keys, []string{"task-A/review-1", "invoice-4712"}) || !r.Since.IsNone() {
			t.Errorf("planned %+v", r)
		}
		return actions.SweepPlan{
			Items:   []actions.SweepItem{{OpKey: "task-A/review-1", Target: "report-inbox", Why: actions.SweepUnknown}},
			Skipped: []actions.SweepSkip{{OpKey: "invoice-4712", Target: "billing", Why: "No lookup is configured."}},
		}, nil
	}
	d := drive(t, desk, 120, 36)
	d.press("j", "space", "j", "j", "j", "space", "L")
	d.shows("Exactly what is marked: 2 intents.", "1 UNKNOWN", "billing: No lookup is configured: invoice-4712", "[  Look up 1 intent ]")
	d.calmly("tab", "enter")
	did(t, d, "sweep task-A/review-1", "asked task-A/review-1")
	theMarks(t, d)
	d.shows("Sweep, done", "Done: 1 of 1 asked.", "1  not conclusive", "Left out: 1 intent")
}

func TestHeldKeysAndPasteNeverBeginASweep(t *testing.T) {
	d := drive(t, scene(), 80, 24)
	d.press("L", "tab", "enter", "enter")
	d.send(tea.PasteMsg{Content: "\t\r\r"})
	for range 40 {
		d.clock.pass(33 * time.Millisecond)
		d.press("enter")
	}
	didNothing(t, d)
	d.calmly("tab")
	d.clock.pass(quietGap)
	d.send(tea.PasteMsg{Content: "\r"})
	for range 40 {
		d.clock.pass(33 * time.Millisecond)
		d.press("enter")
	}
	d.shows("That Enter came too soon after another key to count.")
	didNothing(t, d)
}

func TestASweepIsNotBegunBeforeItIsCounted(t *testing.T) {
	d := drive(t, scene(), 80, 24)
	d.hold()
	d.press("L")
	d.shows("Sweep  counting …")
	d.calmly("tab", "enter")
	d.shows("It is still being counted.")
	d.press("esc", "L")
	d.release() // both answers come in; the first belongs to a dialog that is gone
	d.shows("5 intents at 2 targets")
	desk := scene()
	desk.sweeps.plan = func(actions.SweepRequest) (actions.SweepPlan, error) { return actions.SweepPlan{}, ledger.ErrBusy }
	d = drive(t, desk, 80, 24)
	d.press("L")
	d.shows("not counted", "The ledger is busy")
	d.calmly("tab", "enter")
	d.shows("What it would ask about could not be counted")
	desk.sweeps.plan = func(actions.SweepRequest) (actions.SweepPlan, error) { return actions.SweepPlan{}, nil }
	d.press("esc", "L")
	d.calmly("tab", "enter")
	d.shows("Nothing is left to ask about.", "There is nothing to ask about.")
	didNothing(t, d)
}

func TestProgressTellsWhatItWaitsFor(t *testing.T) {
	for _, size := range sizes {
		d := confirmed(t, scene(), size[0], size[1])
		d.shows("Sweep, under way", "0 of 5 asked.")
		found := contradicted()
		d.moved(actions.SweepStep{
			Item: actions.SweepItem{OpKey: "task-9", Target: "report-inbox", Why: actions.SweepClosed}, Asked: 1, Of: 5,
			Done: actions.Done{Item: found, Text: "Found at report-inbox."},
		})
		d.moved(actions.SweepStep{Asked: 1, Of: 5, WaitingFor: "report-inbox", WaitUntil: in(40*time.Second) + 300})
		d.shows("! 1 decision is contradicted by what was found.", "task-9", "1 of 5 asked", "report-inbox until 22:15:41 UTC, 40 s more")
		d.clock.pass(10 * time.Second)
		d.send(ticked{d.clock.Now()})
		d.shows("30 s more")
		d.press("esc")
		d.shows("Sweep: 1 of 5 asked, ! 1 contradicted", "The sweep goes on. L shows it again.")
		d.calmly("L")
		d.shows("Sweep, under way")
		d.calmly("s")
		d.shows("Sweep, stopping", "the question under way is finished")
		d.release()
		did(t, d, "sweep task-A/review-1 task-B/review-4 task-C/review-2 task-0/review-9 周报/第48期")
		d.shows("Sweep, stopped", "Stopped: 0 of 5 asked.", "L goes on with the rest")
	}
}

func TestAKeyThatCameWithTheConfirmationStopsNothing(t *testing.T) {
	d := confirmed(t, scene(), 80, 24)
	d.press("s", "q")
	if d.m.sweep.stopping || d.quit || d.m.over == nil {
		t.Error("typing ahead was obeyed")
	}
}

func TestTheReportPutsContradictionsFirst(t *testing.T) {
	desk := scene()
	desk.sweeps.find = func(item actions.SweepItem) actions.SweepStep {
		for kind, key := range map[verdict.Kind]string{verdict.Delivered: "task-A/review-1", verdict.WrongOwner: "task-B/review-4", verdict.Absent: "task-C/review-2"} {
			if item.OpKey == key {
				found := lost()
				found.Verdict.Kind = kind
				if kind == verdict.Delivered {
					found.Intent.ContradictedAt = ledger.At(noon)
				}
				return actions.SweepStep{Done: actions.Done{Item: found, Text: "Answered."}}
			}
		}
		return actions.SweepStep{Err: errors.New("disk I/O error")}
	}
	d := drive(t, desk, 120, 36)
	d.press("L")
	d.calmly("tab", "enter")
	d.shows("! 1 decision is contradicted by what was found.", "task-A/review-1", "Done: 5 of 5 asked.",
		"    1  contradicted", "    1  conflicting", "    1  delivered", "    1  proven absent", "    0  refused", "    2  failed")
	screen := d.screen()
	if strings.Index(screen, "task-A/review-1") > strings.Index(screen, "Done: 5 of 5") {
		t.Errorf("the contradiction does not come first:\n%s", screen)
	}
	d.calmly("esc")
	d.hides("Sweep ended", "L shows it") // it was looked at
}

func TestASweepThatEndsUnseenIsTold(t *testing.T) {
	d := confirmed(t, scene(), 80, 24)
	d.press("esc")
	d.calmly("t", "tab")
	d.typed("half a word")
	d.release()
	d.shows("half a word", "▌Note") // the dialog stays as it was
	d.calmly("esc")
	d.shows("Sweep ended: 5 of 5 asked, 5 not conclusive", "L shows it")
	d.calmly("L")
	d.shows("Sweep, done", "Done: 5 of 5 asked.")
	d.calmly("L")
	d.shows("Sweep  5 intents at 2 targets") // and another one
	selected(t, d, "task-0/review-9")
}

func TestASweepThatEndsIsToldAtTheFoot(t *testing.T) {
	d := confirmed(t, scene(), 120, 36)
	d.press("esc")
	d.release()
	d.shows("22:15:00 UTC  The sweep has ended: 5 of 5 asked, 5 not conclusive. L shows the report.")
}

func TestAStoppedSweepGoesOnWithTheRest(t *testing.T) {
	desk := scene()
	var asked []actions.SweepRequest
	desk.sweeps.plan = func(r actions.SweepRequest) (actions.SweepPlan, error) {
		asked = append(asked, r)
		return actions.SweepPlan{At: ledger.At(noon), Items: []actions.SweepItem{{OpKey: "task-A/review-1", Target: "report-inbox", Why: actions.SweepUnknown}}}, nil
	}
	d := confirmed(t, desk, 120, 36)
	d.clock.pass(quietGap)
	d.press("s")
	d.release()
	d.shows("L goes on with the rest: it leaves out what has been asked since 22:15:00 UTC.")
	d.calmly("L")
	d.shows("The rest of the sweep that was stopped", "< The rest: what was not asked since then >")
	d.calmly("tab", "space")
	d.shows("< Everything anew >", "Everything that is contradicted, UNKNOWN")
	d.calmly("space")
	d.shows("The rest of the sweep that was stopped")
	since := []ledger.Millis{0, ledger.At(noon), 0, ledger.At(noon)}
	for i, r := range asked {
		if len(asked) != 4 || r.Since != since[i] {
			t.Errorf("planned %+v, want since %v", asked, since)
		}
	}
	d.calmly("tab", "enter")
	did(t, d, "sweep task-A/review-1", "sweep task-A/review-1", "asked task-A/review-1")
}

func TestMarksThatASweepDidNotGetToComeBack(t *testing.T) {
	desk := scene()
	desk.sweeps.fails = errors.New("disk I/O error")
	d := drive(t, desk, 120, 36)
	d.press("j", "space", "j", "space", "L")
	d.calmly("tab", "enter")
	d.shows("Sweep, broken off", "! It broke off. The disk that holds the ledger reports an error.", "What was not asked, or could not be, is marked again")
	theMarks(t, d, "task-B/review-4")
}

func TestLeavingWhileASweepRunsAsksFirst(t *testing.T) {
	for _, size := range sizes {
		d := confirmed(t, scene(), size[0], size[1])
		d.press("esc", "q")
		d.shows("Leave while a sweep runs", "[▶ Cancel ]", "0 of 5 asked")
		d.calmly("enter")
		if d.quit || d.m.sweep.stopping {
			t.Fatal("cancelling left")
		}
		d.press("q", "tab", "enter", "enter") // typing ahead
		if d.quit {
			t.Fatal("typing ahead left")
		}
		d.calmly("tab")
		d.holding = false
		d.calmly("enter")
		if !d.quit || !d.m.sweep.stopping {
			t.Error("it did not stop the sweep and leave")
		}
		if d.m.asks.work.unhurried.Err() != nil {
			t.Error("other work was told to stop")
		}
	}
}

func TestRowsThatMoveChangeNothingInTheDialog(t *testing.T) {
	d := drive(t, scene(), 120, 36)
	d.press("j", "space", "L")
	d.desk.set(func(f *fakeDesk) {
		f.items[0].Intent.State, f.items[0].Intent.Version = ledger.Delivered, 4
		f.items = append(f.items, crowd(3).items...)
	})
	d.tick(time.Second)
	d.shows("Exactly what is marked: 1 intent.", "[  Look up 1 intent ]")
	d.calmly("tab", "enter")
	did(t, d, "sweep task-A/review-1", "asked task-A/review-1")
}

func TestASweepOfHostileNames(t *testing.T) {
	bad := "\x1b]0;x\a\x1b[2J\u202e\x9b31m" + strings.Repeat("界", 80) + "\r\n"
	for _, size := range sizes {
		desk := scene()
		desk.sweeps.plan = func(actions.SweepRequest) (actions.SweepPlan, error) {
			return actions.SweepPlan{
				Items:   []actions.SweepItem{{OpKey: bad, Target: bad, Why: actions.SweepWhy(bad)}, {OpKey: "b", Target: "b", Why: actions.SweepClosed}},
				Skipped: []actions.SweepSkip{{OpKey: bad, Target: bad, Why: bad}},
			}, nil
		}
		item := hostileItem(bad)
		desk.items = append(desk.items, item)
		second := lost()
		second.Intent.OpKey = "b"
		desk.items = append(desk.items, second)
		d := confirmed(t, desk, size[0], size[1])
		d.checkEscapes(t)
		found := actions.SweepStep{Item: actions.SweepItem{OpKey: bad, Target: bad}, Done: actions.Done{Item: item, Text: bad}, Asked: 1, Of: 2}
		d.moved(found)
		d.checkEscapes(t)
		d.moved(actions.SweepStep{WaitingFor: bad, WaitUntil: in(time.Minute), Asked: 1, Of: 2})
		d.checkEscapes(t)
		d.press("esc")
		d.checkEscapes(t)
		d.release()
		d.checkEscapes(t)
		d.calmly("L")
		d.shows("Done: 2 of 2 asked.")
		d.checkEscapes(t)
	}
}

func (d *driver) checkEscapes(t *testing.T) {
	t.Helper()
	d.screen()
	if !utf8.ValidString(d.m.View().Content) { // a lone 0x9b begins a sequence on some terminals
		t.Errorf("a byte that is no text got onto the screen")
	}
	for _, raw := range []string{"\a", "\x1b[2J", "\u202e", "\u009b", "\r", "\ufffd"} {
		if strings.Contains(d.m.View().Content, raw) {
			t.Errorf("%q got onto the screen", raw)
		}
	}
}
