package tui

import (
	"errors"
	"slices"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"triage/actions"
	"triage/actions/verdict"
	"triage/ledger"
)

func didNothing(t *testing.T, d *driver) {
	t.Helper()
	if acts := d.desk.acts(); len(acts) > 0 {
		t.Errorf("the desk was asked to %q", acts)
	}
}

func did(t *testing.T, d *driver, want ...string) {
	t.Helper()
	if got := d.desk.acts(); !slices.Equal(got, want) {
		t.Errorf("the desk was asked to\n%q, want\n%q", got, want)
	}
}

// opened is the common case with a dialog open.
func opened(t *testing.T, key string) *driver {
	t.Helper()
	d := drive(t, scene(), 80, 24)
	d.press("j")
	d.press(key)
	if d.m.over == nil {
		t.Fatalf("%s opened nothing:\n%s", key, d.screen())
	}
	return d
}

func TestCancelHasTheFocus(t *testing.T) {
	for _, key := range []string{"d", "n", "t"} {
		d := opened(t, key)
		d.shows("[▶ Cancel ]")
		d.calmly("enter")
		d.shows("cancelled, nothing was done")
		didNothing(t, d)
	}
}

func TestADialogIsDeafUntilInputRests(t *testing.T) {
	d := opened(t, "t")
	d.press("tab", "x", "y", "tab", "enter", "enter")
	d.shows("Note", "Keys count once you pause for a moment.", "[▶ Cancel ]")
	if f := d.m.over.(*form); f.focus != 0 || f.fields[0].value() != "" {
		t.Errorf("typing ahead was obeyed: focus %d, text %q", f.focus, f.fields[0].value())
	}
	d.calmly("tab")
	d.typed("checked by phone")
	d.shows("checked by phone")
	didNothing(t, d)
}

func TestHeldKeysNeverConfirm(t *testing.T) {
	d := opened(t, "t")
	d.calmly("tab")
	d.typed("checked")
	d.calmly("tab") // on the confirming button
	for range 50 {
		d.clock.pass(33 * time.Millisecond)
		d.press("enter")
	}
	didNothing(t, d)
	d.shows("That Enter came too soon after another key to count. Press it again.")
	d.calmly("enter")
	did(t, d, "note task-A/review-1 reason=checked")
}

func TestRepeatedEnterWalksOntoNoButton(t *testing.T) {
	d := opened(t, "d")
	d.calmly("tab", "enter", "enter", "enter", "enter", "enter")
	if f := d.m.over.(*form); f.focused() == nil || f.focused().label != "Evidence" {
		t.Errorf("Enter left the fields, focus %d", f.focus)
	}
	d.shows("Enter confirms nothing here: tab goes to “Mark delivered”.")
	didNothing(t, d)
}

func TestAPasteNeverConfirms(t *testing.T) {
	d := opened(t, "t")
	paste := func(s string) { d.clock.pass(quietGap); d.send(tea.PasteMsg{Content: s}) }
	paste("\t\t\r\n")
	d.shows("That paste went nowhere: tab to a field first.")
	d.calmly("tab")
	paste("  seen\rin\r\nthe console\u202e \n")
	d.shows("seen in the console", "Pasted; space around it was cut off, line ends became spaces and invisible")
	d.calmly("tab", "shift+tab")
	paste("\r\n\u202e")
	d.shows("Nothing was pasted")
	d.calmly("tab")
	paste("\r")
	d.shows("[▶ Write the note ]")
	didNothing(t, d)
	d.calmly("enter")
	did(t, d, "note task-A/review-1 reason=seen in the console")
}

func TestAPasteBeforeOneCouldReadIsDropped(t *testing.T) {
	d := opened(t, "t")
	d.send(tea.PasteMsg{Content: "too early"})
	d.shows("was dropped")
	d.hides("too early")
}

