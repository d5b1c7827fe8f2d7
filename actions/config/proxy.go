package config

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strings"
)

// NoProxy asks the receiver directly, whatever the environment says.
const NoProxy = "none"

// proxy reads through which proxy a receiver is asked. What stands in front of the @
// is a secret, also where it was written into the file outright.
func (v value) proxy(l *Lookup) error {
	raw, err := v.text()
	if err != nil {
		return err
	}
	filled, err := v.expand(raw, usableInURL)
	if err != nil {
		return err
	}
	l.HTTP.Secrets = append(l.HTTP.Secrets, filled.secrets...)
	l.Missing = append(l.Missing, filled.missing...)
	l.HTTP.Proxy = filled.text
	if filled.text == NoProxy {
		return nil
	}
	if len(filled.missing) > 0 { // never used: a lookup with a missing variable is off
		return nil
	}
	u, err := url.Parse(filled.text)
	switch {
	case err != nil, u.Host == "", u.Hostname() == "", !slices.Contains([]string{"http", "https", "socks5", "socks5h"}, u.Scheme):
		return v.fail(v.name()+" is not a proxy's URL", "Write http://proxy.internal:3128, socks5://…, or none to ask without one")
	case strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "":
		return v.fail(v.name()+" goes on behind the proxy's host and port", "Remove what stands there")
	}
	l.HTTP.Secrets = append(l.HTTP.Secrets, ProxySecrets(u)...)
	return nil
}

// ProxySecrets is what a proxy's URL holds that must never be shown: its password, and
// how that is sent; or the name that stands there alone.
func ProxySecrets(u *url.URL) []string {
	if u == nil || u.User == nil {
		return nil
	}
	password, _ := u.User.Password()
	if password == "" { // a name alone may be a token
		return []string{u.User.Username()}
	}
	pair := u.User.Username() + ":" + password
	return []string{password, pair, base64.StdEncoding.EncodeToString([]byte(pair))}
}
