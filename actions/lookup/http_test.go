package lookup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"triage/actions/config"
	"triage/ledger"
)

func ptr[T any](v T) *T { return &v }

func TestWhatAReceiverSays(t *testing.T) {
	list := func(h *config.HTTP) {
		h.Found, h.NotFound, h.Hits = ".status == 200 and (.body.items | length) == 1", "(.body.items | length) == 0", ".body.items"
		h.Key, h.Receipt, h.PayloadSHA256, h.Owner, h.Next = ".body.items[0].key", ".body.items[0].id", "", "", ".body.next"
	}
	states := func(h *config.HTTP) {
		h.Found, h.InProgress, h.Refused = `.body.state == "done"`, `.body.state == "working"`, `.body.state == "refused"`
		h.Withdrawn, h.Final = ".body.undone == true", ".body.final"
	}
	for _, c := range []struct {
		name   string
		status int
		body   string
		change func(*config.HTTP)
		want   Answer // without status and excerpt
	}{
		{"found", 200, goodBody, nil, Answer{Outcome: ledger.LookupFound, Receipt: "r-1", PayloadSHA256: theHash, Owner: "agent-1", Evidence: ledger.Evidence{Key: ptr(theKey)}}},
		{"found, nothing told", 200, `{}`, nil, Answer{Outcome: ledger.LookupFound}},
		{"found, null told", 200, `{"op_key":null,"receipt":null,"sha256":null,"account":null}`, nil, Answer{Outcome: ledger.LookupFound}},
		{"receipt and owner as numbers", 200, `{"op_key":"weekly-42","receipt":12345678901234567890123,"account":-0}`, nil,
			Answer{Outcome: ledger.LookupFound, Receipt: "12345678901234567890123", Owner: "-0", Evidence: ledger.Evidence{Key: ptr(theKey)}}},
		{"receipt beyond 2^53", 200, `{"receipt":9007199254740993}`, nil, Answer{Outcome: ledger.LookupFound, Receipt: "9007199254740993"}},
		{"hash in capitals", 200, `{"sha256":"` + strings.ToUpper(theHash) + `"}`, nil, Answer{Outcome: ledger.LookupFound, PayloadSHA256: theHash}},
		{"not found", 404, `{"error":"no such delivery"}`, nil, Answer{Outcome: ledger.LookupNotFound}},
		{"a bare 404", 404, "", nil, Answer{Outcome: ledger.LookupNotFound}},
		{"not found, key echoed", 404, `{"op_key":"weekly-42"}`, nil, Answer{Outcome: ledger.LookupNotFound, Evidence: ledger.Evidence{Key: ptr(theKey)}}},
		{"refused by a status that may be about the question", 422, `{"error":"x"}`, func(h *config.HTTP) { h.Refused = ".status == 422" }, Answer{Outcome: ledger.LookupFailed, Cause: "no_key"}},
		{"refused by such a status, key echoed", 422, `{"op_key":"weekly-42"}`, func(h *config.HTTP) { h.Refused = ".status == 422" }, Answer{Outcome: ledger.LookupRefused, Evidence: ledger.Evidence{Key: ptr(theKey)}}},
		{"refused by a conflict, no key mapped", 409, `{"op_key":"weekly-42"}`, func(h *config.HTTP) { h.Refused, h.Key = ".status == 409", "" }, Answer{Outcome: ledger.LookupFailed, Cause: "no_key"}},
		{"not found by a conflict", 409, `{}`, func(h *config.HTTP) { h.NotFound = ".status == 409" }, Answer{Outcome: ledger.LookupFailed, Cause: "no_key"}},
		{"fits nothing", 409, `{}`, nil, Answer{Outcome: ledger.LookupFailed, Cause: "unclassified"}},
		{"not found is not mapped", 404, `{}`, func(h *config.HTTP) { h.NotFound = "" }, Answer{Outcome: ledger.LookupFailed, Cause: "unclassified"}},
		{"fits two", 200, goodBody, func(h *config.HTTP) { h.NotFound = ".status < 500" }, Answer{Outcome: ledger.LookupFailed, Cause: "mapping_conflict", Evidence: ledger.Evidence{Heard: true}}},
		{"truthy is not true", 200, goodBody, func(h *config.HTTP) { h.Found = ".body.receipt" }, Answer{Outcome: ledger.LookupFailed, Cause: "mapping_error"}},
		{"null is not false", 404, `{}`, func(h *config.HTTP) { h.Found = ".body.ok" }, Answer{Outcome: ledger.LookupFailed, Cause: "mapping_error"}},
		{"no value", 404, `{}`, func(h *config.HTTP) { h.NotFound = "empty" }, Answer{Outcome: ledger.LookupFailed, Cause: "mapping_error"}},
		{"two values", 404, `{}`, func(h *config.HTTP) { h.NotFound = "true, true" }, Answer{Outcome: ledger.LookupFailed, Cause: "mapping_error"}},
		{"jq stops", 404, `{}`, func(h *config.HTTP) { h.NotFound = "halt" }, Answer{Outcome: ledger.LookupFailed, Cause: "mapping_error"}},
		{"in progress", 200, `{"state":"working"}`, states, Answer{Outcome: ledger.LookupInProgress}},
		{"in progress, 202", 202, `{"state":"working","op_key":"weekly-42"}`, states, Answer{Outcome: ledger.LookupInProgress, Evidence: ledger.Evidence{Key: ptr(theKey)}}},
		{"refused", 200, `{"state":"refused"}`, states, Answer{Outcome: ledger.LookupRefused}},
		{"refused, another key", 200, `{"state":"refused","op_key":"k"}`, states, Answer{Outcome: ledger.LookupFailed, Cause: "other_key", Evidence: ledger.Evidence{Key: ptr("k")}}},
		{"final", 200, `{"state":"done","final":true}`, states, Answer{Outcome: ledger.LookupFound, Evidence: ledger.Evidence{Final: ptr(true)}}},
		{"not final", 200, `{"state":"done","final":false}`, states, Answer{Outcome: ledger.LookupFound, Evidence: ledger.Evidence{Final: ptr(false)}}},
		{"final, not told", 200, `{"state":"done"}`, states, Answer{Outcome: ledger.LookupFound}},
		{"final, nonsense", 200, `{"state":"done","final":"yes"}`, states, Answer{Outcome: ledger.LookupFailed, Cause: "mapping_error", Evidence: ledger.Evidence{Heard: true}}},
		{"withdrawn", 200, `{"state":"done","undone":true,"receipt":"r"}`, states, Answer{Outcome: ledger.LookupFound, Cause: ledger.CauseWithdrawn, Receipt: "r"}},
		{"one hit", 200, `{"items":[{"key":"weekly-42","id":7}]}`, list, Answer{Outcome: ledger.LookupFound, Receipt: "7", Evidence: ledger.Evidence{Key: ptr(theKey)}}},
		{"no hit", 200, `{"items":[],"next":""}`, list, Answer{Outcome: ledger.LookupNotFound}},
		{"two hits", 200, `{"items":[{"key":"weekly-42"},{"key":"weekly-42"}]}`, list, Answer{Outcome: ledger.LookupAmbiguous}},
		{"two hits, one of them another", 200, `{"items":[{"key":"x"},{"key":"weekly-42"}],"next":"2"}`, list, Answer{Outcome: ledger.LookupAmbiguous}},
		{"hits are not told", 200, `{}`, list, Answer{Outcome: ledger.LookupFailed, Cause: "mapping_error"}},
		{"another hit", 200, `{"items":[{"key":"weekly-421"}]}`, list, Answer{Outcome: ledger.LookupFailed, Cause: "other_key", Evidence: ledger.Evidence{Key: ptr("weekly-421")}}},
		{"no hit, but pages unread", 200, `{"items":[],"next":true}`, list, Answer{Outcome: ledger.LookupFailed, Cause: "pages_unread"}},
		{"one hit, but pages unread", 200, `{"items":[{"key":"weekly-42"}],"next":true}`, list, Answer{Outcome: ledger.LookupFailed, Cause: "pages_unread", Evidence: ledger.Evidence{Heard: true, Key: ptr(theKey)}}},
		{"a count against not found", 404, `{"n":1}`, func(h *config.HTTP) { h.Hits = ".body.n" }, Answer{Outcome: ledger.LookupFailed, Cause: "mapping_conflict", Evidence: ledger.Evidence{Heard: true}}},
		{"a count against found", 200, `{"n":0}`, func(h *config.HTTP) { h.Hits = ".body.n" }, Answer{Outcome: ledger.LookupFailed, Cause: "mapping_conflict", Evidence: ledger.Evidence{Heard: true}}},
		{"not found, with a receipt", 404, `{"receipt":"r-1"}`, nil, Answer{Outcome: ledger.LookupFailed, Cause: "mapping_conflict", Evidence: ledger.Evidence{Heard: true}}},
		{"not found, with a receipt of a wrong kind", 404, `{"receipt":{}}`, nil, Answer{Outcome: ledger.LookupFailed, Cause: "mapping_conflict", Evidence: ledger.Evidence{Heard: true}}},
		{"not found, with an owner", 404, `{"account":"agent-1"}`, nil, Answer{Outcome: ledger.LookupFailed, Cause: "mapping_conflict", Evidence: ledger.Evidence{Heard: true}}},
		{"not found, and final", 404, `{"done":true}`, func(h *config.HTTP) { h.Final = ".body.done" }, Answer{Outcome: ledger.LookupFailed, Cause: "mapping_conflict", Evidence: ledger.Evidence{Heard: true}}},
		{"not found, and not final", 404, `{"done":false}`, func(h *config.HTTP) { h.Final = ".body.done" }, Answer{Outcome: ledger.LookupNotFound}},
		{"not found, since it was withdrawn", 410, `{"undone":true}`, func(h *config.HTTP) { h.NotFound, h.Withdrawn = ".status == 410", ".body.undone == true" }, Answer{Outcome: ledger.LookupFailed, Cause: "mapping_conflict", Evidence: ledger.Evidence{Heard: true}}},
		{"not found, with a hash", 404, `{"op_key":"weekly-42","sha256":"` + theHash + `"}`, nil, Answer{Outcome: ledger.LookupFailed, Cause: "mapping_conflict", Evidence: ledger.Evidence{Heard: true, Key: ptr(theKey)}}},
		{"not found, nothing in receipt and hash", 404, `{"receipt":"","sha256":null}`, nil, Answer{Outcome: ledger.LookupNotFound}},
		{"not found, the key stands for receipts", 404, `{"op_key":"weekly-42"}`, func(h *config.HTTP) { h.Receipt = ".body.op_key" }, Answer{Outcome: ledger.LookupNotFound, Evidence: ledger.Evidence{Key: ptr(theKey)}}},
		{"not found, a receipt's mapping that fits only what is found", 404, `{}`, func(h *config.HTTP) { h.Receipt = ".body.receipt | ascii_downcase" }, Answer{Outcome: ledger.LookupNotFound}},
		{"refused, with an id of the refusal", 200, `{"state":"refused","receipt":"r"}`, states, Answer{Outcome: ledger.LookupRefused}},
		{"refused, with a hash that is none", 200, `{"state":"refused","sha256":"abc"}`, states, Answer{Outcome: ledger.LookupFailed, Cause: "bad_hash", Evidence: ledger.Evidence{Heard: true}}},
		{"refused, with a hash that is an object", 200, `{"state":"refused","sha256":{"hex":"00"}}`, states, Answer{Outcome: ledger.LookupFailed, Cause: "bad_hash", Evidence: ledger.Evidence{Heard: true}}},
		{"refused, with a hash that is a list", 200, `{"state":"refused","sha256":["ff"]}`, states, Answer{Outcome: ledger.LookupFailed, Cause: "bad_hash", Evidence: ledger.Evidence{Heard: true}}},
		{"refused, with a hash that is a number", 200, `{"state":"refused","sha256":1.5}`, states, Answer{Outcome: ledger.LookupFailed, Cause: "bad_hash", Evidence: ledger.Evidence{Heard: true}}},
		{"refused, with a hash that is true", 200, `{"state":"refused","sha256":true}`, states, Answer{Outcome: ledger.LookupFailed, Cause: "bad_hash", Evidence: ledger.Evidence{Heard: true}}},
		{"refused, with the hash of what was refused", 200, `{"state":"refused","sha256":"` + theHash + `"}`, states, Answer{Outcome: ledger.LookupRefused, PayloadSHA256: theHash}},
		{"in progress, with a receipt", 200, `{"state":"working","receipt":"r"}`, states, Answer{Outcome: ledger.LookupInProgress}},
		{"a huge count", 200, `{"n":99999999999999999999}`, func(h *config.HTTP) { h.Hits = ".body.n" }, Answer{Outcome: ledger.LookupAmbiguous}},
		{"a negative count", 200, `{"n":-1}`, func(h *config.HTTP) { h.Hits = ".body.n" }, Answer{Outcome: ledger.LookupFailed, Cause: "mapping_error", Evidence: ledger.Evidence{Heard: true}}},
		{"key in a header", 404, `{}`, func(h *config.HTTP) { h.Key = `.headers["x-key"]` }, Answer{Outcome: ledger.LookupNotFound, Evidence: ledger.Evidence{Key: ptr(theKey)}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			address := server(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/vnd.inbox+json; charset=UTF-8")
				w.Header().Set("X-Key", theKey)
				w.WriteHeader(c.status)
				fmt.Fprint(w, c.body)
			})
			configured := target(address)
			if c.change != nil {
				c.change(configured.Lookup.HTTP)
			}
			got := look(t, configured)
			if got.Evidence.Status != c.status || (got.Evidence.Excerpt == "") != (c.body == "") || (got.Outcome == ledger.LookupFailed) == (got.Evidence.Error == "") && got.Outcome != ledger.LookupAmbiguous {
				t.Errorf("evidence %+v", got.Evidence)
			}
			got.Evidence.Status, got.Evidence.Excerpt, got.Evidence.Error = 0, "", ""
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
		})
	}
}