func TestMarkDelivered(t *testing.T) {
	d := opened(t, "d")
	d.calmly("shift+tab", "enter")
	d.shows("A receipt is needed: the receiver's own id for what it did.")
	didNothing(t, d)
	d.calmly("tab", "tab")
	d.typed(" rcpt_7 ")
	d.calmly("tab", "tab")
	d.typed("console, order 12")
	d.calmly("tab", "enter")
	d.shows("A reason is needed")
	d.calmly("shift+tab", "shift+tab")
	d.typed("seen there")
	d.calmly("tab", "tab", "enter")
	did(t, d, "deliver task-A/review-1 receipt=rcpt_7 reason=seen there evidence=console, order 12")
	d.shows("task-A/review-1: Done: deliver.")
}

func TestTheReceiptInEvidenceIsFilledIn(t *testing.T) {
	for receipt, want := range map[string]string{"rcpt_9": "rcpt_9", "rcpt\u202e9": ""} {
		desk := scene()
		desk.items[0].Verdict.Receipt = receipt
		d := drive(t, desk, 120, 40)
		d.press("j", "d")
		if got := d.m.over.(*form).fields[0].value(); got != want {
			t.Errorf("%q was filled in for %+q, want %q", got, receipt, want)
		}
	}
}

func TestClose(t *testing.T) {
	d := drive(t, scene(), 80, 24)
	d.press("j", "j", "j", "x")
	d.calmly("tab")
	d.typed("not wanted any more")
	d.calmly("tab", "enter")
	did(t, d, "close task-C/review-2 reason=not wanted any more")
}

func TestAbandon(t *testing.T) {
	d := drive(t, scene(), 80, 24)
	d.press("j", "j", "j", "j", "a")
	d.shows("Killed: the attempt counts as ended now", "Not known: the attempt never counts as ended, since no attempt_timeout is", "How you know *")
	d.calmly("tab", "tab")
	d.typed("host worker-3 is off")
	d.calmly("tab", "enter")
	d.shows("Choose which it is: the sender was killed, or that is not known.")
	didNothing(t, d)
	d.calmly("shift+tab", "shift+tab", "space")
	d.shows("< The sender was killed (say how below) >")
	d.calmly("tab", "tab", "enter")
	did(t, d, "abandon invoice-4712 reason=host worker-3 is off killed=true")
}

func TestAbandonWithoutKnowingTheSender(t *testing.T) {
	desk := scene()
	timeout := 30 * time.Minute
	desk.items[3].Target.Promises.AttemptTimeout = &timeout
	d := drive(t, desk, 80, 24)
	d.press("j", "j", "j", "j", "a")
	d.shows("at its start +", "22:33:00 UTC") // begun at 22:03
	d.calmly("tab", "left")
	d.shows("< I don't know what became of it >")
	d.send(tea.PasteMsg{Content: "killed"})
	d.shows("Pasting is off here")
	d.calmly("tab")
	d.typed("nobody answers")
	d.calmly("tab", "enter")
	did(t, d, "abandon invoice-4712 reason=nobody answers killed=false")
}

// Where it is proven absent, the statement takes the proof away.
func TestAbandonSaysThatAProofIsTakenAway(t *testing.T) {
	desk := scene()
	d := drive(t, desk, 80, 40)
	d.press("j", "j", "j", "j", "a")
	d.hides("takes that proof away")
	d.press("esc")
	desk.items[3].Verdict.Kind = verdict.Absent
	d = drive(t, desk, 80, 40)
	d.press("j", "j", "j", "j", "a")
	d.shows("“Killed” takes that proof away")
}

// An attempt that was abandoned without the statement can get it later.
func TestTheStatementThatTheSenderWasKilledIsAddedLater(t *testing.T) {
	desk := scene()
	desk.items[3].Decisions = []ledger.Decision{{
		DecisionID: "dec-7", Seq: 40, Kind: ledger.AbandonAttempt, Reason: "nobody answers", Facts: `{"attempt_id":"att-9","sender_killed":false}`,
	}}
	d := drive(t, desk, 80, 24)
	d.press("j", "j", "j", "j", "a")
	d.shows("was abandoned before, without the statement", "can be added now")
	d.calmly("tab", "left", "tab")
	d.typed("still no word")
	d.calmly("tab", "enter")
	d.shows("That it is not known is on record already")
	didNothing(t, d)
	d.calmly("shift+tab", "shift+tab", "space", "tab", "tab", "enter")
	did(t, d, "abandon invoice-4712 reason=still no word killed=true")
}

