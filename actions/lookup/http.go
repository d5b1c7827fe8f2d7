package lookup

import (
	"fmt"
	"net/http"

	"triage/actions/config"
	"triage/actions/config/address"
)

// httpSource asks a receiver over HTTP, with GET only.
type httpSource struct {
	*asker
	pattern   address.Template
	headers   http.Header
	transport *http.Transport
}

// NewHTTP makes an HTTP connector with a rate of its own.
func NewHTTP(target config.Target, opts ...Option) (Connector, error) {
	if target.Lookup == nil || target.Lookup.HTTP == nil {
		return nil, ErrNoLookup
	}
	o := collect(opts)
	h := target.Lookup.HTTP
	a, err := newAsker(target, h.Mapping, h.Next, credentials(h.Secrets, h.Headers), o)
	if err != nil {
		return nil, err
	}
	pattern, err := address.Parse(h.URL, config.Placeholders...)
	if err != nil {
		return nil, fmt.Errorf("the lookup of %s: %w", target.Name, err)
	}
	a.source = &httpSource{
		asker: a, pattern: pattern, headers: requestHeaders(h.Headers), transport: newTransport(o.roots, o.proxy),
	}
	return a, nil
}

// requestHeaders are the configured headers and what goes without saying: JSON is
// wanted, and no cached answer.
func requestHeaders(configured map[string]string) http.Header {
	h := http.Header{}
	h.Set("Accept", "application/json")
	h.Set("Cache-Control", "no-cache")
	h.Set("User-Agent", "triage")
	for name, value := range configured {
		h.Set(name, value)
	}
	return h
}
