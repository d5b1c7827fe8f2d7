package config

import (
	"fmt"
	"net/textproto"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"triage/actions/config/address"
	"triage/actions/verdict"
)

// What holds for a lookup where nothing else is written.
const (
	DefaultLookupTimeout = 5 * time.Second
	DefaultPages         = 5
	defaultRateCount     = 5
	maxPages             = 50
)

// Placeholders are what a lookup's URL may hold, each filled in from the intent.
var Placeholders = []string{"op_key", "task", "stage", "principal", "payload_sha256"}

// lookup reads how a receiver is asked.
func (v value) lookup(p verdict.Promises) (*Lookup, error) {
	l := &Lookup{Timeout: DefaultLookupTimeout, Rate: Rate{Count: defaultRateCount, Per: time.Second}}
	err := v.settings(
		setting{"http", func(v value) error {
			l.HTTP = &HTTP{}
			return v.http(l, p)
		}},
		setting{"exec", func(v value) error { return v.exec(l) }},
		setting{"sql", func(v value) error { return v.sql(l, p) }},
		setting{"file", func(v value) error { return v.export(l) }},
		into("timeout", &l.Timeout, duration(10*time.Millisecond, longestLookup)),
		into("rate", &l.Rate, value.rate),
	)
	if err == nil {
		err = v.oneConnector(l)
	}
	if err != nil {
		return nil, err
	}
	return l, nil
}

// oneConnector: a receiver that is asked in two ways could answer in two ways.
func (v value) oneConnector(l *Lookup) error {
	var named []string
	for _, c := range []struct {
		name string
		set  bool
	}{{"http", l.HTTP != nil}, {"exec", l.Exec != nil}, {"sql", l.SQL != nil}, {"file", l.File != nil}} {
		if c.set {
			named = append(named, c.name)
		}
	}
	switch len(named) {
	case 1:
		return nil
	case 0:
		return v.fail(v.name()+" names no connector", "Write one of http:, exec:, sql: or file: below it, with what it needs")
	}
	return v.fail(v.name()+" names several connectors: "+strings.Join(named, ", "), "Keep the one that is asked, and remove the others")
}

// http reads the connector of that name.
func (v value) http(l *Lookup, p verdict.Promises) error {
	h := l.HTTP
	err := v.settings(slices.Concat([]setting{
		{"url", func(v value) error { return v.url(l, p) }},
		{"headers", func(v value) error { return v.headers(l) }},
		into("method", &h.Method, oneOf("GET", "HEAD")),
		into("next", &h.Next, value.expression),
		into("pages", &h.Pages, value.pages),
		{"tls", func(v value) error { return v.tls(l) }},
		{"proxy", func(v value) error { return v.proxy(l) }},
	}, mapping(&h.Mapping))...)
	switch {
	case err != nil:
		return err
	case h.URL == "":
		return v.fail(v.name()+" has no url", "Write url: with the address that answers for one {op_key}")
	case h.Found == "":
		return v.fail(v.name()+" has no found", "Write found: with a jq expression that is true only for a delivery that is there, such as .status == 200")
	}
	return v.fitting(h, p)
}

// fitting checks what the settings of http mean together.
func (v value) fitting(h *HTTP, p verdict.Promises) error {
	switch {
	case h.Method == "HEAD" && h.NotFound != "" && p.Canary == "":
		return v.fail(v.name()+" has method HEAD and not_found, and no canary is promised: an answer without a body bears no mark of who gave it, a gateway's 404 included",
			"Name a canary among the promises, remove not_found, or write method: GET")
	case h.Pages != 0 && h.Next == "":
		return v.fail(v.name()+" has pages and no next, so that only one page is ever read",
			"Write next: with a jq expression that gives the next page's URL, or remove pages")
	case h.TLS != nil && strings.HasPrefix(h.Proxy, "https://"):
		return v.fail(v.name()+" has tls and a proxy that itself speaks TLS, so that the settings would hold for both",
			"Name a proxy with http:// or socks5://, or remove tls")
	}
	return nil
}

// pages is how many pages of one answer are read.
func (v value) pages() (int, error) {
	const mend = "Write a whole number from 1 to 50"
	n, ok := v.node.(*ast.IntegerNode)
	if !ok {
		return 0, v.expected("a number", mend)
	}
	count, err := strconv.Atoi(n.Token.Value)
	if err != nil || count < 1 || count > maxPages || strings.HasPrefix(n.Token.Value, "0") {
		return 0, v.fail(fmt.Sprintf("%s can't be %s", v.name(), n.Token.Value), mend)
	}
	return count, nil
}

