package actions_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"

	"triage/actions"
	"triage/actions/config"
	"triage/actions/lookup"
	"triage/ledger"
	"triage/ledger/sqlite"
)

// The process is killed (SIGKILL) at each step of each action: before and after
// every statement inside the transaction, and around the transaction itself. After
// reopening, the ledger must be consistent and no effect may stand without its
// decision. The steps are found by running until the action survives.

const (
	killAt   = "TRIAGE_TEST_KILL_AT"
	killAct  = "TRIAGE_TEST_KILL_ACT"
	killPath = "TRIAGE_TEST_KILL_LEDGER"
)

func TestMain(m *testing.M) {
	if os.Getenv(killAct) != "" {
		actAndDie()
		return
	}
	os.Exit(m.Run())
}

// dying counts the steps of an action and kills the process at one of them.
type dying struct{ left int }

func (d *dying) step() {
	if d.left == 0 {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // until the signal arrives
	}
	d.left--
}

// dyingLedger is a ledger that passes a step before and after each call that
// writes.
type dyingLedger struct {
	ledger.Operator
	*dying
}

func (l dyingLedger) StartLookup(ctx context.Context, row ledger.Lookup) (ledger.Lookup, error) {
	l.step()
	defer l.step()
	return l.Operator.StartLookup(ctx, row)
}

func (l dyingLedger) Act(ctx context.Context, f func(ledger.Tx) error) error {
	l.step()
	defer l.step()
	return l.Operator.Act(ctx, func(tx ledger.Tx) error { return f(dyingTx{tx, l.dying}) })
}

type dyingTx struct {
	ledger.Tx
	*dying
}

func (t dyingTx) Decide(d ledger.Decision) (ledger.Decision, error) {
	t.step()
	defer t.step()
	return t.Tx.Decide(d)
}

func (t dyingTx) Settle(key string, version int64, to ledger.State, receipt string, by ledger.SettledBy, actor string) error {
	t.step()
	defer t.step()
	return t.Tx.Settle(key, version, to, receipt, by, actor)
}

func (t dyingTx) Succeed(n ledger.NewIntent, supersedes string, at ledger.Millis) (ledger.Intent, error) {
	t.step()
	defer t.step()
	return t.Tx.Succeed(n, supersedes, at)
}

func (t dyingTx) FinishLookup(l ledger.Lookup) error {
	t.step()
	defer t.step()
	return t.Tx.FinishLookup(l)
}

// mortalActs are the acts under test; each has a key of its own in the ledger.
var mortalActs = map[string]func(context.Context, *actions.Desk, actions.Request) error{
	"lookup": func(ctx context.Context, d *actions.Desk, r actions.Request) error {
		_, err := d.Lookup(ctx, r.OpKey)
		return err
	},
	"deliver": func(ctx context.Context, d *actions.Desk, r actions.Request) error {
		_, err := d.Deliver(ctx, actions.DeliverRequest{Request: r, Receipt: "by-hand"})
		return err
	},
	"reissue": func(ctx context.Context, d *actions.Desk, r actions.Request) error {
		_, err := d.Reissue(ctx, actions.ReissueRequest{Request: r, AcceptDuplicate: actions.Phrase(inbox())})
		return err
	},
	"close": func(ctx context.Context, d *actions.Desk, r actions.Request) error {
		_, err := d.Close(ctx, r)
		return err
	},
	"retry": func(ctx context.Context, d *actions.Desk, r actions.Request) error {
		_, err := d.Retry(ctx, r)
		return err
	},
	"abandon": func(ctx context.Context, d *actions.Desk, r actions.Request) error {
		_, err := d.Abandon(ctx, actions.AbandonRequest{Request: r, SenderKilled: true})
		return err
	},
	"dispute": func(ctx context.Context, d *actions.Desk, r actions.Request) error {
		_, err := d.Dispute(ctx, actions.DisputeRequest{Request: r})
		return err
	},
	"set-aside": func(ctx context.Context, d *actions.Desk, r actions.Request) error {
		_, err := d.SetAside(ctx, r)
		return err
	},
	"acknowledge": func(ctx context.Context, d *actions.Desk, r actions.Request) error {
		_, err := d.Acknowledge(ctx, r)
		return err
	},
	"note": func(ctx context.Context, d *actions.Desk, r actions.Request) error {
		_, err := d.Note(ctx, r)
		return err
	},
	"denied": func(ctx context.Context, d *actions.Desk, r actions.Request) error {
		_, err := d.Close(ctx, r) // nothing is proven
		var refused *actions.Refusal
		if errors.As(err, &refused) {
			return nil
		}
		return fmt.Errorf("the close was not refused: %w", err)
	},
}

func actAndDie() {
	left, err := strconv.Atoi(os.Getenv(killAt))
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	db, err := sqlite.Open(ctx, os.Getenv(killPath), sqlite.Options{})
	if err != nil {
		panic(err)
	}
	d := &dying{left: left}
	desk := deskAt(dyingLedger{db, d})
	desk.Clock = func() ledger.Millis { return ledger.WallClock().Add(10 * time.Minute) } // as later() does
	desk.Connect = func(config.Target) (lookup.Connector, error) { return dyingReceiver{d}, nil }
	act := os.Getenv(killAct)
	item, err := desk.Item(ctx, act)
	if err != nil {
		panic(err)
	}
	if err := mortalActs[act](ctx, desk, actions.Request{OpKey: act, Seen: item.Seen(), Reason: "the drill"}); err != nil {
		panic(err)
	}
	_ = db.Close()
}

// dyingReceiver finds everything, with a step before and after the call.
type dyingReceiver struct{ *dying }

func (r dyingReceiver) Kind() string { return "http" }

