package tui

import (
	"strings"
	"testing"
	"time"

	"triage/actions"
	"triage/actions/verdict"
	"triage/ledger"
)

func TestALookupThatIsOffIsInTheFooterWithItsReason(t *testing.T) {
	d := drive(t, scene(), 120, 40)
	d.press("j", "j", "j", "j")
	d.shows("l look up off: no lookup is configured")
	d.press("W")
	d.shows(`billing: it can't be looked up: no lookup is configured for target "billing".`)
	d = drive(t, scene(), 60, 15)
	d.press("j", "j", "j", "j")
	d.shows("l look up off")
	desk := scene()
	desk.items[0].LookupOff = "/etc/triage/config.yaml:7: INBOX_TOKEN is not set. Set INBOX_TOKEN in the environment of triage and start again"
	d = drive(t, desk, 80, 24)
	d.press("j")
	d.shows("l look up off: INBOX_TOKEN is not set", "It can't be looked up:")
}

func revoked() *fakeDesk {
	desk := scene()
	desk.allow.Allowed = false
	desk.allow.Checks[2] = actions.Check{What: "validity", Found: "revoked at 2026-11-30 22:01:00.250Z"}
	return desk
}

func TestARevokedGrantTurnsNewIntentAndRetryOff(t *testing.T) {
	d := drive(t, revoked(), 120, 40)
	d.press("j", "j", "j")
	d.shows("A new intent and a retry would be refused: the", "grant was revoked at 22:01:00 UTC.")
	d.hides("n new", "r retry")
	for _, key := range []string{"n", "r"} {
		d.press(key)
		d.shows("is off: the grant was revoked at 22:01:00 UTC")
		if d.m.over != nil {
			t.Errorf("%s opened a dialog", key)
		}
	}
	d.press("k", "k") // at risk elsewhere
	d.shows("A new intent would be refused: the grant was", "revoked at 22:01:00 UTC.")
	d.hides("At risk")
	didNothing(t, d)
}

// Where nobody can be asked, marking delivered rests on the operator's word.
func TestWithoutALookupMarkingDeliveredIsByHand(t *testing.T) {
	o := (&Model{}).offers(stuck())
	if got := o.safe; len(got) != 1 || got[0] != verdict.ActNote {
		t.Errorf("safe: %v", got)
	}
	if got := o.byHand; len(got) != 3 || got[0] != verdict.ActDeliver || got[1] != verdict.ActAbandon {
		t.Errorf("by hand: %v", got)
	}
	d := drive(t, scene(), 120, 40)
	d.press("j", "j", "j", "j")
	d.shows("safe: t note  by hand: d delivered  a abandon", "By hand    d mark delivered")
}

func TestTheKeyClockIsToldWhereItMatters(t *testing.T) {
	const words = "report-inbox remembers this key for 20 h 48 m, until"
	desk := scene()
	desk.items[1].Verdict.KeySafeUntil = in(time.Hour)
	d := drive(t, desk, 200, 60)
	d.press("j")
	d.shows(words)
	d.hides("same key safe")
	d.press("j") // a conflict
	d.hides("remembers this key")
	desk.set(func(f *fakeDesk) { f.items[0].Intent.State, f.items[0].Intent.Receipt = ledger.Delivered, "rcpt_1" })
	d.press("k")
	d.tick(time.Second)
	d.hides("remembers this key")
}

func TestAFailedLookupSaysWhyInASentence(t *testing.T) {
	desk := scene()
	desk.items[0].Lookups = []ledger.Lookup{{
		LookupID: "look-5", StartedAt: ago(time.Minute), FinishedAt: ago(time.Minute), Outcome: ledger.LookupFailed, Cause: "tls",
		Evidence: `{"error":"The certificate expired at 2026-11-30 20:00:00.000Z."}`,
	}}
	desk.items[0].Verdict.Kind, desk.items[0].Verdict.NotBefore = verdict.LookupFailed, in(56*time.Second+300*time.Millisecond)
	d := drive(t, desk, 120, 40)
	d.press("j")
	d.shows("The last lookup failed: The certificate expired at 20:00:00", "(tls).", "Ask again from 22:15:57 UTC (in 57 s): that can prove more.")
	screen := d.screen()
	if strings.Index(screen, "Ask again from") > strings.Index(screen, "Because") {
		t.Errorf("when to ask again stands below the reasons:\n%s", screen)
	}
}

