// Package python runs the Python example beside the Go API, on one ledger.
package python

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"triage/ledger"
	"triage/ledger/sqlite"
)

// scene is a ledger that Go has open, a receiver, and a file to send.
type scene struct {
	*testing.T
	path, file string
	db         *sqlite.DB
	receiver   *httptest.Server
	requests   atomic.Int64
	answer     atomic.Pointer[http.HandlerFunc] // what the receiver says now
	leaving    chan struct{}                    // closed when the test ends
}

func (s *scene) says(answer http.HandlerFunc) { s.answer.Store(&answer) }

func newScene(t *testing.T) *scene {
	t.Helper()
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is missing")
	}
	dir := t.TempDir()
	s := &scene{T: t, path: filepath.Join(dir, "the ledger?.db"), file: filepath.Join(dir, "report"), leaving: make(chan struct{})}
	ctx := context.Background()
	_, err := sqlite.Init(ctx, s.path)
	s.must(err)
	s.db, err = sqlite.Open(ctx, s.path, sqlite.Options{})
	s.must(err)
	s.must(os.WriteFile(s.file, []byte("the report"), 0o600))
	s.receiver = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		(*s.answer.Load())(w, r)
	}))
	t.Cleanup(func() {
		close(s.leaving)
		s.receiver.Close()
		report, err := s.db.Verify(ctx)
		s.must(err)
		for _, f := range report.Findings {
			t.Errorf("verify afterwards found %+v", f)
		}
		s.must(s.db.Close())
	})
	return s
}

func (s *scene) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func receipt(w http.ResponseWriter, r *http.Request) {
	_ = json.NewEncoder(w).Encode(map[string]string{"op_key": r.Header.Get("Idempotency-Key"), "receipt": "R-1"})
}

func cut(w http.ResponseWriter, _ *http.Request) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		_ = conn.(*net.TCPConn).SetLinger(0) // a reset, as from a receiver that crashed
		_ = conn.Close()
	}
}

func status(code int) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// send runs send_report.py and returns its exit code and output.
func (s *scene) send(key string, more ...string) (int, string) {
	s.Helper()
	return s.sendTo(s.receiver.URL, key, more...)
}

func (s *scene) sendTo(url, key string, more ...string) (int, string) {
	s.Helper()
	args := append([]string{"send_report.py", s.path, key, s.file, url}, more...)
	out, err := exec.Command("python3", args...).CombinedOutput() // #nosec G204 -- the example itself
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.Fatal(err)
	}
	if exit != nil {
		return exit.ExitCode(), string(out)
	}
	return 0, string(out)
}

func (s *scene) want(code, wantCode int, out, words string) {
	s.Helper()
	if code != wantCode || !strings.Contains(out, words) {
		s.Errorf("got exit %d and %q, want %d and %q", code, out, wantCode, words)
	}
}

// is expects how an intent stands, seen by Go.
func (s *scene) is(key string, state ledger.State, outcomes ...ledger.Outcome) ledger.History {
	s.Helper()
	h, err := s.db.History(context.Background(), key, ledger.WallClock())
	s.must(err)
	var got []ledger.Outcome
	for _, a := range h.Attempts {
		got = append(got, a.Outcome)
	}
	if h.Intent.State != state || len(got) != len(outcomes) {
		s.Fatalf("%s is %s with attempts %q, want %s and %q", key, h.Intent.State, got, state, outcomes)
	}
	for n := range got {
		if got[n] != outcomes[n] {
			s.Errorf("%s: attempts came back %q, want %q", key, got, outcomes)
		}
	}
	return h
}

func (s *scene) requested(n int64) {
	s.Helper()
	if got := s.requests.Load(); got != n {
		s.Errorf("the receiver got %d requests, want %d", got, n)
	}
}

func TestDelivered(t *testing.T) {
	s := newScene(t)
	s.says(receipt)
	code, out := s.send("k")
	s.want(code, 0, out, `"receipt": "R-1"`)
	h := s.is("k", ledger.Delivered, ledger.OutcomeDelivered)
	if i := h.Intent; i.Receipt != "R-1" || i.SettledBy != ledger.BySender || i.UpdatedBy != "send_report.py" || *i.PayloadBytes != 10 {
		t.Errorf("got %+v", i)
	}
	code, out = s.send("k") // again: the stored receipt, and no request
	s.want(code, 0, out, `"receipt": "R-1"`)
	s.requested(1)
}

