package tui

import (
	"errors"
	"slices"
	"strings"
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
	paste("  seen in\r\nthe console\u202e \n")
	d.shows("seen in the console", "Pasted; space around it was cut off, line ends became spaces and invisible")
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
	d.shows("you state: the sender of this attempt was killed")
	d.calmly("tab")
	d.typed("host worker-3 is off")
	d.calmly("tab", "enter")
	did(t, d, "abandon invoice-4712 reason=host worker-3 is off")
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

func TestKeysThatAreOffSayWhy(t *testing.T) {
	for _, c := range []struct {
		row       int
		key, want string
	}{
		{2, "d", "d: mark delivered is off: the receiver holds other content under this key (payload_conflict)"},
		{1, "x", "x: close is off: nothing proves that it was not delivered (never_looked_up)"},
		{1, "a", "a: abandon attempt is off: no attempt is in flight (never_looked_up)"},
		{4, "l", `l: look up is off: no lookup is configured for target "billing"`},
		{0, "c", "c: claim is off: not in this version"},
		{0, "r", "r: retry same key is off: not in this version"},
		{0, "L", "L: look up all that are marked is off: not in this version"},
		{0, "space", "space: mark several is off: not in this version"},
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
	for _, b := range d.m.bindings {
		d.shows("  "+b.Help().Key+" ", b.Help().Desc)
		if why := b.reason(d.m); why != "" {
			d.shows("(off: " + why)
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
	for _, want := range strings.Fields("j k g G / enter esc l d n x a t y H ? q space L r c s") {
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
