package lookup

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"triage/ledger"
)

func TestCredentialsNeverLeaveTheirOrigin(t *testing.T) {
	var asked atomic.Int32
	thief := func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, goodBody)
	}
	other := server(t, thief)
	otherTLS := httptest.NewTLSServer(http.HandlerFunc(thief))
	defer otherTLS.Close()
	port := other[strings.LastIndex(other, ":"):]
	for _, location := range []string{other + "/deliveries/weekly-42", "//127.0.0.1" + port + "/weekly-42", "http://localhost" + port + "/weekly-42",
		otherTLS.URL + "/weekly-42", "http://user:pw@127.0.0.1" + port, "gopher://127.0.0.1/", "file:///etc/passwd", "javascript:x", "http://%zz/", "http:///x"} {
		for _, status := range []int{301, 302, 303, 307, 308} {
			address := server(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Location", location)
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(status)
				fmt.Fprint(w, goodBody)
			})
			a := look(t, target(address))
			wantFailed(t, a, "redirect")
			if a.Evidence.Status != status {
				t.Errorf("%d to %s: status %d", status, location, a.Evidence.Status)
			}
		}
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("the other origin was asked %d times", n)
	}
}

func TestARedirectNamesNoUser(t *testing.T) {
	var asked atomic.Int32
	address := server(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.Header().Set("Location", "http://user:pw@"+r.Host+r.URL.Path)
		w.WriteHeader(307)
	})
	a := look(t, target(address))
	wantFailed(t, a, "redirect")
	if asked.Load() != 1 || !strings.Contains(a.Evidence.Error, "user name") {
		t.Errorf("asked %d times: %s", asked.Load(), a.Evidence.Error)
	}
}

func TestHTTPSNeverBecomesHTTP(t *testing.T) {
	s := httptest.NewUnstartedServer(nil)
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://"+r.Host+r.URL.Path, http.StatusFound)
	})
	s.StartTLS()
	defer s.Close()
	a := look(t, target(s.URL), WithRootCAs(roots(s)))
	wantFailed(t, a, "redirect")
	if !strings.Contains(a.Evidence.Error, "from https to http") {
		t.Errorf("%s", a.Evidence.Error)
	}
}

func TestRedirectsWithinTheOrigin(t *testing.T) {
	// Each path leads to the next; the last one answers.
	chain := func(status int, paths ...string) string {
		return server(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer "+theToken {
				t.Errorf("%s was asked without credentials", r.URL)
			}
			next := map[string]string{"/deliveries/weekly-42": paths[0]}
			for i := range len(paths) - 1 {
				next[paths[i]] = paths[i+1]
			}
			if to, ok := next[r.URL.RequestURI()]; ok {
				http.Redirect(w, r, to, http.StatusTemporaryRedirect)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			if status == 200 {
				fmt.Fprint(w, goodBody)
			} else {
				fmt.Fprint(w, `{}`)
			}
		})
	}
	if a := look(t, target(chain(200, "/1", "/2", "/3"))); a.Outcome != ledger.LookupFound {
		t.Errorf("three: %+v", a)
	}
	wantFailed(t, look(t, target(chain(200, "/1", "/2", "/3", "/4"))), "redirect")
	wantFailed(t, look(t, target(chain(200, "/deliveries/weekly-42"))), "redirect") // a loop
	for _, path := range []string{"/login", "/errors/404?from=/deliveries/weekly-42", "/v2/weekly-42", "/find?key=weekly-42", "/deliveries/weekly-42/", "/deliveries/weekly-42?"} {
		wantFailed(t, look(t, target(chain(404, path))), "redirect")
	}
}

func TestAfterARedirectOnlyFoundIsBelieved(t *testing.T) {
	leading := func(status int, body string) string {
		return server(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/error" {
				http.Redirect(w, r, "/error", http.StatusFound)
				return
			}
			if body != "" {
				w.Header().Set("Content-Type", "application/json")
			}
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		})
	}
	for _, c := range []struct {
		name   string
		status int
		body   string
		want   ledger.LookupOutcome
	}{
		{"bare 404", 404, "", ledger.LookupFailed},
		{"not found", 404, `{}`, ledger.LookupFailed},
		{"refused", 422, `{}`, ledger.LookupFailed},
		{"in progress", 202, `{}`, ledger.LookupFailed},
		{"found", 200, `{}`, ledger.LookupFound},
		{"several", 200, `{"n":2}`, ledger.LookupAmbiguous},
	} {
		configured := target(leading(c.status, c.body))
		h := configured.Lookup.HTTP
		h.Key, h.Refused, h.InProgress, h.Hits = "", ".status == 422", ".status == 202", ".body.n // (if .status == 404 then 0 else 1 end)"
		// The key "r" stands in "error", and is not named by it.
		a := connector(t, configured).Look(context.Background(), ledger.Intent{OpKey: "r"})
		if c.want == ledger.LookupFailed {
			wantFailed(t, a, "redirect")
		} else if a.Outcome != c.want {
			t.Errorf("%s: %+v", c.name, a)
		}
	}
}
