package tui

import (
	"strings"
	"testing"

	"triage/ledger"
)

// decided confirms a dialog with one field.
func (d *driver) decided(key, reason string) {
	d.t.Helper()
	d.press(key)
	d.calmly("tab")
	d.typed(reason)
	d.calmly("tab", "enter")
}

// readAll is everything that a dialog says, page by page.
func (d *driver) readAll() string {
	d.t.Helper()
	var all strings.Builder
	for range 8 {
		all.WriteString(d.screen())
		d.calmly("pgdown")
	}
	return strings.Join(strings.Fields(all.String()), " ")
}

func says(t *testing.T, read string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(read, want) {
			t.Errorf("nowhere does it say %q:\n%s", want, read)
		}
	}
}

func TestSetAside(t *testing.T) {
	d := drive(t, scene(), 120, 36)
	d.press("j", "j", "S")
	says(t, d.readAll(), "It leaves the queue and stays UNKNOWN.", "sweeps go on asking about it if it was ever sent, and it can still be settled",
		"neither that it was delivered nor that it was not. Nothing is sent.", "[▶ Cancel ]")
	d.press("esc")
	d.decided("S", "handed over to billing")
	did(t, d, "set-aside task-B/review-4 reason=handed over to billing")
}

func TestAcknowledge(t *testing.T) {
	desk := scene()
	d := drive(t, desk, 120, 36)
	d.press("A")
	says(t, d.readAll(), "somebody has dealt with the contradiction. It leaves the queue;", "It stays FAILED,", "nothing at report-inbox is undone.")
	d.press("esc")
	d.decided("A", "customer was told")
	did(t, d, "acknowledge task-0/review-9 reason=customer was told")

	desk = scene()
	desk.items[4].Intent.SupersededBy = "task-0/review-9.2"
	d = drive(t, desk, 120, 36)
	d.press("A")
	says(t, d.readAll(), "A sender may then take task-0/review-9.2, which replaced it: make sure that this is no duplicate.")
	desk = scene()
	desk.items[4].Intent.State = ledger.Unknown
	d = drive(t, desk, 120, 36)
	d.press("A")
	says(t, d.readAll(), "It goes back to its place in the queue;")
}

func TestDisputePinsTheReceipt(t *testing.T) {
	d := drive(t, scene(), 120, 36)
	d.press("D")
	says(t, d.readAll(), "receipt rcpt_881, on which the verdict rests, is no proof of this delivery.", "shown first, as contradicted, until somebody acknowledges that",
		"It stays FAILED.", "look it up next")
	d.press("esc")
	d.decided("D", "it is another order's")
	did(t, d, "dispute task-0/review-9 receipt=rcpt_881 reason=it is another order's")
}

// Where the evidence names several receipts, which one is meant has to be said; it is
// chosen, and so exact even where it cannot be seen.
func TestDisputeAsksWhichReceipt(t *testing.T) {
	desk := scene()
	desk.items[4].Intent.Receipt = "rcpt\u202e_7"
	d := drive(t, desk, 120, 36)
	d.press("D")
	says(t, d.readAll(), "the receipt that you choose below is no proof", "A receipt holds characters that cannot be seen", "not chosen yet: space chooses")
	d.calmly("tab", "tab")
	d.typed("wrong order")
	d.calmly("tab", "enter")
	d.shows("Choose the receipt that is wrong: the evidence names several.")
	didNothing(t, d)
	d.calmly("tab", "tab", "left") // Cancel, then the receipts
	d.shows(`< rcpt\u202e_7 >`)
	d.calmly("tab", "tab", "enter")
	did(t, d, "dispute task-0/review-9 receipt=rcpt\u202e_7 reason=wrong order")
}

func TestADisputeSaysWhoNamesTheReceipt(t *testing.T) {
	desk := scene()
	desk.items[4].Intent.Receipt = "rcpt_881"
	d := drive(t, desk, 80, 24)
	d.press("D")
	says(t, d.readAll(), "receipt rcpt_881, which this intent holds,")
	if disputed := disputable(hostileItem("\x1b[2J")); len(disputed) != 1 || disputed[0] != "\x1b[2J" {
		t.Errorf("%q", disputed)
	}
}

// A retry that was allowed already is told in the pane and before another is allowed.
func TestARetryThatStandsIsTold(t *testing.T) {
	desk := scene()
	desk.items[2].Retry = "bob allowed a retry under the same key at 2026-11-30 22:14:00.000Z: a sender may take it until 2026-11-30 23:00:00.000Z, and none has yet."
	d := drive(t, desk, 120, 40)
	d.press("j", "j", "j")
	d.shows("bob allowed a retry under the same key", "none has")
	d.press("r")
	d.shows("bob allowed a retry under the same key", "One more attempt")
}
