package lookup

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"triage/actions/config"
	"triage/ledger"
)

// listed is a receiver at that address that answers with a list, page by page.
func listed(address string) config.Target {
	t := target(address)
	h := t.Lookup.HTTP
	h.URL = address + "/list?key={op_key}"
	h.Found, h.NotFound, h.Hits = "(.body.items | length) == 1", "(.body.items | length) == 0", ".body.items"
	h.Key, h.Receipt, h.PayloadSHA256, h.Owner = "if (.body.items | length) > 0 then .body.items[0].key else .body.asked end", ".body.items[0].id", "", ""
	h.Next = ".body.next"
	return t
}

const (
	hit  = `{"key":"weekly-42","id":"r-1"}`
	none = ""
)

// leaf is one page's body; next is JSON.
func leaf(items, next string) string { return fmt.Sprintf(`{"items":[%s],"next":%s}`, items, next) }

// turning is a server whose pages are told by their number; the first has none.
func turning(t *testing.T, asked *atomic.Int32, pages ...string) string {
	return server(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		n := 1
		if r.FormValue("page") != "" {
			_, _ = fmt.Sscan(r.FormValue("page"), &n)
		}
		if r.Header.Get("Authorization") != "Bearer "+theToken {
			n = 99
		}
		w.Header().Set("Content-Type", "application/json")
		if n > len(pages) {
			w.WriteHeader(500)
			return
		}
		fmt.Fprint(w, pages[n-1])
	})
}

func TestPagesAreOneAnswer(t *testing.T) {
	bound := func(n int) func(*config.HTTP) { return func(h *config.HTTP) { h.Pages = n } }
	for _, c := range []struct {
		name   string
		change func(*config.HTTP)
		pages  []string
		want   ledger.LookupOutcome
		cause  string
		asked  int32
	}{
		{"one page", nil, []string{leaf(hit, "null")}, ledger.LookupFound, "", 1},
		{"found on the first", nil, []string{leaf(hit, `"?page=2"`), leaf(none, "null")}, ledger.LookupFound, "", 2},
		{"found on the last", nil, []string{leaf(none, `"?page=2"`), leaf(none, `"/list?page=3"`), leaf(hit, `""`)}, ledger.LookupFound, "", 3},
		{"on none", nil, []string{leaf(none, `"?page=2"`), leaf(none, `"?page=3"`), leaf(none, "false")}, ledger.LookupNotFound, "", 3 + 2},
		{"on two", nil, []string{leaf(hit, `"?page=2"`), leaf(none, `"?page=3"`), leaf(hit, "null")}, ledger.LookupAmbiguous, "", 3},
		{"two on one", nil, []string{leaf(none, `"?page=2"`), leaf(hit+","+hit, `"?page=3"`)}, ledger.LookupAmbiguous, "", 2},
		{"as many as are read", bound(2), []string{leaf(none, `"?page=2"`), leaf(none, "null")}, ledger.LookupNotFound, "", 2 + 1},
		{"one more than are read", bound(2), []string{leaf(none, `"?page=2"`), leaf(none, `"?page=3"`), leaf(none, "null")}, ledger.LookupFailed, "pages_unread", 2},
		{"found, and one more than are read", bound(2), []string{leaf(hit, `"?page=2"`), leaf(none, `"?page=3"`)}, ledger.LookupFailed, "pages_unread", 2},
		{"one page only", bound(1), []string{leaf(hit, `"?page=2"`)}, ledger.LookupFailed, "pages_unread", 1},
		{"five where nothing is written", nil, []string{leaf(none, `"?page=2"`), leaf(none, `"?page=3"`), leaf(none, `"?page=4"`), leaf(none, `"?page=5"`), leaf(none, "null")}, ledger.LookupNotFound, "", 5 + 4},
		{"six where nothing is written", nil, []string{leaf(none, `"?page=2"`), leaf(none, `"?page=3"`), leaf(none, `"?page=4"`), leaf(none, `"?page=5"`), leaf(none, `"?page=6"`)}, ledger.LookupFailed, "pages_unread", 5},
		{"found, then trouble", nil, []string{leaf(hit, `"?page=2"`)}, ledger.LookupFailed, "http_500", 2},
		{"found, then working on it", func(h *config.HTTP) {
			h.InProgress, h.Hits, h.Found = ".body.working == true", "", "(.body.items | length) == 1"
		},
			[]string{leaf(hit, `"?page=2"`), `{"working":true,"items":[1,2]}`}, ledger.LookupAmbiguous, "", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			var asked atomic.Int32
			configured := listed(turning(t, &asked, c.pages...))
			if c.name == "found, then working on it" {
				configured.Lookup.HTTP.Key = ""
			}
			if c.change != nil {
				c.change(configured.Lookup.HTTP)
			}
			a := look(t, configured)
			if a.Outcome != c.want || a.Cause != c.cause || asked.Load() != c.asked {
				t.Fatalf("%s (%s: %s) after %d questions, want %s (%s) after %d", a.Outcome, a.Cause, a.Evidence.Error, asked.Load(), c.want, c.cause, c.asked)
			}
			pages := int(c.asked)
			if c.want == ledger.LookupNotFound {
				pages = len(c.pages) // all but the last were read again
			}
			if pages == 1 {
				pages = 0 // told only where there was more than one
			}
			if a.Evidence.Pages != pages {
				t.Errorf("evidence tells of %d pages, want %d", a.Evidence.Pages, pages)
			}
			if c.want == ledger.LookupFound && (a.Receipt != "r-1" || a.Evidence.Key == nil || *a.Evidence.Key != theKey || !strings.Contains(a.Evidence.Excerpt, "r-1")) {
				t.Errorf("%+v", a)
			}
		})
	}
}

