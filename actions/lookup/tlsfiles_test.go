package lookup

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"triage/actions/config"
	"triage/ledger"
)

// authority makes certificates, as a receiver's people would.
type authority struct {
	t    *testing.T
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	file string
}

func newAuthority(t *testing.T, name string) *authority {
	t.Helper()
	a := &authority{t: t, dir: t.TempDir()}
	a.cert, a.key, a.file, _ = a.make(name, func(c *x509.Certificate) {
		c.IsCA, c.BasicConstraintsValid, c.KeyUsage = true, true, x509.KeyUsageCertSign
	})
	return a
}

// make makes a certificate with its key, in two PEM files.
func (a *authority) make(name string, change func(*x509.Certificate)) (cert *x509.Certificate, key *ecdsa.PrivateKey, certFile, keyFile string) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		DNSNames: []string{name}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth},
	}
	change(template)
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = template, key
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		a.t.Fatal(err)
	}
	if cert, err = x509.ParseCertificate(raw); err != nil {
		a.t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	certFile, keyFile = filepath.Join(a.dir, name+".pem"), filepath.Join(a.dir, name+".key")
	for file, block := range map[string]*pem.Block{certFile: {Type: "CERTIFICATE", Bytes: raw}, keyFile: {Type: "PRIVATE KEY", Bytes: der}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			a.t.Fatal(err)
		}
	}
	return cert, key, certFile, keyFile
}

// serve answers one request behind TLS. What comes after a handshake that failed is
// read to its end, so that the alert is not lost to a reset.
func (a *authority) serve(clients *authority, name string, change func(*x509.Certificate)) string {
	a.t.Helper()
	_, _, certFile, keyFile := a.make(name, change)
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		a.t.Fatal(err)
	}
	secure := &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	if clients != nil {
		secure.ClientAuth, secure.ClientCAs = tls.RequireAndVerifyClientCert, x509.NewCertPool()
		secure.ClientCAs.AddCert(clients.cert)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		a.t.Fatal(err)
	}
	var talking sync.WaitGroup
	talking.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			talking.Go(func() {
				defer conn.Close()
				wrapped := tls.Server(conn, secure)
				// An answer that comes before its question is none.
				if _, err := http.ReadRequest(bufio.NewReader(wrapped)); err == nil {
					fmt.Fprint(wrapped, jsonAnswer(200, goodBody))
					wrapped.CloseWrite()
				}
				io.Copy(io.Discard, conn)
			})
		}
	})
	a.t.Cleanup(func() { l.Close(); talking.Wait() })
	return "https://" + l.Addr().String()
}

func TestCertificates(t *testing.T) {
	ours, theirs, strangers := newAuthority(t, "ours.internal"), newAuthority(t, "theirs.internal"), newAuthority(t, "strangers.internal")
	same := func(*x509.Certificate) {}
	open, closed := theirs.serve(nil, "inbox.internal", same), theirs.serve(ours, "inbox.internal", same)
	expired := theirs.serve(nil, "inbox.internal", func(c *x509.Certificate) { c.NotAfter = time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC) })
	early := theirs.serve(nil, "inbox.internal", func(c *x509.Certificate) {
		c.NotBefore, c.NotAfter = time.Date(2120, 1, 2, 3, 4, 5, 0, time.UTC), time.Date(2121, 1, 1, 0, 0, 0, 0, time.UTC)
	})
	_, _, cert, key := ours.make("triage", same)
	_, _, oldCert, oldKey := ours.make("old", func(c *x509.Certificate) { c.NotAfter = time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC) })
	_, _, strangeCert, strangeKey := strangers.make("stranger", same)
	base := config.TLS{CA: theirs.file, ServerName: "inbox.internal"}
	with := func(change func(*config.TLS)) *config.TLS { c := base; change(&c); return &c }
	for _, c := range []struct {
		name, address string
		tls           *config.TLS
		says          string // "": found
	}{
		{"its authority is named", open, &base, ""},
		{"a certificate is asked for and shown", closed, with(func(c *config.TLS) { c.Certificate, c.Key = cert, key }), ""},
		{"one is shown that nobody asked for", open, with(func(c *config.TLS) { c.Certificate, c.Key = cert, key }), ""},
		{"no authority is named", open, with(func(c *config.TLS) { c.CA = "" }), "an authority that this machine does not trust. If it is one of your own, name its file as tls.ca."},
		{"another authority is named", open, with(func(c *config.TLS) { c.CA = strangers.file }), "not among those in the file tls.ca"},
		{"another name", open, with(func(c *config.TLS) { c.ServerName = "outbox.internal" }), "for another host"},
		{"no name, and the URL has an address", open, with(func(c *config.TLS) { c.ServerName = "" }), "for another host"},
		{"theirs has expired", expired, &base, "The receiver's certificate expired at 2020-01-02 03:04:05 UTC."},
		{"theirs is not valid yet", early, &base, "not valid before 2120-01-02 03:04:05 UTC"},
		{"none of ours", closed, &base, "wants a client certificate, and none is configured. Name one as tls.certificate, with its tls.key."},
		{"ours has expired", closed, with(func(c *config.TLS) { c.Certificate, c.Key = oldCert, oldKey }), "Our client certificate (tls.certificate) expired at 2020-01-02 03:04:05 UTC, and the receiver refuses it."},
	} {
		t.Run(c.name, func(t *testing.T) {
			configured := target(c.address)
			configured.Lookup.HTTP.TLS = c.tls
			a := look(t, configured)
			if c.says == "" {
				if a.Outcome != ledger.LookupFound {
					t.Fatalf("%+v", a)
				}
				return
			}
			wantFailed(t, a, "tls")
			if !strings.Contains(a.Evidence.Error, c.says) {
				t.Errorf("it says %q, want %q", a.Evidence.Error, c.says)
			}
		})
	}
	// A certificate of strangers is not even sent where the server names whom it trusts.
	configured := target(closed)
	configured.Lookup.HTTP.TLS = with(func(c *config.TLS) { c.Certificate, c.Key = strangeCert, strangeKey })
	a := look(t, configured)
	wantFailed(t, a, "tls")
	if want := "The receiver refuses our client certificate (tls.certificate): it wants one that another authority made."; a.Evidence.Error != want {
		t.Errorf("it says %q, want %q", a.Evidence.Error, want)
	}
}

