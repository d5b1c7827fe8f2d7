package lookup

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"triage/actions/config"
	"triage/ledger"
)

// reply is one answer of a scripted receiver.
type reply struct {
	status int
	body   string
}

// scripted gives its answers one after the other, and keeps what it was asked.
func scripted(t *testing.T, replies ...reply) (address string, asked func() []string) {
	var paths []string
	address = server(t, func(w http.ResponseWriter, r *http.Request) {
		paths = append(paths, strings.TrimPrefix(r.URL.Path, "/deliveries/"))
		if r.Header.Get("Authorization") != "Bearer "+theToken {
			t.Errorf("%s was asked with other credentials", r.URL.Path)
		}
		next := replies[len(paths)-1]
		if next.body != "" {
			w.Header().Set("Content-Type", "application/json")
		}
		w.WriteHeader(next.status)
		fmt.Fprint(w, next.body)
	})
	return address, func() []string { return paths }
}

func TestCanary(t *testing.T) {
	probe, missing, none := reply{200, `{"op_key":"probe-1"}`}, reply{404, `{}`}, reply{404, ""}
	for _, c := range []struct {
		name    string
		replies []reply
		outcome ledger.LookupOutcome
		seen    bool
		canary  string
	}{
		{"seen before and after", []reply{probe, missing, probe}, ledger.LookupNotFound, true, "before: seen; after: seen"},
		{"seen around a bare 404", []reply{probe, none, probe}, ledger.LookupNotFound, true, "before: seen; after: seen"},
		{"a 404 for everything", []reply{missing, missing, missing}, ledger.LookupNotFound, false, "before: not seen, not_found; after: not seen, not_found"},
		{"a bare 404 for everything", []reply{none, none, none}, ledger.LookupNotFound, false, "before: not seen, not_found; after: not seen, not_found"},
		{"gone before", []reply{missing, missing, probe}, ledger.LookupNotFound, false, "before: not seen, not_found; after: seen"},
		{"gone after", []reply{probe, missing, missing}, ledger.LookupNotFound, false, "before: seen; after: not seen, not_found"},
		{"another key", []reply{{200, `{"op_key":"weekly-42"}`}, missing, probe}, ledger.LookupNotFound, false, "before: not seen, failed (other_key); after: seen"},
		{"no key", []reply{probe, missing, {200, `{}`}}, ledger.LookupNotFound, false, "before: seen; after: not seen, the answer names no key"},
		{"not allowed after", []reply{probe, missing, {403, `{}`}}, ledger.LookupNotFound, false, "before: seen; after: not seen, failed (http_403)"},
		{"found although the canary fails", []reply{{500, `{}`}, {200, goodBody}, {500, `{}`}}, ledger.LookupFound, false, "before: not seen, failed (http_500); after: not seen, failed (http_500)"},
		{"failed between two", []reply{probe, {500, `{}`}}, ledger.LookupFailed, false, "before: seen; after: not asked for"},
	} {
		t.Run(c.name, func(t *testing.T) {
			address, asked := scripted(t, c.replies...)
			configured := target(address)
			configured.Promises.Canary = "probe-1"
			a := look(t, configured)
			if a.Outcome != c.outcome || a.CanarySeen == nil || *a.CanarySeen != c.seen || a.Evidence.Canary != c.canary {
				t.Errorf("%s, seen %v, %q", a.Outcome, *a.CanarySeen, a.Evidence.Canary)
			}
			if want := []string{"probe-1", theKey, "probe-1"}[:len(c.replies)]; !slices.Equal(asked(), want) {
				t.Errorf("asked for %v", asked())
			}
		})
	}
}

// A canary behind a redirect shows nothing about a "not found" without one: somebody else
// may have given that.
func TestACanaryBehindARedirectIsNoSighting(t *testing.T) {
	address := server(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/deliveries/probe-1":
			http.Redirect(w, r, "/moved/probe-1", http.StatusFound)
		case "/moved/probe-1":
			fmt.Fprint(w, `{"op_key":"probe-1"}`)
		case "/deliveries/weekly-41":
			fmt.Fprint(w, `{"op_key":"weekly-41"}`)
		default:
			w.WriteHeader(404)
			fmt.Fprint(w, `{}`)
		}
	})
	configured := target(address)
	configured.Promises.Canary = "probe-1"
	a := look(t, configured)
	if a.Outcome != ledger.LookupNotFound || *a.CanarySeen || a.Evidence.Canary != "before: not seen, only after a redirect; after: not seen, only after a redirect" {
		t.Errorf("%s, seen %v, %q", a.Outcome, *a.CanarySeen, a.Evidence.Canary)
	}
	found := theIntent
	found.OpKey = "weekly-41"
	if a := connector(t, configured).Look(t.Context(), found); a.Outcome != ledger.LookupFound || !*a.CanarySeen {
		t.Errorf("what was found: %+v", a)
	}
}

func TestNoCanaryNamed(t *testing.T) {
	if a := look(t, target(answering(t, 404, `{}`))); a.CanarySeen != nil || a.Evidence.Canary != "" {
		t.Errorf("%+v", a)
	}
}

func TestAnOldAnswerIsNoSighting(t *testing.T) {
	address := server(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if strings.HasSuffix(r.URL.Path, "probe-1") {
			w.Header().Set("Age", "30")
			fmt.Fprint(w, `{"op_key":"probe-1"}`)
			return
		}
		w.WriteHeader(404)
		fmt.Fprint(w, `{}`)
	})
	configured := target(address)
	configured.Promises.Canary = "probe-1"
	a := look(t, configured)
	if *a.CanarySeen || !strings.Contains(a.Evidence.Canary, "an old one") {
		t.Errorf("%+v", a)
	}
}

func TestCanaryWithoutAMappedKey(t *testing.T) {
	address, _ := scripted(t, reply{200, `{}`}, reply{404, `{}`}, reply{200, `{}`})
	configured := target(address)
	configured.Promises.Canary = "probe-1"
	configured.Lookup.HTTP = func(h config.HTTP) *config.HTTP { h.Key = ""; return &h }(*configured.Lookup.HTTP)
	if a := look(t, configured); !*a.CanarySeen || a.Outcome != ledger.LookupNotFound {
		t.Errorf("%+v", a)
	}
}