// The page that shows the delivery names the key itself, or nobody does.
func TestAKeyOnAnotherPageIsNoEcho(t *testing.T) {
	var asked atomic.Int32
	a := look(t, listed(turning(t, &asked, `{"items":[],"asked":"weekly-42","next":"?page=2"}`, leaf(`{"id":"r-1"}`, "null"))))
	if a.Outcome != ledger.LookupFound || a.Evidence.Key != nil {
		t.Errorf("%+v", a)
	}
}

func TestNextInALinkHeader(t *testing.T) {
	var asked atomic.Int32
	var address string
	address = server(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if asked.Add(1) == 1 {
			w.Header().Add("Link", `<`+address+`/list?page=0>; rel="prev"`)
			w.Header().Add("Link", `<`+address+`/list?page=2>; rel="next"`)
		}
		fmt.Fprint(w, leaf(none, "null"))
	})
	configured := listed(address)
	configured.Lookup.HTTP.Next = `((.headers.link // "") | capture("<(?<url>[^>]*)>; *rel=\"next\"") | .url) // null`
	if a := look(t, configured); a.Outcome != ledger.LookupNotFound || asked.Load() != 3 || a.Evidence.Pages != 2 {
		t.Errorf("%+v after %d questions", a, asked.Load())
	}
}

// The pages of one lookup pass together, however low the rate is; those of the next
// one wait for it.
func TestPagesCountTowardsTheRate(t *testing.T) {
	var asked atomic.Int32
	configured := listed(turning(t, &asked, leaf(none, `"?page=2"`), leaf(none, "null")))
	configured.Lookup.HTTP.Pages = 2
	configured.Lookup.Rate = config.Rate{Count: 1, Per: time.Hour}
	c := connector(t, configured)
	if a := c.Look(context.Background(), theIntent); a.Outcome != ledger.LookupNotFound {
		t.Fatalf("%+v", a)
	}
	wantFailed(t, c.Look(context.Background(), theIntent), "rate_limited")
	if asked.Load() != 3 {
		t.Errorf("asked %d times, want 3: two pages, and the first again", asked.Load())
	}
}