// What receivers say of a client certificate, in the words of the library.
func TestAnUnwelcomeCertificate(t *testing.T) {
	now := func() time.Time { return noon }
	for alert, want := range map[string]string{
		"unknown certificate authority": "it does not know the authority that made it.", "revoked certificate": "it says that it was revoked.",
		"bad certificate": "it does not accept it.", "expired certificate": "it says that it has expired.",
	} {
		err := &net.OpError{Op: "remote error", Err: fmt.Errorf("tls: %s", alert)}
		f := way{certificate: true, clock: now}.failure(context.Background(), err)
		if f.cause != "tls" || !strings.HasSuffix(f.text, want) {
			t.Errorf("%s: %+v", alert, f)
		}
	}
	err := &net.OpError{Op: "remote error", Err: fmt.Errorf("tls: handshake failure")}
	if f := (way{clock: now}).failure(context.Background(), err); f.cause != "tls" || f.text != "No secure connection could be agreed with the receiver." {
		t.Errorf("%+v", f)
	}
}

func TestAFileThatIsGoneTurnsLookupsOff(t *testing.T) {
	configured := target("https://inbox.internal")
	configured.Lookup.HTTP.TLS = &config.TLS{CA: filepath.Join(t.TempDir(), "gone.pem")}
	c, err := For(configured)
	if c != nil || err == nil || !strings.Contains(err.Error(), "gone.pem can't be opened: no such file or directory") || !strings.HasPrefix(err.Error(), "Lookups of inbox are off: ") {
		t.Errorf("%v, %v", c, err)
	}
}

func TestProxyOfTheConfiguration(t *testing.T) {
	const password = "pr0xy-pw-4711"
	var asked sync.Map
	proxy := func(status int) string {
		return listen(t, func(conn net.Conn, r *http.Request, _ <-chan struct{}) {
			asked.Store(r.Method+" "+r.Host+" "+r.Header.Get("Proxy-Authorization"), true)
			fmt.Fprint(conn, jsonAnswer(status, strings.Replace(goodBody, "r-1", r.Header.Get("Proxy-Authorization"), 1)))
		})
	}
	through := func(address string, status int) Answer {
		configured := target(address)
		configured.Lookup.HTTP.Proxy = strings.Replace(proxy(status), "http://", "http://me:"+password+"@", 1)
		configured.Lookup.HTTP.Secrets = append(configured.Lookup.HTTP.Secrets, password)
		return look(t, configured)
	}
	for status, says := range map[int]string{
		407: "The proxy that the configuration names wants credentials of its own, or other ones: it answered 407. Write them into its URL.",
		403: "The proxy that the configuration names did not let the connection through: it answered 403.",
	} {
		a := through("https://inbox.internal", status)
		wantFailed(t, a, "proxy")
		if a.Evidence.Error != says {
			t.Errorf("it says %q, want %q", a.Evidence.Error, says)
		}
	}
	const pair = "Basic bWU6cHIweHktcHctNDcxMQ==" // me and the password
	if _, ok := asked.Load("CONNECT inbox.internal:443 " + pair); !ok {
		t.Error("the proxy was not asked with its credentials")
	}
	wantFailed(t, through("http://inbox.internal", 200), "secret_echoed") // the receipt holds what the proxy was sent
	configured := target("http://inbox.internal")
	configured.Lookup.HTTP.Proxy = deaf
	a := look(t, configured)
	wantFailed(t, a, "proxy")
	if a.Evidence.Error != "Nothing listens at the address of the proxy that the configuration names." {
		t.Errorf("%s", a.Evidence.Error)
	}
}

func TestNoProxyMeansNone(t *testing.T) {
	configured := target(answering(t, 200, goodBody))
	configured.Lookup.HTTP.Proxy = config.NoProxy
	env := WithProxy(proxyOf(&config.HTTP{Proxy: "http://me:pr0xy-pw-4711@" + strings.TrimPrefix(deaf, "http://")}, options{}))
	if a := look(t, configured, env); a.Outcome != ledger.LookupFound {
		t.Errorf("%+v", a)
	}
	// One that the environment names has a password that is secret too.
	plain := target("http://inbox.internal")
	c := connector(t, plain, env).(*asker)
	if got := c.redactor.text("pr0xy-pw-4711"); strings.Contains(got, "4711") {
		t.Errorf("kept: %s", got)
	}
}
