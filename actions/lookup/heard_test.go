package lookup

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	"triage/actions/config"
	"triage/ledger"
)

// heard is what an answer that can't be used says all the same: that the receiver spoke of
// the delivery. No earlier miss is believed after it.
func TestWhatWasHeardIsKept(t *testing.T) {
	want := func(name string, a Answer, cause string, heard bool) {
		t.Helper()
		if a.Outcome != ledger.LookupFailed || a.Cause != cause || a.Evidence.Heard != heard {
			t.Errorf("%s: %s, %s, heard %v; want failed, %s, heard %v", name, a.Outcome, a.Cause, a.Evidence.Heard, cause, heard)
		}
	}
	var asked atomic.Int32
	for next, cause := range map[string]string{`"http://other.invalid/list?page=2"`: "pages", `true`: "pages_unread", `7`: "pages", `"http://u@x/"`: "pages"} {
		want("found, and next is "+next, look(t, listed(turning(t, &asked, leaf(hit, next)))), cause, true)
		want("not found, and next is "+next, look(t, listed(turning(t, &asked, leaf("", next)))), cause, false)
	}
	for n, items := range map[int]string{1: hit, 2: hit + "," + hit, 3: hit + "," + hit + "," + hit} {
		c := listed(answering(t, 200, leaf(items, "null")))
		c.Lookup.HTTP.Found, c.Lookup.HTTP.NotFound, c.Lookup.HTTP.Next = ".body.x == 1", ".status == 200", ""
		want(fmt.Sprintf("not found beside %d hits", n), look(t, c), "mapping_conflict", true)
	}
	both := target(answering(t, 200, goodBody))
	both.Lookup.HTTP.NotFound = `.status == 200`
	want("found and not found at once", look(t, both), "mapping_conflict", true)
	broken := target(answering(t, 200, goodBody))
	broken.Lookup.HTTP.Refused = ".body.receipt"
	want("found, and another expression fails", look(t, broken), "mapping_error", true)
	elsewhere := target(answering(t, 200, `{"op_key":"another","receipt":"r-1"}`))
	want("found, under another key", look(t, elsewhere), "other_key", false)
	question := target(answering(t, 422, `{"error":"x"}`))
	question.Lookup.HTTP.Refused = ".status == 422"
	want("a refusal that may be of the question", look(t, question), "no_key", false)
}

func TestWhatWasHeardAfterARedirectIsKept(t *testing.T) {
	address := server(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/there" {
			http.Redirect(w, r, "/there", http.StatusFound)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprint(w, `{"op_key":"weekly-42","state":"working"}`)
	})
	c := target(address)
	c.Lookup.HTTP.Mapping = config.Mapping{Found: `.body.state == "done"`, InProgress: `.body.state == "working"`, Key: ".body.op_key"}
	if a := look(t, c); a.Cause != "redirect" || !a.Evidence.Heard {
		t.Errorf("%+v", a)
	}
}