func TestTheTextIsBackAtItsTopAfterEscAndAfterAnAct(t *testing.T) {
	d := drive(t, scene(), 80, 24)
	d.press("j", "enter", "j", "j")
	d.shows("2 lines above, ")
	d.press("esc")
	d.hides(" above")
	d.press("enter", "G")
	d.hides("below")
	d.press("l")
	d.hides(" above")
	d.shows("Nobody knows yet")
}

func TestHistoryTellsDecisionsAndOpensWholeOnANarrowScreen(t *testing.T) {
	desk := scene()
	desk.items[0].Decisions = []ledger.Decision{{
		DecisionID: "dec-2", Seq: 15, At: ago(time.Minute), Operator: "bob", Kind: ledger.Note, Reason: "asked them by phone", Facts: `{"intent":{}}`,
	}}
	desk.items[0].Events = append(desk.items[0].Events,
		ledger.Event{Seq: 15, At: ago(time.Minute), Kind: "note", Actor: "bob", Detail: `{"facts":[null,"{\"intent\":{}}"],"reason":[null,"asked them by phone"]}`},
		ledger.Event{Seq: 16, At: ago(time.Minute), Kind: "lookup_finished", Actor: "unknown", Detail: `{"lookup_id":["look-1","look-1"],"outcome":[null,"found"]}`})
	d := drive(t, desk, 60, 15)
	d.press("j", "H")
	d.shows("History: 5 events", "lookup_id: look-1\n", "by an unnamed writer"[3:])
	d.press("G", "pgup")
	d.hides("facts", "{")
	d.press("g", "j", "j", "j")
	d.shows("reason: asked them by phone")
	d.press("H")
	d.shows("open  2 of 6", "task-B/review-4")
	d.press("H", "esc")
	d.shows("open  2 of 6")
	d.press("enter", "H", "esc")
	d.shows("intent  opened, esc back")
}

func TestTheNewKeyIsTold(t *testing.T) {
	for text, want := range map[string]string{
		"A new intent task-A~01 takes its place.": "A new intent task-A~01 takes its place.\n",
		"A new intent takes its place.":           "A new intent takes its place. New key: task-A~01\n",
	} {
		d := drive(t, scene(), 120, 40)
		d.m.tell("new intent", "task-A", actions.Done{Text: text, NewKey: "task-A~01"}, nil)
		d.shows(want)
	}
}

// Instants in the verdict's sentences are written as everywhere else, in one zone.
func TestSentencesOfTheVerdict(t *testing.T) {
	m := drive(t, scene(), 80, 24).m
	for in, want := range map[string]string{
		"It ended at 2026-11-30 22:01:00.999Z.":                 "It ended at 22:01:00 UTC.",
		"It ended at 2026-11-29 22:01:00.000Z.":                 "It ended at 2026-11-29 22:01:00 UTC.",
		"A lookup begun at 2026-11-30 22:16:33.001Z or later":   "A lookup begun at 22:16:34 UTC or later",
		"Look up again from 2026-11-30 22:16:33.000Z, he said.": "Look up again from 22:16:33 UTC, he said.",
		"On 2026-19-39 22:16:33.000Z\x1b.":                      "On 2026-19-39 22:16:33.000Z\\x1b.",
	} {
		if got := m.said(in); got != want {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
	}
	if o := (Options{}).filled(); o.Zone != time.UTC {
		t.Errorf("the zone is %v", o.Zone)
	}
}