// What came back, and what the sender honestly knows of it.
func TestOutcomes(t *testing.T) {
	s := newScene(t)
	for _, c := range []struct {
		key     string
		answer  func(http.ResponseWriter, *http.Request)
		outcome ledger.Outcome
		cause   string
		state   ledger.State
	}{
		{"reset after the commit", cut, ledger.OutcomeUnknown, "connection_reset", ledger.Unknown},
		{"no answer in time", func(http.ResponseWriter, *http.Request) { <-s.leaving }, ledger.OutcomeUnknown, "timeout", ledger.Unknown},
		{"refused for good", status(422), ledger.OutcomeRejected, "http_422", ledger.Failed},
		{"overloaded", status(503), ledger.OutcomeUnknown, "http_503", ledger.Unknown},
		{"too many", status(429), ledger.OutcomeUnknown, "http_429", ledger.Unknown},
		{"sent elsewhere", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/other", http.StatusSeeOther) }, ledger.OutcomeUnknown, "http_303", ledger.Unknown},
		{"accepted without a receipt", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{}`)) }, ledger.OutcomeUnknown, "no_receipt", ledger.Unknown},
		{"another key's answer", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"op_key":"z","receipt":"R"}`)) }, ledger.OutcomeUnknown, "no_receipt", ledger.Unknown},
		{"a login page", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`<html>`)) }, ledger.OutcomeUnknown, "no_usable_answer", ledger.Unknown},
		{"half an answer", func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // what is left unread would turn the hang-up into a reset
			w.Header().Set("Content-Length", "500")
			_, _ = w.Write([]byte(`{"op_key"`))
		}, ledger.OutcomeUnknown, "no_usable_answer", ledger.Unknown},
	} {
		s.says(c.answer)
		timeout := "20"
		if c.cause == "timeout" {
			timeout = "0.3"
		}
		code, out := s.send(c.key, "--timeout", timeout)
		s.want(code, 1, out, string(c.state))
		if h := s.is(c.key, c.state, c.outcome); h.Attempts[0].Cause != c.cause {
			t.Errorf("%s: cause %q, want %q (%s)", c.key, h.Attempts[0].Cause, c.cause, h.Attempts[0].Error)
		}
	}
	s.requested(10)
}

func TestNobodyListens(t *testing.T) {
	s := newScene(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	s.must(err)
	url := "http://" + l.Addr().String()
	s.must(l.Close())
	for range 2 { // nothing left this machine, so the sender may try again by itself
		code, out := s.sendTo(url, "k")
		s.want(code, 1, out, "PENDING")
	}
	s.is("k", ledger.Pending, ledger.OutcomeNotSent, ledger.OutcomeNotSent)
	s.says(receipt)
	code, out := s.send("k")
	s.want(code, 0, out, "DELIVERED")
}

func TestRefusedByTheLedger(t *testing.T) {
	s := newScene(t)
	s.says(cut)
	s.send("k")
	code, out := s.send("k")
	s.want(code, 3, out, "decision_required: ")
	s.is("k", ledger.Unknown, ledger.OutcomeUnknown)
	s.must(os.WriteFile(s.file, []byte("another report"), 0o600))
	code, out = s.send("k")
	s.want(code, 3, out, "same_key_different_payload: ")
	code, out = s.send("k\x1b[2J")
	s.want(code, 1, out, "the ledger did not take the intent")
	s.requested(1)
}

// An operator decides a retry in Go, and the Python sender takes it up, once.
func TestRetryThatWasDecided(t *testing.T) {
	s := newScene(t)
	s.says(cut)
	s.send("k")
	now := ledger.WallClock()
	s.must(s.db.Act(context.Background(), func(tx ledger.Tx) error {
		_, err := tx.Decide(ledger.Decision{OpKey: "k", Kind: ledger.RetrySameKey, At: now, Operator: "ann", Reason: "absent", Facts: "{}", Until: now + 600_000})
		return err
	}))
	s.says(receipt)
	code, out := s.send("k")
	s.want(code, 0, out, "DELIVERED")
	s.is("k", ledger.Delivered, ledger.OutcomeUnknown, ledger.OutcomeDelivered)
	s.requested(2)
}

// Several senders take up one intent at once: one of them makes the call.
func TestSendersAtOnce(t *testing.T) {
	s := newScene(t)
	s.says(receipt)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { s.send("k") })
	}
	wg.Wait()
	s.is("k", ledger.Delivered, ledger.OutcomeDelivered)
	s.requested(1)
}

// A sender that died between its commit and its call leaves what the next one needs.
func TestKilledSender(t *testing.T) {
	s := newScene(t)
	s.says(receipt)
	script := `
import os, sys, triage_ledger
l = triage_ledger.Ledger(sys.argv[1], "killed")
l.begin("k", "weekly report", "agent-1", "report-inbox", b"the report")
print(l.sendable())
l.attempt("k")
os.kill(os.getpid(), 9)
`
	out, err := exec.Command("python3", "-c", script, s.path).Output() // #nosec G204 -- the example itself
	if err == nil || !strings.Contains(string(out), "('k', 'never_attempted')") {
		t.Fatalf("got %v, %s", err, out)
	}
	s.is("k", ledger.Pending, "")
	code, text := s.send("k")
	s.want(code, 3, text, "attempt_in_flight: ")
	s.requested(0)
}

func TestNotALedger(t *testing.T) {
	s := newScene(t)
	for _, path := range []string{filepath.Join(t.TempDir(), "missing.db"), s.file} {
		out, err := exec.Command("python3", "send_report.py", path, "k", s.file, s.receiver.URL).CombinedOutput() // #nosec G204 -- the example itself
		if err == nil {
			t.Errorf("%s was taken for a ledger: %s", path, out)
		}
		if _, err := os.Stat(path); path != s.file && err == nil {
			t.Errorf("%s was created", path)
		}
	}
}
