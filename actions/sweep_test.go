package actions_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"triage/actions"
	"triage/actions/config"
	"triage/actions/lookup"
	"triage/ledger"
)

// plan plans a sweep over everything.
func (b *workbench) plan(r actions.SweepRequest) actions.SweepPlan {
	b.t.Helper()
	plan, err := b.desk.PlanSweep(b.t.Context(), r)
	if err != nil {
		b.t.Fatal(err)
	}
	return plan
}

// planned is a plan as key: why, sorted.
func planned(p actions.SweepPlan) (all []string) {
	for _, i := range p.Items {
		all = append(all, i.OpKey+": "+string(i.Why))
	}
	slices.Sort(all)
	return all
}

// settledAll leaves one intent of each sort that a sweep covers, and of each that it
// does not.
func (b *workbench) settledAll() {
	b.t.Helper()
	for _, key := range []string{"closed", "replaced"} {
		b.provenAbsent(key)
	}
	for _, key := range []string{"unknown", "aside", "snoozed", "marked", "disputed"} {
		b.uncertain(key)
	}
	b.marked("marked", "r-marked")
	b.marked("disputed", "r-disputed")
	b.disputed("disputed", "")
	b.begin("stuck") // ten minutes ago, as the clock stands: stuck, and never sent
	b.begin("natural")
	a := b.attempt("natural")
	if _, err := b.db.Finish(b.t.Context(), a.AttemptID, ledger.Result{Outcome: ledger.OutcomeDelivered, Receipt: "r-natural"}); err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.desk.Close(b.t.Context(), b.request("closed")); err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.desk.SetAside(b.t.Context(), b.request("aside")); err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.desk.Reissue(b.t.Context(), actions.ReissueRequest{Request: b.request("replaced")}); err != nil {
		b.t.Fatal(err)
	}
	err := b.db.Act(b.t.Context(), func(tx ledger.Tx) error {
		_, err := tx.Decide(ledger.Decision{OpKey: "snoozed", At: b.clock(), Operator: "ann", Kind: ledger.Snooze, Reason: "tomorrow", Facts: "{}", Until: b.clock().Add(time.Hour)})
		return err
	})
	if err != nil {
		b.t.Fatal(err)
	}
}

func TestASweepCoversWhatMayStillBeFoundOut(t *testing.T) {
	b := newBench(t)
	b.settledAll()
	want := []string{
		"aside: set_aside", "closed: closed", "disputed: contradicted", "marked: marked_by_hand", "replaced: replaced",
		"snoozed: snoozed", "stuck: stuck", "unknown: unknown",
	}
	got := planned(b.plan(actions.SweepRequest{}))
	got = slices.DeleteFunc(got, func(s string) bool { return strings.HasPrefix(s, "replaced~") }) // the successor: never sent, and stuck by this clock
	if !slices.Equal(got, want) {
		t.Errorf("planned %v, want %v", got, want)
	}
	if first := b.plan(actions.SweepRequest{}).Items[0]; first.OpKey != "disputed" {
		t.Errorf("what is contradicted comes first, not %s", first.OpKey)
	}
	if p := b.plan(actions.SweepRequest{Targets: []string{"elsewhere"}}); len(p.Items) != 0 || len(p.Skipped) != 0 {
		t.Errorf("another target: %+v", p)
	}
	p := b.plan(actions.SweepRequest{Keys: []string{"natural", "unknown", "unknown", "gone"}})
	if got := planned(p); !slices.Equal(got, []string{"natural: chosen", "unknown: unknown"}) {
		t.Errorf("by key: %v", got)
	}
	if len(p.Skipped) != 1 || p.Skipped[0].OpKey != "gone" || p.Skipped[0].Why != "no intent in this ledger has this key" {
		t.Errorf("skipped %+v", p.Skipped)
	}
}

func TestASweepLeavesWhatCannotBeFoundAnyMore(t *testing.T) {
	only := func(t *testing.T, b *workbench, want ...string) {
		t.Helper()
		got := planned(b.plan(actions.SweepRequest{}))
		if !slices.Equal(got, want) {
			t.Errorf("planned %v, want %v", got, want)
		}
	}
	b := newBench(t)
	b.uncertain("marked")
	b.marked("marked", "r-1")
	only(t, b, "marked: marked_by_hand")
	b.ahead = 24*time.Hour - time.Minute
	only(t, b, "marked: marked_by_hand")
	b.ahead = 24*time.Hour + time.Minute
	only(t, b)

	silent := inbox()
	silent.Promises.KeyRetention = nil // nothing says how long it can be found
	b = newBench(t, silent)
	b.uncertain("marked")
	b.marked("marked", "r-1")
	b.uncertain("open")
	only(t, b, "open: unknown")
}

