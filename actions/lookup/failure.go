package lookup

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
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

// errProxy marks what went wrong with a proxy's own address.
var errProxy = errors.New("the proxy's address can't be used")

// networkFailure finds the cause in an error of the HTTP client. The error's own
// text holds the URL, so it is never shown; only its innermost part is, where
// that is the system's word.
func networkFailure(ctx context.Context, err error) *failure {
	if f := givenUp(ctx, err); f != nil {
		return f
	}
	var op *net.OpError
	switch {
	case errors.Is(err, errProxy), errors.As(err, &op) && op.Op == "proxyconnect":
		return fail("proxy", "The proxy that the environment names could not be used.")
	case proxyRefused(err):
		return fail("proxy", "The proxy that the environment names did not let the connection through.")
	}
	if f := tlsFailure(err); f != nil {
		return f
	}
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

// proxyRefused tells that a proxy answered CONNECT with anything but 200; the
// client reports the proxy's status text and nothing else.
func proxyRefused(err error) bool {
	var refused *proxyStatusError
	return errors.As(err, &refused)
}

func tlsFailure(err error) *failure {
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	var verification *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	switch {
	case errors.As(err, &unknown):
		return fail("tls", "The receiver's certificate comes from an authority that this machine does not trust.")
	case errors.As(err, &host):
		return fail("tls", "The receiver's certificate is for another host.")
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return fail("tls", "The receiver's certificate has expired or is not valid yet.")
	case errors.As(err, &invalid), errors.As(err, &verification):
		return fail("tls", "The receiver's certificate is not valid.")
	case errors.As(err, &record):
		return fail("tls", "The receiver does not speak TLS at this address.")
	case errors.As(err, &alert), strings.Contains(err.Error(), "tls: "):
		return fail("tls", "No secure connection could be agreed with the receiver.")
	case strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return fail("tls", "The receiver does not speak TLS at this address.")
	}
	return nil
}
