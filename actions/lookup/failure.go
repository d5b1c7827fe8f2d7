package lookup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"time"
)

// failure is why a question got no usable answer: a short word for machines and
// a sentence for people. Nothing in the sentence comes from the answer; what does
// is in quote, and shown only where no secret is in it.
type failure struct {
	cause string
	text  string
	quote string
}

func fail(cause, format string, args ...any) *failure {
	return &failure{cause: cause, text: fmt.Sprintf(format, args...)}
}

// way is what is configured of the way to a receiver, as failures tell of it.
type way struct {
	proxyBy     string    // who names the proxy
	authorities bool      // tls.ca is configured
	certificate bool      // a certificate of our own is configured
	expires     time.Time // when that one does; zero: not known
	clock       func() time.Time
}

// errProxy marks what went wrong with a proxy's own address.
var errProxy = errors.New("the proxy's address can't be used")

// failure finds the cause in an error of the HTTP client. The error's own
// text holds the URL, so it is never shown; only its innermost part is, where
// that is the system's word.
func (w way) failure(ctx context.Context, err error) *failure {
	if f := givenUp(ctx, err); f != nil {
		return f
	}
	if f := w.proxyFailure(err); f != nil {
		return f
	}
	if f := w.tlsFailure(err); f != nil {
		return f
	}
	var op *net.OpError
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns):
		return fail("dns", "The receiver's host name could not be resolved.")
	case errors.Is(err, syscall.ECONNREFUSED):
		return fail("connection_refused", "Nothing listens at the receiver's address: the connection was refused.")
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return fail("connection_reset", "The connection was reset before the answer was complete.")
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return fail("unreachable", "No network path leads to the receiver.")
	case isNetTimeout(err):
		return fail("timeout", "The receiver did not answer in time.")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fail("truncated", "The answer ended before it was complete.")
	case errors.Is(err, io.EOF):
		return fail("connection_closed", "The connection was closed without an answer.")
	case strings.Contains(err.Error(), "exceeded") && strings.Contains(err.Error(), "header"):
		return fail("too_large", "The answer's headers are larger than %d bytes.", maxHeaderBytes)
	case errors.As(err, &op):
		return fail("connection", "The connection failed.")
	}
	return fail("malformed", "What came back is not an HTTP answer that can be read.")
}

// givenUp is the failure where the time ran out or the caller left.
func givenUp(ctx context.Context, err error) *failure {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		return fail("timeout", "The receiver did not answer in time.")
	case ctx.Err() != nil:
		return fail("cancelled", "The lookup was broken off before an answer came.")
	}
	return nil
}

func isNetTimeout(err error) bool {
	var n net.Error
	return errors.As(err, &n) && n.Timeout()
}

// networkFailure is failure for a connector that goes straight to its receiver.
func networkFailure(ctx context.Context, err error) *failure {
	return way{proxyBy: "the environment", clock: time.Now}.failure(ctx, err)
}
