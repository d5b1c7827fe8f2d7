package lookup

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"
)

const maxHeaderBytes = 64 << 10

// proxyStatusError is a proxy that refused to connect through to the receiver.
type proxyStatusError struct{ status int }

func (e *proxyStatusError) Error() string { return fmt.Sprintf("the proxy answered %d", e.status) }

// newTransport is a connector's own HTTP transport: nothing kept between two
// questions (no connections, cookies or cached answers), no hidden retry. HTTP/1.1 only, so that every answer has one connection
// that can be read to its end.
func newTransport(secure *tls.Config, proxy func(*http.Request) (*url.URL, error)) *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Transport{
		Proxy: func(r *http.Request) (*url.URL, error) {
			u, err := proxy(r)
			if err != nil {
				return nil, errProxy // its own text may hold the proxy's password
			}
			return u, nil
		},
		OnProxyConnectResponse: func(_ context.Context, _ *url.URL, _ *http.Request, answer *http.Response) error {
			if answer.StatusCode != http.StatusOK {
				return &proxyStatusError{answer.StatusCode}
			}
			return nil
		},
		DialContext:            (&net.Dialer{Timeout: 30 * time.Second}).DialContext,
		TLSClientConfig:        secure,
		Protocols:              protocols,
		DisableKeepAlives:      true,
		MaxResponseHeaderBytes: maxHeaderBytes,
	}
}
