package lookup

import (
	"context"
	"sync/atomic"
	"time"

	"triage/actions/config"
	"triage/ledger"
)

const (
	worthTelling = 500 * time.Millisecond // a shorter wait is over before it is read
	retell       = 10 * time.Second       // how often somebody who waits is told that it goes on
)

// Await waits until a target may be asked once: until the receiver wants to be asked
// again, and its rate leaves room. The context that it returns carries that room: the
// one lookup that is given it takes it, and neither waits nor fails for the rate.
// tell is told until when, at the start of a wait worth telling and every ten seconds of
// it. The error is the context's.
func Await(ctx context.Context, target config.Target, clock ledger.Clock, tell func(until ledger.Millis)) (context.Context, error) {
	if target.Lookup == nil || target.Lookup.File != nil { // nobody is asked
		return ctx, ctx.Err()
	}
	gate, n := GateOf(target), requests(target)
	if err := gate.awaitOpen(ctx, clock, tell); err != nil {
		return ctx, err
	}
	room := gate.limiter.ReserveN(time.Now(), n)
	if until := clock().Add(room.Delay()); room.Delay() > 0 {
		if err := AwaitUntil(ctx, clock, until, tell); err != nil {
			room.Cancel()
			return ctx, err
		}
		if err := gate.awaitOpen(ctx, clock, tell); err != nil { // it may have shut meanwhile
			room.Cancel()
			return ctx, err
		}
	}
	return context.WithValue(ctx, roomKey{}, &roomTaken{gate: gate, n: n}), ctx.Err()
}

// awaitOpen waits as long as the receiver has asked not to be asked.
func (g *Gate) awaitOpen(ctx context.Context, clock ledger.Clock, tell func(ledger.Millis)) error {
	for {
		until := g.ShutUntil(clock().Time())
		if until.IsZero() {
			return ctx.Err()
		}
		// What is finer than a millisecond is waited for too.
		if err := AwaitUntil(ctx, clock, ledger.At(until)+1, tell); err != nil {
			return err
		}
	}
}

// AwaitUntil waits for an instant of the clock, and tells of it as Await does.
func AwaitUntil(ctx context.Context, clock ledger.Clock, until ledger.Millis, tell func(ledger.Millis)) error {
	for {
		left := until.Sub(clock())
		if left <= 0 {
			return ctx.Err()
		}
		if left >= worthTelling {
			tell(until)
		}
		timer := time.NewTimer(min(left, retell))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
	}
}

// roomTaken is room under a rate that Await has taken for one lookup.
type roomTaken struct {
	gate *Gate
	n    int
	used atomic.Bool
}

type roomKey struct{}

// hasRoom takes the room that the context carries for this gate, if it does.
func (g *Gate) hasRoom(ctx context.Context, n int) bool {
	r, ok := ctx.Value(roomKey{}).(*roomTaken)
	return ok && r.gate == g && r.n >= n && r.used.CompareAndSwap(false, true)
}
