package actions_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"triage/actions"
	"triage/actions/config"
	"triage/ledger"
	"triage/ledger/sqlite"
)

// overHTTP is the inbox as it is asked for real. Each rate has a gate of its own, so
// that another rate is another program as far as gates go.
func overHTTP(address string, rate int) config.Target {
	t := inbox()
	t.Lookup = &config.Lookup{
		HTTP: &config.HTTP{
			URL:     address + "/{op_key}",
			Mapping: config.Mapping{Found: ".status == 200", NotFound: ".status == 404", Key: ".body.key"},
		},
		Timeout: 5 * time.Second, Rate: config.Rate{Count: rate, Per: time.Second},
	}
	return t
}

// What a receiver asked for holds in another program, for another key, and until the
// instant itself.
func TestRetryAfterHoldsAcrossProgramsAndKeys(t *testing.T) {
	var asked atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header()["Date"] = nil
		if asked.Add(1) == 1 {
			w.Header().Set("Retry-After", "90")
			w.WriteHeader(429)
		} else {
			w.WriteHeader(404)
		}
		fmt.Fprint(w, `{}`)
	}))
	defer s.Close()
	b := newBench(t)
	b.uncertain("k-1")
	b.uncertain("k-2")
	b.desk = deskAt(b.db, overHTTP(s.URL, 101))
	done := b.lookup("k-1")
	until := done.Lookup.ReadEvidence().RetryAt
	if done.Lookup.Cause != "http_429" || until.IsNone() || done.Item.HeldUntil != until {
		t.Fatalf("lookup %+v, held until %d, want %d", done.Lookup, done.Item.HeldUntil, until)
	}

	other, err := sqlite.Open(t.Context(), b.path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	present := until - 1
	for n, desk := range []*actions.Desk{b.desk, deskAt(other, overHTTP(s.URL, 103))} {
		desk.Clock = func() ledger.Millis { return present }
		before, err := desk.Item(t.Context(), "k-2")
		if err != nil || before.HeldUntil != until {
			t.Fatalf("desk %d: held until %d, want %d; %v", n, before.HeldUntil, until, err)
		}
		_, err = desk.Lookup(t.Context(), "k-2")
		var r *actions.Refusal
		if !errors.As(err, &r) || r.Kind != actions.Failed || r.Code != actions.CodeRetryAfter {
			t.Fatalf("desk %d: %v", n, err)
		}
		at := until.Time().UTC().Format("2006-01-02 15:04:05.000Z")
		if want := "The receiver inbox asked (Retry-After) not to be asked again, under any key, before " + at + ", in 1 s."; r.What != want {
			t.Errorf("it says %q, want %q", r.What, want)
		}
		after, err := desk.Item(t.Context(), "k-2")
		if err != nil || len(after.Lookups) != 0 || len(after.Events) != len(before.Events) || len(after.Decisions) != 0 {
			t.Errorf("desk %d: something was written: %+v, %v", n, after.History, err)
		}
	}
	if asked.Load() != 1 {
		t.Fatalf("asked %d times, want 1", asked.Load())
	}
	present = until
	for _, desk := range []*actions.Desk{deskAt(other, overHTTP(s.URL, 104)), b.desk} {
		desk.Clock = func() ledger.Millis { return present }
		item, err := desk.Item(t.Context(), "k-2")
		if err != nil || !item.HeldUntil.IsNone() {
			t.Errorf("held until %d at that instant; %v", item.HeldUntil, err)
		}
	}
	desk := deskAt(other, overHTTP(s.URL, 104))
	desk.Clock = func() ledger.Millis { return present }
	done, err = desk.Lookup(t.Context(), "k-2")
	if err != nil || done.Lookup.Outcome != ledger.LookupNotFound || asked.Load() != 2 {
		t.Errorf("%+v, %v, asked %d times", done.Lookup, err, asked.Load())
	}
}

// A file that was there when the configuration was read and is gone now is a refusal
// that names it; the queue is there all the same.
func TestAFileThatIsGoneRefusesTheLookup(t *testing.T) {
	b := newBench(t)
	b.uncertain("k")
	target := overHTTP("https://inbox.invalid", 105)
	target.Lookup.HTTP.TLS = &config.TLS{CA: t.TempDir() + "/gone.pem"}
	b.desk = deskAt(b.db, target)
	_, err := b.desk.Lookup(t.Context(), "k")
	var r *actions.Refusal
	if !errors.As(err, &r) || r.Kind != actions.Unusable || r.Code != actions.CodeLookupOff || !strings.Contains(r.What, "gone.pem can't be opened") {
		t.Fatalf("%v", err)
	}
	if item := b.item("k"); len(item.Lookups) != 0 {
		t.Errorf("%+v", item.Lookups)
	}
	target.Lookup.Off = []string{"c.yaml:7: tls.ca: the file gone.pem can't be opened. Put it there, and start again."}
	b.desk = deskAt(b.db, target)
	if item := b.item("k"); item.LookupOff != "c.yaml:7: tls.ca: the file gone.pem can't be opened. Put it there, and start again" {
		t.Errorf("%q", item.LookupOff)
	}
}
