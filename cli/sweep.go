package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"triage/actions"
	"triage/actions/wording"
	"triage/ledger"
)

// sweepFlags are those of a lookup that asks about more than the keys it is given.
type sweepFlags struct {
	all     bool
	targets []string
	since   string
}

func (s *sweepFlags) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&s.all, "all", false, "sweep: ask about all that is uncertain, and about what was decided and can still be found")
	cmd.Flags().StringArrayVar(&s.targets, "target", nil, "with --all: only this `target`; may be given several times")
	cmd.Flags().StringVar(&s.since, "since", "", "with --all: leave out what was looked up since this `instant` (RFC 3339), to resume a sweep that was interrupted")
}

// check says whether keys and flags go together.
func (s *sweepFlags) check(cmd *cobra.Command, keys []string) error {
	switch {
	case s.all && len(keys) > 0:
		return usagef("lookup takes either KEYs or --all. Nobody was asked")
	case s.all:
		return nil
	case len(s.targets) > 0 || s.since != "":
		return usagef("--target and --since go with --all. Nobody was asked")
	}
	return someKeys(cmd, keys)
}

func (s *sweepFlags) request(desk *actions.Desk) (actions.SweepRequest, error) {
	r := actions.SweepRequest{Targets: s.targets}
	for _, name := range s.targets {
		if desk.Config.Target(name).Lookup == nil {
			return r, usagef("--target %q: no lookup is configured for a target of that name. Nobody was asked", name)
		}
	}
	if s.since == "" {
		return r, nil
	}
	t, err := time.Parse(time.RFC3339, s.since)
	if err != nil {
		return r, usagef("--since %q is not an instant as in 2026-11-30T22:00:00Z. Nobody was asked", s.since)
	}
	r.Since = ledger.At(t)
	if r.Since > desk.Clock() {
		return r, usagef("--since %q lies in the future. Nobody was asked", s.since)
	}
	return r, nil
}

// sweep asks about everything that a sweep covers. What happens is told on stderr as
// it happens; stdout gets the results, or without --json what came of it all.
func (p Program) sweep(ctx context.Context, f *flags, desk *actions.Desk, wanted *sweepFlags) error {
	request, err := wanted.request(desk)
	if err != nil {
		return err
	}
	plan, err := desk.PlanSweep(ctx, request)
	if err != nil {
		return err
	}
	out := &sweepOutput{err: p.Err, now: desk.Clock}
	if f.json {
		out.results = &jsonArray{w: p.Out}
	}
	out.begin(plan)
	asking, stop := context.WithCancel(ctx)
	defer stop()
	report, err := desk.Sweep(asking, plan, func(step actions.SweepStep) {
		if out.step(step) != nil {
			stop() // nobody reads the results any more
		}
	})
	if err != nil {
		return err
	}
	to := p.Out
	if f.json {
		to = p.Err
	}
	if err := errors.Join(out.broken, out.end(to, report)); err != nil {
		return err
	}
	if len(out.trouble) > 0 || report.Cancelled || len(plan.Skipped) > 0 {
		return &sweepError{asked: report.Asked, trouble: out.trouble, of: report.Of, skipped: len(plan.Skipped)}
	}
	return nil
}

// sweepOutput tells a sweep as it goes on.
type sweepOutput struct {
	err     io.Writer
	now     ledger.Clock
	results *jsonArray // nil without --json
	trouble []error
	broken  error // the results can't be written
}

func (o *sweepOutput) tell(format string, args ...any) {
	_, _ = fmt.Fprintln(o.err, wording.Safe(fmt.Sprintf(format, args...)))
}

// begin says what is going to be asked, and how to do the rest if that is interrupted.
func (o *sweepOutput) begin(plan actions.SweepPlan) {
	by, why := map[string]int{}, map[actions.SweepWhy]int{}
	for _, item := range plan.Items {
		by[item.Target]++
		why[item.Why]++
	}
	since := plan.At
	if !plan.Since.IsNone() {
		since = plan.Since
	}
	if len(plan.Items) == 0 {
		o.tell("There is nothing to ask.")
	} else {
		o.tell("Asking about %s at %s: %s.", wording.Count(len(plan.Items), "intent", "intents"), wording.List(sortedKeys(by)), reasons(why))
		o.tell("To do the rest if this is interrupted, give the same command --since %s", sinceText(since))
	}
	skipped := map[string][]string{}
	for _, s := range plan.Skipped {
		skipped[s.Why] = append(skipped[s.Why], s.OpKey)
	}
	for _, why := range sortedKeys(skipped) {
		o.tell("Can't be asked about: %s (%s).", fewKeys(skipped[why]), why)
	}
}

