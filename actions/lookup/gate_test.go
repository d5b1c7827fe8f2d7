package lookup

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"triage/actions/config"
	"triage/ledger"
)

// Whoever waits for the rate when the receiver asks for quiet waits for that too, or
// gives up.
func TestAGateThatShutsHoldsThoseWhoWait(t *testing.T) {
	for _, c := range []struct {
		name             string
		quiet, patience  time.Duration
		cause            string
		passed, gaveUpAt time.Duration // after the gate was shut
	}{
		{"longer than they can wait", time.Minute, 10 * time.Second, "retry_after", 0, 10 * time.Second},
		{"no longer than that", 5 * time.Second, 10 * time.Second, "", 5 * time.Second, 0},
		{"shorter than the rate", time.Millisecond, 10 * time.Second, "", time.Second, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newGate(config.Rate{Count: 1, Per: time.Second}, 1)
				if f, _ := g.pass(t.Context(), 1, time.Now); f != nil {
					t.Fatal(f)
				}
				ctx, cancel := context.WithTimeout(t.Context(), c.patience)
				defer cancel()
				began := time.Now()
				var f *failure
				var again time.Time
				var waiting sync.WaitGroup
				waiting.Go(func() { f, again = g.pass(ctx, 1, time.Now) })
				synctest.Wait() // it waits for the rate
				g.Shut(began.Add(c.quiet))
				waiting.Wait()
				switch took := time.Since(began); {
				case c.cause == "" && (f != nil || took != c.passed):
					t.Errorf("%+v after %s, want to pass after %s", f, took, c.passed)
				case c.cause != "" && (f == nil || f.cause != c.cause || !again.Equal(began.Add(c.quiet)) || took > c.gaveUpAt):
					t.Errorf("%+v until %s after %s", f, again, took)
				}
			})
		})
	}
}

// A gate that another lookup shuts meanwhile keeps the rest of one with a canary back.
func TestALookupThatHasBegunStopsWhenTheReceiverWantsQuiet(t *testing.T) {
	for shutAt, want := range map[int32]string{
		1: "before: seen; after: not asked for", // while the canary is asked for: the question is not put
		2: "before: seen; after: not asked for", // while the question is put
	} {
		var asked atomic.Int32
		var gate *Gate
		configured := target(server(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			n := asked.Add(1)
			if n == shutAt {
				gate.Shut(time.Now().Add(time.Minute))
			}
			if n == 2 {
				w.WriteHeader(404)
				fmt.Fprint(w, `{}`)
				return
			}
			fmt.Fprint(w, `{"op_key":"probe-1"}`)
		}))
		configured.Promises.Canary = "probe-1"
		configured.Name = fmt.Sprint("inbox-", shutAt)
		gate = GateOf(configured)
		c, err := For(configured)
		if err != nil {
			t.Fatal(err)
		}
		a := c.Look(t.Context(), theIntent)
		if asked.Load() != shutAt || *a.CanarySeen || a.Evidence.Canary != want || a.Evidence.RetryAt.IsNone() {
			t.Errorf("shut at %d: asked %d times, %+v", shutAt, asked.Load(), a)
		}
		if outcome := map[int32]ledger.LookupOutcome{1: ledger.LookupFailed, 2: ledger.LookupNotFound}[shutAt]; a.Outcome != outcome {
			t.Errorf("shut at %d: %s (%s), want %s", shutAt, a.Outcome, a.Cause, outcome)
		}
	}
}