func TestUnicodeSpellingsAreDifferentKeys(t *testing.T) {
	// The same letter composed and decomposed: not byte-identical.
	a := connector(t, target(answering(t, 200, `{"op_key":"gro\u0308\u00dfe"}`))).Look(context.Background(), ledger.Intent{OpKey: "größe"})
	wantFailed(t, a, "other_key")
	a = connector(t, target(answering(t, 200, `{"op_key":"gr\u00f6\u00dfe"}`))).Look(context.Background(), ledger.Intent{OpKey: "größe"})
	if a.Outcome != ledger.LookupFound || *a.Evidence.Key != "größe" {
		t.Errorf("%+v", a)
	}
}

func TestWhatTheReceiverIsSent(t *testing.T) {
	var got *http.Request
	address := server(t, func(w http.ResponseWriter, r *http.Request) {
		got = r
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, goodBody)
	})
	configured := target(address)
	configured.Lookup.HTTP.URL = address + "/d/{op_key}?task={task}&s={stage}&p={principal}&h={payload_sha256}"
	configured.Lookup.HTTP.Headers["X-Team"] = "reports"
	intent := ledger.Intent{OpKey: "weekly 42", Task: "a&b=c", Stage: "", Principal: "agent/1", PayloadSHA256: theHash}
	connector(t, configured).Look(context.Background(), intent)
	if got == nil {
		t.Fatal("nothing was asked")
	}
	if want := "/d/weekly%2042?task=a%26b%3Dc&s=&p=agent%2F1&h=" + theHash; got.RequestURI != want || got.Method != "GET" {
		t.Errorf("%s %s, want GET %s", got.Method, got.RequestURI, want)
	}
	for name, want := range map[string]string{"Authorization": "Bearer " + theToken, "X-Team": "reports", "Accept": "application/json", "Cache-Control": "no-cache", "User-Agent": "triage"} {
		if got.Header.Get(name) != want {
			t.Errorf("%s: %q, want %q", name, got.Header.Get(name), want)
		}
	}
}

