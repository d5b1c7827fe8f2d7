package actions_test

import (
	"errors"
	"strings"
	"testing"

	"triage/actions"
	"triage/actions/verdict"
	"triage/ledger"
)

// An intent as it stood is judged at that instant by what was known then: what a lookup
// found later proves nothing earlier.
func TestAnIntentAsItStood(t *testing.T) {
	b := newBench(t)
	b.uncertain("k")
	asked := b.last()
	b.later()
	b.says(ledger.LookupNotFound)
	b.lookup("k")
	absent := b.last()
	if _, err := b.desk.Reissue(t.Context(), actions.ReissueRequest{Request: b.request("k")}); err != nil {
		t.Fatal(err)
	}
	now := b.at("k", actions.Moment{})
	live, err := b.desk.Item(t.Context(), "k")
	if err != nil {
		t.Fatal(err)
	}
	if now.Nth != now.Of || now.Next != nil || now.Then.Verdict.Kind != live.Verdict.Kind || now.Then.Intent.SupersededBy == "" {
		t.Errorf("in the present: %+v", now)
	}
	then := b.at("k", actions.Moment{Seq: asked})
	if v := then.Then.Verdict; v.Kind != verdict.NeverLookedUp || v.At != then.Moment.At || then.Then.Now != then.Moment.At || len(then.Then.Lookups) != 0 {
		t.Errorf("before it was looked up: %+v", then)
	}
	later := actions.Moment{Seq: absent, At: b.clock()} // the same rows, when the bench's clock says
	if v := b.at("k", later).Then.Verdict; v.Kind != verdict.Absent || v.At != later.At {
		t.Errorf("once it was proven absent: %+v", v)
	}
	if p := b.at("k", actions.Moment{At: then.Moment.At}); p.Then.Verdict.Kind != verdict.NeverLookedUp || p.Moment.Seq != asked {
		t.Errorf("at the instant: %+v", p.Moment)
	}

	// One change after the other, there and back.
	var kinds, back []string
	p := b.at("k", actions.Moment{Seq: then.First})
	for more := true; more; {
		kinds = append(kinds, p.Last.Kind)
		var next actions.Moment
		if next, more = p.After(); more {
			p = b.at("k", next)
		}
	}
	for more := true; more; {
		back = append([]string{p.Last.Kind}, back...)
		var before actions.Moment
		if before, more = p.Before(); more {
			p = b.at("k", before)
		}
	}
	want := "begun attempt_started attempt_finished changed lookup_started lookup_finished reissue superseded"
	if strings.Join(kinds, " ") != want || strings.Join(back, " ") != want || p.Nth != 1 || p.Of != 8 {
		t.Errorf("forward %v, back %v, at last change %d of %d; want %s", kinds, back, p.Nth, p.Of, want)
	}

	for what, c := range map[string]struct {
		key  string
		when actions.Moment
		says string
	}{
		"before it was begun": {"k", actions.Moment{At: then.Then.Intent.CreatedAt - 60_000}, "had not been begun by"},
		"a key of nobody":     {"nobody", actions.Moment{}, "No intent in this ledger has the key"},
	} {
		_, err := b.desk.ItemAt(t.Context(), c.key, c.when)
		var refusal *actions.Refusal
		if !errors.As(err, &refusal) || refusal.Kind != actions.Failed || !strings.Contains(refusal.What, c.says) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := b.desk.ItemAt(t.Context(), "k", actions.Moment{Seq: 1 << 40}); err == nil {
		t.Error("an event that isn't there was looked back at")
	}
}

// What changed between two moments comes in pages, newest first, with who and why.
func TestWhatChangedBetween(t *testing.T) {
	b := newBench(t)
	b.uncertain("k")
	from := b.last()
	b.uncertain("l")
	if _, err := b.desk.Note(t.Context(), b.request("k")); err != nil {
		t.Fatal(err)
	}
	page, err := b.desk.Changes(t.Context(), actions.ChangesRequest{From: actions.Moment{Seq: from}, Limit: 3})
	if err != nil {
		t.Fatal(err)
	}
	if first := page.Rows[0]; len(page.Rows) != 3 || !page.More || first.Kind != "note" || first.OpKey != "k" || first.Actor != "olga" || first.Reason == "" || first.Target != "inbox" ||
		page.To.Seq != b.last() || page.From.At.IsNone() {
		t.Errorf("the first page: %+v", page)
	}
	all := page.Rows
	for page.More {
		page, err = b.desk.Changes(t.Context(), actions.ChangesRequest{From: actions.Moment{Seq: from}, Before: all[len(all)-1].Seq, Limit: 3})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, page.Rows...)
	}
	for n, c := range all {
		if c.Seq != b.last()-int64(n) {
			t.Errorf("row %d is event %d", n, c.Seq)
		}
	}
	if int64(len(all)) != b.last()-from {
		t.Errorf("%d rows, want %d", len(all), b.last()-from)
	}
	few, err := b.desk.Changes(t.Context(), actions.ChangesRequest{From: actions.Moment{At: 1}, Notable: true, Limit: 10})
	if err != nil || len(few.Rows) != 1 || few.More || few.Rows[0].Kind != "note" {
		t.Errorf("what is notable: %+v, %v", few, err)
	}
}

func (b *workbench) last() int64 {
	b.t.Helper()
	seq, err := b.db.LastSeq(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	return seq
}

func (b *workbench) at(key string, when actions.Moment) actions.Past {
	b.t.Helper()
	p, err := b.desk.ItemAt(b.t.Context(), key, when)
	if err != nil {
		b.t.Fatal(err)
	}
	return p
}
