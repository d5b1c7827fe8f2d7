package actions_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"triage/actions"
	"triage/actions/lookup"
	"triage/actions/verdict"
	"triage/ledger"
	"triage/ledger/sqlite"
)

// situations are intents in every state of knowledge; each is prepared anew.
var situations = map[string]func(b *workbench){
	"never sent":       func(b *workbench) { b.begin("k") },
	"in flight":        func(b *workbench) { b.begin("k"); b.attempt("k") },
	"never looked up":  func(b *workbench) { b.uncertain("k") },
	"lookup failed":    func(b *workbench) { b.uncertain("k"); b.says(ledger.LookupFailed); b.lookup("k") },
	"inconclusive":     func(b *workbench) { b.uncertain("k"); b.says(ledger.LookupNotFound); b.lookup("k") },
	"absent":           func(b *workbench) { b.provenAbsent("k") },
	"refused":          func(b *workbench) { b.uncertain("k"); b.later(); b.says(ledger.LookupRefused); b.lookup("k") },
	"in progress":      func(b *workbench) { b.uncertain("k"); b.says(ledger.LookupInProgress); b.lookup("k") },
	"ambiguous":        func(b *workbench) { b.uncertain("k"); b.says(ledger.LookupAmbiguous); b.lookup("k") },
	"other content":    func(b *workbench) { b.uncertain("k"); b.found("rcpt-1", hexOf("other")); b.lookup("k") },
	"found, no hash":   func(b *workbench) { b.uncertain("k"); b.found("rcpt-1", ""); b.lookup("k") },
	"delivered":        func(b *workbench) { b.uncertain("k"); b.found("rcpt-1", content); b.lookup("k") },
	"cancel is wished": func(b *workbench) { b.uncertain("k"); b.sql(`UPDATE intents SET cancel_requested_at = updated_at`) },
	"absent, and a cancel is wished": func(b *workbench) {
		b.provenAbsent("k")
		b.sql(`UPDATE intents SET cancel_requested_at = updated_at`)
	},
	"replaced": func(b *workbench) {
		b.provenAbsent("k")
		if _, err := b.desk.Reissue(b.t.Context(), actions.ReissueRequest{Request: b.request("k")}); err != nil {
			b.t.Fatal(err)
		}
	},
	"closed": func(b *workbench) {
		b.provenAbsent("k")
		if _, err := b.desk.Close(b.t.Context(), b.request("k")); err != nil {
			b.t.Fatal(err)
		}
	},
	"contradicted": func(b *workbench) {
		b.provenAbsent("k")
		if _, err := b.desk.Close(b.t.Context(), b.request("k")); err != nil {
			b.t.Fatal(err)
		}
		b.found("rcpt-1", content)
		b.lookup("k")
	},
	"disputed": func(b *workbench) {
		b.uncertain("k")
		b.marked("k", "rcpt-1")
		b.disputed("k", "")
	},
	"open and disputed, then dealt with": func(b *workbench) {
		b.uncertain("k")
		b.found("rcpt-1", "")
		b.lookup("k")
		b.disputed("k", "rcpt-1")
		if _, err := b.desk.Acknowledge(b.t.Context(), b.request("k")); err != nil {
			b.t.Fatal(err)
		}
	},
	"set aside": func(b *workbench) {
		b.uncertain("k")
		if _, err := b.desk.SetAside(b.t.Context(), b.request("k")); err != nil {
			b.t.Fatal(err)
		}
	},
	"a twin with no hash told": func(b *workbench) {
		b.uncertain("twin")
		b.uncertain("k")
		b.found("rcpt-1", "")
		b.lookup("k")
	},
}

