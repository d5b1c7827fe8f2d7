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
	Right string // what the right move is
}

// fate is what the drill does to one delivery, and what there is to tell of it.
type fate struct {
	SceneItem
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
			Story: "Its sender was killed between the call and the note of what came of it. The receiver had committed.",
			Right: "Look it up. The receiver tells its receipt, and the lookup makes it DELIVERED.",
		},
		task: "monthly-billing", stage: "send", principal: billing, target: inboxTarget,
		body: "Invoice 4712\nHooli, November: 1,180.00\n", script: Script{Lose: LoseByHang}, killed: true,
	},
	{
		SceneItem: SceneItem{
			OpKey: acmeReport,
			Story: "The receiver committed, then the connection was reset. Only the answer was lost.",
			Right: "Look it up. The receiver tells its receipt, and the lookup makes it DELIVERED.",
		},
		task: "weekly-report", stage: "approved", principal: reporter, target: inboxTarget,
		body: "Weekly report for Acme\nOpen tickets: 14, closed: 31\n", script: Script{Lose: LoseByCut},
	},
	{
		SceneItem: SceneItem{
			OpKey: globexReport,
			Story: "The receiver committed and then said nothing until the sender gave up.",
			Right: "Look it up. The receiver tells its receipt, and the lookup makes it DELIVERED.",
		},
		task: "weekly-report", stage: "approved", principal: reporter, target: inboxTarget,
		body: "Weekly report for Globex\nOpen tickets: 3, closed: 12\n", script: Script{Lose: LoseByHang},
	},
	{
		SceneItem: SceneItem{
			OpKey: initechReport,
			Story: "The connection was reset before the receiver processed anything. Nothing was delivered.",
			Right: "Look it up: absent. Then make a new intent; a sender takes it up at once.",
		},
		task: "weekly-report", stage: "approved", principal: reporter, target: inboxTarget,
		body: "Weekly report for Initech\nOpen tickets: 8, closed: 8\n", script: Script{Ignore: true, Lose: LoseByCut},
	},
	{
		SceneItem: SceneItem{
			OpKey: umbrellaReport,
			Story: "The receiver never processed the request, and the sender waited for nothing. Nothing was delivered.",
			Right: "Look it up: absent. Then make a new intent; a sender takes it up at once.",
		},
		task: "weekly-report", stage: "approved", principal: reporter, target: inboxTarget,
		body: "Weekly report for Umbrella\nOpen tickets: 0, closed: 2\n", script: Script{Ignore: true, Lose: LoseByHang},
	},
	{
		SceneItem: SceneItem{
			OpKey: refusedInvoice,
			Story: "The receiver refused it for good, because that invoice had been paid, and the refusal was lost on its way.",
			Right: "Look it up: refused. Then close it as not delivered; the same content would be refused again.",
		},
		task: "monthly-billing", stage: "send", principal: billing, target: inboxTarget,
		body:   "Invoice 4711\nSoylent, November: 640.00\n",
		script: Script{Refuse: "this invoice has been paid", Lose: LoseByCut},
	},
	{
		SceneItem: SceneItem{
			OpKey: changedContent,
			Story: "Another program had used the same key for other content. The receiver kept the first and refused ours, and that answer was lost.",
			Right: "Look it up: the receiver holds other content under the key. Nothing is safe to do from here: note it and hand it over.",
		},
		task: "price-list", stage: "final", principal: billing, target: inboxTarget,
		body: "Price list Q4, final\nBasic 12, Plus 29\n", script: Script{Lose: LoseByCut},
		foreign: "Price list Q4, draft\nBasic 10, Plus 25\n",
	},
	{
		SceneItem: SceneItem{
			OpKey: revokedGrant,
			Story: "Nothing was delivered, and the grant for it has been revoked since.",
			Right: "Look it up: absent. A new intent is refused, since nobody may deliver it any more. " +
				"Close it as not delivered, or leave it with a note for whoever gives grants.",
		},
		task: "access-review", stage: "approved", principal: reporter, target: inboxTarget,
		body: "Access review, November\n3 accounts to remove\n", script: Script{Ignore: true, Lose: LoseByCut}, revoked: true,
	},
	{
		SceneItem: SceneItem{
			OpKey: lateContract,
			Story: "The archive committed it, but shows new contracts a minute late, as its lookup_lag says.",
			Right: "Look it up. An early \"not found\" proves nothing and the screen says from when one does; " +
				"look again then, and it is DELIVERED.",
		},
		task: "contract-filing", stage: "signed", principal: billing, target: archiveTarget,
		body: "Contract 2291 with Hooli, signed\n", script: Script{Hide: archiveLag, Lose: LoseByCut},
	},
	{
		SceneItem: SceneItem{
			OpKey: chatReminder,
			Story: "Nothing was delivered, but nobody can know: team-chat can't be asked.",
			Right: "Weigh what a duplicate would mean. Two reminders harm nobody, so a new intent at accepted risk is right; " +
				"so is leaving it if you think otherwise.",
		},
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
