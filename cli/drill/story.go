package drill

import (
	"time"

	"triage/ledger"
)

// The drill's targets, as its configuration names them.
const (
	inboxTarget   = "report-inbox"
	archiveTarget = "contract-archive" // shows late what it has
	chatTarget    = "team-chat"        // can't be asked
)

// inboxContact is whom the drill's configuration names for the inbox.
const inboxContact = "#report-inbox"

// archiveLag is how late the archive shows what it has. Its lookup_lag promises a
// little more.
const archiveLag = 59 * time.Second

// The drill's principals and their accounts at the receiver.
const (
	reporter = "agent-1"
	billing  = "agent-2"
)

var accounts = map[string]string{reporter: "acct_17", billing: "acct_23"}

// The keys of the drill's deliveries, by what became of them.
const (
	deadSender     = "invoice-4712"           // committed; its sender was killed
	acmeReport     = "weekly-report-acme"     // committed, answer cut off
	globexReport   = "weekly-report-globex"   // committed, answer never came
	initechReport  = "weekly-report-initech"  // never processed, connection cut
	umbrellaReport = "weekly-report-umbrella" // never processed, answer never came
	refusedInvoice = "invoice-4711"           // refused for good
	changedContent = "price-list-q4"          // other content under its key
	revokedGrant   = "access-review-november" // never processed, grant revoked since
	lateContract   = "contract-hooli-2291"    // committed, shown late
	chatReminder   = "standup-reminder"       // never processed; its target can't be asked
)

// SceneItem is one delivery of the drill.
type SceneItem struct {
	OpKey string
	Story string // what really happened, in plain words
	Right string // what was right to do
}

// fate is what the drill does to one delivery, and what there is to tell of it.
type fate struct {
	SceneItem
	due         due
	task, stage string
	principal   string
	target      string
	body        string
	script      Script
	killed      bool   // its sender is killed after the commit
	revoked     bool   // its grant is revoked after the send
	foreign     string // other content that another program sent first under the key
}

