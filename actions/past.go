package actions

import (
	"context"
	"errors"
	"fmt"

	"triage/ledger"
)

// Moment is an instant to look back at: a place in the journal, or a point in time, or
// both where it was one of them and has been looked up. The zero Moment is the present.
type Moment struct {
	Seq int64         // the journal up to this event; 0: up to At
	At  ledger.Millis // none: when the event Seq was written
}

// Present says that nothing is looked back at.
func (m Moment) Present() bool { return m == Moment{} }

// Past is one intent as it stood at a moment. It can only be looked at: no act takes it.
type Past struct {
	// Then is the intent at that moment. Its verdict, its budget and its permission are
	// judged at Then.Now, from what the ledger knew then, by the configuration of today:
	// what was promised at that time is written down in the facts of each decision.
	Then    Item
	Moment  Moment // where this is: both of its fields are set
	First   int64  // seq of its begin
	Nth, Of int    // how many changes it had seen by then, and has seen now
	Last    ledger.Event
	Next    *ledger.Event // what happened to it next; nil: nothing yet
}

// Before is the moment one change earlier, false where there is none.
func (p Past) Before() (Moment, bool) {
	events := p.Then.Events
	if len(events) < 2 {
		return Moment{}, false
	}
	return Moment{Seq: events[len(events)-2].Seq}, true
}

// After is the moment one change later, false where there is none yet.
func (p Past) After() (Moment, bool) {
	if p.Next == nil {
		return Moment{}, false
	}
	return Moment{Seq: p.Next.Seq}, true
}

// ItemAt is one intent as it stood at a moment. One that had not been begun by then is a
// Refusal of kind Failed, as is an unknown key.
func (d *Desk) ItemAt(ctx context.Context, opKey string, when Moment) (Past, error) {
	when, err := d.place(ctx, when)
	if err != nil {
		return Past{}, err
	}
	h, err := d.Ledger.HistoryAt(ctx, opKey, when.Seq, when.At)
	if errors.Is(err, ledger.ErrNoSuchIntent) {
		return Past{}, d.notYet(ctx, opKey, when)
	}
	if err != nil {
		return Past{}, err
	}
	return Past{
		Then: d.judge(h.History, when.At), Moment: when, First: h.First, Nth: h.Nth, Of: h.Of,
		Last: h.Events[len(h.Events)-1], Next: h.Next,
	}, nil
}

// place fills in what a moment leaves out.
func (d *Desk) place(ctx context.Context, m Moment) (Moment, error) {
	switch {
	case m.Present():
		seq, err := d.Ledger.LastSeq(ctx)
		return Moment{Seq: seq, At: d.Clock()}, err
	case m.Seq == 0:
		seq, err := d.Ledger.SeqAt(ctx, m.At)
		return Moment{Seq: seq, At: m.At}, err
	case m.At.IsNone():
		events, err := d.Ledger.Journal(ctx, m.Seq-1, 1)
		if err == nil && len(events) == 0 {
			err = fmt.Errorf("the journal has no event %d", m.Seq)
		}
		if err != nil {
			return m, err
		}
		m.At = events[0].At
	}
	return m, nil
}

// notYet says whether the key is unknown, or only was so then.
func (d *Desk) notYet(ctx context.Context, opKey string, when Moment) error {
	h, err := d.Ledger.History(ctx, opKey, when.At)
	if err != nil {
		return unknownKey(err, opKey)
	}
	begun := h.Intent.CreatedAt
	if len(h.Events) > 0 && h.Events[0].Kind == "begun" {
		begun = h.Events[0].At
	}
	return &Refusal{
		Kind: Failed, Code: string(ledger.UnknownIntent),
		What:  fmt.Sprintf("The intent %q had not been begun by %s.", opKey, instant(when.At)),
		Means: "Nothing was known about this delivery then.",
		Do:    fmt.Sprintf("Look at an instant from %s on, when it was begun.", instant(begun)),
	}
}

// ChangesRequest asks what changed in the whole ledger after one moment and up to
// another, newest first.
type ChangesRequest struct {
	From, To Moment // the zero To is the present
	Before   int64  // only events before this seq, for the next page; 0: from To on
	Notable  bool   // see ledger.ChangesQuery
	Limit    int
}

// Changes is a page of what changed.
type Changes struct {
	From, To Moment // as they were looked up
	Rows     []ledger.Change
	More     bool // more lie between From and the last row
}

// Changes reads one page of what changed between two moments, newest first.
func (d *Desk) Changes(ctx context.Context, r ChangesRequest) (c Changes, err error) {
	if c.From, err = d.place(ctx, r.From); err != nil {
		return c, err
	}
	if c.To, err = d.place(ctx, r.To); err != nil {
		return c, err
	}
	q := ledger.ChangesQuery{After: c.From.Seq, UpTo: c.To.Seq, Notable: r.Notable, Limit: r.Limit + 1}
	if r.Before > 0 {
		q.UpTo = min(q.UpTo, r.Before-1)
	}
	if c.Rows, err = d.Ledger.Changes(ctx, q); len(c.Rows) > r.Limit {
		c.Rows, c.More = c.Rows[:r.Limit], true
	}
	return c, err
}
