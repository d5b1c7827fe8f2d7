package actions_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"sync"
	"testing"
	"time"

	"triage/actions"
	"triage/actions/config"
	"triage/ledger"
)

// receiver is a real one, which has every delivery that it is asked about.
type receiver struct {
	mu     sync.Mutex
	asked  []string
	at     []time.Time
	refuse func(n int) (retryAfter string) // of the nth request, from 1
	target config.Target
}

func newReceiver(t *testing.T, rate config.Rate) *receiver {
	t.Helper()
	r := &receiver{refuse: func(int) string { return "" }}
	server := httptest.NewServer(http.HandlerFunc(r.answer))
	t.Cleanup(server.Close)
	r.target = inbox()
	r.target.Lookup = &config.Lookup{
		HTTP: &config.HTTP{URL: server.URL + "/deliveries/{op_key}", Mapping: config.Mapping{
			Found: ".status == 200", NotFound: ".status == 404", Key: ".body.key", Receipt: ".body.receipt", PayloadSHA256: ".body.sha256",
		}},
		Timeout: 20 * time.Second, Rate: rate,
	}
	return r
}

func (r *receiver) answer(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	key := path.Base(req.URL.Path)
	r.asked, r.at = append(r.asked, key), append(r.at, time.Now())
	wait := r.refuse(len(r.asked))
	r.mu.Unlock()
	if wait != "" {
		w.Header().Set("Retry-After", wait)
		w.WriteHeader(http.StatusTooManyRequests)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"key": %q, "receipt": "r-%s", "sha256": %q}`, key, key, content)
}

// desk seats the workbench before the real receiver.
func (r *receiver) desk(b *workbench) *workbench {
	b.desk.Connect = nil
	b.desk.Config.Targets["inbox"] = r.target
	return b
}

var fast = config.Rate{Count: 100_000, Per: time.Second}

// A receiver that asks to be left alone in the middle is left alone, and then asked
// again, about the same intent too: nothing is spent on failures.
func TestASweepWaitsAsLongAsTheReceiverWants(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, fast)
	r.refuse = func(n int) string {
		if n == 3 {
			return "1"
		}
		return ""
	}
	b := r.desk(newBench(t))
	for n := range 6 {
		b.uncertain(fmt.Sprintf("k%d", n))
	}
	report, told := b.sweep(t.Context(), b.plan(actions.SweepRequest{}))
	if report.Delivered != 6 || report.Failed != 0 || report.Cancelled {
		t.Errorf("report %+v", report)
	}
	if want := []string{"k0", "k1", "k2", "k2", "k3", "k4", "k5"}; !slices.Equal(r.asked, want) {
		t.Errorf("asked %v, want %v", r.asked, want)
	}
	if waited := r.at[3].Sub(r.at[2]); waited < 900*time.Millisecond {
		t.Errorf("asked again after %s, and it wanted a second", waited)
	}
	waits := slices.DeleteFunc(slices.Clone(told), func(s actions.SweepStep) bool { return s.WaitingFor == "" })
	if len(waits) == 0 || waits[0].WaitingFor != "inbox" || waits[0].WaitUntil.IsNone() || waits[0].Asked != 2 || waits[0].Of != 6 {
		t.Errorf("told %+v", waits)
	}
	if l := b.item("k2").Lookups; len(l) != 2 || l[0].Cause != "http_429" || l[1].Outcome != ledger.LookupFound {
		t.Errorf("lookups of the one that was put off: %+v", l)
	}
	b.verified()
}

// A rate that is slower than a lookup's timeout is waited for.
func TestASweepKeepsToTheRate(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, config.Rate{Count: 1, Per: 1500 * time.Millisecond})
	r.target.Lookup.Timeout = time.Second
	b := r.desk(newBench(t))
	b.uncertain("k0")
	b.uncertain("k1")
	if report, _ := b.sweep(t.Context(), b.plan(actions.SweepRequest{})); report.Delivered != 2 {
		t.Errorf("report %+v: %+v", report, b.item("k1").Lookups)
	}
	if apart := r.at[1].Sub(r.at[0]); apart < time.Second {
		t.Errorf("two questions within %s", apart)
	}
}

// Several receivers are asked side by side: one that wants to be left alone keeps no
// other waiting.
func TestReceiversAreAskedSideBySide(t *testing.T) {
	t.Parallel()
	slow, other := newReceiver(t, fast), newReceiver(t, fast)
	other.target.Name = "outbox"
	released := make(chan struct{})
	var once sync.Once
	slow.refuse = func(int) string { <-released; return "" }
	other.refuse = func(n int) string {
		if n == 3 {
			once.Do(func() { close(released) })
		}
		return ""
	}
	b := slow.desk(newBench(t))
	b.desk.Config.Targets["outbox"] = other.target
	b.uncertain("k0")
	for n := range 3 {
		b.foreign(fmt.Sprintf("o%d", n), "outbox")
	}
	if report, _ := b.sweep(t.Context(), b.plan(actions.SweepRequest{})); report.Delivered != 4 {
		t.Errorf("report %+v", report)
	}
}

// foreign leaves an UNKNOWN intent that some other program wrote.
func (b *workbench) foreign(key, target string) {
	b.t.Helper()
	b.sql(`INSERT INTO intents (op_key, task, principal, target, payload_sha256) VALUES (?1, 't', 'agent-1', ?2, ?3);
INSERT INTO attempts (attempt_id, op_key, n, started_at, finished_at, outcome) VALUES ('a-' || ?1, ?1, 1, ?4, ?4, 'unknown');
UPDATE intents SET state = 'UNKNOWN' WHERE op_key = ?1`, key, target, content, int64(ledger.WallClock()))
}

// What other programs wrote is asked about too, and what can't be asked about holds
// up nothing else.
func TestASweepGoesOnAfterRowsThatNobodyExpects(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, fast)
	b := r.desk(newBench(t))
	hostile := []string{"..", "a/../b", "\u202egnp.key", "\xff\xfe", "k with spaces?x=1#y"}
	for _, key := range hostile {
		b.foreign(key, "inbox")
	}
	b.foreign("plain", "inbox")
	b.sql(`INSERT INTO lookups (lookup_id, op_key, started_at, actor, connector) VALUES ('theirs', 'plain', 7258118400000, 'cron', 'carrier pigeon')`)
	b.sql(`INSERT INTO lookups (lookup_id, op_key, started_at, finished_at, actor, connector, outcome, evidence) VALUES ('odd', 'a/../b', 946684800000, 946684800000, 'cron', 'http', 'failed', '[1]')`)
	report, told := b.sweep(t.Context(), b.plan(actions.SweepRequest{}))
	if report.Asked != len(hostile)+1 || report.Cancelled || report.Delivered == 0 || report.Failed == 0 {
		t.Errorf("report %+v", report)
	}
	for _, step := range told {
		if step.Item.OpKey == ".." && (step.Err != nil || step.Done.Lookup.Outcome != ledger.LookupFailed) {
			t.Errorf("a key that no address can hold: %+v, %v", step.Done.Lookup, step.Err)
		}
	}
	if i := b.item("plain").Intent; i.State != ledger.Delivered {
		t.Errorf("plain is %s", i.State)
	}
	b.verified()
}
