package tui

import (
	"slices"
	"testing"
	"time"

	"triage/actions"
	"triage/ledger"
)

// gated is the scene with sweeps that put a question only when they are told to.
func gated() *fakeDesk {
	desk := scene()
	desk.sweeps.gate = make(chan struct{})
	return desk
}

func begin(t *testing.T, desk *fakeDesk, width, height int) stage {
	t.Helper()
	s := start(t, desk, width, height)
	s.WaitFor("1 of 6")
	s.Press("L")
	s.WaitFor("counted 22:15:00 UTC")
	s.Paste("\t\r\r")
	s.WaitFor("That paste came before you could have read this")
	s.calmly("tab", "[▶ Look up 5 intents ]")
	s.Press("enter", "enter") // right after it
	s.WaitFor("That Enter came too soon after another key to count.")
	if acts := desk.acts(); len(acts) > 0 {
		t.Fatalf("the desk was asked to %q", acts)
	}
	s.calmly("enter", "Sweep, under way")
	return s
}

// A whole sweep: it is confirmed, left alone, met again while other work goes on, and
// its end is told with the contradiction first.
func TestAWholeSweep(t *testing.T) {
	desk := gated()
	desk.sweeps.find = func(item actions.SweepItem) actions.SweepStep {
		found := lost()
		found.Intent.OpKey = item.OpKey
		if item.OpKey == "task-B/review-4" {
			found.Intent.ContradictedAt = ledger.At(noon)
		}
		return actions.SweepStep{Done: actions.Done{Item: found, Text: "Answered."}}
	}
	desk.sweeps.waits = func(asked int) (string, ledger.Millis) {
		if asked == 2 {
			return "report-inbox", in(20 * time.Minute)
		}
		return "", 0
	}
	s := begin(t, desk, 80, 24)
	s.WaitFor("0 of 5 asked")
	desk.sweeps.gate <- struct{}{}
	s.WaitFor("1 of 5 asked")
	desk.sweeps.gate <- struct{}{}
	s.WaitFor("! 1 decision is contradicted by what was found.")
	s.WaitFor("Waiting for report-inbox until 22:35:00 UTC")
	s.Press("esc")
	s.WaitFor("Sweep: 2 of 5 asked, ! 1 contradicted, waiting for report-inbox")
	s.Press("j")
	s.WaitFor("2 of 6")
	s.Press("t")
	s.WaitFor("[▶ Cancel ]")
	for range 3 {
		desk.sweeps.gate <- struct{}{}
	}
	s.WaitFor("Sweep ended: 5 of 5 asked, 1 contradicted") // over the dialog, which stays
	s.WaitFor("Write the note")
	s.Press("esc")
	s.WaitGone("Write the note")
	s.calmly("L", "Sweep, done")
	s.WaitFor("task-B/review-4")
	want := []string{"sweep task-A/review-1 task-B/review-4 task-C/review-2 task-0/review-9 周报/第48期"}
	for _, key := range []string{"task-A/review-1", "task-B/review-4", "task-C/review-2", "task-0/review-9", "周报/第48期"} {
		want = append(want, "asked "+key)
	}
	if got := desk.acts(); !slices.Equal(got, want) {
		t.Errorf("the desk was asked to\n%q, want\n%q", got, want)
	}
}

// Leaving stops the sweep: it asks nothing more, and what it had asked is on record.
func TestLeavingStopsTheSweep(t *testing.T) {
	for name, leave := range map[string]func(stage){
		"q": func(s stage) {
			s.Press("esc")
			s.WaitFor("The sweep goes on.")
			s.Press("q")
			s.WaitFor("Leave while a sweep runs")
			s.calmly("tab", "[▶ Stop it and leave ]")
			s.clock.pass(quietGap)
			s.Press("enter")
		},
		"ctrl+c": func(s stage) { s.Press("ctrl+c") },
	} {
		t.Run(name, func(t *testing.T) {
			desk := gated()
			s := begin(t, desk, 80, 24)
			desk.sweeps.gate <- struct{}{}
			s.WaitFor("1 of 5 asked")
			leave(s)
			if err := s.Ended(); err != nil {
				t.Error(err)
			}
			if got := desk.acts(); len(got) != 2 || got[1] != "asked task-A/review-1" {
				t.Errorf("the desk was asked to %q", got)
			}
		})
	}
}

// The question under way is finished and recorded before the program ends.
func TestLeavingWaitsForTheQuestionUnderWay(t *testing.T) {
	desk, answer := scene(), make(chan struct{})
	desk.sweeps.find = func(actions.SweepItem) actions.SweepStep {
		<-answer
		return actions.SweepStep{Done: actions.Done{Text: "Answered."}}
	}
	s := begin(t, desk, 80, 24)
	s.Press("ctrl+c")
	s.WaitFor("Waiting for the question that the sweep is asking to finish")
	close(answer)
	s.WaitFor("Done.")
	if err := s.Ended(); err != nil {
		t.Error(err)
	}
	if got := desk.acts(); len(got) != 2 || got[1] != "asked task-A/review-1" {
		t.Errorf("the desk was asked to %q", got)
	}
}