func TestRetryUnderTheSameKey(t *testing.T) {
	d := drive(t, scene(), 80, 24)
	d.press("j", "j", "j", "r")
	d.shows("One more attempt under the same key is allowed until 2026-12-01 21:12:00 UTC", "nothing is sent from here.")
	d.calmly("tab")
	d.typed("the customer waits")
	d.calmly("tab", "enter")
	did(t, d, "retry task-C/review-2 reason=the customer waits")
}

func TestMarkingDeliveredAgainstAProofWarnsFirst(t *testing.T) {
	d := drive(t, scene(), 80, 24)
	d.press("j", "j", "j", "d")
	d.shows("! This contradicts a proof: Proven absent: it was not delivered.")
	d = opened(t, "d")
	d.hides("contradicts a proof")
}

const phrase = "I accept that the customer gets the weekly report twice"

func TestNewIntentAtRiskWantsThePhraseTyped(t *testing.T) {
	d := opened(t, "n")
	d.shows("step 1 of 3", "the customer gets the weekly report twice", "Absence is not proven")
	d.calmly("tab", "enter")
	d.shows("step 2 of 3", "grant-17, given by release-desk", "[▶ Cancel ]")
	d.calmly("tab", "enter")
	d.shows("step 3 of 3", phrase, "[▶ Cancel ]")
	d.calmly("tab")
	d.typed("the customer waits")
	d.calmly("tab")
	d.send(tea.PasteMsg{Content: phrase})
	d.shows("Pasting is off here: this consent wants to be typed.")
	d.typed("I accept everything")
	d.calmly("tab", "enter")
	d.shows("What you typed is not the phrase as it is shown above.")
	didNothing(t, d)
	d.calmly("shift+tab")
	d.press("ctrl+u")
	d.typed(phrase)
	d.calmly("tab", "enter")
	did(t, d, "reissue task-A/review-1 reason=the customer waits accept="+phrase)
}

func TestNewIntentIsFreeWhereAbsenceIsProven(t *testing.T) {
	d := drive(t, scene(), 80, 24)
	d.press("j", "j", "j", "n")
	d.calmly("tab", "enter", "tab", "enter")
	d.hides("types this phrase")
	d.calmly("tab")
	d.typed("still wanted")
	d.calmly("tab", "enter")
	did(t, d, "reissue task-C/review-2 reason=still wanted accept=")
}

func TestNewIntentLearnsThePhraseFromARefusal(t *testing.T) {
	desk := scene()
	desk.answers["reissue"] = func(string) (actions.Done, error) {
		return actions.Done{}, &actions.Refusal{Code: "consent_required", What: "Nothing is proven any more.", Wants: "I accept a risk"}
	}
	d := drive(t, desk, 80, 24)
	d.press("j", "j", "j", "n")
	d.calmly("tab", "enter", "tab", "enter", "tab")
	d.typed("still wanted")
	d.calmly("tab", "enter")
	d.shows("Refused. Nothing is proven any more.", "I accept a risk", "Consent *", "still wanted", "[▶ Cancel ]")
}

func TestNewIntentStopsWherePermissionIsDenied(t *testing.T) {
	for name, change := range map[string]func(*fakeDesk){
		"denied":      func(f *fakeDesk) { f.allow.Allowed = false },
		"unreachable": func(f *fakeDesk) { f.trouble = errors.New("database is locked") },
	} {
		t.Run(name, func(t *testing.T) {
			d := drive(t, scene(), 80, 24)
			d.press("j")
			d.desk.set(change)
			if name == "unreachable" {
				d.hold()
				d.press("n")
				d.held, d.holding = nil, false
				d.send(permissionRechecked{dialog: d.m.dialogs, err: errors.New("database is locked")})
			} else {
				d.press("n")
			}
			d.calmly("tab", "enter", "tab", "enter")
			d.shows("step 2 of 3", "enied")
			didNothing(t, d)
		})
	}
}

