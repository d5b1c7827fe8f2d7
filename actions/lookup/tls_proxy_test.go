package lookup

import (
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"triage/ledger"
)

func roots(s *httptest.Server) *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	return pool
}

// secure is a receiver behind TLS whose complaints about clients are dropped.
func secure(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(handler)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

func TestTLS(t *testing.T) {
	asked := false
	s := secure(t, func(w http.ResponseWriter, r *http.Request) {
		asked = true
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, goodBody)
	})
	wantFailed(t, look(t, target(s.URL)), "tls") // an authority nobody knows
	wantFailed(t, look(t, target(strings.Replace(s.URL, "127.0.0.1", "localhost", 1)), WithRootCAs(roots(s))), "tls")
	plain := answering(t, 404, `{}`)
	wantFailed(t, look(t, target(strings.Replace(plain, "http:", "https:", 1))), "tls")
	hello := listen(t, saying("")) // hangs up on what is no HTTP request
	wantFailed(t, look(t, target(strings.Replace(hello, "http:", "https:", 1))), "connection_closed|connection_reset|tls")
	if asked {
		t.Error("a request went through")
	}
	if a := look(t, target(s.URL), WithRootCAs(roots(s))); a.Outcome != ledger.LookupFound {
		t.Errorf("%+v", a)
	}
	wantFailed(t, look(t, target(strings.Replace(s.URL, "https:", "http:", 1))), "http_400") // plain HTTP to a TLS port
}

// deaf is where nobody listens: no program is given this port by chance, as one
// that was just closed can be.
const deaf = "http://127.0.0.1:1"

func TestNobodyListens(t *testing.T) {
	wantFailed(t, look(t, target(deaf)), "connection_refused")
	wantFailed(t, look(t, target("http://no-such-host.invalid")), "dns|timeout")
}

func TestProxies(t *testing.T) {
	through := func(address string) Option {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		return WithProxy(func(*http.Request) (*url.URL, error) { return u, nil })
	}
	s := secure(t, func(w http.ResponseWriter, r *http.Request) {})
	wantFailed(t, look(t, target(s.URL), through(deaf)), "proxy")
	wantFailed(t, look(t, target("http://inbox.invalid"), through(deaf)), "proxy")
	for _, status := range []int{403, 404, 407, 502} {
		denies := listen(t, saying(jsonAnswer(status, `{}`)))
		wantFailed(t, look(t, target(s.URL), through(denies)), "proxy")
	}
	page := listen(t, saying("HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\nnope"))
	wantFailed(t, look(t, target("http://inbox.invalid"), through(page)), "not_json")

	a := look(t, target("http://inbox.invalid"), WithProxy(func(*http.Request) (*url.URL, error) {
		return nil, errors.New(`invalid proxy address "http://me:pr0xypw@proxy"`)
	}))
	wantFailed(t, a, "proxy")
	if strings.Contains(fmt.Sprintf("%+v", a), "pr0xypw") {
		t.Errorf("%+v", a)
	}
}