func TestUnsafeKeysAreNeverSent(t *testing.T) {
	asked := false
	address := server(t, func(w http.ResponseWriter, r *http.Request) { asked = true })
	for _, key := range []string{"", ".", "..", "../admin", "a/../b", `..\x`, "a//b"} {
		a := connector(t, target(address)).Look(context.Background(), ledger.Intent{OpKey: key})
		wantFailed(t, a, "unsafe_key")
	}
	if asked {
		t.Error("the receiver was asked")
	}
}

func TestNotFoundUnderAPathThatMayBeSplitIsNotBelieved(t *testing.T) {
	address := server(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if strings.HasSuffix(r.URL.RawPath, "%2Fcanary") {
			fmt.Fprint(w, `{"op_key":"x/canary"}`)
			return
		}
		w.WriteHeader(404)
		fmt.Fprint(w, `{}`)
	})
	ask := func(change func(*config.Target), intent ledger.Intent) Answer {
		configured := target(address)
		change(&configured)
		return connector(t, configured).Look(context.Background(), intent)
	}
	slashed := ledger.Intent{OpKey: "2026/42"}
	wantFailed(t, ask(func(*config.Target) {}, slashed), "encoded_slash")
	wantFailed(t, ask(func(c *config.Target) { c.Promises.Canary = "canary" }, slashed), "encoded_slash")
	wantFailed(t, ask(func(c *config.Target) { c.Lookup.HTTP.URL = address + "/{task}/{op_key}" }, ledger.Intent{OpKey: "42", Task: "a%b"}), "encoded_slash")
	if a := ask(func(c *config.Target) { c.Promises.Canary = "x/canary" }, slashed); a.Outcome != ledger.LookupNotFound || !*a.CanarySeen {
		t.Errorf("with such a canary: %+v", a)
	}
	if a := ask(func(c *config.Target) { c.Lookup.HTTP.URL = address + "/d?key={op_key}" }, slashed); a.Outcome != ledger.LookupNotFound {
		t.Errorf("in the query: %+v", a)
	}
}

