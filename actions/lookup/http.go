package lookup

import (
	"cmp"
	"crypto/tls"
	"fmt"
	"net/http"
	"net/url"

	"triage/actions/config"
	"triage/actions/config/address"
)

// httpSource asks a receiver over HTTP, with GET or HEAD only.
type httpSource struct {
	*asker
	pattern   address.Template
	method    string
	headers   http.Header
	pages     int // read at most
	way       way
	transport *http.Transport
}

// NewHTTP makes an HTTP connector with a rate of its own. The files that its target
// names are read now.
func NewHTTP(target config.Target, opts ...Option) (Connector, error) {
	if target.Lookup == nil || target.Lookup.HTTP == nil {
		return nil, ErrNoLookup
	}
	o := collect(opts)
	h := target.Lookup.HTTP
	pattern, err := address.Parse(h.URL, config.Placeholders...)
	if err != nil && target.LookupOff() == "" {
		return nil, fmt.Errorf("the lookup of %s: %w", target.Name, err)
	}
	proxy := proxyOf(h, o)
	s := headerSecrets(h.Secrets, h.Headers)
	s.anywhere = append(s.anywhere, proxyPassword(proxy, pattern)...)
	a, err := newAsker(target, h.Mapping, h.Next, s, o)
	if err != nil {
		return nil, err
	}
	secure, err := h.TLS.Load()
	if err != nil {
		return nil, &offError{"Lookups of " + target.Name + " are off: " + err.Error()}
	}
	if secure.RootCAs == nil {
		secure.RootCAs = o.roots
	}
	a.source = &httpSource{
		asker: a, pattern: pattern, method: cmp.Or(h.Method, http.MethodGet), headers: requestHeaders(h.Headers), pages: pagesOf(h),
		way: wayOf(h, secure, a), transport: newTransport(secure, proxy),
	}
	return a, nil
}

// pagesOf is how many pages of one answer are read at most.
func pagesOf(h *config.HTTP) int { return cmp.Or(h.Pages, config.DefaultPages) }

type proxyFunc = func(*http.Request) (*url.URL, error)

// proxyOf is the proxy that is configured, or what the environment says.
func proxyOf(h *config.HTTP, o options) proxyFunc {
	switch h.Proxy {
	case "":
		return o.proxy
	case config.NoProxy:
		return func(*http.Request) (*url.URL, error) { return nil, nil }
	}
	u, err := url.Parse(h.Proxy)
	return func(*http.Request) (*url.URL, error) { return u, err }
}

// proxyPassword is the secret of the proxy that stands before a receiver, whoever
// named it.
func proxyPassword(proxy proxyFunc, pattern address.Template) []string {
	filled, err := pattern.Fill(map[string]string{"op_key": "x", "task": "x", "stage": "x", "principal": "x", "payload_sha256": "x"})
	if err != nil {
		return nil
	}
	request, err := http.NewRequest(http.MethodGet, filled, nil) //nolint:noctx // never sent: proxies are chosen by requests
	if err != nil {
		return nil
	}
	u, err := proxy(request)
	if err != nil {
		return nil
	}
	return config.ProxySecrets(u)
}

func wayOf(h *config.HTTP, secure *tls.Config, a *asker) way {
	w := way{proxyBy: "the environment", certificate: len(secure.Certificates) > 0, clock: a.now}
	if h.Proxy != "" {
		w.proxyBy = "the configuration"
	}
	if h.TLS != nil {
		w.authorities = h.TLS.CA != ""
	}
	if w.certificate && secure.Certificates[0].Leaf != nil {
		w.expires = secure.Certificates[0].Leaf.NotAfter
	}
	return w
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
