package tui

import (
	"fmt"
	"time"

	"triage/actions"
	"triage/actions/config"
	"triage/actions/verdict"
	"triage/ledger"
)

// The scene that goldens show: one intent of each kind that matters, on a
// Monday night.

var noon = time.Date(2026, 11, 30, 22, 15, 0, 0, time.UTC)

func ago(d time.Duration) ledger.Millis { return ledger.At(noon.Add(-d)) }
func in(d time.Duration) ledger.Millis  { return ledger.At(noon.Add(d)) }

const sha = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

func intentOf(key, target string, state ledger.State, age time.Duration) ledger.Intent {
	size := int64(48213)
	return ledger.Intent{
		OpKey: key, Task: "weekly-report", Stage: "approved", Principal: "agent-1", Target: target,
		PayloadSHA256: sha, PayloadBytes: &size, PayloadRef: "s3://reports/2026-48.pdf", GrantID: "grant-17",
		State: state, CreatedAt: ago(age), UpdatedAt: ago(age - time.Minute), UpdatedBy: "agent-1", Version: 3,
		Derived: ledger.Derived{Attempts: 1, LastAttemptAt: ago(age)},
	}
}

var inbox = config.Target{
	Name: "report-inbox", Environment: "production", DuplicateMeans: "the customer gets the weekly report twice",
	Runbook: "https://wiki.internal/report-inbox", Contact: "#inbox-oncall",
}

// lost is the common case: committed or not, the answer got lost.
func lost() actions.Item {
	i := intentOf("task-A/review-1", "report-inbox", ledger.Unknown, 3*time.Hour+12*time.Minute)
	return actions.Item{
		Now: ledger.At(noon), Target: inbox,
		History: ledger.History{
			Intent: i,
			Attempts: []ledger.Attempt{{
				AttemptID: "att-1", OpKey: i.OpKey, N: 1, Layer: "app", StartedAt: i.CreatedAt, FinishedAt: i.CreatedAt.Add(30 * time.Second),
				Outcome: ledger.OutcomeUnknown, Cause: "timeout",
			}},
			Grant: &ledger.Grant{GrantID: "grant-17", Principal: "agent-1", GrantedBy: "release-desk", GrantedAt: ago(6 * time.Hour), ExpiresAt: in(2 * time.Hour)},
			Events: []ledger.Event{
				{Seq: 11, At: i.CreatedAt, OpKey: i.OpKey, Kind: "begun", Actor: "agent-1", Detail: `{"state":[null,"PENDING"],"created_at":[null,1796070780000]}`},
				{Seq: 12, At: i.CreatedAt, OpKey: i.OpKey, Kind: "attempt_started", Actor: "agent-1", Detail: `{"n":[null,1]}`},
				{Seq: 14, At: i.CreatedAt.Add(30 * time.Second), OpKey: i.OpKey, Kind: "changed", Actor: "agent-1", Detail: `{"state":["PENDING","UNKNOWN"],"version":[2,3]}`},
			},
		},
		Verdict: verdict.Verdict{
			Kind:    verdict.NeverLookedUp,
			Because: []string{"Nobody has looked it up since attempt 1 ended."},
			Known:   []string{"Attempt 1 came back after 30 s without a usable answer (timeout)."},
			Unknown: []string{"Whether it was delivered."},
			Safe:    []verdict.Act{verdict.ActLookup, verdict.ActNote},
			ByHand:  []verdict.Act{verdict.ActDeliver, verdict.ActSetAside},
			AtRisk:  []verdict.Act{verdict.ActReissue},
			Withheld: map[verdict.Act]string{
				verdict.ActClose: "Nothing proves that it was not delivered.", verdict.ActAbandon: "No attempt is in flight.",
				verdict.ActDispute: "Nothing here names a receipt that could be disputed.", verdict.ActAcknowledge: "Nothing contradicts what was decided about it.",
			},
			NotBefore: ago(3 * time.Hour), KeySafeUntil: in(20*time.Hour + 48*time.Minute),
		},
	}
}

// conflict: other content under the same key.
func conflict() actions.Item {
	item := lost()
	item.Intent = intentOf("task-B/review-4", "report-inbox", ledger.Unknown, 47*time.Minute)
	item.Lookups = []ledger.Lookup{{
		LookupID: "look-1", OpKey: item.Intent.OpKey, StartedAt: ago(20 * time.Minute), FinishedAt: ago(20 * time.Minute).Add(230 * time.Millisecond),
		Actor: "alice", Connector: "http", Environment: "production", Outcome: ledger.LookupFound, Receipt: "rcpt_881",
		PayloadSHA256: "0000d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00000",
	}}
	item.Verdict = verdict.Verdict{
		Kind:     verdict.PayloadConflict,
		Because:  []string{"Lookup look-1 found other content under this key."},
		Unknown:  []string{"What became of the content that was approved here."},
		Safe:     []verdict.Act{verdict.ActNote, verdict.ActSetAside, verdict.ActLookup},
		ByHand:   []verdict.Act{verdict.ActDispute},
		Withheld: map[verdict.Act]string{verdict.ActDeliver: "What was found is not provably this delivery: note it and hand it over."},
	}
	return item
}

