package tui

import (
	"errors"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"triage/actions"
	"triage/actions/verdict"
	"triage/ledger"
)

const mayTry = "A sender may try once more. Nothing was sent yet."

// retried is a screen on which a retry was allowed, with its message at the foot.
func retried(t *testing.T) *driver {
	t.Helper()
	desk := scene()
	desk.answers["retry"] = func(string) (actions.Done, error) { return actions.Done{Item: desk.items[2], Text: mayTry}, nil }
	d := drive(t, desk, 120, 36)
	d.press("j", "j", "j")
	d.decided("r", "needed")
	d.shows(mayTry)
	d.tick(time.Second)
	d.shows(mayTry)
	return d
}

// delivers lets a sender deliver what was allowed to be tried again.
func (d *driver) delivers(later time.Duration) {
	d.clock.pass(later)
	at := ledger.At(d.clock.Now())
	d.desk.set(func(f *fakeDesk) {
		item := &f.items[2]
		item.Now, item.Intent.State, item.Intent.Version, item.Intent.UpdatedBy = at, ledger.Delivered, 5, "sender-3"
		item.Verdict = verdict.Verdict{Kind: verdict.Delivered, Standing: verdict.Standing{State: ledger.Delivered}}
		f.written = true
	})
	d.tick(0)
}

const news = "task-C/review-2: changed since “retry same key” at 22:15:00 UTC. It is DELIVERED now, last written by"

func TestAMessageGoesWhenItsIntentChanges(t *testing.T) {
	d := retried(t)
	d.delivers(time.Minute)
	d.shows(news)
	d.hides(mayTry)
	d.press("esc")
	d.hides("changed since")
}

// Also while another intent is selected, and though a delivered one leaves the list.
func TestAMessageGoesThoughAnotherIntentIsSelected(t *testing.T) {
	d := retried(t)
	d.press("g")
	d.shows(mayTry)
	d.delivers(time.Minute)
	d.shows(news)
	d.hides(mayTry)
}

// A reading that began before the act was done knows nothing of it.
func TestAnOlderReadingLeavesTheMessage(t *testing.T) {
	d := retried(t)
	d.shows(mayTry)
	old := d.desk.items[2]
	old.Now, old.Intent.Version, old.Verdict.Kind = ago(time.Second), 2, verdict.NeverLookedUp
	d.m.outdate(old)
	d.shows(mayTry)
}

// What failed is named as past too.
func TestATroubleGoesWhenItsIntentChanges(t *testing.T) {
	desk := scene()
	desk.answers["lookup"] = func(string) (actions.Done, error) {
		return actions.Done{}, &actions.Refusal{Kind: actions.Failed, Code: "busy", What: "The ledger is busy.", Do: "Look up again."}
	}
	d := drive(t, desk, 120, 36)
	d.press("j", "j", "j", "l")
	d.shows("look up did not happen. The ledger is busy.")
	d.clock.pass(time.Second)
	desk.set(func(f *fakeDesk) { f.items[2].Now, f.written = ledger.At(d.clock.Now()), true })
	d.tick(0)
	d.shows("look up did not happen. The ledger is busy.")
	d.delivers(time.Minute)
	d.shows("changed since “look up” did not happen at 22:15:00 UTC. It is DELIVERED now")
	d.hides("The ledger is busy")
}

// The environment outlives the path, and the target's name gives way before it.
func TestTheEnvironmentIsTheLastToGo(t *testing.T) {
	for _, c := range []struct {
		target, path string
		readOnly     bool
		want         string
	}{
		{"report-inbox", "/srv/agents/of/the/night/shift/ledger.db", false, "triage  /srv/agent…/ledger.db report-inbox: production  live"},
		{"report-inbox", "/srv/agents/of/the/night/shift/ledger.db", true, "triage  /srv/a…er.db  READ-ONLY repor…nbox: production  live"},
		{"a-target-with-a-name-that-takes-the-whole-line-of-a-screen", "/srv/ledger.db", false, "triage  /srv/l…er.db a-target-w…f-a-screen: production  live"},
	} {
		desk := scene()
		desk.items[0].Target.Name = c.target
		d := drive(t, desk, 60, 15, func(o *Options) { o.LedgerName, o.ReadOnly = c.path, c.readOnly })
		d.press("j")
		d.shows(c.want)
		desk.set(func(f *fakeDesk) { f.trouble = ledger.ErrBusy })
		d.tick(time.Second)
		d.shows(": production  ! STALE")
	}
}

func TestTheLowestDialogNamesItsTarget(t *testing.T) {
	d := drive(t, scene(), 60, 15)
	d.press("j", "t")
	d.shows("─ Note  at report-inbox (production) ─", "task-A/review-1")
}

// An unbracketed paste with a tab in it ends on the confirming button.
func TestTypingIntoAButtonSaysSo(t *testing.T) {
	d := drive(t, scene(), 60, 15)
	d.press("j", "t")
	d.calmly("x")
	d.shows("Cancel has the focus: that key was typed into nothing. tab", "goes to the fields.")
	d.calmly("tab")
	d.typed("first")
	d.send(tea.KeyPressMsg{Code: tea.KeyTab})
	d.typed("second")
	d.shows("first", "[▶ Write the note ]", "“Write the note” has the focus: what came after the last", "was typed into nothing", "shift+tab goes back")
	d.hides("second", "Cancel has the focus")
	d.send(tea.KeyPressMsg{Code: tea.KeyEnter})
	d.shows("That Enter came too soon")
	didNothing(t, d)
}

// Opposite things have not the same word, once the verdict is known.
func TestRowsSayWhatTheAnswerComesTo(t *testing.T) {
	d := drive(t, scene(), 60, 15)
	for range 4 { // whichever of them is selected
		d.shows("other content, 1 try", "proven absent, 1 try", "no lookup, 1 try")
		d.hides("unproven find")
		d.hides("not found")
		d.press("j")
	}
}

// A row whose verdict can't be read, or not yet, says only what was answered.
func TestARowThatCannotBeJudgedSaysTheBareAnswer(t *testing.T) {
	desk := scene()
	desk.itemErr = errors.New("disk gone")
	d := drive(t, desk, 60, 15)
	d.shows("unproven find, 1 try", "not found, 1 try")
	d.hides("proven absent")
	desk.itemErr = nil
	d.tick(time.Minute)
	d.shows("proven absent, 1 try")
}