// mapping are the settings that say what an answer means.
func mapping(m *Mapping) []setting {
	return []setting{
		into("found", &m.Found, value.expression),
		into("not_found", &m.NotFound, value.expression),
		into("in_progress", &m.InProgress, value.expression),
		into("refused", &m.Refused, value.expression),
		into("withdrawn", &m.Withdrawn, value.expression),
		into("final", &m.Final, value.expression),
		into("hits", &m.Hits, value.expression),
		into("key", &m.Key, value.expression),
		into("receipt", &m.Receipt, value.expression),
		into("payload_sha256", &m.PayloadSHA256, value.expression),
		into("owner", &m.Owner, value.expression),
	}
}

// url reads the address that is asked. It is checked even where a variable is
// missing, as far as it goes without.
func (v value) url(l *Lookup, p verdict.Promises) error {
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
	l.HTTP.URL = filled.text
	checked := filled.text
	if len(filled.missing) > 0 {
		l.HTTP.URL = raw // never asked: a lookup with a missing variable is off
		checked = standIn(raw)
	}
	pattern, err := address.Parse(checked, Placeholders...)
	if err != nil {
		return v.badAddress(err)
	}
	switch byKey := p.LookupBy != verdict.ByContent; {
	case byKey && !pattern.Uses("op_key"):
		return v.fail(v.name()+" does not hold {op_key}, so that every intent would get the same answer",
			"Write {op_key} where the key belongs, or lookup_by: content among the promises where the receiver can't be asked by key")
	case pattern.Placeholders() == 0:
		return v.fail(v.name()+" holds no placeholder, so that every intent would get the same answer",
			"Write one of {"+strings.Join(Placeholders, "} {")+"} where it belongs")
	case p.Canary != "" && !pattern.Uses("op_key"):
		return v.fail("a canary is promised, and "+v.name()+" does not hold {op_key}, so that it can't be asked for",
			"Write {op_key} into the url, or remove canary")
	}
	return nil
}

var variableUse = regexp.MustCompile(`\$\{[^}]*\}`)

// standIn puts something of the right kind in the place of every variable.
func standIn(raw string) string {
	if strings.HasPrefix(raw, "${") {
		raw = "https://unset.invalid" + raw[strings.Index(raw, "}")+1:]
	}
	return variableUse.ReplaceAllString(raw, "unset")
}

var (
	headerName  = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$") // RFC 9110 §5.6.2, token
	placeholder = regexp.MustCompile(`\{(` + strings.Join(Placeholders, "|") + `)\}`)
	// ownHeaders are the transport's business: another value would break how an
	// answer is read, or who is asked.
	ownHeaders = []string{"Host", "Content-Length", "Transfer-Encoding", "Connection", "Trailer", "Upgrade", "Te",
		"Keep-Alive", "Accept-Encoding", "Range", "Expect", "Proxy-Authorization", "Proxy-Connection"}
)

// headers reads what is sent with every lookup.
func (v value) headers(l *Lookup) error {
	entries, err := v.entries()
	if err != nil {
		return err
	}
	l.HTTP.Headers = map[string]string{}
	for _, e := range entries {
		name := textproto.CanonicalMIMEHeaderKey(e.name)
		_, twice := l.HTTP.Headers[name]
		switch {
		case !headerName.MatchString(e.name):
			return e.keyAt.fail(fmt.Sprintf("%q is not a header's name", e.name), "Write a name such as Authorization")
		case slices.Contains(ownHeaders, name):
			return e.keyAt.fail(fmt.Sprintf("the header %s can't be set", name), "Remove it; triage sets it itself")
		case twice:
			return e.keyAt.fail(fmt.Sprintf("the header %s appears twice", name), "Remove one of the two")
		}
		if l.HTTP.Headers[name], err = e.value.header(l); err != nil {
			return err
		}
	}
	return nil
}

// header reads one header's value.
func (v value) header(l *Lookup) (string, error) {
	raw, err := v.text()
	switch {
	case err != nil:
		return "", err
	case usableInHeader(raw) != "":
		return "", v.fail(v.name()+" "+usableInHeader(raw), "Write the header on one line")
	case placeholder.MatchString(raw):
		return "", v.fail(v.name()+" holds a placeholder, and placeholders are filled in only in url", "Remove it from the header")
	}
	filled, err := v.expand(raw, usableInHeader)
	if err != nil {
		return "", err
	}
	l.HTTP.Secrets = append(l.HTTP.Secrets, filled.secrets...)
	l.Missing = append(l.Missing, filled.missing...)
	return filled.text, nil
}