// absent: proven not to be there.
func absent() actions.Item {
	item := lost()
	item.Intent = intentOf("task-C/review-2", "report-inbox", ledger.Unknown, 26*time.Minute)
	item.Attempts[0].StartedAt, item.Attempts[0].FinishedAt = item.Intent.CreatedAt, item.Intent.CreatedAt.Add(30*time.Second)
	seen := true
	item.Lookups = []ledger.Lookup{{
		LookupID: "look-2", OpKey: item.Intent.OpKey, StartedAt: ago(4 * time.Minute), FinishedAt: ago(4 * time.Minute).Add(120 * time.Millisecond),
		Actor: "alice", Connector: "http", Environment: "production", Outcome: ledger.LookupNotFound, CanarySeen: &seen,
	}}
	item.Verdict = verdict.Verdict{
		Kind:    verdict.Absent,
		Because: []string{"Lookup look-2 began after every attempt had settled and did not find it; its canary was seen."},
		Safe:    []verdict.Act{verdict.ActRetry, verdict.ActReissue, verdict.ActClose, verdict.ActLookup, verdict.ActNote},
		ByHand:  []verdict.Act{verdict.ActDeliver, verdict.ActSetAside}, KeySafeUntil: in(23 * time.Hour), SafeUntil: in(22*time.Hour + 57*time.Minute),
	}
	return item
}

// stuck: the sender never came back.
func stuck() actions.Item {
	item := lost()
	item.Intent = intentOf("invoice-4712", "billing", ledger.Pending, 12*time.Minute)
	item.Intent.Derived.InFlight = "att-9"
	item.Stuck, item.Target = true, config.Target{Name: "billing"}
	item.Attempts = []ledger.Attempt{{AttemptID: "att-9", OpKey: item.Intent.OpKey, N: 1, Layer: "app", StartedAt: item.Intent.CreatedAt}}
	item.LookupOff = `no lookup is configured for target "billing"`
	item.Verdict = verdict.Verdict{
		Kind:    verdict.NoLookup,
		Because: []string{"No lookup is configured for billing."},
		Unknown: []string{"Whether it was delivered.", "Whether the sender of attempt 1 is still alive."},
		Safe:    []verdict.Act{verdict.ActNote, verdict.ActDeliver}, ByHand: []verdict.Act{verdict.ActAbandon, verdict.ActSetAside},
	}
	return item
}

// contradicted: closed by hand, then found after all.
func contradicted() actions.Item {
	item := conflict()
	item.Intent = intentOf("task-0/review-9", "report-inbox", ledger.Failed, 4*24*time.Hour+2*time.Hour)
	item.Intent.SettledBy, item.Intent.ContradictedAt = ledger.ByOperator, ago(9*time.Minute)
	item.Lookups[0].PayloadSHA256 = sha
	item.Decisions = []ledger.Decision{{
		DecisionID: "dec-1", OpKey: item.Intent.OpKey, At: ago(4 * 24 * time.Hour), Operator: "bob", Kind: ledger.CloseNotDelivered, Reason: "absent, and the customer cancelled",
	}}
	item.Verdict = verdict.Verdict{
		Kind: verdict.Delivered, Because: []string{"Lookup look-1 found it with receipt rcpt_881."},
		Safe: []verdict.Act{verdict.ActLookup, verdict.ActNote}, ByHand: []verdict.Act{verdict.ActDispute, verdict.ActAcknowledge}, Receipt: "rcpt_881",
		Withheld: map[verdict.Act]string{verdict.ActSetAside: "It is contradicted, and stays on top until somebody acknowledges that: acknowledge it first."},
		Standing: verdict.Standing{State: ledger.Failed, SettledBy: ledger.ByOperator},
	}
	return item
}

// claimed: someone else is on it.
func claimed() actions.Item {
	item := lost()
	item.Intent = intentOf("周报/第48期", "团队聊天", ledger.Unknown, 2*time.Minute)
	item.Target = config.Target{Name: "团队聊天"}
	item.Claim = &ledger.Claim{OpKey: item.Intent.OpKey, Operator: "carol", ExpiresAt: in(8 * time.Minute)}
	return item
}

func scene() *fakeDesk {
	return &fakeDesk{
		items:   []actions.Item{lost(), conflict(), absent(), stuck(), contradicted(), claimed()},
		answers: map[string]func(string) (actions.Done, error){},
		allow: actions.Permission{Allowed: true, At: ledger.At(noon), Checks: []actions.Check{
			{What: "operator", OK: true, Found: "alice, by uid 1000"},
			{What: "grant", OK: true, Found: "grant-17, given by release-desk at 2026-11-30 16:15:00 UTC"},
			{What: "validity", OK: true, Found: "not revoked, expires at 2026-12-01 00:15:00 UTC"},
			{What: "policy", OK: true, Found: "built-in: a new intent demands a valid grant"},
		}},
	}
}

// crowd is a queue of many.
func crowd(n int) *fakeDesk {
	d := scene()
	d.items = nil
	for k := range n {
		item := lost()
		item.Intent.OpKey = fmt.Sprintf("task-%05d", k)
		item.Intent.CreatedAt = ago(time.Duration(n-k+60) * time.Second)
		d.items = append(d.items, item)
	}
	return d
}