func TestWhatCannotBeAskedIsNamed(t *testing.T) {
	off := inbox()
	off.Lookup.Missing = []config.MissingVariable{{Name: "TOKEN"}}
	b := newBench(t, off)
	b.uncertain("k")
	b.sql(`INSERT INTO intents (op_key, task, principal, target, payload_sha256, created_at, updated_at) VALUES ('far', 't', 'p', 'nobody', ?, 946684800000, 946684800000)`, content)
	p := b.plan(actions.SweepRequest{})
	if len(p.Items) != 0 || len(p.Skipped) != 2 {
		t.Fatalf("%+v", p)
	}
	why := map[string]string{p.Skipped[0].OpKey: p.Skipped[0].Why, p.Skipped[1].OpKey: p.Skipped[1].Why}
	if !strings.Contains(why["k"], "TOKEN") || !strings.HasPrefix(why["far"], `no lookup is configured for target "nobody". The configuration knows no target of that name`) {
		t.Errorf("%v", why)
	}
}

// quick is the usual target, asked as fast as can be.
func quick() config.Target {
	t := inbox()
	t.Lookup.Rate = config.Rate{Count: 100_000, Per: time.Second}
	return t
}

// sweep runs a plan and keeps what it told.
func (b *workbench) sweep(ctx context.Context, plan actions.SweepPlan) (actions.SweepReport, []actions.SweepStep) {
	b.t.Helper()
	var told []actions.SweepStep
	report, err := b.desk.Sweep(ctx, plan, func(s actions.SweepStep) { told = append(told, s) })
	if err != nil {
		b.t.Fatal(err)
	}
	return report, told
}

func TestASweepCountsWhatItLearns(t *testing.T) {
	b := newBench(t, quick())
	b.ahead = 10 * time.Minute
	answers := map[string]lookup.Answer{
		"found":     {Outcome: ledger.LookupFound, Receipt: "r-found", PayloadSHA256: content},
		"missed":    {Outcome: ledger.LookupNotFound},
		"refused":   {Outcome: ledger.LookupRefused},
		"ambiguous": {Outcome: ledger.LookupAmbiguous},
		"working":   {Outcome: ledger.LookupInProgress},
		"failed":    {Outcome: ledger.LookupFailed, Cause: "timeout"},
	}
	for key := range answers {
		b.uncertain(key)
	}
	b.provenAbsent("closed")
	if _, err := b.desk.Close(t.Context(), b.request("closed")); err != nil {
		t.Fatal(err)
	}
	answers["closed"] = lookup.Answer{Outcome: ledger.LookupFound, Receipt: "r-closed", PayloadSHA256: content}
	b.answer = func(i ledger.Intent) lookup.Answer {
		a := answers[i.OpKey]
		if a.Outcome == ledger.LookupFound {
			a.Evidence.Key = &i.OpKey
		}
		return a
	}
	report, told := b.sweep(t.Context(), b.plan(actions.SweepRequest{}))
	want := actions.SweepReport{
		Asked: 7, Of: 7, Delivered: 2, Absent: 1, Refused: 1, Conflicts: 1, Inconclusive: 1, Failed: 1,
		Contradicted: 1, Since: report.Since,
	}
	keys := report.ContradictedKeys
	report.ContradictedKeys = nil
	if fmt.Sprint(report) != fmt.Sprint(want) || !slices.Equal(keys, []string{"closed"}) || report.Since.IsNone() {
		t.Errorf("report %+v, contradicted %v", report, keys)
	}
	for n, step := range told {
		if step.Asked != n+1 || step.Of != 7 || step.Done.Item.Intent.OpKey != step.Item.OpKey {
			t.Errorf("step %d: %+v", n, step.Item)
		}
	}
	if i := b.item("found").Intent; i.State != ledger.Delivered || i.SettledBy != ledger.ByLookup {
		t.Errorf("found, and %s", i.State)
	}
	b.verified()
}

func TestACancelledSweepFinishesWhatIsUnderWayAndIsResumed(t *testing.T) {
	b := newBench(t, quick())
	for n := range 5 {
		b.uncertain(fmt.Sprintf("k%d", n))
	}
	ctx, cancel := context.WithCancel(t.Context())
	var asked []string
	b.answer = func(i ledger.Intent) lookup.Answer {
		asked = append(asked, i.OpKey)
		if len(asked) == 2 {
			cancel()
		}
		return lookup.Answer{Outcome: ledger.LookupNotFound}
	}
	report, told := b.sweep(ctx, b.plan(actions.SweepRequest{}))
	if !report.Cancelled || report.Asked != 2 || report.Of != 5 || len(told) != 2 || len(asked) != 2 {
		t.Fatalf("report %+v after %v", report, asked)
	}
	if l := b.item(asked[1]).Lookups; len(l) != 1 || l[0].Outcome != ledger.LookupNotFound {
		t.Errorf("the row under way when it was cancelled: %+v", l)
	}
	rest := b.plan(actions.SweepRequest{Since: report.Since})
	if len(rest.Items) != 3 {
		t.Fatalf("left to do: %v", planned(rest))
	}
	again, _ := b.sweep(t.Context(), rest)
	if again.Cancelled || again.Asked != 3 || again.Since != report.Since {
		t.Errorf("the rest: %+v", again)
	}
	slices.Sort(asked)
	if !slices.Equal(asked, []string{"k0", "k1", "k2", "k3", "k4"}) {
		t.Errorf("asked %v, want each once", asked)
	}
	b.verified()
}

