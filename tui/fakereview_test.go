package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"triage/actions"
	"triage/actions/config"
	"triage/actions/verdict"
	"triage/ledger"
)

// fakePast is an intent's past: as it stood after each of its changes.
type fakePast struct {
	then   []actions.Item // one after each event
	events []ledger.Event
}

// fakeReviews is what a desk knows of the past.
type fakeReviews struct {
	pasts   map[string]fakePast
	changes []ledger.Change // newest first
	trouble error
	asked   []actions.ChangesRequest
}

func (d *fakeDesk) ItemAt(_ context.Context, key string, when actions.Moment) (actions.Past, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.reviews.trouble != nil {
		return actions.Past{}, d.reviews.trouble
	}
	p := d.reviews.pasts[key]
	if when.Present() {
		when = actions.Moment{Seq: 1000, At: ledger.At(noon)}
	}
	n := 0
	for n < len(p.events) && (when.Seq > 0 && p.events[n].Seq <= when.Seq || when.Seq == 0 && p.events[n].At <= when.At) {
		n++
	}
	if n == 0 {
		return actions.Past{}, &actions.Refusal{
			Kind: actions.Failed, Code: "unknown_intent", What: fmt.Sprintf("The intent %q had not been begun by then.", key), Do: "Look at a later instant.",
		}
	}
	last := p.events[n-1]
	if when.At.IsNone() {
		when.At = last.At
	}
	if when.Seq == 0 {
		when.Seq = last.Seq
	}
	past := actions.Past{Then: p.then[n-1], Moment: when, First: p.events[0].Seq, Nth: n, Of: len(p.events), Last: last}
	past.Then.Now, past.Then.Events, past.Then.MaySend = when.At, p.events[:n], d.allow
	if n < len(p.events) {
		past.Next = &p.events[n]
	}
	return past, nil
}

func (d *fakeDesk) Changes(_ context.Context, r actions.ChangesRequest) (actions.Changes, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reviews.asked = append(d.reviews.asked, r)
	c := actions.Changes{From: r.From, To: r.To}
	if d.reviews.trouble != nil {
		return c, d.reviews.trouble
	}
	for _, row := range d.reviews.changes {
		if r.Before > 0 && row.Seq >= r.Before || r.Notable && slices.Contains([]string{"begun", "attempt_started", "attempt_finished", "changed"}, row.Kind) {
			continue
		}
		if len(c.Rows) == r.Limit {
			c.More = true
			break
		}
		c.Rows = append(c.Rows, row)
	}
	return c, nil
}

// reviewed is a scene whose first intent has a past of six changes.
func reviewed() *fakeDesk {
	d := scene()
	key := "task-A/review-1"
	begun := ago(3*time.Hour + 12*time.Minute)
	event := func(seq int64, after time.Duration, kind, actor, detail string) ledger.Event {
		return ledger.Event{Seq: seq, At: begun.Add(after), OpKey: key, Kind: kind, Actor: actor, Detail: detail}
	}
	p := fakePast{events: []ledger.Event{
		event(11, 0, "begun", "agent-1", `{"state":[null,"PENDING"],"version":[null,1]}`),
		event(12, 120*time.Millisecond, "attempt_started", "agent-1", `{"attempt_id":[null,"att-1"],"n":[null,1],"version":[1,2]}`),
		event(13, 30*time.Second, "attempt_finished", "agent-1", `{"attempt_id":["att-1","att-1"],"n":[1,1],"outcome":[null,"unknown"],"cause":[null,"timeout"],"version":[2,3]}`),
		event(14, 30*time.Second, "changed", "agent-1", `{"state":["PENDING","UNKNOWN"],"version":[3,4]}`),
		event(31, 42*time.Minute, "mark_delivered", "bob", `{"decision_id":"dec-7","hash":[null,"ab"],"receipt":[null,"rcpt_881"]}`),
		event(32, 42*time.Minute+5*time.Millisecond, "changed", "bob", `{"state":["UNKNOWN","DELIVERED"],"receipt":[null,"rcpt_881"],"settled_by":[null,"operator"],"version":[4,5]}`),
	}}
	for n := range p.events {
		p.then = append(p.then, pastOf(n))
	}
	d.items[0] = p.then[5]
	d.reviews.pasts = map[string]fakePast{key: p, "task-B/review-4": {then: []actions.Item{conflict()}, events: conflict().Events[:1]}}
	d.reviews.changes = []ledger.Change{
		{Event: ledger.Event{Seq: 40, At: ago(5 * time.Minute), Kind: "grant_changed", Actor: "release-desk", Detail: `{"grant_id":["grant-17","grant-17"],"revoked_at":[null,1796076600000]}`}},
		{Event: p.events[5], Target: "report-inbox"},
		{Event: p.events[4], Target: "report-inbox", Reason: "seen in the console by the customer's own people"},
		{Event: ledger.Event{Seq: 30, At: ago(2*time.Hour + 50*time.Minute), OpKey: "task-B/review-4", Kind: "note", Actor: "carol", Detail: `{"decision_id":"dec-6"}`}, Target: "report-inbox", Reason: "asked the vendor"},
		{Event: p.events[3], Target: "report-inbox"},
	}
	return d
}

// pastOf is the scene's first intent after so many more changes than its begin.
func pastOf(n int) actions.Item {
	item := lost()
	item.Intent.State, item.Intent.Version = ledger.Pending, int64(min(n+1, 4))
	item.Verdict = verdict.Verdict{Kind: verdict.NeverSent, Because: []string{"No attempt was made."}, Safe: []verdict.Act{verdict.ActNote, verdict.ActClose}}
	attempt := item.Attempts[0]
	item.Attempts = nil
	if n >= 1 {
		item.Verdict = lost().Verdict
		item.Verdict.Known = nil
		item.Attempts = []ledger.Attempt{{AttemptID: attempt.AttemptID, OpKey: attempt.OpKey, N: 1, Layer: "app", StartedAt: attempt.StartedAt}}
	}
	if n >= 2 {
		item.Attempts = []ledger.Attempt{attempt}
	}
	if n >= 3 {
		item.Intent.State = ledger.Unknown
	}
	if n >= 4 {
		item.Decisions = []ledger.Decision{{
			DecisionID: "dec-7", OpKey: item.Intent.OpKey, At: item.Intent.CreatedAt.Add(42 * time.Minute), Operator: "bob", Kind: ledger.MarkDelivered,
			Reason: "seen in the console", Receipt: "rcpt_881", Seq: 31,
		}}
	}
	if n >= 5 {
		item.Intent.State, item.Intent.Receipt, item.Intent.SettledBy, item.Intent.Version = ledger.Delivered, "rcpt_881", ledger.ByOperator, 5
		item.Verdict = verdict.Verdict{Kind: verdict.NeverLookedUp, Because: []string{"Nobody has looked it up since attempt 1 ended."}, Safe: []verdict.Act{verdict.ActNote, verdict.ActLookup}, Standing: verdict.Standing{State: ledger.Delivered, SettledBy: ledger.ByOperator}}
	}
	item.Target = config.Target{Name: inbox.Name, Environment: inbox.Environment}
	return item
}

var errDisk = errors.New("disk I/O error")