func TestReadingEndsWithTheTime(t *testing.T) {
	configured := target(answering(t, 200, goodBody))
	configured.Lookup.Timeout = 200 * time.Millisecond
	configured.Lookup.HTTP.Found = "last(range(1e15)) == 1"
	began := time.Now()
	wantFailed(t, look(t, configured), "timeout")
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("it took %s", took)
	}
}

func TestTheTimeoutHoldsWhateverHangs(t *testing.T) {
	for _, canary := range []string{"", "probe-1"} {
		configured := target(answering(t, 404, `{}`))
		configured.Promises.Canary = canary
		configured.Lookup.Timeout = 100 * time.Millisecond
		hang, hanging := make(chan struct{}), make(chan struct{})
		var calls int
		c := connector(t, configured, WithClock(func() ledger.Millis {
			if calls++; calls == 2 { // the gate's look has passed: this is in the middle of asking
				close(hanging)
				<-hang
			}
			return ledger.WallClock()
		}))
		began := time.Now()
		a := c.Look(context.Background(), theIntent)
		took := time.Since(began)
		<-hanging // or it was something else that took the time
		close(hang)
		wantFailed(t, a, "timeout")
		if took > time.Second {
			t.Errorf("it took %s", took)
		}
		if (a.CanarySeen == nil) != (canary == "") || a.CanarySeen != nil && *a.CanarySeen {
			t.Errorf("canary %q: %+v", canary, a)
		}
	}
}

