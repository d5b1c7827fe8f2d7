package cli

import (
	"context"
	"fmt"
	"io"
	"time"

	"triage/actions"
	"triage/actions/wording"
)

// momentOf reads --at; the zero moment where it isn't given.
func momentOf(at string, given bool) (actions.Moment, error) {
	if !given {
		return actions.Moment{}, nil
	}
	m, err := wording.ParseInstant(at, time.UTC)
	if err != nil {
		return actions.Moment{}, usagef("--at %q is %v", wording.Safe(at), err)
	}
	return actions.Moment{At: m}, nil
}

// asOfJSON says of which moment an intent is shown.
type asOfJSON struct {
	At       int64  `json:"at"`
	Seq      int64  `json:"seq"`       // the journal's last event by then, 0 where it had none
	Change   int    `json:"change"`    // how many changes the intent had seen by then
	Changes  int    `json:"changes"`   // and has seen by now
	LastKind string `json:"last_kind"` // of the newest of them by then
	NextAt   *int64 `json:"next_at"`   // when the next one came; null: none did yet
}

type pastJSON struct {
	AsOf asOfJSON `json:"as_of"`
	showJSON
}

// showPast prints one intent as it stood.
func (p Program) showPast(ctx context.Context, s *session, f *flags, key string, when actions.Moment) error {
	if now := s.desk.Clock(); when.At > now {
		return usagef("--at %s is yet to come; now it is %s. Leave --at out to see the present", wording.Instant(when.At, time.UTC), wording.Instant(now, time.UTC))
	}
	past, err := s.desk.ItemAt(ctx, key, when)
	if err != nil {
		return err
	}
	if !f.json {
		_, err = io.WriteString(p.Out, pastText(past))
		return err
	}
	form := pastJSON{showJSON: showForm(past.Then), AsOf: asOfJSON{
		At: int64(past.Moment.At), Seq: past.Moment.Seq, Change: past.Nth, Changes: past.Of, LastKind: past.Last.Kind,
	}}
	if past.Next != nil {
		form.AsOf.NextAt = optionalInt(past.Next.At)
	}
	return printJSON(p.Out, form)
}

func pastText(past actions.Past) string {
	t := page{past: true}
	t.line("AS IT STOOD at %s, %s of %s. This is the past.", wording.Stamp(past.Moment.At, 0, time.UTC),
		wording.Number(int64(past.Nth)), wording.Count(past.Of, "change", "changes"))
	t.line("Judged for that instant from what the ledger knew then, by today's configuration.")
	next := "nothing yet"
	if past.Next != nil {
		next = fmt.Sprintf("%s by %s at %s", past.Next.Kind, past.Next.Actor, wording.Stamp(past.Next.At, 0, time.UTC))
	}
	t.line("Last change by then: %s by %s at %s; next: %s.", past.Last.Kind, past.Last.Actor, wording.Stamp(past.Last.At, 0, time.UTC), next)
	t.line("")
	t.item(past.Then)
	return t.String()
}
