package lookup

import (
	"context"
	"time"

	"triage/actions/verdict"
	"triage/ledger"
)

// exchange is one question and what its answer was read as.
type exchange struct {
	reading   reading
	status    int    // HTTP status; 0: none
	body      []byte // the answer as it came, as far as it was read
	truncated bool   // it went on past that
	parsed    any    // the body's JSON value
	replayed  bool
	// redirected: the answer, or a page of it, came from another address than was asked.
	redirected bool
	retryAt    time.Time
	aside      []byte // what a program said beside its answer
	asOf       ledger.Millis
	done       ledger.Millis // when an export was finished; none: not told
	from       string        // which export, and where in it
	pages      int           // how many were read, the failing one included
	skew       time.Duration // how far the receiver's clock was seen ahead of ours
}

// put puts one question and takes out of the reading what can't be kept.
func (c *asker) put(ctx context.Context, intent ledger.Intent) exchange {
	e := c.source.ask(ctx, intent)
	if r := e.reading; c.redactor.touches(r.receipt) || c.redactor.touches(r.owner) || c.redactor.touches(r.hash) {
		e.reading = r.but(fail("secret_echoed", "Receipt, owner or hash in the answer holds the value of a variable or header that is secret, or a piece of it, so that it can't be kept."))
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

func (c *asker) skew() time.Duration {
	if k := c.target.Promises.ClockSkew; k != nil {
		return *k
	}
	return verdict.DefaultClockSkew
}

// wording is what went wrong, with what it quotes where no secret is in that.
func (c *asker) wording(r reading) string {
	text := r.text
	if r.quote != "" && !c.redactor.touches(r.quote) {
		text += " " + r.quote + "."
	}
	return c.redactor.text(text)
}

// answer is what is handed back: redacted, bounded, always with an outcome.
func (c *asker) answer(e exchange, canary *sighting) Answer {
	r := e.reading
	a := Answer{
		Outcome: r.outcome, Cause: r.cause, Receipt: r.receipt, PayloadSHA256: r.hash, Owner: r.owner,
		Evidence: ledger.Evidence{
			Final: r.final, Heard: r.heard, Replayed: e.replayed,
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
	a.Evidence.Status, a.Evidence.Truncated = e.status, e.truncated
	a.Evidence.Excerpt = c.excerpt(e)
	a.Evidence.AsOf, a.Evidence.CompleteAt, a.Evidence.Source = e.asOf, e.done, e.from
	a.Evidence.SkewMS = e.skew.Milliseconds()
	if e.pages > 1 {
		a.Evidence.Pages = e.pages
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
