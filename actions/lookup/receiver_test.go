package lookup

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"triage/actions/config"
	"triage/actions/verdict"
	"triage/ledger"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	theKey   = "weekly-42"
	theToken = "s3cr3t-tok/en+4711"
	theHash  = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
)

var theIntent = ledger.Intent{OpKey: theKey, Task: "weekly report", Stage: "send", Principal: "agent-1", Target: "inbox", PayloadSHA256: theHash}

// target is a receiver at that address, mapped as in the design.
func target(address string) config.Target {
	return config.Target{
		Name: "inbox",
		Lookup: &config.Lookup{
			Timeout: 5 * time.Second,
			Rate:    config.Rate{Count: 10000, Per: time.Second},
			HTTP: &config.HTTP{
				URL:     address + "/deliveries/{op_key}",
				Headers: map[string]string{"Authorization": "Bearer " + theToken},
				Mapping: config.Mapping{
					Found: ".status == 200", NotFound: ".status == 404", Key: ".body.op_key", Receipt: ".body.receipt",
					PayloadSHA256: ".body.sha256", Owner: ".body.account",
				},
				Secrets: []string{theToken},
			},
		},
		Promises: verdict.Promises{AbsenceIsProof: true},
	}
}

func connector(t *testing.T, target config.Target, opts ...Option) Connector {
	t.Helper()
	c, err := NewHTTP(target, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// look asks a receiver once, as the target is configured.
func look(t *testing.T, target config.Target, opts ...Option) Answer {
	t.Helper()
	return connector(t, target, opts...).Look(context.Background(), theIntent)
}

// server is a receiver that is a proper HTTP server.
func server(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s.URL
}

// answering is a server that gives one JSON answer to everything.
func answering(t *testing.T, status int, body string) string {
	return server(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	})
}

// listen is a receiver that speaks for itself on a bare connection, after it has
// read the request. gone is closed when the test ends.
func listen(t *testing.T, speak func(conn net.Conn, r *http.Request, gone <-chan struct{})) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var talking sync.WaitGroup
	gone := make(chan struct{})
	talking.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			talking.Go(func() {
				defer conn.Close()
				r, err := http.ReadRequest(bufio.NewReader(conn))
				if err == nil {
					speak(conn, r, gone)
				}
			})
		}
	})
	t.Cleanup(func() {
		close(gone)
		l.Close()
		talking.Wait()
	})
	return "http://" + l.Addr().String()
}

// saying is a receiver that writes these bytes and hangs up.
func saying(text string) func(net.Conn, *http.Request, <-chan struct{}) {
	return func(conn net.Conn, _ *http.Request, _ <-chan struct{}) { fmt.Fprint(conn, text) }
}

// jsonAnswer is a whole, correct answer.
func jsonAnswer(status int, body string) string {
	return fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", status, len(body), body)
}

const goodBody = `{"op_key":"weekly-42","receipt":"r-1","sha256":"` + theHash + `","account":"agent-1"}`

// wantFailed checks that an answer tells nothing, for the right reason, and says so.
func wantFailed(t *testing.T, a Answer, causes string) {
	t.Helper()
	if a.Outcome != ledger.LookupFailed {
		t.Fatalf("outcome %q (%+v), want failed", a.Outcome, a)
	}
	ok := false
	for _, cause := range strings.Split(causes, "|") {
		ok = ok || a.Cause == cause
	}
	if !ok {
		t.Errorf("cause %q (%s), want %s", a.Cause, a.Evidence.Error, causes)
	}
	if a.Evidence.Error == "" || a.Receipt != "" || a.PayloadSHA256 != "" || a.Owner != "" {
		t.Errorf("a failed lookup says %+v", a)
	}
}