// fates are the drill's deliveries, in the order in which they are sent. The
// killed sender comes first, so that its silence is long enough when the rest is
// done.
var fates = []fate{
	{
		SceneItem: SceneItem{
			OpKey: deadSender,
			Story: "It was delivered. Its sender was killed before it could write that down.",
			Right: "Look it up: the receiver gives its receipt, and that makes it DELIVERED.",
		},
		task: "monthly-billing", stage: "send", principal: billing, target: inboxTarget,
		body: "Invoice 4712\nHooli, November: 1,180.00\n", script: Script{Lose: LoseByHang}, killed: true,
	},
	{
		SceneItem: SceneItem{
			OpKey: acmeReport,
			Story: "It was delivered, then the connection was reset. Only the answer was lost.",
			Right: "Look it up: the receiver gives its receipt, and that makes it DELIVERED.",
		},
		task: "weekly-report", stage: "approved", principal: reporter, target: inboxTarget,
		body: "Weekly report for Acme\nOpen tickets: 14, closed: 31\n", script: Script{Lose: LoseByCut},
	},
	{
		SceneItem: SceneItem{
			OpKey: globexReport,
			Story: "It was delivered. The receiver then said nothing until the sender gave up.",
			Right: "Look it up: the receiver gives its receipt, and that makes it DELIVERED.",
		},
		task: "weekly-report", stage: "approved", principal: reporter, target: inboxTarget,
		body: "Weekly report for Globex\nOpen tickets: 3, closed: 12\n", script: Script{Lose: LoseByHang},
	},
	{
		SceneItem: SceneItem{
			OpKey: initechReport,
			Story: "It was not delivered: the connection was reset before the receiver did anything.",
			Right: "Look it up: absent. Then make a new intent, or have it sent once more under the same key. " +
				"A sender takes up either at once.",
		},
		due:  toSend,
		task: "weekly-report", stage: "approved", principal: reporter, target: inboxTarget,
		body: "Weekly report for Initech\nOpen tickets: 8, closed: 8\n", script: Script{Ignore: true, Lose: LoseByCut},
	},
	{
		SceneItem: SceneItem{
			OpKey: umbrellaReport,
			Story: "It was not delivered: the receiver did nothing and said nothing until the sender gave up.",
			Right: "Look it up: absent. Then make a new intent, or have it sent once more under the same key. " +
				"A sender takes up either at once.",
		},
		due:  toSend,
		task: "weekly-report", stage: "approved", principal: reporter, target: inboxTarget,
		body: "Weekly report for Umbrella\nOpen tickets: 0, closed: 2\n", script: Script{Ignore: true, Lose: LoseByHang},
	},
	{
		SceneItem: SceneItem{
			OpKey: refusedInvoice,
			Story: "The receiver refused it for good, because that invoice had been paid. Its answer was lost.",
			Right: "Look it up: refused. Then close it as not delivered; under any key it would be refused again.",
		},
		due:  toClose,
		task: "monthly-billing", stage: "send", principal: billing, target: inboxTarget,
		body:   "Invoice 4711\nSoylent, November: 640.00\n",
		script: Script{Refuse: "this invoice has been paid", Lose: LoseByCut},
	},
	{
		SceneItem: SceneItem{
			OpKey: changedContent,
			Story: "It was not delivered. Another program had used its key for other content; the receiver kept that " +
				"and refused ours, and its answer was lost.",
			Right: "Look it up: the receiver has other content under the key. Nothing is safe to do from here. " +
				"Leave a note and hand it over to " + inboxContact + ".",
		},
		due:  toHandOver,
		task: "price-list", stage: "final", principal: billing, target: inboxTarget,
		body: "Price list Q4, final\nBasic 12, Plus 29\n", script: Script{Lose: LoseByCut},
		foreign: "Price list Q4, draft\nBasic 10, Plus 25\n",
	},
	{
		SceneItem: SceneItem{
			OpKey: revokedGrant,
			Story: "It was not delivered, and the permission to deliver it has been taken back since.",
			Right: "Look it up: absent. A new intent is refused, since nobody may deliver it any more. " +
				"Close it as not delivered, or leave it with a note for whoever gives grants.",
		},
		due:  toLetGo,
		task: "access-review", stage: "approved", principal: reporter, target: inboxTarget,
		body: "Access review, November\n3 accounts to remove\n", script: Script{Ignore: true, Lose: LoseByCut}, revoked: true,
	},
	{
		SceneItem: SceneItem{
			OpKey: lateContract,
			Story: "It was delivered, but the archive shows new contracts only after a minute.",
			Right: "Look it up. An early \"not found\" proves nothing, and the verdict says from when one does. " +
				"Look again then, and it is DELIVERED.",
		},
		task: "contract-filing", stage: "signed", principal: billing, target: archiveTarget,
		body: "Contract 2291 with Hooli, signed\n", script: Script{Hide: archiveLag, Lose: LoseByCut},
	},
	{
		SceneItem: SceneItem{
			OpKey: chatReminder,
			Story: "It was not delivered, but nobody can know that: team-chat can't be asked.",
			Right: "Weigh what a duplicate would mean. Two reminders harm nobody, so make a new intent and accept that risk.",
		},
		due:  toSend,
		task: "standup", principal: reporter, target: chatTarget,
		body: "Standup in ten minutes\n", script: Script{Ignore: true, Lose: LoseByCut},
	},
}

// intent is what a sender begins for this delivery.
func (f fate) intent() ledger.NewIntent {
	size := int64(len(f.body))
	return ledger.NewIntent{
		OpKey: f.OpKey, Task: f.task, Stage: f.stage, Principal: f.principal, Target: f.target,
		PayloadSHA256: contentHash([]byte(f.body)), PayloadBytes: &size, PayloadRef: payloadRef(f.body),
		GrantID: f.grant(),
	}
}

// grant is the id of the grant under which it is delivered.
func (f fate) grant() string { return "grant-" + f.OpKey }

// payloadRef is where a sender finds approved bytes again, from the drill's
// directory: by what they are, so that one can't be taken for another.
func payloadRef(body string) string { return payloadPath(contentHash([]byte(body))) }

func payloadPath(sha256 string) string { return payloadsDir + "/" + sha256 }