// Ways to lie with pages. The first page is asked for at /list, the next at /2.
var hostilePages = []struct {
	name     string
	first    string
	second   func(net.Conn, *http.Request, <-chan struct{})
	cause    string
	secondly bool // the second page may be asked for
}{
	{"next at another origin", leaf(none, `"http://elsewhere.invalid/2"`), nil, "pages", false},
	{"next at another port", leaf(none, `"http://127.0.0.1:1/2"`), nil, "pages", false},
	{"next at another host, by the way", leaf(none, `"//elsewhere.invalid/2"`), nil, "pages", false},
	{"next with a user", leaf(none, `"http://me@127.0.0.1/2"`), nil, "pages", false},
	{"next by another scheme", leaf(none, `"file:///etc/passwd"`), nil, "pages", false},
	{"next that is no URL", leaf(none, `"http://[::1"`), nil, "pages", false},
	{"next that is a number", leaf(none, `2`), nil, "pages", false},
	{"next that is a list", leaf(none, `["/2"]`), nil, "pages", false},
	{"next that says only yes", leaf(none, `true`), nil, "pages_unread", false},
	{"next that is this page", leaf(none, `"/list?key=weekly-42"`), nil, "pages_loop", false},
	{"next that is this page's end", leaf(none, `"#more"`), nil, "pages_loop", false},
	{"found, and next is this page", leaf(hit, `"?key=weekly-42"`), nil, "pages_loop", false},
	{"the second leads back", leaf(none, `"/2"`), saying(jsonAnswer(200, leaf(none, `"/list?key=weekly-42"`))), "pages_loop", true},
	{"the second leads to itself", leaf(hit, `"/2"`), saying(jsonAnswer(200, leaf(none, `"2"`))), "pages_loop", true},
	{"the second is cut", leaf(none, `"/2"`), saying("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n" + leaf(none, "null")), "truncated", true},
	{"found, and the second is cut", leaf(hit, `"/2"`), saying("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"), "truncated", true},
	{"the second is HTML", leaf(none, `"/2"`), saying("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 13\r\n\r\n<html></html>"), "not_json", true},
	{"the second names another key", leaf(none, `"/2"`), saying(jsonAnswer(200, leaf(`{"key":"weekly-421","id":"r-2"}`, "null"))), "other_key", true},
	{"the second was asked for another key", leaf(hit, `"/2"`), saying(jsonAnswer(200, `{"items":[],"asked":"weekly-43"}`)), "other_key", true},
	{"the second is not there", leaf(none, `"/2"`), saying(jsonAnswer(404, leaf(none, "null"))), "pages_unread", true},
	{"the second is gone, without a body", leaf(none, `"/2"`), saying("HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n"), "pages_unread", true},
	{"the second may not be seen", leaf(none, `"/2"`), saying(jsonAnswer(403, leaf(none, "null"))), "http_403", true},
	{"the second is asked for too often", leaf(hit, `"/2"`), saying("HTTP/1.1 429 X\r\nRetry-After: 60\r\nContent-Length: 0\r\n\r\n"), "http_429", true},
	{"the second is elsewhere", leaf(none, `"/2"`), saying("HTTP/1.1 302 Found\r\nLocation: http://elsewhere.invalid/\r\nContent-Length: 0\r\n\r\n"), "redirect", true},
	{"the second does not come", leaf(none, `"/2"`), saying(""), "connection_closed|connection_reset", true},
	{"the second fits nothing", leaf(none, `"/2"`), saying(jsonAnswer(200, `{"items":"none"}`)), "mapping_error", true},
}

func TestNoHostilePageIsBelieved(t *testing.T) {
	for _, h := range hostilePages {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			var strayed atomic.Bool
			address := listen(t, func(conn net.Conn, r *http.Request, gone <-chan struct{}) {
				switch {
				case r.URL.Path == "/list":
					fmt.Fprint(conn, jsonAnswer(200, h.first))
				case h.secondly && r.URL.Path == "/2":
					h.second(conn, r, gone)
				default:
					strayed.Store(true)
				}
			})
			for _, configured := range []config.Target{listed(address), careless(listed(address))} {
				a := look(t, configured)
				wantFailed(t, a, h.cause)
				if pages := map[bool]int{true: 2}[h.secondly]; a.Evidence.Pages != pages {
					t.Errorf("evidence tells of %d pages, want %d", a.Evidence.Pages, pages)
				}
			}
			if strayed.Load() {
				t.Error("something else was asked for")
			}
		})
	}
}

// careless takes whatever is not plainly there for not found.
func careless(t config.Target) config.Target {
	h := *t.Lookup.HTTP
	h.NotFound, h.Hits = "("+h.Found+") | not", ""
	if strings.Contains(h.Found, "length") { // text has a length too
		h.NotFound = `(.body.items | type) == "array" and (` + h.Found + ") | not"
	}
	l := *t.Lookup
	l.HTTP = &h
	t.Lookup = &l
	return t
}

func TestNextNeverLeavesTLS(t *testing.T) {
	m, err := compile(config.Mapping{Found: ".status == 200"}, ".next")
	if err != nil {
		t.Fatal(err)
	}
	from, _ := url.Parse("https://inbox.internal/list?page=1")
	for next, want := range map[string]string{
		"http://inbox.internal/list?page=2": "", "http://inbox.internal:443/list": "", "https://inbox.internal:444/": "",
		"https://inbox.internal.evil/": "", "https:list": "", "https://u:p@inbox.internal/": "", "mailto:a@inbox.internal": "",
		"https://INBOX.internal:443/list?page=2": "https://INBOX.internal:443/list?page=2", "?page=2#x": "https://inbox.internal/list?page=2",
		"/other": "https://inbox.internal/other", "../a/../b": "https://inbox.internal/b",
	} {
		to, f := m.nextPage(context.Background(), map[string]any{"next": next}, from)
		if want == "" && (to != nil || f == nil || f.cause != "pages") || want != "" && (f != nil || to.String() != want) {
			t.Errorf("%s: %v, %+v", next, to, f)
		}
	}
}