func TestTheCallersTimeCountsToo(t *testing.T) {
	address := listen(t, hostileNamed("silence"))
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	wantFailed(t, connector(t, target(address)).Look(ctx, theIntent), "timeout")
	gone, leave := context.WithCancel(context.Background())
	leave()
	wantFailed(t, connector(t, target(address)).Look(gone, theIntent), "cancelled")
}

func TestFor(t *testing.T) {
	if c, err := For(config.Target{Name: "x"}); c != nil || !errors.Is(err, ErrNoLookup) {
		t.Errorf("%v, %v", c, err)
	}
	off := target("https://inbox.internal")
	off.Lookup.Missing = []config.MissingVariable{{Name: "INBOX_TOKEN", Line: 14, File: "/etc/c.yaml", Why: "is not set"}}
	c, err := For(off)
	if c != nil || !errors.Is(err, ErrLookupOff) || !strings.Contains(err.Error(), "/etc/c.yaml:14: INBOX_TOKEN is not set. Set INBOX_TOKEN in the environment of triage and start again.") {
		t.Errorf("%v, %v", c, err)
	}
	c, err = For(target(answering(t, 200, goodBody)))
	if err != nil {
		t.Fatal(err)
	}
	if a := c.Look(context.Background(), theIntent); c.Kind() != "http" || a.Outcome != ledger.LookupFound {
		t.Errorf("%s: %+v", c.Kind(), a)
	}
}

func TestEvidenceFitsTheLedger(t *testing.T) {
	for name, body := range map[string]string{
		"escapes":     `{"op_key":"weekly-42","x":"` + strings.Repeat(`\u0001`, 5000) + `"}`,
		"angles":      `{"op_key":"weekly-42","x":"` + strings.Repeat("<", 5000) + `"}`,
		"wide":        `{"op_key":"weekly-42","x":"` + strings.Repeat("語", 5000) + `"}`,
		"another key": `{"op_key":"` + strings.Repeat(`\u0002`, 5000) + `"}`,
		"broken":      strings.Repeat("\x01", 5000),
		"not text":    strings.Repeat("\xff", 5000),
	} {
		a := look(t, target(answering(t, 200, body)))
		raw, err := json.Marshal(a.Evidence)
		if err != nil || len(raw) > ledger.MaxEvidenceBytes {
			t.Errorf("%s: %d bytes, %v", name, len(raw), err)
		}
		if n := len(a.Evidence.Excerpt); n == 0 || n > maxExcerpt {
			t.Errorf("%s: excerpt of %d bytes", name, n)
		}
	}
}

func hostileNamed(name string) (speak func(conn net.Conn, r *http.Request, gone <-chan struct{})) {
	for _, h := range hostiles {
		if h.name == name {
			return h.speak
		}
	}
	panic(name)
}
