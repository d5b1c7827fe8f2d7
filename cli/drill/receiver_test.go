package drill

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var testAccess = Access{
	Accounts: map[string]string{"sender-token": "acct_17", "other-token": "acct_23"},
	Lookup:   "lookup-token",
}

func startTestReceiver(t *testing.T, path string) *Receiver {
	t.Helper()
	r, err := StartReceiver(t.Context(), path, testAccess)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func newTestReceiver(t *testing.T) *Receiver {
	t.Helper()
	r := startTestReceiver(t, filepath.Join(t.TempDir(), "receiver.db"))
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// ask makes one plain request, without any of the sender's care.
func ask(t *testing.T, r *Receiver, method, path, token, body string) (int, map[string]any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, r.URL()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var told map[string]any
	if err := json.NewDecoder(resp.Body).Decode(&told); err != nil {
		t.Fatalf("%s %s answered %d with something that isn't JSON: %v", method, path, resp.StatusCode, err)
	}
	return resp.StatusCode, told
}

func countOf(t *testing.T, r *Receiver) int {
	t.Helper()
	n, err := r.Count(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// sendRaw writes a request on a bare TCP connection and returns every byte that
// came back before the connection ended.
func sendRaw(t *testing.T, r *Receiver, key, body string) ([]byte, error) {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", r.address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	_, err = fmt.Fprintf(conn, "PUT /deliveries/%s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sender-token\r\nContent-Length: %d\r\n\r\n%s",
		key, len(body), body)
	if err != nil {
		t.Fatal(err)
	}
	return io.ReadAll(conn)
}

func TestCutComesAfterTheCommitAndBeforeTheFirstByte(t *testing.T) {
	r := newTestReceiver(t)
	lost := make(chan struct{})
	r.Script("report-1", Script{Lose: LoseByCut, Lost: lost})

	got, err := sendRaw(t, r, "report-1", "weekly report")
	if len(got) != 0 {
		t.Errorf("the caller saw %q; not one byte of the answer may get out", got)
	}
	if err == nil {
		t.Error("the connection ended in good order; it should have been reset")
	}
	<-lost
	d, found, err := r.Get(t.Context(), "report-1")
	if err != nil || !found {
		t.Fatalf("the receiver has nothing under the key (found %v, %v)", found, err)
	}
	want := Delivery{
		OpKey: "report-1", Account: "acct_17", Bytes: 13, State: StateDelivered, Receipt: "R-1002", At: d.At, ShownAt: d.At,
		SHA256: "293f456e136b538452b0c84c2de6d1ffaeff11e647aec3446ac550a72fc0e089",
	}
	if d != want {
		t.Errorf("committed %+v, want %+v", d, want)
	}

	// The second request with the same key gets the answer that the first lost.
	status, told := ask(t, r, "PUT", "/deliveries/report-1", "sender-token", "weekly report")
	if status != 200 || told["receipt"] != "R-1002" {
		t.Errorf("the same key again answered %d %v, want 200 with receipt R-1002", status, told)
	}
	if n := countOf(t, r); n != 1 {
		t.Errorf("the receiver has %d deliveries, want 1", n)
	}
}

func TestHangSaysNothingUntilTheCallerGivesUp(t *testing.T) {
	r := newTestReceiver(t)
	lost := make(chan struct{})
	r.Script("report-1", Script{Lose: LoseByHang, Lost: lost})
	ctx, giveUp := context.WithCancel(t.Context())
	go func() {
		<-lost
		giveUp()
	}()
	req, err := http.NewRequestWithContext(ctx, "PUT", r.URL()+"/deliveries/report-1", strings.NewReader("weekly report"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer sender-token")
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err == nil {
		_ = resp.Body.Close()
		t.Fatalf("answered %s; it should have hung", resp.Status)
	}
	if n := countOf(t, r); n != 1 {
		t.Errorf("the receiver has %d deliveries, want 1: the commit comes before the hang", n)
	}
}

func TestIgnoredRequestIsNeverProcessed(t *testing.T) {
	r := newTestReceiver(t)
	r.Script("report-1", Script{Ignore: true, Lose: LoseByCut})
	if got, _ := sendRaw(t, r, "report-1", "weekly report"); len(got) != 0 {
		t.Errorf("the caller saw %q", got)
	}
	status, told := ask(t, r, "GET", "/deliveries/report-1", "lookup-token", "")
	if status != 404 || told["error"] != "no_such_delivery" {
		t.Errorf("lookup answered %d %v, want 404 no_such_delivery", status, told)
	}
}

func TestSameKeyWithOtherContentIsRefusedAndChangesNothing(t *testing.T) {
	r := newTestReceiver(t)
	ask(t, r, "POST", "/deliveries/report-1", "sender-token", "weekly report")
	before, _, err := r.Get(t.Context(), "report-1")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ token, body string }{
		{"sender-token", "changed report"},
		{"other-token", "weekly report"}, // a key belongs to the account that used it first
	} {
		status, told := ask(t, r, "PUT", "/deliveries/report-1", c.token, c.body)
		if status != 409 || told["error"] != "same_key_different_payload" {
			t.Errorf("%s with %q answered %d %v, want 409 same_key_different_payload", c.token, c.body, status, told)
		}
	}
	after, _, err := r.Get(t.Context(), "report-1")
	if err != nil || after != before {
		t.Errorf("the row became %+v (%v), was %+v", after, err, before)
	}
}

func TestRefusalIsRecordedAndCanBeLookedUp(t *testing.T) {
	r := newTestReceiver(t)
	r.Script("invoice-1", Script{Refuse: "the invoice number is taken"})
	if status, _ := ask(t, r, "PUT", "/deliveries/invoice-1", "sender-token", "invoice"); status != 422 {
		t.Errorf("answered %d, want 422", status)
	}
	status, told := ask(t, r, "GET", "/deliveries/invoice-1", "lookup-token", "")
	if status != 200 || told["state"] != "refused" || told["receipt"] != nil {
		t.Errorf("lookup answered %d %v, want 200, refused, without a receipt", status, told)
	}
	// A refusal is for good: the same key again is refused, script or not.
	if status, _ := ask(t, r, "PUT", "/deliveries/invoice-1", "sender-token", "invoice"); status != 422 {
		t.Errorf("the same key again answered %d, want 422", status)
	}
	if n := countOf(t, r); n != 0 {
		t.Errorf("the receiver has %d deliveries, want 0", n)
	}
}

func TestALookupMissesWhatIsNotShownYet(t *testing.T) {
	r := newTestReceiver(t)
	r.Script("report-1", Script{Hide: time.Hour})
	r.Script("report-2", Script{Hide: time.Millisecond})
	for _, key := range []string{"report-1", "report-2"} {
		ask(t, r, "PUT", "/deliveries/"+key, "sender-token", "weekly report")
		if _, found, err := r.Get(t.Context(), key); err != nil || !found {
			t.Errorf("%s was not committed (%v)", key, err)
		}
	}
	if status, _ := ask(t, r, "GET", "/deliveries/report-1", "lookup-token", ""); status != 404 {
		t.Errorf("the hidden one answered %d, want 404", status)
	}
	for { // shown within the test's own time limit
		if status, _ := ask(t, r, "GET", "/deliveries/report-2", "lookup-token", ""); status == 200 {
			return
		}
	}
}

func TestOnlyTheRightTokenGetsIn(t *testing.T) {
	r := newTestReceiver(t)
	for _, c := range []struct {
		method, path, token string
		want                int
	}{
		{"PUT", "/deliveries/k", "lookup-token", 401}, // an operator's token reads only
		{"PUT", "/deliveries/k", "", 401},
		{"GET", "/deliveries/probe-1", "sender-token", 401},
		{"GET", "/deliveries/probe-1", "", 401},
		{"GET", "/deliveries/probe-1", "lookup-token", 200},
		{"GET", "/deliveries/k", "lookup-token", 404},
	} {
		if status, _ := ask(t, r, c.method, c.path, c.token, "x"); status != c.want {
			t.Errorf("%s %s with token %q answered %d, want %d", c.method, c.path, c.token, status, c.want)
		}
	}
}

func TestRestartKeepsWhatWasCommitted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "receiver #1?.db")
	first := startTestReceiver(t, path)
	ask(t, first, "PUT", "/deliveries/a%2Fb%3Fc", "sender-token", "weekly report")
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second := startTestReceiver(t, path)
	defer func() { _ = second.Close() }()
	d, found, err := second.Get(t.Context(), "a/b?c")
	if err != nil || !found || d.Receipt != "R-1002" {
		t.Errorf("after a restart the receiver tells %+v, found %v, %v", d, found, err)
	}
	if n := countOf(t, second); n != 1 {
		t.Errorf("after a restart it has %d deliveries, want 1", n)
	}
}

func TestManyAtOnceWithOneKeyCommitOnce(t *testing.T) {
	r := newTestReceiver(t)
	receipts := make(chan string, 8)
	for range cap(receipts) {
		go func() {
			d, err := r.store.submit(context.Background(), "report-1", "acct_17", bytes.Repeat([]byte("x"), 100), Script{})
			if err != nil {
				d.Receipt = err.Error()
			}
			receipts <- d.Receipt
		}()
	}
	for range cap(receipts) {
		if got := <-receipts; got != "R-1002" {
			t.Errorf("one of them got %q, want R-1002 for all", got)
		}
	}
	if n := countOf(t, r); n != 1 {
		t.Errorf("the receiver has %d deliveries, want 1", n)
	}
}
