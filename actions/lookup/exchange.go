package lookup

import (
	"bytes"
	"context"
	"strings"
	"time"

	"triage/actions/verdict"
	"triage/ledger"
)

// exchange is one question and what its answer was read as.
type exchange struct {
	reading  reading
	response *response // nil: nothing was sent
	parsed   any       // the body's JSON value
	replayed bool
	retryAt  time.Time
}

// ask asks about one intent and reads the answer.
func (c *httpConnector) ask(ctx context.Context, intent ledger.Intent) exchange {
	filled, err := c.pattern.Fill(values(intent))
	if err != nil {
		return exchange{reading: failed(fail("unsafe_key", "Nothing was asked: %s.", err))}
	}
	r, f := c.fetch(ctx, filled)
	e := exchange{response: r}
	if r != nil && r.header != nil {
		e.replayed = replayed(r.header, r.askedAt, c.skew())
		if e.retryAt = retryAfter(r.status, r.header, c.now()); !e.retryAt.IsZero() {
			c.gate.shut(e.retryAt)
		}
	}
	if f == nil {
		e.parsed, f = c.body(r)
	}
	if f != nil {
		e.reading = failed(f)
		return e
	}
	e.reading = c.mapping.classify(ctx, input(r, e.parsed), intent.OpKey)
	if f := c.doubt(e, intent); f != nil {
		key := e.reading.key
		e.reading = failed(f)
		e.reading.key = key
	}
	return e
}

// values are what the placeholders stand for.
func values(intent ledger.Intent) map[string]string {
	return map[string]string{
		"op_key": intent.OpKey, "task": intent.Task, "stage": intent.Stage,
		"principal": intent.Principal, "payload_sha256": intent.PayloadSHA256,
	}
}

func (c *httpConnector) skew() time.Duration {
	if k := c.target.Promises.ClockSkew; k != nil {
		return *k
	}
	return verdict.DefaultClockSkew
}

// body is the answer's JSON. A bare 404 or 410 is the plain HTTP way to say "no such
// thing" and goes to the mapping without a body, unless it says that it is a page.
// Gateways give such answers too: where one stands before the receiver, a canary
// shows who is answering.
func (c *httpConnector) body(r *response) (any, *failure) {
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
func (c *httpConnector) doubt(e exchange, intent ledger.Intent) *failure {
	r := e.reading
	if c.redactor.touches(r.receipt) || c.redactor.touches(r.owner) || c.redactor.touches(r.hash) {
		return fail("secret_echoed", "Receipt, owner or hash in the answer holds the value of a variable or header that is secret, or a piece of it, so that it can't be kept.")
	}
	if r.outcome == ledger.LookupFailed || r.outcome == ledger.LookupFound || r.outcome == ledger.LookupAmbiguous {
		return nil
	}
	if e.response.redirected { // whoever answers there was asked something else: an error page names the key, too
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
func (c *httpConnector) maySplit(intent ledger.Intent) bool {
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

// wording is what went wrong, with what it quotes where no secret is in that.
func (c *httpConnector) wording(r reading) string {
	text := r.text
	if r.quote != "" && !c.redactor.touches(r.quote) {
		text += " " + r.quote + "."
	}
	return c.redactor.text(text)
}

// answer is what is handed back: redacted, bounded, always with an outcome.
func (c *httpConnector) answer(e exchange, canary *sighting) Answer {
	r := e.reading
	a := Answer{
		Outcome: r.outcome, Cause: r.cause, Receipt: r.receipt, PayloadSHA256: r.hash, Owner: r.owner,
		Evidence: ledger.Evidence{
			Final: r.final, Replayed: e.replayed,
			Error: start(c.wording(r), maxError),
		},
	}
	if r.key != nil {
		key := *r.key
		if r.cause == "other_key" {
			key = c.redactor.kept(start(c.redactor.text(key), maxKey))
		}
		a.Evidence.Key = &key
	}
	if e.response != nil {
		a.Evidence.Status, a.Evidence.Truncated = e.response.status, e.response.truncated
		a.Evidence.Excerpt = c.excerpt(e.response, e.parsed)
	}
	if !e.retryAt.IsZero() {
		a.Evidence.RetryAt = ledger.At(e.retryAt)
	}
	if canary != nil {
		a.CanarySeen = &canary.seen
		a.Evidence.Canary = canary.text
	}
	a.Evidence = fit(a.Evidence)
	return a
}
