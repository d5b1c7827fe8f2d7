package lookup

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"strings"

	"triage/ledger"
)

// ask asks about one intent and reads the answer, with all its pages.
func (c *httpSource) ask(ctx context.Context, intent ledger.Intent) exchange {
	filled, err := c.pattern.Fill(values(intent))
	if err != nil {
		return exchange{reading: failed(fail("unsafe_key", "Nothing was asked: %s.", err))}
	}
	first, err := url.Parse(filled)
	if err != nil {
		return exchange{reading: failed(fail("unsafe_key", "The URL for this intent can't be made."))}
	}
	return c.readPages(ctx, intent, first)
}

// page asks for one page. Where what it says can count, next is where the following
// one is, nil where there is none.
func (c *httpSource) page(ctx context.Context, intent ledger.Intent, visit *visit, target *url.URL) (e exchange, next *url.URL) {
	r, f := c.fetch(ctx, target)
	visit.been(r.url)
	e = exchange{status: r.status, body: r.body, truncated: r.truncated, redirected: r.redirected, pages: visit.pages}
	if r.header != nil {
		e.replayed = replayed(r.header, r.askedAt, c.skew())
		e.skew = clockAhead(r.header, r.sentAt, r.cameAt)
		if e.retryAt = retryAfter(r.status, r.header, c.now()); !e.retryAt.IsZero() {
			c.gate.Shut(e.retryAt)
		}
	}
	if f == nil && visit.pages > 1 && absentStatus(r.status) {
		f = fail("pages_unread", "Page %d was answered %d: it is said to be there, and could not be read.", visit.pages, r.status)
	}
	if f == nil {
		e.parsed, f = c.json(r)
	}
	visit.keep(target, r.status, e.parsed)
	if f != nil {
		e.reading = failed(f)
		return e, nil
	}
	seen := input(r, e.parsed)
	e.reading = c.mapping.classify(ctx, seen, intent.OpKey)
	f = c.doubt(r, e.reading, intent)
	if f == nil && e.reading.outcome != ledger.LookupFailed && e.reading.outcome != ledger.LookupAmbiguous {
		next, f = c.mapping.nextPage(ctx, seen, r.url)
	}
	if f != nil {
		e.reading = e.reading.but(f)
	}
	return e, next
}

// json is the answer's JSON. A bare 404 or 410 is the plain HTTP way to say "no such
// thing" and goes to the mapping without a body, unless it says that it is a page, or
// that it has a body, which did not come. Gateways give such answers too: where one
// stands before the receiver, a canary shows who is answering. HEAD is answered with
// headers only, which speak of what a GET would bring, its content type included.
func (c *httpSource) json(r *response) (any, *failure) {
	if c.method == http.MethodHead {
		return nil, nil
	}
	if f := checkJSONType(r.header); f != nil {
		return nil, f
	}
	if len(bytes.TrimSpace(r.body)) == 0 {
		switch {
		case !absentStatus(r.status):
			return nil, fail("empty_body", "The answer, %d, has no body, and so does not show that it comes from the receiver.", r.status)
		case len(r.header.Values("Content-Type")) > 0 && r.length != 0:
			return nil, fail("empty_body", "The answer, %d, says that it has a body in JSON, and none came: it may have been lost on the way.", r.status)
		}
		return nil, nil
	}
	return parseJSON(r.body)
}

// input is what the jq expressions see.
func input(r *response, parsed any) map[string]any {
	headers := map[string]any{}
	for name, values := range r.header {
		headers[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	return map[string]any{"status": r.status, "headers": headers, "body": parsed}
}

// doubt finds what makes a classified answer unusable all the same.
func (c *httpSource) doubt(at *response, r reading, intent ledger.Intent) *failure {
	if r.outcome == ledger.LookupFailed || r.outcome == ledger.LookupFound || r.outcome == ledger.LookupAmbiguous {
		return nil
	}
	if at.redirected { // whoever answers there was asked something else: an error page names the key, too
		return fail("redirect", "The receiver redirected and answered %s at another address, and after a redirect only found is believed. Write the address that answers into url.", r.outcome)
	}
	if aboutRequest(at.status) && r.key == nil && (r.outcome == ledger.LookupRefused || r.outcome == ledger.LookupNotFound) {
		return fail("no_key", "The answer, %d, may be about the question as well: it does not name the key that was asked for, so that its %s is not believed. Map key to where such an answer names it.", at.status, r.outcome)
	}
	if r.outcome == ledger.LookupNotFound && len(at.header.Values("Www-Authenticate")) > 0 {
		return fail("access_denied", "The answer, %d, asks for other credentials (WWW-Authenticate), so that its not found may be about who asks.", at.status)
	}
	if r.outcome == ledger.LookupNotFound && c.method == http.MethodHead && c.target.Promises.Canary == "" {
		return fail("no_canary", "The answer to HEAD has no body and so bears no mark of who gave it; without a canary its not found is not believed.")
	}
	if r.outcome == ledger.LookupNotFound && c.maySplit(intent) {
		return fail("encoded_slash", "A value in the URL's path holds a slash, backslash or percent sign, which servers on the way may read differently, so their not found is not believed. Put the placeholder behind a ? in url, or name a canary whose key has one too.")
	}
	return nil
}

// aboutRequest: 409 and 422 complain of the request that they answer (RFC 9110 §15.5.10
// and §15.5.21), which is the question. Only an answer that names the key speaks of the
// delivery.
func aboutRequest(status int) bool {
	return status == http.StatusConflict || status == http.StatusUnprocessableEntity
}

// risky are characters that some servers decode before they split a path.
const risky = `/\%`

// maySplit says that the path may be read as another one on the way, and that the
// canary, which is asked for with all values but the key the same, does not show
// otherwise.
func (c *httpSource) maySplit(intent ledger.Intent) bool {
	canary := c.target.Promises.Canary
	for name, value := range values(intent) {
		if !c.pattern.InPath(name) || !strings.ContainsAny(value, risky) {
			continue
		}
		if canary == "" || name == "op_key" && !strings.ContainsAny(canary, risky) {
			return true
		}
	}
	return false
}
