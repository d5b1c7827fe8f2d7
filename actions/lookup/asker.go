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
	"triage/ledger"
)

// asker is what all connectors share: the time limit, the target's rate, the canary
// before and after, the mapping, and what may be kept of an answer. Only how one
// question is put differs; that is its source's business.
type asker struct {
	target   config.Target
	source   source
	mapping  *mapping
	redactor *redactor
	gate     *Gate
	clock    ledger.Clock
	timeout  time.Duration
}

// source puts one question in its connector's own way and reads the answer. It
// keeps to the context's deadline and returns an exchange whatever happens.
type source interface {
	ask(ctx context.Context, intent ledger.Intent) exchange
}

// Errors of For.
var (
	// ErrNoLookup: the configuration has no lookup for the target.
	ErrNoLookup = errors.New("no lookup is configured for this target")
	// ErrLookupOff: one is configured, and a variable or program that it needs is missing. The
	// error's text names it, with file, line and what to do.
	ErrLookupOff = errors.New("lookup off")
)

// offError is ErrLookupOff with its reasons as the whole text.
type offError struct{ text string }

func (e *offError) Error() string { return e.text }
func (e *offError) Unwrap() error { return ErrLookupOff }

// For makes the connector that a target's configuration names. The error is
// ErrNoLookup or wraps ErrLookupOff; then nothing can be asked. Connectors keep no
// connection and need no closing. All connectors of one target share its rate.
func For(target config.Target) (Connector, error) {
	shared := func(o *options) { o.gate = GateOf(target) }
	switch {
	case target.Lookup == nil:
		return nil, ErrNoLookup
	case target.Lookup.HTTP != nil:
		return NewHTTP(target, shared)
	case target.Lookup.Exec != nil:
		return NewExec(target, shared)
	case target.Lookup.SQL != nil:
		return NewSQL(target, shared)
	case target.Lookup.File != nil:
		return NewFile(target)
	}
	return nil, ErrNoLookup
}

// requests is how many requests one lookup makes, redirects and further pages not
// counted.
func requests(target config.Target) int {
	if target.Promises.Canary != "" {
		return 3
	}
	return 1
}

// atMost is how many requests one lookup makes where all pages are there to be read,
// and all but the last are read again.
func atMost(target config.Target) int {
	if h := target.Lookup.HTTP; h != nil && h.Next != "" {
		return requests(target) * (2*pagesOf(h) - 1)
	}
	return requests(target)
}

// Option changes how a connector is made; the zero set is what production uses.
type Option func(*options)

type options struct {
	clock ledger.Clock
	proxy func(*http.Request) (*url.URL, error)
	roots *x509.CertPool
	gate  *Gate
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

func collect(opts []Option) options {
	o := options{clock: ledger.WallClock, proxy: http.ProxyFromEnvironment}
	for _, opt := range opts {
		opt(&o)
	}
	return o
}

// newAsker makes what a connector shares with the others. Its source is still to be
// set.
func newAsker(target config.Target, m config.Mapping, next string, s secrets, o options) (*asker, error) {
	if off := target.LookupOff(); off != "" {
		return nil, &offError{off}
	}
	compiled, err := compile(m, next)
	if err != nil {
		return nil, fmt.Errorf("the lookup of %s: %w", target.Name, err)
	}
	if compiled.found == nil {
		return nil, fmt.Errorf("the lookup of %s has no mapping found", target.Name)
	}
	if o.gate == nil {
		o.gate = newGate(target.Lookup.Rate, atMost(target))
	}
	timeout := target.Lookup.Timeout
	if timeout <= 0 {
		timeout = config.DefaultLookupTimeout
	}
	return &asker{
		target: target, mapping: compiled, redactor: newRedactor(s.anywhere, s.alone...), gate: o.gate, clock: o.clock, timeout: timeout,
	}, nil
}

// Kind is the connector's name in the ledger.
func (c *asker) Kind() string { return c.target.Lookup.Connector() }

func (c *asker) now() time.Time { return c.clock().Time() }

// Look asks what became of an intent, between two sightings of the canary where
// one is named. Waiting for the target's rate, the canary's questions and
// redirects all count towards the lookup's timeout. When that has passed the answer
// is a failure, even if some step, a jq builtin on a large answer for one, does not
// notice that the time is up: it is left to end by itself, and what it finds is
// dropped.
func (c *asker) Look(ctx context.Context, intent ledger.Intent) Answer {
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

func (c *asker) look(ctx context.Context, intent ledger.Intent) Answer {
	if f, again := c.gate.pass(ctx, requests(c.target), c.now); f != nil {
		return c.answer(exchange{reading: failed(f), retryAt: again}, c.unseen("not asked for"))
	}
	if c.target.Promises.Canary == "" {
		return c.answer(c.put(ctx, intent), nil)
	}
	before, after := c.seekCanary(ctx, intent), sighting{text: "not asked for"}
	var e exchange
	if quiet := c.quiet(); quiet.IsZero() {
		e = c.put(ctx, intent)
	} else {
		f := fail("retry_after", "The receiver asked not to be asked again yet when it was asked for the canary or something else, so the question itself was not put.")
		if !before.retryAt.IsZero() {
			f.cause = before.cause
		}
		e = exchange{reading: failed(f), retryAt: quiet}
	}
	if e.reading.outcome != ledger.LookupFailed {
		if c.quiet().IsZero() {
			after = c.seekCanary(ctx, intent)
		}
		e.retryAt = latest(e.retryAt, c.quiet())
	}
	before, after = before.beside(e), after.beside(e)
	return c.answer(e, &sighting{
		seen: before.seen && after.seen,
		text: "before: " + before.text + "; after: " + after.text,
	})
}

// quiet is until when the receiver wants not to be asked, by what this question or
// another one brought meanwhile; the zero time: it may be asked.
func (c *asker) quiet() time.Time { return c.gate.ShutUntil(c.now()) }

// unread is the answer where none was read to its end.
func (c *asker) unread(f *failure) Answer {
	return c.answer(exchange{reading: failed(f)}, c.unseen("not known"))
}

// unseen is the sighting of a canary that nothing is known of.
func (c *asker) unseen(text string) *sighting {
	if c.target.Promises.Canary == "" {
		return nil
	}
	return &sighting{text: text}
}
