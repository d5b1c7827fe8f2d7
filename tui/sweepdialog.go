package tui

import (
	"context"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"triage/actions"
	"triage/actions/config"
	"triage/actions/wording"
	"triage/ledger"
)

// sweepDecision is the dialog before a sweep: what exactly would be asked, what is
// left out, and how long that takes at least.
type sweepDecision struct {
	marked  []string      // exactly these; nil: all that a sweep covers
	since   ledger.Millis // of a sweep that was stopped; none: there is none to go on with
	rest    bool          // only what that one had not asked yet
	plan    *actions.SweepPlan
	targets []sweepTarget
	trouble error
}

// sweepTarget is what a plan holds for one receiver.
type sweepTarget struct {
	name, place string
	items       []actions.SweepItem
	rate        config.Rate
	atLeast     time.Duration // how long its rate makes it take
	held        ledger.Millis // until when it asked to be left alone; none: it did not
}

// Which part of a sweep that was stopped is asked.
const (
	sweepRest = "The rest: what was not asked since then"
	sweepAnew = "Everything anew"
)

func (m *Model) sweepOff() string {
	if m.options.ReadOnly {
		return readOnlyWords
	}
	return ""
}

// startSweep shows the sweep that runs or has just ended; where there is none, it
// opens the dialog for another.
func (m *Model) startSweep() tea.Cmd {
	if m.sweep.running || m.sweep.n > 0 && !m.sweep.seen {
		m.openSweepView()
		return nil
	}
	return m.openSweep()
}

func (m *Model) openSweep() tea.Cmd {
	d := &sweepDecision{marked: slices.Clone(m.marks.keys)}
	var fields []field
	if d.since = m.sweep.resumable(); len(d.marked) == 0 && !d.since.IsNone() {
		d.rest = true
		which := newChoice("Which", "The last sweep was stopped. Space, ← or → chooses.", "", sweepRest, sweepAnew)
		which.chosen = 0
		fields = append(fields, which)
	}
	m.dialogs++
	f := &form{
		id: m.dialogs, subject: d, title: "Sweep", confirm: "Look them up", fields: fields,
		quiet: newQuiet(m.asks.clock(), m.options.Quiet),
	}
	m.over = f
	return m.asks.planSweep(f.id, d.request())
}

func (d *sweepDecision) request() actions.SweepRequest {
	r := actions.SweepRequest{Keys: d.marked}
	if d.rest {
		r.Since = d.since
	}
	return r
}

// sweepPlanned: what a sweep would ask about was counted.
type sweepPlanned struct {
	dialog  int
	request actions.SweepRequest
	plan    actions.SweepPlan
	targets []sweepTarget
	err     error
}

func (a asks) planSweep(dialog int, r actions.SweepRequest) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(a.ctx, readTimeout)
		defer cancel()
		answer := sweepPlanned{dialog: dialog, request: r}
		if answer.plan, answer.err = a.acts.PlanSweep(ctx, r); answer.err != nil {
			return answer
		}
		answer.targets = byTarget(answer.plan.Items)
		for i := range answer.targets {
			t := &answer.targets[i]
			item, err := a.acts.Item(ctx, t.items[0].OpKey)
			if err != nil {
				answer.err = err
				return answer
			}
			t.configured(item)
		}
		return answer
	}
}

// byTarget sorts a plan by receiver.
func byTarget(items []actions.SweepItem) []sweepTarget {
	var out []sweepTarget
	for _, item := range items {
		at := slices.IndexFunc(out, func(t sweepTarget) bool { return t.name == item.Target })
		if at < 0 {
			at = len(out)
			out = append(out, sweepTarget{name: item.Target, place: wording.Safe(item.Target)})
		}
		out[at].items = append(out[at].items, item)
	}
	return out
}

// configured takes in what the configuration says about a target.
func (t *sweepTarget) configured(item actions.Item) {
	t.place, t.held = place(item), item.HeldUntil
	if item.Target.Lookup == nil {
		return
	}
	t.rate = item.Target.Lookup.Rate
	requests := 1
	if item.Target.Promises.Canary != "" {
		requests = 3 // the canary is asked for before and after
	}
	if t.rate.Count > 0 {
		waiting := max(len(t.items)*requests-max(t.rate.Count, requests), 0)
		t.atLeast = time.Duration(waiting) * (t.rate.Per / time.Duration(t.rate.Count))
	}
}

func (m *Model) onSweepPlanned(a sweepPlanned) {
	f, ok := m.over.(*form)
	if !ok || f.id != a.dialog {
		return
	}
	d, ok := f.subject.(*sweepDecision)
	if !ok || d.request().Since != a.request.Since { // another choice was made since
		return
	}
	if d.trouble = a.err; a.err != nil {
		return
	}
	d.plan, d.targets = &a.plan, a.targets
	f.confirm = "Look up " + wording.Count(len(a.plan.Items), "intent", "intents")
}

// edited counts anew once another part was chosen.
func (d *sweepDecision) edited(m *Model, f *form) tea.Cmd {
	if len(f.fields) == 0 {
		return nil
	}
	if rest := f.fields[0].value() == sweepRest; rest != d.rest {
		d.rest, d.plan, d.targets, d.trouble = rest, nil, nil, nil
		f.confirm = "Look them up"
		return m.asks.planSweep(f.id, d.request())
	}
	return nil
}