// What the verdict withholds every act refuses, and what it calls safe goes
// through, whatever the situation: the screen and the commands can't differ.
func TestActsDoWhatTheVerdictSays(t *testing.T) {
	acts := map[verdict.Act]func(b *workbench, phrase string) error{
		verdict.ActDeliver: func(b *workbench, _ string) error {
			receipt := b.item("k").Verdict.Receipt
			if receipt == "" {
				receipt = "rcpt-9"
			}
			_, err := b.desk.Deliver(b.t.Context(), actions.DeliverRequest{Request: b.request("k"), Receipt: receipt})
			return err
		},
		verdict.ActReissue: func(b *workbench, phrase string) error {
			_, err := b.desk.Reissue(b.t.Context(), actions.ReissueRequest{Request: b.request("k"), AcceptDuplicate: phrase})
			return err
		},
		verdict.ActRetry: func(b *workbench, _ string) error { _, err := b.desk.Retry(b.t.Context(), b.request("k")); return err },
		verdict.ActClose: func(b *workbench, _ string) error { _, err := b.desk.Close(b.t.Context(), b.request("k")); return err },
		verdict.ActAbandon: func(b *workbench, _ string) error {
			_, err := b.desk.Abandon(b.t.Context(), actions.AbandonRequest{Request: b.request("k")})
			return err
		},
		verdict.ActSetAside: func(b *workbench, _ string) error {
			_, err := b.desk.SetAside(b.t.Context(), b.request("k"))
			return err
		},
		verdict.ActDispute: func(b *workbench, _ string) error {
			receipt := "rcpt-9"
			if named := verdict.FromHistory(b.item("k").History).Disputable(); len(named) > 0 {
				receipt = named[0]
			}
			_, err := b.desk.Dispute(b.t.Context(), actions.DisputeRequest{Request: b.request("k"), Receipt: receipt})
			return err
		},
		verdict.ActAcknowledge: func(b *workbench, _ string) error {
			_, err := b.desk.Acknowledge(b.t.Context(), b.request("k"))
			return err
		},
		verdict.ActNote: func(b *workbench, _ string) error { _, err := b.desk.Note(b.t.Context(), b.request("k")); return err },
	}
	for name, prepare := range situations {
		if testing.Short() && name != "absent" && name != "replaced" {
			continue // each takes seconds under the race detector
		}
		for act, do := range acts {
			t.Run(name+"/"+string(act), func(t *testing.T) {
				b := newBench(t)
				prepare(b)
				before := b.item("k")
				v := before.Verdict
				free, atRisk := v.Allows(act) || v.AllowsByHand(act), v.AllowsAtRisk(act)
				if why := v.Withheld[act]; (why != "") == (free || atRisk) {
					t.Errorf("open %v, and withheld because %q", free || atRisk, why)
				}
				err := do(b, "")
				if free != (err == nil) {
					t.Errorf("without a phrase: %v; the verdict %s says free: %v", err, v.Kind, free)
				}
				if atRisk {
					b.refused(err, actions.Denied, actions.CodeConsentRequired, before)
					if err := do(b, actions.Phrase(before.Target)); err != nil {
						t.Errorf("with the phrase: %v", err)
					}
				}
				if !free && !atRisk {
					if err := do(b, actions.Phrase(before.Target)); err == nil {
						t.Error("the phrase opened what the verdict withholds")
					}
				}
				b.verified()
			})
		}
	}
}

func TestDeliverOnAReplacedIntentIsRefused(t *testing.T) {
	b := newBench(t)
	situations["replaced"](b)
	before := b.item("k")
	_, err := b.desk.Deliver(t.Context(), actions.DeliverRequest{Request: b.request("k"), Receipt: "rcpt-1"})
	b.refused(err, actions.Denied, "already_superseded", before)
}

func TestTheReceiptThatWasFoundIsTheOneToGive(t *testing.T) {
	b := newBench(t)
	situations["found, no hash"](b)
	before := b.item("k")
	_, err := b.desk.Deliver(t.Context(), actions.DeliverRequest{Request: b.request("k"), Receipt: "rcpt-typo"})
	b.refused(err, actions.Denied, actions.CodeReceiptMismatch, before)
}

func TestWithoutAPinNothingIsDecided(t *testing.T) {
	b := newBench(t)
	b.uncertain("k")
	before := b.item("k")
	_, err := b.desk.Deliver(t.Context(), actions.DeliverRequest{Request: actions.Request{OpKey: "k", Reason: "x"}, Receipt: "r"})
	b.refused(err, actions.Changed, actions.CodeChanged, before)
}

func TestANoteIsPinnedOnlyWhereAVersionWasAskedFor(t *testing.T) {
	b := newBench(t)
	b.uncertain("k")
	old := b.request("k")
	b.says(ledger.LookupFailed)
	b.lookup("k") // the verdict moves, the version does not
	if _, err := b.desk.Note(t.Context(), old); err != nil {
		t.Errorf("a note after the verdict moved: %v", err)
	}
	before := b.item("k")
	_, err := b.desk.Note(t.Context(), actions.Request{OpKey: "k", Seen: actions.Seen{Version: 1}, Reason: "x"})
	b.refused(err, actions.Changed, actions.CodeChanged, before)
}

func TestADeadlineThatHasPassedMakesNoNewIntent(t *testing.T) {
	for name, deadline := range map[string]ledger.Millis{
		"passed": ledger.WallClock().Add(-time.Second), "beyond 2200": 7258118400001,
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.provenAbsent("k")
			before := b.item("k")
			_, err := b.desk.Reissue(t.Context(), actions.ReissueRequest{Request: b.request("k"), DeadlineAt: deadline})
			b.refused(err, actions.Denied, actions.CodeDeadline, before)
		})
	}
}

