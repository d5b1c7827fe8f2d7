package tui

import (
	"strings"
	"testing"
	"time"

	"triage/actions"
)

// heldFor40 is the scene in which report-inbox asked to be left alone for 40 s.
func heldFor40() *fakeDesk {
	desk := scene()
	for i := range desk.items {
		if desk.items[i].Target.Name == "report-inbox" {
			desk.items[i].HeldUntil = in(40*time.Second) + 250
		}
	}
	return desk
}

// flat is the screen without its line ends.
func flat(d *driver) string {
	d.t.Helper()
	return strings.Join(strings.Fields(d.screen()), " ")
}

func TestAReceiverThatWantsToBeLeftAloneIsNotAsked(t *testing.T) {
	for _, size := range sizes {
		d := drive(t, heldFor40(), size[0], size[1])
		d.press("j")
		d.shows("l look up in 41 s")
		for range 3 {
			d.press("l") // pressing again changes nothing
			says(t, flat(d), "report-inbox asked to be left alone until 22:15:41 UTC, 41 s more")
		}
		d.tick(10 * time.Second)
		says(t, flat(d), "report-inbox asked to be left alone until 22:15:41 UTC, 31 s more", "l look up in 31 s")
		if size[0] >= 200 { // beside the queue, in one line
			d.shows("l look up (off: report-inbox asked to be left alone until 22:15:41 UTC, 31 s more)")
		}
		didNothing(t, d)
		d.clock.pass(30 * time.Second)
		d.send(ticked{d.clock.Now()})
		says(t, flat(d), "22:15:41 UTC, 1 s more")
		d.press("l")
		didNothing(t, d)
		d.clock.pass(250 * time.Millisecond) // at the instant it may be asked
		d.send(ticked{d.clock.Now()})
		d.shows("l: look up is on again.")
		d.hides("look up in")
		d.press("l")
		did(t, d, "lookup task-A/review-1")
	}
}

func TestOtherReceiversAreAskedMeanwhile(t *testing.T) {
	desk := heldFor40()
	d := drive(t, desk, 80, 24)
	d.press("G", "l")
	did(t, d, "lookup 周报/第48期")
}

// What a lookup learns of a wait counts from its answer on.
func TestAWaitThatALookupBringsIsTold(t *testing.T) {
	desk := scene()
	d := drive(t, desk, 120, 36)
	desk.answers["lookup"] = func(string) (actions.Done, error) {
		desk.set(func(f *fakeDesk) { f.items[0].HeldUntil = in(90 * time.Second) })
		return actions.Done{Text: "The lookup failed (http_429)."}, nil
	}
	d.press("j", "l")
	d.shows("The lookup failed (http_429).", "l look up in 1 m 30 s")
	d.press("l")
	d.shows("l: look up is off: report-inbox asked to be left alone until 22:16:30 UTC, 1 m 30 s more")
	did(t, d, "lookup task-A/review-1")
}

func TestTheSweepDialogTellsOfAWait(t *testing.T) {
	d := drive(t, heldFor40(), 120, 36)
	d.press("L")
	says(t, flat(d), "It asked to be left alone until 22:15:41 UTC: the sweep waits.")
}
