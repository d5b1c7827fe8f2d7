package lookup

import (
	"bytes"
	"context"
	"strings"

	"triage/ledger"
)

// ask asks about one intent and reads the answer.
func (c *httpSource) ask(ctx context.Context, intent ledger.Intent) exchange {
	filled, err := c.pattern.Fill(values(intent))
	if err != nil {
		return exchange{reading: failed(fail("unsafe_key", "Nothing was asked: %s.", err))}
	}
	r, f := c.fetch(ctx, filled)
	e := exchange{}
	if r != nil {
		e.status, e.body, e.truncated = r.status, r.body, r.truncated
	}
	if r != nil && r.header != nil {
		e.replayed = replayed(r.header, r.askedAt, c.skew())
		if e.retryAt = retryAfter(r.status, r.header, c.now()); !e.retryAt.IsZero() {
			c.gate.Shut(e.retryAt)
		}
	}
	if f == nil {
		e.parsed, f = c.json(r)
	}
	if f != nil {
		e.reading = failed(f)
		return e
	}
	e.reading = c.mapping.classify(ctx, input(r, e.parsed), intent.OpKey)
	if f := c.doubt(r, e.reading, intent); f != nil {
		key := e.reading.key
		e.reading = failed(f)
		e.reading.key = key
	}
	return e
}

// json is the answer's JSON. A bare 404 or 410 is the plain HTTP way to say "no such
// thing" and goes to the mapping without a body, unless it says that it is a page.
// Gateways give such answers too: where one stands before the receiver, a canary
// shows who is answering.
func (c *httpSource) json(r *response) (any, *failure) {
	if f := checkJSONType(r.header); f != nil {
		return nil, f
	}
	if len(bytes.TrimSpace(r.body)) == 0 {
		if absentStatus(r.status) {
			return nil, nil
		}
		return nil, fail("empty_body", "The answer, %d, has no body, and so does not show that it comes from the receiver.", r.status)
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
	if r.outcome == ledger.LookupNotFound && c.maySplit(intent) {
		return fail("encoded_slash", "A value in the URL's path holds a slash, backslash or percent sign, which servers on the way may read differently, so their not found is not believed. Put the placeholder behind a ? in url, or name a canary whose key has one too.")
	}
	return nil
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