func TestAReasonThatCannotBeKeptLeavesItsDeniedRow(t *testing.T) {
	for name, reason := range map[string]string{
		"too long": strings.Repeat("x", actions.MaxReasonBytes+1), "with a NUL": "a\x00b", "not UTF-8": "\xff",
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.uncertain("k")
			before, request := b.item("k"), b.request("k")
			request.Reason = reason
			_, err := b.desk.Note(t.Context(), request)
			b.refused(err, actions.Denied, actions.CodeReasonRequired, before)
			b.verified()
		})
	}
}

func TestWhatCannotBeSeenIsNeitherAReasonNorAReceipt(t *testing.T) {
	for _, invisible := range []string{"\u200b", "\u3164", "\u2800", "\u00ad", "\u200b\u2060"} {
		b := newBench(t)
		b.uncertain("k")
		before, request := b.item("k"), b.request("k")
		request.Reason = invisible
		_, err := b.desk.Note(t.Context(), request)
		b.refused(err, actions.Denied, actions.CodeReasonRequired, before)
		for _, receipt := range []string{invisible, "R2" + invisible, invisible + "R2"} {
			before = b.item("k")
			_, err = b.desk.Deliver(t.Context(), actions.DeliverRequest{Request: b.request("k"), Receipt: receipt})
			b.refused(err, actions.Denied, "receipt_required", before)
		}
	}
}

func TestTheStatementThatTheSenderWasKilledCanBeAdded(t *testing.T) {
	endless := inbox()
	endless.Promises.AttemptTimeout = nil // without T an unfinished attempt has no end
	b := newBench(t, endless)
	b.begin("k")
	b.attempt("k")
	if _, err := b.desk.Abandon(t.Context(), actions.AbandonRequest{Request: b.request("k")}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.desk.Abandon(t.Context(), actions.AbandonRequest{Request: b.request("k"), SenderKilled: true}); err != nil {
		t.Fatal(err)
	}
	b.later()
	b.says(ledger.LookupNotFound)
	if v := b.lookup("k").Item.Verdict; v.Kind != verdict.Absent {
		t.Errorf("verdict %s: %v", v.Kind, v.Because)
	}
	before := b.item("k")
	_, err := b.desk.Abandon(t.Context(), actions.AbandonRequest{Request: b.request("k"), SenderKilled: true})
	b.refused(err, actions.Denied, actions.CodeNothingToDo, before)
	b.verified()
}

func TestALaterMissProvesNothingByItself(t *testing.T) {
	short := inbox()
	short.Promises.LookupRetention = duration(20 * time.Minute)
	b := newBench(t, short)
	b.provenAbsent("k")
	if _, err := b.desk.Deliver(t.Context(), actions.DeliverRequest{Request: b.request("k"), Receipt: "rcpt-1"}); err != nil {
		t.Fatal(err) // the operator has seen it with their own eyes
	}
	b.ahead = time.Hour // past what the receiver remembers
	item := b.lookup("k").Item
	if item.Intent.Contradicted() {
		t.Errorf("a miss that proves nothing contradicts: %s", item.Lookups[1].Evidence)
	}
}

func TestWhereTheKeyIsTheReceiptTheReceiversOwnWordsDoNotMatter(t *testing.T) {
	plain := inbox()
	plain.Promises.Receipt = verdict.KeyAsReceipt
	b := newBench(t, plain)
	b.uncertain("k")
	b.found("accepted", content)
	if i := b.lookup("k").Item.Intent; i.State != ledger.Delivered || i.Receipt != "k" {
		t.Errorf("state %s, receipt %q", i.State, i.Receipt)
	}
	if i := b.lookup("k").Item.Intent; i.Contradicted() {
		t.Error("the same answer once more contradicts")
	}
}

func TestARefusalThatCannotBeWrittenDownIsStillARefusal(t *testing.T) {
	b := newBench(t)
	b.uncertain("k")
	request := b.request("k")
	b.desk.Ledger = forgetful{b.db}
	_, err := b.desk.Close(t.Context(), request)
	var r *actions.Refusal
	if !errors.As(err, &r) || r.Code != actions.CodeVerdictForbids || !errors.Is(err, errForgotten) {
		t.Errorf("got %v", err)
	}
}

var errForgotten = errors.New("the disk is full")

// forgetful is a ledger that can write no decision.
type forgetful struct{ *sqlite.DB }

func (f forgetful) Act(ctx context.Context, do func(ledger.Tx) error) error {
	return f.DB.Act(ctx, func(tx ledger.Tx) error { return do(forgetfulTx{tx}) })
}

type forgetfulTx struct{ ledger.Tx }

func (forgetfulTx) Decide(d ledger.Decision) (ledger.Decision, error) { return d, errForgotten }

var _ lookup.Connector = (*workbench)(nil)