// whyWords name the reasons, in the order in which they are told.
var whyWords = []struct {
	why   actions.SweepWhy
	words string
}{
	{actions.SweepContradicted, "contradicted"}, {actions.SweepUnknown, "UNKNOWN"}, {actions.SweepStuck, "stuck PENDING"},
	{actions.SweepAhead, "PENDING with a clock ahead"}, {actions.SweepSetAside, "set aside"}, {actions.SweepSnoozed, "snoozed"},
	{actions.SweepClosed, "closed"}, {actions.SweepReplaced, "replaced"}, {actions.SweepMarkedByHand, "marked delivered by hand"},
	{actions.SweepChosen, "other"},
}

func reasons(why map[actions.SweepWhy]int) string {
	var words []string
	for _, w := range whyWords {
		if n := why[w.why]; n > 0 {
			words = append(words, wording.Number(int64(n))+" "+w.words)
		}
	}
	return wording.List(words)
}

// step tells one thing that happened; the error is that its result can't be written.
func (o *sweepOutput) step(step actions.SweepStep) error {
	left := wording.Number(int64(step.Of-step.Asked)) + " left"
	if step.WaitingFor != "" {
		now := o.now()
		o.tell("Waiting for %s until %s, %s to go; %s.", step.WaitingFor, wording.Clock(step.WaitUntil, now, time.UTC),
			wording.Wait(step.WaitUntil.Sub(now)), left)
		return o.broken
	}
	text := step.Done.Text
	switch {
	case step.Err != nil:
		text = "could not be asked: " + oneLine(step.Err)
		o.trouble = append(o.trouble, step.Err)
	case step.Done.Lookup.Outcome == ledger.LookupFailed:
		o.trouble = append(o.trouble, &failedError{"the receiver gave nothing usable for " + step.Item.OpKey})
	}
	o.tell("%s of %s, %s. %s: %s", wording.Number(int64(step.Asked)), wording.Number(int64(step.Of)), left, step.Item.OpKey, text)
	if o.results != nil && step.Err == nil && o.broken == nil {
		o.broken = o.results.add(doneForm(step.Done))
	}
	return o.broken
}

// oneLine is an error in a line of progress.
func oneLine(err error) string {
	var r *actions.Refusal
	if errors.As(err, &r) {
		return r.What
	}
	return err.Error()
}

// end says what came of it; what speaks against a decision comes first.
func (o *sweepOutput) end(w io.Writer, r actions.SweepReport) error {
	if o.results != nil {
		if err := o.results.close(); err != nil {
			return err
		}
	}
	var t page
	if len(r.ContradictedKeys) > 0 {
		t.line("%s what was decided. Look at these first:", wording.Count(r.Contradicted, "answer contradicts", "answers contradict"))
		for _, key := range r.ContradictedKeys {
			t.line("  %s", key)
		}
	}
	if r.Of > 0 {
		t.line("%s", sweepCounts(r))
	}
	if r.Meanwhile > 0 {
		t.line("%s asked about by somebody else meanwhile, and not asked about again.", wording.Count(r.Meanwhile, "intent was", "intents were"))
	}
	if r.Cancelled {
		t.line("Stopped. What was begun is finished and written down. To do the rest, give the same command --since %s", sinceText(r.Since))
	}
	_, err := io.WriteString(w, t.String())
	return err
}

func sweepCounts(r actions.SweepReport) string {
	var words []string
	for _, c := range []struct {
		n    int
		what string
	}{
		{r.Delivered, "delivered"}, {r.Absent, "proven absent"}, {r.Refused, "refused for good"},
		{r.Conflicts, "in conflict"}, {r.Inconclusive, "not proven"}, {r.Failed, "without a usable answer"},
	} {
		if c.n > 0 {
			words = append(words, wording.Number(int64(c.n))+" "+c.what)
		}
	}
	line := fmt.Sprintf("%s of %s asked", wording.Number(int64(r.Asked)), wording.Count(r.Of, "intent", "intents"))
	if len(words) > 0 {
		line += ": " + wording.List(words)
	}
	return line + "."
}

// sinceText is an instant as --since takes it, to the millisecond.
func sinceText(m ledger.Millis) string { return m.Time().Format("2006-01-02T15:04:05.000Z07:00") }

func fewKeys(keys []string) string {
	const most = 3
	if extra := len(keys) - most; extra > 0 {
		return fmt.Sprintf("%s and %s more", strings.Join(keys[:most], ", "), wording.Number(int64(extra)))
	}
	return wording.List(keys)
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// jsonArray writes an array element by element, so that a long sweep needs no memory
// and loses nothing to an interruption but its end.
type jsonArray struct {
	w io.Writer
	n int
}

func (a *jsonArray) add(value any) error {
	raw, err := marshalSafe(value)
	if err != nil {
		return err
	}
	start := "[\n"
	if a.n > 0 {
		start = ",\n"
	}
	a.n++
	_, err = fmt.Fprintf(a.w, "%s%s", start, raw)
	return err
}

func (a *jsonArray) close() error {
	end := "\n]\n"
	if a.n == 0 {
		end = "[]\n"
	}
	_, err := io.WriteString(a.w, end)
	return err
}
