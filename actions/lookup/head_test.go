package lookup

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"triage/actions/config"
	"triage/ledger"
)

// store is one that answers HEAD as S3 and its likes do.
func store(t *testing.T, asked *atomic.Int32) config.Target {
	configured := target(server(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		key, _ := strings.CutPrefix(r.URL.Path, "/deliveries/")
		switch {
		case r.Method != http.MethodHead:
			w.WriteHeader(500)
		case key == theKey || key == "probe-1":
			w.Header().Set("Content-Type", "application/octet-stream")
			w.Header().Set("Content-Encoding", "gzip")
			w.Header().Set("Content-Length", "1234567")
			w.Header().Set("ETag", `"r-1"`)
			w.Header().Set("X-Amz-Meta-Op-Key", key)
			w.Header().Set("X-Amz-Meta-Sha256", theHash)
		default:
			w.Header().Set("Content-Type", "application/xml")
			w.WriteHeader(404)
		}
	}))
	h := configured.Lookup.HTTP
	h.Method = http.MethodHead
	h.Key, h.Receipt, h.PayloadSHA256, h.Owner = `.headers["x-amz-meta-op-key"]`, `.headers.etag`, `.headers["x-amz-meta-sha256"]`, ""
	return configured
}

func TestHead(t *testing.T) {
	var asked atomic.Int32
	found := store(t, &asked)
	a := look(t, found)
	if a.Outcome != ledger.LookupFound || a.Receipt != `"r-1"` || a.PayloadSHA256 != theHash || a.Evidence.Key == nil || *a.Evidence.Key != theKey || a.Evidence.Truncated {
		t.Errorf("%+v", a)
	}
	missing := store(t, &asked)
	missing.Lookup.HTTP.URL = strings.Replace(missing.Lookup.HTTP.URL, "{op_key}", "none/{op_key}", 1)
	wantFailed(t, look(t, missing), "no_canary") // who answered can't be told
	missing.Promises.Canary = "probe-1"          // asked for at the same wrong place
	if a := look(t, missing); a.Outcome != ledger.LookupNotFound || *a.CanarySeen {
		t.Errorf("%+v", a)
	}
	right := store(t, &asked)
	right.Promises.Canary = "probe-1"
	other := theIntent
	other.OpKey = "weekly-43"
	if a := connector(t, right).Look(t.Context(), other); a.Outcome != ledger.LookupNotFound || !*a.CanarySeen || a.Evidence.Status != 404 {
		t.Errorf("%+v", a)
	}
	unmappable := target(server(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(403) }))
	unmappable.Lookup.HTTP.Method = http.MethodHead
	wantFailed(t, look(t, unmappable), "http_403")
}
