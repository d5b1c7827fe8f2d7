package worlds

import (
	"context"
	"errors"
	"fmt"

	"triage/actions"
	"triage/actions/config"
	"triage/actions/lookup"
	"triage/actions/verdict"
	"triage/ledger"
)

// realBooks is a real ledger with the real actions: senders use the ledger's API for
// agents, so that its rules bind, and every operator has a desk.
type realBooks struct {
	*shelf
	ctx    context.Context
	w      *world
	tries  map[string]int // attempts recorded under each key
	keyOf  map[string]string
	given  map[string]bool
	untils map[string]ledger.Millis
	err    error // the first thing that went wrong otherwise than by a rule
}

// onShelf gives a world a real ledger. Its target and its keys are those of no other
// world on that ledger.
func (w *world) onShelf(ctx context.Context, s *shelf) (*realBooks, error) {
	s.used++
	w.prefix = fmt.Sprintf("w%d/", s.used)
	w.nature.target.Name = w.prefix + w.nature.target.Name
	b := &realBooks{shelf: s, ctx: ctx, w: w, tries: map[string]int{}, keyOf: map[string]string{}, given: map[string]bool{}, untils: map[string]ledger.Millis{}}
	w.books = b
	return b, s.grant(ctx, w.grant(), w.nature.target.Name)
}

func (b *realBooks) keep(err error) {
	if err != nil && b.err == nil {
		b.err = err
	}
}

// code is the rule that refused, "" if none did; any other error is kept.
func (b *realBooks) code(err error) ledger.Code {
	code := ledger.CodeOf(err)
	if code == "" {
		b.keep(err)
	}
	return code
}

func (b *realBooks) begin(n ledger.NewIntent, at ledger.Millis) {
	b.w.touched = true
	b.now = at
	_, err := b.db.Begin(b.ctx, n)
	b.keep(err)
}

func (b *realBooks) attempt(key, layer string, started ledger.Millis, _ bool) (string, ledger.Code) {
	b.now = started
	id := fmt.Sprintf("%s#%d", key, b.tries[key]+1)
	if _, err := b.db.StartAttempt(b.ctx, ledger.Attempt{AttemptID: id, OpKey: key, Layer: layer, StartedAt: started}); err != nil {
		if code := b.code(err); code != "" {
			return "", code
		}
		return "", "broken"
	}
	b.tries[key]++
	b.keyOf[id] = key
	return id, ""
}

func (b *realBooks) finish(id string, r ledger.Result, at ledger.Millis, settle bool) string {
	b.w.touched = true
	b.now = at
	var err error
	if settle {
		_, err = b.db.Finish(b.ctx, id, r)
	} else {
		_, err = b.db.FinishAttempt(b.ctx, id, r)
	}
	return string(b.code(err))
}

func (b *realBooks) cancel(key string, at ledger.Millis) {
	_, err := b.plain.ExecContext(b.ctx, `UPDATE intents SET cancel_requested_at = ? WHERE op_key = ?`, int64(at), key)
	b.keep(err)
}

func (b *realBooks) sendable(key string) bool {
	var one bool
	b.keep(b.plain.QueryRowContext(b.ctx, `SELECT EXISTS (SELECT 1 FROM sendable WHERE op_key = ?)`, key).Scan(&one))
	return one
}

func (b *realBooks) state(key string) ledger.Intent {
	i, err := b.db.Get(b.ctx, key)
	b.keep(err)
	return i
}

func (b *realBooks) givenUp(id string) bool              { return b.given[id] }
func (b *realBooks) retryUntil(key string) ledger.Millis { return b.untils[key] }
func (b *realBooks) desk(o *operator, r route) *actions.Desk {
	target := b.w.nature.target
	target.Environment = r.environment
	return &actions.Desk{
		Ledger: b.db, Operator: actions.Identity{Name: o.name, UID: 1000},
		Config: &config.Config{Targets: map[string]config.Target{target.Name: target}},
		Clock: func() ledger.Millis {
			b.now = o.clock.at(b.w.now)
			return b.now
		},
		Connect: func(config.Target) (lookup.Connector, error) { return wire{b.w, r}, nil },
	}
}

// home is the route that the configuration names.
func (b *realBooks) home() route {
	return route{connector: b.w.nature.terms.Connector, environment: b.w.nature.target.Environment}
}

// wire is a connector to the world's receiver.
type wire struct {
	w *world
	r route
}

func (c wire) Kind() string { return c.r.connector }

func (c wire) Look(_ context.Context, i ledger.Intent) lookup.Answer { return c.w.ask(c.r, i.OpKey) }

func (b *realBooks) see(o *operator, key string) sight {
	item, err := b.desk(o, b.home()).Item(b.ctx, key)
	b.keep(err)
	s := sight{intent: item.Intent, verdict: item.Verdict}
	if a, ok := verdict.FromHistory(item.History).Abandonable(); ok {
		s.open = a.AttemptID
	}
	return s
}

func (b *realBooks) look(o *operator, r route, key string) ledger.LookupOutcome {
	if r.dies {
		_, err := b.db.StartLookup(b.ctx, ledger.Lookup{OpKey: key, Actor: o.name, Connector: r.connector, Environment: r.environment, StartedAt: o.clock.at(b.w.now)})
		b.keep(err)
		b.w.ask(r, key)
		return ""
	}
	done, err := b.desk(o, r).Lookup(b.ctx, key)
	b.w.touched = true
	b.keep(err)
	return done.Lookup.Outcome
}

func (b *realBooks) act(o *operator, d deed) (newKey, refused string) {
	b.w.touched = true
	desk := b.desk(o, b.home())
	request := actions.Request{OpKey: d.key, Reason: "by the verdict",
		Seen: actions.Seen{Version: d.seen.intent.Version, PayloadSHA256: d.seen.intent.PayloadSHA256, Verdict: d.seen.verdict.Kind}}
	var done actions.Done
	var err error
	switch d.act {
	case verdict.ActDeliver:
		done, err = desk.Deliver(b.ctx, actions.DeliverRequest{Request: request, Receipt: d.receipt})
	case verdict.ActClose:
		done, err = desk.Close(b.ctx, request)
	case verdict.ActRetry:
		done, err = desk.Retry(b.ctx, request)
	case verdict.ActReissue:
		done, err = desk.Reissue(b.ctx, actions.ReissueRequest{Request: request})
	case verdict.ActAbandon:
		done, err = desk.Abandon(b.ctx, actions.AbandonRequest{Request: request, SenderKilled: d.killed})
	}
	var no *actions.Refusal
	switch {
	case errors.As(err, &no):
		return "", no.Code
	case err != nil:
		b.keep(err)
		return "", "broken"
	}
	if d.act == verdict.ActAbandon {
		b.given[d.seen.open] = true
	}
	if d.act == verdict.ActRetry {
		b.untils[d.key] = done.Decision.Until
	}
	return done.NewKey, ""
}
