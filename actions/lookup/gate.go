package lookup

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"triage/actions/config"
)

// Gate keeps the questions to one target apart, and stays shut while the receiver
// has asked to be left alone.
type Gate struct {
	limiter *rate.Limiter

	mu       sync.Mutex
	shutTill time.Time
}

// newGate lets through r.Count requests in r.Per. atOnce is how many requests one
// lookup makes; that many pass together however low the rate is.
func newGate(r config.Rate, atOnce int) *Gate {
	if r.Count <= 0 || r.Per <= 0 {
		r = config.Rate{Count: 5, Per: time.Second}
	}
	every := rate.Every(r.Per / time.Duration(r.Count))
	return &Gate{limiter: rate.NewLimiter(every, max(r.Count, atOnce))}
}

// gates are shared by all connectors of this process, so that the rate of a
// target holds however often a connector is made.
var gates sync.Map // string → *Gate

// GateOf is the gate that all connectors of a target with a lookup share.
func GateOf(t config.Target) *Gate {
	atOnce := atMost(t)
	key := fmt.Sprintf("%s\x00%s\x00%v\x00%d", t.Name, t.Lookup.Address(), t.Lookup.Rate, atOnce)
	g, _ := gates.LoadOrStore(key, newGate(t.Lookup.Rate, atOnce))
	return g.(*Gate)
}

// ShutUntil is until when the receiver asked not to be asked again; the zero time
// where it did not, or where that has passed.
func (g *Gate) ShutUntil(now time.Time) time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.shutTill.After(now) {
		return time.Time{}
	}
	return g.shutTill
}

// Shut keeps the gate closed until then. One that is closed for longer stays so.
func (g *Gate) Shut(until time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if until.After(g.shutTill) {
		g.shutTill = until
	}
}

// pass waits until n requests may be made. A wait that the context can't outlast
// is not begun; where the receiver asked for it, its end is returned. After each wait
// the gate is looked at again: another question may have shut it meanwhile.
func (g *Gate) pass(ctx context.Context, n int, now func() time.Time) (*failure, time.Time) {
	if g.held(now()) <= 0 && g.hasRoom(ctx, n) {
		return nil, time.Time{}
	}
	var room *rate.Reservation
	giveUp := func(f *failure, again time.Time) (*failure, time.Time) {
		if room != nil {
			room.Cancel()
		}
		return f, again
	}
	for {
		held := g.held(now())
		if held > 0 && !fits(ctx, held) {
			return giveUp(fail("retry_after", "The receiver asked not to be asked again yet."), now().Add(held))
		}
		if room == nil {
			room = g.limiter.ReserveN(time.Now(), n)
		}
		switch delay := max(room.Delay(), held); {
		case delay <= 0:
			return nil, time.Time{}
		case !fits(ctx, delay):
			return giveUp(fail("rate_limited", "This target was asked as often as its rate allows."), time.Time{})
		case !wait(ctx, delay):
			return giveUp(givenUp(ctx, ctx.Err()), time.Time{})
		}
	}
}

// held is how long the receiver still wants not to be asked; none where it may be.
func (g *Gate) held(now time.Time) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.shutTill.Sub(now)
}

// wait is false where the context ended first.
func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// fits says whether a wait leaves time before the context ends.
func fits(ctx context.Context, wait time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return !ok || time.Until(deadline) > wait
}
