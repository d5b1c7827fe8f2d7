package lookup

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"triage/actions/config"
	"triage/actions/config/address"
	"triage/ledger"
)

// httpConnector asks a receiver over HTTP, with GET only.
type httpConnector struct {
	target    config.Target
	pattern   address.Template
	headers   http.Header
	mapping   *mapping
	redactor  *redactor
	transport *http.Transport
	gate      *gate
	clock     ledger.Clock
	timeout   time.Duration
}

// Option changes how a connector is made; the zero set is what production uses.
type Option func(*options)

type options struct {
	clock ledger.Clock
	proxy func(*http.Request) (*url.URL, error)
	roots *x509.CertPool
	gate  *gate
}

// WithClock hands in the present. The default is the machine's clock.
func WithClock(clock ledger.Clock) Option { return func(o *options) { o.clock = clock } }

// WithProxy chooses the proxy. The default is what HTTP_PROXY, HTTPS_PROXY and
// NO_PROXY say.
func WithProxy(proxy func(*http.Request) (*url.URL, error)) Option {
	return func(o *options) { o.proxy = proxy }
}

// WithRootCAs chooses the trusted authorities. The default is the machine's.
func WithRootCAs(roots *x509.CertPool) Option { return func(o *options) { o.roots = roots } }

// Errors of NewHTTP and For.
var (
	// ErrNoLookup: the configuration has no lookup for the target.
	ErrNoLookup = errors.New("no lookup is configured for this target")
	// ErrLookupOff: one is configured, and a variable that it needs is missing. The
	// error's text names it, with file, line and what to do.
	ErrLookupOff = errors.New("lookup off")
)

// For makes the connector that a target's configuration names. The error is
// ErrNoLookup or wraps ErrLookupOff; then nothing can be asked. Connectors keep no
// connection and need no closing. All connectors of one target share its rate.
func For(target config.Target) (Connector, error) {
	if target.Lookup == nil || target.Lookup.HTTP == nil {
		return nil, ErrNoLookup
	}
	return NewHTTP(target, func(o *options) { o.gate = sharedGate(target, requests(target)) })
}

// requests is how many requests one lookup makes, redirects not counted.
func requests(target config.Target) int {
	if target.Promises.Canary != "" {
		return 3
	}
	return 1
}

// offError is ErrLookupOff with its reasons as the whole text.
type offError struct{ text string }

func (e *offError) Error() string { return e.text }
func (e *offError) Unwrap() error { return ErrLookupOff }

// NewHTTP makes an HTTP connector with a rate of its own.
func NewHTTP(target config.Target, opts ...Option) (Connector, error) {
	if target.Lookup == nil || target.Lookup.HTTP == nil {
		return nil, ErrNoLookup
	}
	if off := target.LookupOff(); off != "" {
		return nil, &offError{off}
	}
	o := options{clock: ledger.WallClock, proxy: http.ProxyFromEnvironment}
	for _, opt := range opts {
		opt(&o)
	}
	if o.gate == nil {
		o.gate = newGate(target.Lookup.Rate, requests(target))
	}
	h := target.Lookup.HTTP
	pattern, err := address.Parse(h.URL, config.Placeholders...)
	if err != nil {
		return nil, fmt.Errorf("the lookup of %s: %w", target.Name, err)
	}
	m, err := compile(h)
	if err != nil {
		return nil, fmt.Errorf("the lookup of %s: %w", target.Name, err)
	}
	if m.found == nil {
		return nil, fmt.Errorf("the lookup of %s has no mapping found", target.Name)
	}
	timeout := target.Lookup.Timeout
	if timeout <= 0 {
		timeout = config.DefaultLookupTimeout
	}
	return &httpConnector{
		target: target, pattern: pattern, headers: requestHeaders(h.Headers), mapping: m,
		redactor:  newRedactor(credentials(h.Secrets, h.Headers)),
		transport: newTransport(o.roots, o.proxy), gate: o.gate, clock: o.clock, timeout: timeout,
	}, nil
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

// Kind is the connector's name in the ledger.
func (c *httpConnector) Kind() string { return "http" }

func (c *httpConnector) now() time.Time { return c.clock().Time() }

// Look asks what became of an intent, between two sightings of the canary where
// one is named. Waiting for the target's rate, the canary's questions and
// redirects all count towards the lookup's timeout. When that has passed the answer
// is a failure, even if some step, a jq builtin on a large answer for one, does not
// notice that the time is up: it is left to end by itself, and what it finds is
// dropped.
func (c *httpConnector) Look(ctx context.Context, intent ledger.Intent) Answer {
	reserve := min(c.timeout/10, maxReserve)
	ctx, cancel := context.WithTimeout(ctx, c.timeout-reserve)
	defer cancel()
	answered := make(chan Answer, 1)
	go func() {
		defer func() {
			if recover() != nil { // what it says may hold a secret
				answered <- c.unread(fail("internal", "Reading the answer failed inside triage."))
			}
		}()
		answered <- c.look(ctx, intent)
	}()
	select {
	case answer := <-answered:
		return answer
	case <-ctx.Done():
	}
	last := time.NewTimer(reserve) // nearly everything notices, and can tell more
	defer last.Stop()
	select {
	case answer := <-answered:
		return answer
	case <-last.C:
		return c.unread(givenUp(ctx, ctx.Err()))
	}
}

// maxReserve is the most of a timeout that is kept for writing down what came.
const maxReserve = 250 * time.Millisecond

func (c *httpConnector) look(ctx context.Context, intent ledger.Intent) Answer {
	if f, again := c.gate.pass(ctx, requests(c.target), c.now); f != nil {
		return c.answer(exchange{reading: failed(f), retryAt: again}, c.unseen("not asked for"))
	}
	if c.target.Promises.Canary == "" {
		return c.answer(c.ask(ctx, intent), nil)
	}
	before := c.seekCanary(ctx, intent)
	e := c.ask(ctx, intent)
	after := sighting{text: "not asked for"}
	if e.reading.outcome != ledger.LookupFailed {
		after = c.seekCanary(ctx, intent)
	}
	return c.answer(e, &sighting{
		seen: before.seen && after.seen,
		text: "before: " + before.text + "; after: " + after.text,
	})
}

// unread is the answer where none was read to its end.
func (c *httpConnector) unread(f *failure) Answer {
	return c.answer(exchange{reading: failed(f)}, c.unseen("not known"))
}

// unseen is the sighting of a canary that nothing is known of.
func (c *httpConnector) unseen(text string) *sighting {
	if c.target.Promises.Canary == "" {
		return nil
	}
	return &sighting{text: text}
}
