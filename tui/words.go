package tui

import (
	"triage/actions/verdict"
	"triage/actions/wording"
	"triage/ledger"
)

// actWord names an act: its key on this screen and what it is called.
type actWord struct{ key, title, short, safe string }

// actWords are the acts that a verdict may call safe. D disputes what d marks, S sets
// aside for good what s snoozes.
var actWords = map[verdict.Act]actWord{
	verdict.ActLookup:      {"l", "look up", "look up", "look up: ask the receiver under the original key; reads only"},
	verdict.ActDeliver:     {"d", "mark delivered", "delivered", "mark delivered, with the receiver's receipt"},
	verdict.ActReissue:     {"n", "new intent", "new", "new intent: the same content under a new key"},
	verdict.ActRetry:       {"r", "retry same key", "retry", "retry: allow one more attempt under the same key"},
	verdict.ActClose:       {"x", "close", "close", "close as not delivered"},
	verdict.ActAbandon:     {"a", "abandon attempt", "abandon", "abandon the open attempt: give up waiting for its sender"},
	verdict.ActNote:        {"t", "note", "note", "note: write down what you know, for whoever comes next"},
	verdict.ActSetAside:    {"S", "set aside", "set aside", "set aside: out of the queue, state unchanged"},
	verdict.ActDispute:     {"D", "dispute the receipt", "dispute", "dispute the receipt: it is not this delivery's"},
	verdict.ActAcknowledge: {"A", "acknowledge", "acknowledge", "acknowledge: the contradiction has been dealt with"},
}

// clauses say in half a sentence what a verdict comes to.
var clauses = map[verdict.Kind]string{
	verdict.Delivered:           "the receiver has it",
	verdict.PayloadConflict:     "the receiver holds other content under this key",
	verdict.WrongOwner:          "the receiver holds it for another owner",
	verdict.Ambiguous:           "the evidence names more than one delivery",
	verdict.Withdrawn:           "it was delivered and has been undone since",
	verdict.FoundUnverified:     "something was found, but nothing shows that it is this content",
	verdict.InProgress:          "the receiver is still working on it",
	verdict.Refused:             "the receiver refused it",
	verdict.Absent:              "the receiver does not have it, and that is proven",
	verdict.AbsenceInconclusive: "not found, but that proves nothing yet",
	verdict.LookupFailed:        "the lookup failed; that tells nothing about the delivery",
	verdict.NeverLookedUp:       "nobody has asked the receiver since the last attempt",
	verdict.NeverSent:           "nothing was ever sent",
	verdict.NoLookup:            "this receiver cannot be asked",
}

func clause(kind verdict.Kind) string {
	if c, ok := clauses[kind]; ok {
		return c
	}
	return "no verdict"
}

// lookupWords say what a receiver answered when it was asked last.
var lookupWords = map[ledger.LookupOutcome]string{
	"":                      "not asked",
	ledger.LookupFound:      "found",
	ledger.LookupNotFound:   "not found",
	ledger.LookupInProgress: "in progress",
	ledger.LookupRefused:    "refused",
	ledger.LookupAmbiguous:  "several hits",
	ledger.LookupFailed:     "lookup failed",
}

// stateMark is a state's symbol, its words as the ledger spells them, and a
// style. Each of the three alone tells the states apart.
func (t theme) stateMark(i ledger.Intent, stuck bool, now ledger.Millis) (symbol, words string, style look) {
	switch i.State {
	case ledger.Unknown:
		symbol, words, style = "?", string(i.State), t.warn
	case ledger.Pending:
		symbol, words, style = "~", string(i.State), t.plain
		switch {
		case stuck:
			words, style = words+" stuck", t.warn
		case ledger.Ahead(i, now):
			words, style = words+" clock ahead", t.warn
		}
	case ledger.Delivered:
		symbol, words, style = t.glyphs.done, string(i.State), t.good
	case ledger.Failed:
		symbol, words, style = t.glyphs.failed, string(i.State), t.plain
	default:
		symbol, words, style = "?", wording.Safe(string(i.State)), t.danger
	}
	switch {
	case i.Superseded():
		words += " replaced"
	case !i.Derived.SetAsideAt.IsNone():
		words += " set aside"
	}
	if i.Contradicted() {
		return "!", words + " contradicted", t.danger
	}
	return symbol, words, style
}
