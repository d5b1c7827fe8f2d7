package tui

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"sync"
	"time"

	"triage/actions"
	"triage/ledger"
)

// fakeDesk is a desk whose ledger is a slice.
type fakeDesk struct {
	mu      sync.Mutex
	items   []actions.Item
	trouble error                        // what reading comes to
	unread  map[ledger.StateFilter]error // what reading one list comes to
	written bool                         // someone has written since Changed was asked last
	did     []string
	answers map[string]func(key string) (actions.Done, error) // by act; nil: done
	allow   actions.Permission
	reads   int
	itemErr error // what reading one intent comes to
	sweeps  fakeSweeps
	reviews fakeReviews
}

func (d *fakeDesk) set(f func(d *fakeDesk)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f(d)
	d.written = true
}

// acts lists what was asked of the desk that writes.
func (d *fakeDesk) acts() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.did)
}

func rank(i ledger.Intent) int {
	switch {
	case i.Contradicted():
		return 0
	case !i.State.Final() && !i.Superseded():
		return 1
	}
	return 3
}

func lets(f ledger.StateFilter, i ledger.Intent) bool {
	switch f {
	case ledger.FilterOpen:
		return rank(i) < 3
	case ledger.FilterUnknown:
		return i.State == ledger.Unknown
	case ledger.FilterDelivered:
		return i.State == ledger.Delivered
	}
	return f == ledger.FilterAll
}

func (d *fakeDesk) Queue(_ context.Context, f ledger.StateFilter, after *ledger.Cursor, limit int) ([]ledger.QueueRow, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reads++
	if err := cmp.Or(d.trouble, d.unread[f]); err != nil {
		return nil, err
	}
	var rows []ledger.QueueRow
	for _, item := range d.items {
		i := item.Intent
		if !lets(f, i) {
			continue
		}
		row := ledger.QueueRow{Intent: i, Stuck: item.Stuck, Claim: item.Claim, Cursor: ledger.Cursor{Rank: rank(i), CreatedAt: i.CreatedAt, OpKey: i.OpKey}}
		for _, l := range item.Lookups {
			if l.Finished() {
				row.LastLookup = l.Outcome
			}
		}
		if after == nil || byPlace(*after, row.Cursor) < 0 {
			rows = append(rows, row)
		}
	}
	slices.SortFunc(rows, func(a, b ledger.QueueRow) int { return byPlace(a.Cursor, b.Cursor) })
	return rows[:min(limit, len(rows))], nil
}

func (d *fakeDesk) Counts(context.Context) (ledger.Counts, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var c ledger.Counts
	for _, item := range d.items {
		i := item.Intent
		switch {
		case i.Contradicted():
			c.Contradicted++
		case i.State == ledger.Unknown && !i.Superseded():
			c.Unknown++
		case item.Stuck:
			c.Stuck++
		case ledger.Ahead(i, ledger.At(noon)):
			c.Ahead++
		case i.State == ledger.Pending:
			c.InFlight++
			continue
		default:
			continue
		}
		if c.Oldest.IsNone() || i.CreatedAt < c.Oldest {
			c.Oldest = i.CreatedAt
		}
	}
	return c, d.trouble
}

func (d *fakeDesk) Item(_ context.Context, key string) (actions.Item, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.itemErr != nil {
		return actions.Item{}, d.itemErr
	}
	if d.trouble != nil {
		return actions.Item{}, d.trouble
	}
	for _, item := range d.items {
		if item.Intent.OpKey == key {
			item.MaySend = d.allow
			return item, nil
		}
	}
	return actions.Item{}, &actions.Refusal{Kind: actions.Failed, Code: "unknown_intent", What: "No intent has this key.", Do: "Check the key."}
}

func (d *fakeDesk) Changed(context.Context) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	was := d.written
	d.written = false
	return was, d.trouble
}

func (d *fakeDesk) act(name, key, detail string) (actions.Done, error) {
	d.mu.Lock()
	d.did = append(d.did, name+" "+key+detail)
	answer := d.answers[name]
	d.mu.Unlock()
	if answer != nil {
		return answer(key)
	}
	return actions.Done{Text: "Done: " + name + "."}, nil
}

func (d *fakeDesk) Lookup(_ context.Context, key string) (actions.Done, error) {
	return d.act("lookup", key, "")
}

func (d *fakeDesk) Deliver(_ context.Context, r actions.DeliverRequest) (actions.Done, error) {
	return d.act("deliver", r.OpKey, " receipt="+r.Receipt+" reason="+r.Reason+" evidence="+r.Evidence)
}

func (d *fakeDesk) Reissue(_ context.Context, r actions.ReissueRequest) (actions.Done, error) {
	return d.act("reissue", r.OpKey, " reason="+r.Reason+" accept="+r.AcceptDuplicate)
}

func (d *fakeDesk) Retry(_ context.Context, r actions.Request) (actions.Done, error) {
	return d.act("retry", r.OpKey, " reason="+r.Reason)
}

func (d *fakeDesk) Close(_ context.Context, r actions.Request) (actions.Done, error) {
	return d.act("close", r.OpKey, " reason="+r.Reason)
}

func (d *fakeDesk) Abandon(_ context.Context, r actions.AbandonRequest) (actions.Done, error) {
	return d.act("abandon", r.OpKey, " reason="+r.Reason+" killed="+strconv.FormatBool(r.SenderKilled))
}

func (d *fakeDesk) Note(_ context.Context, r actions.Request) (actions.Done, error) {
	return d.act("note", r.OpKey, " reason="+r.Reason)
}

func (d *fakeDesk) SetAside(_ context.Context, r actions.Request) (actions.Done, error) {
	return d.act("set-aside", r.OpKey, " reason="+r.Reason)
}

func (d *fakeDesk) Dispute(_ context.Context, r actions.DisputeRequest) (actions.Done, error) {
	return d.act("dispute", r.OpKey, " receipt="+r.Receipt+" reason="+r.Reason)
}

func (d *fakeDesk) Acknowledge(_ context.Context, r actions.Request) (actions.Done, error) {
	return d.act("acknowledge", r.OpKey, " reason="+r.Reason)
}

func (d *fakeDesk) Recheck(context.Context, string) (actions.Permission, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.allow, nil
}

// fakeClock moves only when it is told to.
type fakeClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *fakeClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *fakeClock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