// A lookup that failed told nothing, so that it is made again when a sweep is resumed.
func TestAResumedSweepAsksAgainWhatGaveNothing(t *testing.T) {
	b := newBench(t, quick())
	b.uncertain("k")
	b.says(ledger.LookupFailed)
	report, _ := b.sweep(t.Context(), b.plan(actions.SweepRequest{}))
	if report.Failed != 1 {
		t.Fatalf("%+v", report)
	}
	b.says(ledger.LookupNotFound)
	rest := b.plan(actions.SweepRequest{Since: report.Since})
	if len(rest.Items) != 1 {
		t.Fatalf("left to do: %v", planned(rest))
	}
	if again, _ := b.sweep(t.Context(), rest); again.Failed != 0 || again.Asked != 1 || again.Meanwhile != 0 {
		t.Errorf("%+v", again)
	}
}

// What silences a sweep is what somebody has learnt of this receiver since it was
// planned: no row dated in the future, none that failed, and none of another place.
func TestNoRowFromTheFutureSilencesASweep(t *testing.T) {
	b := newBench(t, quick())
	later := int64(ledger.WallClock()) + 3_600_000
	row := func(id, key, environment, outcome string) {
		b.sql(`INSERT INTO lookups (lookup_id, op_key, started_at, finished_at, actor, connector, environment, outcome) VALUES (?, ?, ?, ?, 'bob', 'http', ?, ?)`,
			id, key, later, later, environment, outcome)
	}
	for _, key := range []string{"before", "failed", "elsewhere", "learnt"} {
		b.uncertain(key)
	}
	row("l1", "before", "test", "not_found")
	since := ledger.WallClock()
	plan := b.plan(actions.SweepRequest{Since: since})
	if len(plan.Items) != 4 {
		t.Fatalf("a lookup from the future counts as made since: %v", planned(plan))
	}
	row("l2", "failed", "test", "failed")
	row("l3", "elsewhere", "staging", "not_found")
	row("l4", "learnt", "test", "not_found")
	b.says(ledger.LookupNotFound)
	report, told := b.sweep(t.Context(), plan)
	if report.Asked != 4 || report.Meanwhile != 1 {
		t.Errorf("%+v", report)
	}
	for _, step := range told {
		if asked := step.Done.Lookup.Actor != "bob"; asked == (step.Item.OpKey == "learnt") {
			t.Errorf("%s: asked by %s", step.Item.OpKey, step.Done.Lookup.Actor)
		}
	}
}