func (d *sweepDecision) blocked() string {
	switch {
	case d.trouble != nil:
		return "What it would ask about could not be counted: leave (esc) and try again."
	case d.plan == nil:
		return "It is still being counted."
	case len(d.plan.Items) == 0:
		return "There is nothing to ask about."
	}
	return ""
}

func (d *sweepDecision) confirmed(m *Model, _ *form) tea.Cmd {
	return m.beginSweep(*d.plan, len(d.marked) > 0)
}

// head is what a sweep pins: how many intents, counted when.
func (d *sweepDecision) head(m *Model, f *form, width int) []line {
	t := m.theme
	words := "counting …"
	switch {
	case d.trouble != nil:
		words = "not counted"
	case d.plan != nil:
		words = fmt.Sprintf("%s at %s, counted %s", wording.Count(len(d.plan.Items), "intent", "intents"),
			wording.Count(len(d.targets), "target", "targets"), m.when(d.plan.At))
	}
	return []line{t.rule(line{{f.title, t.strong}, {"  " + words, t.plain}}, width)}
}

func (d *sweepDecision) content(m *Model, width int) []line {
	t := m.theme
	if d.trouble != nil {
		return wrapped("! "+readTrouble(d.trouble), width, t.danger)
	}
	if d.plan == nil {
		return wrapped("Counting what a sweep covers …", width, t.plain)
	}
	out := wrapped("It reads only: nothing is sent, closed or made anew. "+d.covers(m)+" What comes later is not part of it.", width, t.plain)
	out = append(out, nil)
	for _, one := range d.targets {
		out = append(out, m.targetLines(one, width)...)
	}
	if len(d.targets) == 0 {
		out = append(out, wrapped("Nothing is left to ask about.", width, t.strong)...)
	}
	if len(d.plan.Skipped) > 0 {
		out = append(out, nil)
		out = append(out, m.skippedLines(d.plan.Skipped, width)...)
	}
	out = append(out, nil)
	return append(out, wrapped("Every receiver is asked once about each, under the intent's own key, and every answer goes on record as it comes. "+
		"An intent becomes DELIVERED only where the receiver shows this very content.", width, t.plain)...)
}

// covers says what was counted.
func (d *sweepDecision) covers(m *Model) string {
	switch {
	case len(d.marked) > 0:
		return "Exactly what is marked: " + wording.Count(len(d.marked), "intent", "intents") + "."
	case d.rest:
		return "The rest of the sweep that was stopped: what has been asked since " + m.when(d.since) + " is left out."
	}
	return "Everything that is contradicted, UNKNOWN or stuck PENDING, and what was set aside, closed, replaced or marked by hand and can still be found."
}

func (m *Model) targetLines(one sweepTarget, width int) []line {
	t := m.theme
	words := fmt.Sprintf("%s: %s.", wording.Count(len(one.items), "intent", "intents"), whyCounts(one.items))
	switch {
	case one.rate.Count == 0:
	case one.atLeast < time.Second:
		words += " At " + rateWords(one.rate) + " that takes a moment."
	default:
		words += " At " + rateWords(one.rate) + " that takes at least " + wording.Wait(one.atLeast) + "."
	}
	if one.held > m.now {
		words += " It asked to be left alone until " + m.when(wholeSecond(one.held)) + ": the sweep waits."
	}
	keys := make([]string, len(one.items))
	for i, item := range one.items {
		keys[i] = item.OpKey
	}
	out := wrapped(one.place, width, t.strong)
	out = append(out, labelled("", 2, t.plain, wrapped(words, width-2, t.plain))...)
	return append(out, labelled("", 2, t.plain, wrapped(someKeys(keys), width-2, t.muted))...)
}

func rateWords(r config.Rate) string {
	per := map[time.Duration]string{time.Second: "a second", time.Minute: "a minute", time.Hour: "an hour"}[r.Per]
	if per == "" {
		per = "in " + wording.Duration(r.Per)
	}
	return wording.Count(r.Count, "request", "requests") + " " + per
}

// leaveDecision asks before the screen is left while a sweep runs.
type leaveDecision struct{}

func quit(m *Model) tea.Cmd {
	if !m.sweep.running {
		return tea.Quit
	}
	m.dialogs++
	m.over = &form{
		id: m.dialogs, subject: leaveDecision{}, title: "Leave while a sweep runs", confirm: "Stop it and leave",
		quiet: newQuiet(m.asks.clock(), m.options.Quiet),
	}
	return nil
}

func (leaveDecision) blocked() string { return "" }

func (leaveDecision) head(m *Model, f *form, width int) []line {
	return []line{m.theme.rule(text(f.title, m.theme.strong), width)}
}

func (leaveDecision) content(m *Model, width int) []line {
	if !m.sweep.running {
		return wrapped("The sweep has ended meanwhile: nothing is cut off any more.", width, m.theme.plain)
	}
	p := m.sweep.progress
	return wrapped(fmt.Sprintf("A sweep runs: %s of %s asked. It is stopped after the question under way, whose answer is recorded first; what was answered is in the ledger. "+
		"Another sweep asks the rest, from here (L) or with `triage lookup --all`.", wording.Number(int64(p.asked)), wording.Number(int64(p.of))), width, m.theme.plain)
}

func (leaveDecision) confirmed(m *Model, _ *form) tea.Cmd {
	m.stopSweep()
	return tea.Quit
}
