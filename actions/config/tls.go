package config

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// TLS says how a connection to a receiver is secured, beyond what goes without saying.
// Files are absolute; relative ones in the configuration begin beside it.
type TLS struct {
	CA          string // file of authorities that are trusted instead of the machine's; "": the machine's
	Certificate string // file with our own certificate, and those that vouch for it
	Key         string // file with its private key
	ServerName  string // the name that the receiver's certificate must bear; "": the URL's host

	file string // the configuration, for errors
	line int
}

// maxPEM bounds a file of certificates, in bytes.
const maxPEM = 1 << 20

// tls reads the settings of that name. A file that can't be used stops the lookups of
// its target, and nothing else.
func (v value) tls(l *Lookup) error {
	t := &TLS{file: v.file.path}
	t.line, _ = v.position()
	err := v.settings(
		into("ca", &t.CA, value.beside),
		into("certificate", &t.Certificate, value.beside),
		into("key", &t.Key, value.beside),
		into("server_name", &t.ServerName, value.words),
	)
	switch {
	case err != nil:
		return err
	case *t == TLS{file: t.file, line: t.line}:
		return v.fail(v.name()+" is empty", "Write ca, or certificate and key, or leave it out")
	case (t.Certificate == "") != (t.Key == ""):
		return v.fail(v.name()+" has only one of certificate and key", "Write both: the certificate's file and its private key's; they may be one file")
	}
	l.HTTP.TLS = t
	if _, err := t.Load(); err != nil {
		l.Off = append(l.Off, err.Error())
	}
	return nil
}

// beside is a file's path. A relative one begins where the configuration stands.
func (v value) beside() (string, error) {
	path, err := v.words()
	if err != nil || filepath.IsAbs(path) {
		return path, err
	}
	dir, err := filepath.Abs(filepath.Dir(v.file.path))
	if err != nil {
		return "", v.fail(v.name()+": the configuration's own place can't be found", "Write an absolute path")
	}
	return filepath.Join(dir, path), nil
}

// Load reads the files. Its error is a sentence that names file and mend, and holds
// nothing of what stands in them. A nil TLS is the machine's own settings.
func (t *TLS) Load() (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if t == nil {
		return c, nil
	}
	c.ServerName = t.ServerName
	var err error
	if t.CA != "" {
		if c.RootCAs, err = t.authorities(); err != nil {
			return nil, err
		}
	}
	if t.Certificate != "" {
		own, err := t.pair()
		if err != nil {
			return nil, err
		}
		c.Certificates = []tls.Certificate{own}
	}
	return c, nil
}

func (t *TLS) authorities() (*x509.CertPool, error) {
	raw, err := t.read("ca", t.CA)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(raw) {
		return nil, t.off("ca", t.CA, "holds no certificate", "Name a PEM file with the certificates of the authorities")
	}
	return pool, nil
}

// pair is our own certificate with its private key.
func (t *TLS) pair() (tls.Certificate, error) {
	certificate, err := t.read("certificate", t.Certificate)
	if err != nil {
		return tls.Certificate{}, err
	}
	key, err := t.read("key", t.Key)
	if err != nil {
		return tls.Certificate{}, err
	}
	if locked(key) {
		return tls.Certificate{}, t.off("key", t.Key, "is locked with a passphrase, which triage can't ask for", "Name a key without one, readable by this user only")
	}
	own, err := tls.X509KeyPair(certificate, key)
	switch {
	case err == nil:
		return own, nil
	case strings.Contains(err.Error(), "does not match"):
		return own, t.off("key", t.Key, "is not the key of the certificate in "+t.Certificate, "Name the two files that were made for each other")
	case strings.Contains(err.Error(), "private key"), strings.Contains(err.Error(), "key input"), strings.Contains(err.Error(), "PRIVATE KEY"):
		return own, t.off("key", t.Key, "holds no private key that can be read", "Name a PEM file with the certificate's private key")
	}
	return own, t.off("certificate", t.Certificate, "holds no certificate that can be read", "Name a PEM file with our certificate, and behind it those that vouch for it")
}

// locked says that a private key is encrypted, in the old or the new way.
func locked(raw []byte) bool {
	for block, rest := pem.Decode(raw); block != nil; block, rest = pem.Decode(rest) {
		if block.Type == "ENCRYPTED PRIVATE KEY" || block.Headers["DEK-Info"] != "" {
			return true
		}
	}
	return false
}

func (t *TLS) read(name, path string) ([]byte, error) {
	info, err := os.Stat(path) // before it is opened: a pipe would be waited for without end
	if err == nil && !info.Mode().IsRegular() {
		return nil, t.off(name, path, "is not a file", "Name a PEM file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, t.off(name, path, "can't be opened: "+reason(err), "Put it there, readable for this user, or name another file")
	}
	defer func() { _ = f.Close() }()
	raw, err := io.ReadAll(io.LimitReader(f, maxPEM+1))
	switch {
	case err != nil:
		return nil, t.off(name, path, "can't be read: "+reason(err), "Make it readable for this user")
	case len(raw) > maxPEM:
		return nil, t.off(name, path, fmt.Sprintf("has more than %d bytes", maxPEM), "Name a PEM file with what is needed only")
	}
	return raw, nil
}

// fileError is a file that can't be used, as a sentence.
type fileError string

func (e fileError) Error() string { return string(e) }

func (t *TLS) off(name, path, what, mend string) error {
	return fileError(fmt.Sprintf("%s:%d: tls.%s: the file %s %s. %s, and start again.", t.file, t.line, name, path, what, mend))
}