// What waits for room among those asked at the same time is not begun once it is stopped.
func TestACancelledSweepBeginsNothingThatWaited(t *testing.T) {
	const targets, atOnce = 12, 8
	var all []config.Target
	for n := range targets {
		c := quick()
		c.Name = fmt.Sprintf("t%d", n)
		all = append(all, c)
	}
	b := newBench(t, all...)
	for n := range targets {
		b.sql(`INSERT INTO intents (op_key, task, principal, target, payload_sha256, created_at, updated_at) VALUES (?, 't', 'p', ?, ?, 946684800000, 946684800000)`,
			fmt.Sprintf("k%d", n), fmt.Sprintf("t%d", n), content)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var asked atomic.Int32
	b.answer = func(ledger.Intent) lookup.Answer {
		if asked.Add(1) == atOnce {
			cancel()
		}
		<-ctx.Done()
		return lookup.Answer{Outcome: ledger.LookupNotFound}
	}
	report, _ := b.sweep(ctx, b.plan(actions.SweepRequest{}))
	if asked.Load() != atOnce || !report.Cancelled || report.Asked != atOnce {
		t.Errorf("asked %d, where %d were under way when it was stopped; %+v", asked.Load(), atOnce, report)
	}
	b.verified()
}

// Two people sweep at once: nobody is asked twice about what the other has learnt
// since, and both are told all of it.
func TestTwoSweepsAtOnce(t *testing.T) {
	b := newBench(t, quick())
	for n := range 40 {
		b.uncertain(fmt.Sprintf("k%02d", n))
	}
	var mu sync.Mutex
	asked := map[string]int{}
	b.answer = func(i ledger.Intent) lookup.Answer {
		mu.Lock()
		defer mu.Unlock()
		asked[i.OpKey]++
		return lookup.Answer{Outcome: ledger.LookupFound, Receipt: "r-" + i.OpKey, PayloadSHA256: content, Evidence: ledger.Evidence{Key: &i.OpKey}}
	}
	other := *b.desk
	other.Operator.Name = "ann"
	plan := b.plan(actions.SweepRequest{})
	backwards := plan
	backwards.Items = slices.Clone(plan.Items)
	slices.Reverse(backwards.Items)
	var both sync.WaitGroup
	reports := make([]actions.SweepReport, 2)
	both.Go(func() { reports[0], _ = b.desk.Sweep(t.Context(), plan, func(actions.SweepStep) {}) })
	both.Go(func() { reports[1], _ = other.Sweep(t.Context(), backwards, func(actions.SweepStep) {}) })
	both.Wait()
	lookups := 0
	for key, n := range asked {
		lookups += n
		if i := b.item(key).Intent; i.State != ledger.Delivered {
			t.Errorf("%s is %s", key, i.State)
		}
	}
	for n, r := range reports {
		if r.Asked != 40 || r.Delivered != 40 || r.Failed != 0 {
			t.Errorf("sweep %d: %+v", n, r)
		}
	}
	if got := lookups + reports[0].Meanwhile + reports[1].Meanwhile; got != 80 || reports[0].Meanwhile+reports[1].Meanwhile == 0 {
		t.Errorf("%d lookups, %d and %d taken from the other", lookups, reports[0].Meanwhile, reports[1].Meanwhile)
	}
	b.verified()
}

func TestASweepInReadOnlyAsksNobody(t *testing.T) {
	b := newBench(t)
	b.uncertain("k")
	plan := b.plan(actions.SweepRequest{})
	b.desk.ReadOnly = true
	_, err := b.desk.Sweep(t.Context(), plan, func(actions.SweepStep) { t.Error("something was told") })
	if err == nil || len(b.item("k").Lookups) != 0 {
		t.Errorf("%v, lookups %v", err, b.item("k").Lookups)
	}
}

// Evidence that comes up after a decision is told by the lookup and shown first.
func TestASweepBringsUpContradictions(t *testing.T) {
	for name, c := range map[string]struct {
		decide func(b *workbench)
		answer func(b *workbench)
		told   string
	}{
		"closed, then found": {
			func(b *workbench) {
				b.provenAbsent("k")
				if _, err := b.desk.Close(b.t.Context(), b.request("k")); err != nil {
					b.t.Fatal(err)
				}
			},
			func(b *workbench) { b.found("rcpt-1", content) },
			"This contradicts what was decided: it was closed as not delivered. It stands first in the queue until somebody acknowledges that.",
		},
		"replaced, then found": {
			func(b *workbench) {
				b.provenAbsent("k")
				if _, err := b.desk.Reissue(b.t.Context(), actions.ReissueRequest{Request: b.request("k")}); err != nil {
					b.t.Fatal(err)
				}
			},
			func(b *workbench) { b.found("rcpt-1", content) },
			"This contradicts what was decided: it was replaced by k~",
		},
		"marked by hand, then proven absent": {
			func(b *workbench) { b.uncertain("k"); b.marked("k", "rcpt-1"); b.later() },
			func(b *workbench) { b.says(ledger.LookupNotFound) },
			"This contradicts what was decided: it was marked delivered by hand, with the receipt rcpt-1.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, quick())
			b.uncertain("older")
			c.decide(b)
			c.answer(b)
			plan := b.plan(actions.SweepRequest{Keys: []string{"k"}})
			if !slices.ContainsFunc(b.plan(actions.SweepRequest{}).Items, func(i actions.SweepItem) bool { return i == plan.Items[0] }) {
				t.Fatalf("a sweep over all leaves it out: %v", planned(b.plan(actions.SweepRequest{})))
			}
			report, told := b.sweep(t.Context(), plan)
			if report.Contradicted != 1 || !strings.Contains(told[0].Done.Text, c.told) {
				t.Errorf("report %+v, told %q", report, told[0].Done.Text)
			}
			if first := b.open()[0]; first != "k" {
				t.Errorf("first in the queue is %s", first)
			}
			again, told := b.sweep(t.Context(), b.plan(actions.SweepRequest{Keys: []string{"k"}}))
			if again.Contradicted != 0 || strings.Contains(told[0].Done.Text, "contradicts") {
				t.Errorf("the same once more is news: %+v, %q", again, told[0].Done.Text)
			}
			b.verified()
		})
	}
}
