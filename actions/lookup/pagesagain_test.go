package lookup

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"triage/actions/config"
	"triage/ledger"
)

// moving is a receiver that lists its deliveries two to a page. What happens to the list
// happens after its n-th answer.
func moving(t *testing.T, keys []string, happens map[int]func(keys []string) []string) (config.Target, func() int) {
	n := 0
	address := server(t, func(w http.ResponseWriter, r *http.Request) {
		n++
		from := 0
		_, _ = fmt.Sscan(r.FormValue("from"), &from)
		var items []string
		for _, key := range keys[min(from, len(keys)):min(from+2, len(keys))] {
			items = append(items, `"`+key+`"`)
		}
		next := "null"
		if from+2 < len(keys) {
			next = fmt.Sprintf(`"?key=%s&from=%d"`, r.FormValue("key"), from+2)
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"items":[%s],"next":%s}`, strings.Join(items, ","), next)
		if change := happens[n]; change != nil {
			keys = change(append([]string{}, keys...))
		}
	})
	configured := target(address)
	h := configured.Lookup.HTTP
	h.URL, h.Next = address+"/list?key={op_key}", ".body.next"
	h.Found, h.NotFound, h.Key, h.Receipt, h.PayloadSHA256, h.Owner = `any(.body.items[]; . == "weekly-42")`, `all(.body.items[]; . != "weekly-42")`, "", "", "", ""
	return configured, func() int { return n }
}

// What slips from one page to the one before while the pages are read is on none of
// them, and not absent.
func TestAListThatMovesWhileItIsReadProvesNoAbsence(t *testing.T) {
	without := func(key string) func([]string) []string {
		return func(keys []string) []string {
			for i, k := range keys {
				if k == key {
					return append(keys[:i], keys[i+1:]...)
				}
			}
			return keys
		}
	}
	newest := func(keys []string) []string { return append([]string{"new"}, keys...) }
	for _, c := range []struct {
		name    string
		keys    string
		happens map[int]func([]string) []string
		want    ledger.LookupOutcome
		cause   string
		heard   bool
		asked   int
	}{
		{"still", "a b c d e", nil, ledger.LookupNotFound, "", false, 5},
		{"one page", "a b", map[int]func([]string) []string{1: without("a")}, ledger.LookupNotFound, "", false, 1},
		{"one goes from the first page", "a b weekly-42 d", map[int]func([]string) []string{1: without("a")}, ledger.LookupFailed, "changed", true, 3},
		{"one goes from the second page", "a b c d weekly-42 f", map[int]func([]string) []string{2: without("c")}, ledger.LookupFailed, "changed", true, 5},
		{"one comes", "a b c d", map[int]func([]string) []string{2: newest}, ledger.LookupFailed, "changed", false, 3},
		{"one goes from the last page", "a b c d", map[int]func([]string) []string{2: without("d")}, ledger.LookupNotFound, "", false, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			configured, asked := moving(t, strings.Fields(c.keys), c.happens)
			a := look(t, configured)
			if a.Outcome != c.want || a.Cause != c.cause || a.Evidence.Heard != c.heard || asked() != c.asked {
				t.Errorf("%s (%s: %s), heard %v, after %d questions; want %s (%s), heard %v, after %d", a.Outcome, a.Cause, a.Evidence.Error, a.Evidence.Heard, asked(), c.want, c.cause, c.heard, c.asked)
			}
		})
	}
}

// A page that can't be read again leaves it open whether the list moved.
func TestAPageThatCanNotBeReadAgainProvesNothing(t *testing.T) {
	for name, c := range map[string]struct{ second, cause string }{
		"out of order": {"HTTP/1.1 503 X\r\nRetry-After: 60\r\nContent-Length: 0\r\n\r\n", "http_503"},
		"cut":          {"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{", "truncated"},
		"gone":         {"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "mapping_error|changed|pages_unread"},
	} {
		t.Run(name, func(t *testing.T) {
			n := 0
			address := server(t, func(w http.ResponseWriter, r *http.Request) {
				if n++; n == 3 {
					conn, _, err := w.(http.Hijacker).Hijack()
					if err != nil {
						t.Error(err)
						return
					}
					defer conn.Close()
					fmt.Fprint(conn, c.second)
					return
				}
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprint(w, leaf(none, map[bool]string{true: `"?page=2"`, false: "null"}[n == 1]))
			})
			a := connector(t, listed(address)).Look(context.Background(), theIntent)
			wantFailed(t, a, c.cause)
			if a.Evidence.Pages != 2 || n != 3 {
				t.Errorf("%d pages after %d questions", a.Evidence.Pages, n)
			}
		})
	}
}
