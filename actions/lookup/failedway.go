package lookup

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"strings"
	"syscall"
	"time"

	"triage/actions/wording"
	"triage/ledger"
)

// proxyFailure names what went wrong with a proxy, nil where nothing did.
func (w way) proxyFailure(err error) *failure {
	var refused *proxyStatusError
	var op *net.OpError
	var dns *net.DNSError
	reached := errors.As(err, &op) && (op.Op == "proxyconnect" || strings.HasPrefix(op.Op, "socks"))
	switch {
	case errors.Is(err, errProxy):
		return fail("proxy", "The address of the proxy that %s names can't be used.", w.proxyBy)
	case errors.As(err, &refused) && refused.status == 407:
		return fail("proxy", "The proxy that %s names wants credentials of its own, or other ones: it answered 407. Write them into its URL.", w.proxyBy)
	case errors.As(err, &refused):
		return fail("proxy", "The proxy that %s names did not let the connection through: it answered %d.", w.proxyBy, refused.status)
	case !reached:
		return nil
	case errors.As(err, &dns):
		return fail("proxy", "The host name of the proxy that %s names could not be resolved.", w.proxyBy)
	case errors.Is(err, syscall.ECONNREFUSED):
		return fail("proxy", "Nothing listens at the address of the proxy that %s names.", w.proxyBy)
	}
	return fail("proxy", "The proxy that %s names could not be used.", w.proxyBy)
}

// tlsFailure names what kept a connection from being secure, nil where nothing did.
func (w way) tlsFailure(err error) *failure {
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	var verification *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	switch {
	case errors.As(err, &unknown) && w.authorities:
		return fail("tls", "The receiver's certificate comes from an authority that is not among those in the file tls.ca.")
	case errors.As(err, &unknown):
		return fail("tls", "The receiver's certificate comes from an authority that this machine does not trust. If it is one of your own, name its file as tls.ca.")
	case errors.As(err, &host):
		return fail("tls", "The receiver's certificate is for another host.")
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return w.outdated(invalid.Cert)
	case errors.As(err, &invalid), errors.As(err, &verification):
		return fail("tls", "The receiver's certificate is not valid.")
	case errors.As(err, &record):
		return fail("tls", "The receiver does not speak TLS at this address.")
	}
	if f := w.unwelcome(err.Error()); f != nil {
		return f
	}
	switch {
	case errors.As(err, &alert), strings.Contains(err.Error(), "tls: "):
		return fail("tls", "No secure connection could be agreed with the receiver.")
	case strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return fail("tls", "The receiver does not speak TLS at this address.")
	}
	return nil
}

// outdated tells a certificate whose time has passed from one whose time has not come.
func (w way) outdated(c *x509.Certificate) *failure {
	switch {
	case c == nil:
		return fail("tls", "The receiver's certificate has expired or is not valid yet.")
	case w.clock().Before(c.NotBefore):
		return fail("tls", "The receiver's certificate is not valid before %s. Check this machine's clock, too.", instant(c.NotBefore))
	}
	return fail("tls", "The receiver's certificate expired at %s.", instant(c.NotAfter))
}

// unwelcome reads what the receiver said (an alert, RFC 8446 §6.2) of our own
// certificate, or of there being none. The library has no values for these.
func (w way) unwelcome(text string) *failure {
	_, alert, told := strings.Cut(text, "remote error: tls: ")
	ours := map[string]string{
		"certificate required": "wants one that another authority made", "bad certificate": "does not accept it", "unsupported certificate": "can't use its kind",
		"revoked certificate": "says that it was revoked", "expired certificate": "says that it has expired", "unknown certificate": "does not accept it",
		"unknown certificate authority": "does not know the authority that made it",
	}[alert]
	switch {
	case !told || ours == "":
		return nil
	case !w.certificate:
		return fail("tls", "The receiver wants a client certificate, and none is configured. Name one as tls.certificate, with its tls.key.")
	case !w.expires.IsZero() && w.clock().After(w.expires):
		return fail("tls", "Our client certificate (tls.certificate) expired at %s, and the receiver refuses it.", instant(w.expires))
	}
	return fail("tls", "The receiver refuses our client certificate (tls.certificate): it %s.", ours)
}

func instant(t time.Time) string { return wording.Instant(ledger.At(t), time.UTC) }