func TestARecheckForAnotherDialogIsDropped(t *testing.T) {
	d := opened(t, "n")
	d.m.over.(*form).subject.(*reissueDecision).permission = nil
	d.send(permissionRechecked{dialog: d.m.dialogs - 1, permission: d.desk.allow})
	d.calmly("tab", "enter", "tab", "enter")
	d.shows("The permission recheck has not come back yet.")
}

func TestADialogTellsWhenItsIntentMoves(t *testing.T) {
	d := opened(t, "d")
	d.calmly("tab")
	d.typed("rcpt_7")
	d.desk.set(func(f *fakeDesk) {
		f.items[0].Intent.Version, f.items[0].Intent.State, f.items[0].Intent.UpdatedBy = 4, ledger.Delivered, "agent-1"
		f.items[0].Verdict.Kind = verdict.Delivered
	})
	d.tick(time.Second)
	d.shows("version 3 became 4, last", "written by agent-1", "the verdict never_looked_up became")
	d.calmly("tab")
	d.typed("sure")
	d.calmly("tab", "tab", "enter")
	d.shows("It changed after you had opened this.")
	didNothing(t, d)
}

func TestANoteGoesWithWhateverHappened(t *testing.T) {
	d := opened(t, "t")
	d.desk.set(func(f *fakeDesk) { f.items[0].Intent.Version = 4 })
	d.tick(time.Second)
	d.calmly("tab")
	d.typed("sender is back")
	d.calmly("tab", "enter")
	did(t, d, "note task-A/review-1 reason=sender is back")
}

func TestARefusalIsShownInWholeAndKeepsWhatWasTyped(t *testing.T) {
	d := opened(t, "t")
	d.desk.answers["note"] = func(string) (actions.Done, error) {
		return actions.Done{}, &actions.Refusal{Kind: actions.Changed, Code: "changed_meanwhile", What: "It changed.", Means: "Nothing was done.", Do: "Look again."}
	}
	d.calmly("tab")
	d.typed("what I know")
	d.calmly("tab", "enter")
	d.shows("Refused. It changed. Nothing was done. Look again. (changed_meanwhile)", "what I know", "[▶ Cancel ]")
	d.press("enter", "enter") // a held Enter meets Cancel, and is not heard
	d.shows("Keys count once you pause for a moment.")
}

func TestLeavingADialogThatIsBeingWritten(t *testing.T) {
	d := opened(t, "t")
	d.calmly("tab")
	d.typed("on record")
	d.calmly("tab")
	d.hold()
	d.calmly("enter", "enter", "tab", "enter")
	d.shows("Writing to the ledger …")
	d.press("esc")
	d.shows("Note is still being written; its result will be shown here.")
	d.release()
	did(t, d, "note task-A/review-1 reason=on record")
	d.shows("task-A/review-1: Done: note.")
}

func TestLookupGoesOnInTheBackground(t *testing.T) {
	d := drive(t, scene(), 200, 60)
	d.press("j")
	d.hold()
	d.press("l")
	d.shows("Looking up report-inbox. You can go on", "Looking it up now, for 0 s", "looking")
	d.press("l")
	d.shows("look up is off: this intent is being looked up already")
	d.press("j", "j")
	d.desk.answers["lookup"] = func(string) (actions.Done, error) {
		return actions.Done{}, &actions.Refusal{Kind: actions.Failed, Code: "lookup_failed", What: "report-inbox did not answer.", Means: "That tells nothing about the delivery.", Do: "Look up again."}
	}
	d.release()
	did(t, d, "lookup task-A/review-1")
	d.shows("task-A/review-1: look up did not happen. report-inbox did not answer. That tells nothing about the delivery.", "Look up again.")
	selected(t, d, "task-C/review-2")
}