func (r dyingReceiver) Look(_ context.Context, i ledger.Intent) lookup.Answer {
	r.step()
	defer r.step()
	return lookup.Answer{
		Outcome: ledger.LookupFound, Receipt: "rcpt-1", PayloadSHA256: i.PayloadSHA256, Evidence: ledger.Evidence{Key: &i.OpKey},
	}
}

func TestKilledAtEachStepOfEachAction(t *testing.T) {
	prepare := map[string]func(b *workbench){
		"lookup":    func(b *workbench) { b.uncertain("lookup") },
		"deliver":   func(b *workbench) { b.uncertain("deliver") },
		"reissue":   func(b *workbench) { b.uncertain("reissue") },
		"close":     func(b *workbench) { b.begin("close") },
		"retry":     func(b *workbench) { b.provenAbsent("retry") },
		"abandon":   func(b *workbench) { b.begin("abandon"); b.attempt("abandon") },
		"note":      func(b *workbench) { b.uncertain("note") },
		"dispute":   func(b *workbench) { b.uncertain("dispute"); b.marked("dispute", "wrong") },
		"set-aside": func(b *workbench) { b.uncertain("set-aside") },
		"acknowledge": func(b *workbench) {
			b.uncertain("acknowledge")
			b.marked("acknowledge", "wrong")
			b.disputed("acknowledge", "")
		},
		"denied": func(b *workbench) { b.uncertain("denied") },
	}
	// So many steps does each action have at least; fewer would mean that the
	// injection no longer reaches them.
	least := map[string]int{"lookup": 10, "deliver": 6, "reissue": 6, "close": 6, "retry": 4, "abandon": 4, "note": 4, "denied": 4,
		"dispute": 4, "set-aside": 4, "acknowledge": 4}
	stride := 1
	if testing.Short() { // under the race detector, which is forty times slower here
		stride = 5
	}
	for act := range mortalActs {
		t.Run(act, func(t *testing.T) {
			t.Parallel()
			steps := 0
			for ; ; steps += stride {
				b := newBench(t)
				prepare[act](b)
				before := b.item(act)
				killed := killedAt(t, b.path, act, steps)
				b.verified()
				checkNothingHalfDone(t, b, act, before)
				if !killed {
					checkDone(t, b, act)
					break
				}
			}
			if steps < least[act] {
				t.Errorf("only %d steps were found, want at least %d", steps, least[act])
			}
		})
	}
}

// killedAt runs the act in a process that dies at the given step, and reports
// whether it did.
func killedAt(t *testing.T, path, act string, step int) bool {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), killAct+"="+act, killPath+"="+path, killAt+"="+strconv.Itoa(step))
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL {
		return true
	}
	if err != nil {
		t.Fatalf("step %d: %v\n%s", step, err, out)
	}
	return false
}

// checkNothingHalfDone: an effect stands only beside its decision, and a decision
// that has an effect stands only beside it.
func checkNothingHalfDone(t *testing.T, b *workbench, act string, before actions.Item) {
	t.Helper()
	item := b.item(act)
	made := map[ledger.DecisionKind]bool{}
	for _, d := range item.Decisions {
		made[d.Kind] = true
	}
	i := item.Intent
	for _, c := range []struct {
		effect bool
		kind   ledger.DecisionKind
	}{
		{i.State == ledger.Delivered && i.SettledBy == ledger.ByOperator, ledger.MarkDelivered},
		{i.State == ledger.Failed, ledger.CloseNotDelivered},
		{i.Superseded(), ledger.Reissue},
		{act == "abandon" && i.State == ledger.Unknown, ledger.AbandonAttempt},
		{!i.ContradictedAt.IsNone(), ledger.Dispute},
		{!i.Derived.SetAsideAt.IsNone(), ledger.SetAside},
		{!i.Derived.AcknowledgedAt.IsNone(), ledger.Acknowledge},
	} {
		if c.effect != made[c.kind] {
			t.Errorf("effect %v, decision %s %v", c.effect, c.kind, made[c.kind])
		}
	}
	if i.State == ledger.Delivered && i.SettledBy == ledger.ByLookup && !item.Lookups[0].Finished() {
		t.Error("DELIVERED by a lookup that never finished")
	}
	if (act == "denied" || act == "note") && i != before.Intent {
		t.Error("an act without effect changed the intent")
	}
}

// checkDone: the act that survived had its whole effect.
func checkDone(t *testing.T, b *workbench, act string) {
	t.Helper()
	item := b.item(act)
	i := item.Intent
	want := map[string]bool{
		"lookup":      i.State == ledger.Delivered && i.SettledBy == ledger.ByLookup,
		"deliver":     i.State == ledger.Delivered && i.Receipt == "by-hand",
		"reissue":     i.Superseded() && b.item(i.SupersededBy).Intent.Supersedes == act,
		"close":       i.State == ledger.Failed,
		"retry":       len(item.Decisions) == 1 && item.Decisions[0].Kind == ledger.RetrySameKey,
		"abandon":     i.State == ledger.Unknown && i.Derived.InFlight == "",
		"dispute":     i.Contradicted() && i.State == ledger.Delivered && i.Receipt == "wrong",
		"set-aside":   !i.Derived.SetAsideAt.IsNone() && i.State == ledger.Unknown,
		"acknowledge": !i.ContradictedAt.IsNone() && !i.Contradicted() && i.State == ledger.Delivered,
		"note":        len(item.Decisions) == 1 && item.Decisions[0].Kind == ledger.Note,
		"denied":      len(item.Decisions) == 1 && item.Decisions[0].Kind == ledger.Denied,
	}
	if !want[act] {
		t.Errorf("%s had not its whole effect: %+v", act, i)
	}
}
