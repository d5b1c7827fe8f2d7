package config

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// secured is a configuration whose http has these settings, beside files.
func secured(t *testing.T, settings string, files map[string]string) (*Config, error) {
	t.Helper()
	path := write(t, lookupHTTP(settings))
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(filepath.Dir(path), name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return Load(path, env("PROXY_PASSWORD", "pr0xy-pw-4711"))
}

// A file that can't be used stops the lookups of its target, names itself, and nothing
// else stops.
func TestFilesThatCantBeUsed(t *testing.T) {
	cert, key, other := selfSigned(t)
	files := map[string]string{
		"empty.pem": "", "text.pem": "s3cr3t text", "ours.pem": cert, "ours.key": key, "other.key": other,
		"locked.key": "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n",
		"old.key":    "-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\nAAAA\n-----END EC PRIVATE KEY-----\n",
		"huge.pem":   strings.Repeat("x", maxPEM+1), "broken.pem": "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
	}
	for _, c := range []struct{ settings, want string }{
		{"tls: {ca: ours.pem}", ""},
		{"tls: {certificate: ours.pem, key: ours.key, server_name: inbox.internal}", ""},
		{"tls: {ca: gone.pem}", "gone.pem can't be opened: no such file or directory. Put it there, readable for this user, or name another file, and start again."},
		{"tls: {ca: .}", "is not a file."},
		{"tls: {ca: empty.pem}", "empty.pem holds no certificate."},
		{"tls: {ca: text.pem}", "text.pem holds no certificate."},
		{"tls: {ca: broken.pem}", "broken.pem holds no certificate."},
		{"tls: {ca: ours.key}", "ours.key holds no certificate."},
		{"tls: {ca: huge.pem}", "huge.pem has more than 1048576 bytes."},
		{"tls: {certificate: ours.pem, key: gone.key}", "gone.key can't be opened"},
		{"tls: {certificate: ours.pem, key: other.key}", "other.key is not the key of the certificate in "},
		{"tls: {certificate: ours.pem, key: locked.key}", "locked.key is locked with a passphrase"},
		{"tls: {certificate: ours.pem, key: old.key}", "old.key is locked with a passphrase"},
		{"tls: {certificate: ours.pem, key: text.pem}", "text.pem holds no private key that can be read."},
		{"tls: {certificate: text.pem, key: ours.key}", "text.pem holds no certificate that can be read."},
	} {
		loaded, err := secured(t, c.settings, files)
		if err != nil {
			t.Errorf("%s stops the start: %v", c.settings, err)
			continue
		}
		off := loaded.Target("inbox").LookupOff()
		if c.want == "" && off != "" || !strings.Contains(off, c.want) || c.want != "" && !strings.Contains(off, ":7: tls.") || strings.Contains(off, "s3cr3t") {
			t.Errorf("%s: %q, want %q", c.settings, off, c.want)
		}
	}
}

func TestProxySettings(t *testing.T) {
	c, err := secured(t, `proxy: "http://me:${PROXY_PASSWORD}@proxy.internal:3128"`, nil)
	if err != nil {
		t.Fatal(err)
	}
	h := c.Target("inbox").Lookup.HTTP
	if h.Proxy != "http://me:pr0xy-pw-4711@proxy.internal:3128" || !strings.Contains(fmt.Sprint(h.Secrets), "bWU6cHIweHktcHctNDcxMQ==") {
		t.Error("the proxy, or how its password is sent, is not as configured")
	}
	if shown := fmt.Sprintf("%v %+v %#v", *h, *h, *h); strings.Contains(shown, "4711") {
		t.Errorf("printing shows %s", shown)
	}
	if c, err = secured(t, "proxy: none", nil); err != nil || c.Target("inbox").Lookup.HTTP.Proxy != NoProxy {
		t.Errorf("%v", err)
	}
	if c, err = secured(t, `proxy: "http://proxy:${PORT}"`, nil); err != nil || !strings.Contains(c.Target("inbox").LookupOff(), "PORT is not set") {
		t.Errorf("%v", err)
	}
}

func TestMistakesInHowItIsAsked(t *testing.T) {
	for _, c := range []struct{ settings, what, mend string }{
		{"method: get", `can't be "get"`, "GET, HEAD"},
		{"method: HEAD\n        not_found: .status == 404", "no canary is promised", "Name a canary among the promises"},
		{"next: .body.next\n        pages: 0", "can't be 0", "from 1 to 50"},
		{"next: .body.next\n        pages: 51", "can't be 51", "from 1 to 50"},
		{"next: .body.next\n        pages: 010", "can't be 010", "from 1 to 50"},
		{"next: .body.next\n        pages: -1", "can't be -1", "from 1 to 50"},
		{"next: .body.next\n        pages: 1.5", "here stands a number", "from 1 to 50"},
		{"next: .body.next\n        pages: \"5\"", "here stands text", "from 1 to 50"},
		{"pages: 5", "has pages and no next", "Write next:"},
		{"tls: {}", "is empty", "certificate and key"},
		{"tls: {certificate: c.pem}", "only one of certificate and key", "Write both"},
		{"tls: {key: c.pem}", "only one of certificate and key", "Write both"},
		{"tls: {ca: '${CA}'}", "variables are filled in only in", "itself"},
		{"tls: {insecure: true}", `unknown key "insecure"`, "ca, certificate, key, server_name"},
		{"tls: {server_name: x}\n        proxy: https://proxy.internal", "itself speaks TLS", "http://"},
		{"proxy: proxy.internal:3128", "not a proxy's URL", "http://proxy.internal:3128"},
		{"proxy: ftp://proxy.internal", "not a proxy's URL", "none"},
		{"proxy: http://proxy.internal/way", "goes on behind", "Remove"},
		{"proxy: off", "not a proxy's URL", "none"},
	} {
		_, err := secured(t, c.settings, nil)
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(e.What, c.what) || !strings.Contains(e.Mend, c.mend) {
			t.Errorf("%q: %v, want %q with %q", c.settings, err, c.what, c.mend)
		}
	}
	c, err := secured(t, "method: HEAD\n        not_found: .status == 404\n    promises: {canary: probe-1}", nil)
	if err != nil || c.Target("inbox").Lookup.HTTP.Method != "HEAD" {
		t.Errorf("HEAD with a canary: %v", err)
	}
}

// selfSigned makes a certificate with its key, and another key, as PEM.
func selfSigned(t *testing.T) (cert, key, other string) {
	t.Helper()
	made, raw := [2]*ecdsa.PrivateKey{}, [2]string{}
	for i := range made {
		k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		der, err := x509.MarshalPKCS8PrivateKey(k)
		if err != nil {
			t.Fatal(err)
		}
		made[i], raw[i] = k, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &made[0].PublicKey, made[0])
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), raw[0], raw[1]
}
