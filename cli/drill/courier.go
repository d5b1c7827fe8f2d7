package drill

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"triage/ledger"
)

// courierPause is how often the courier asks the ledger for work.
const courierPause = 200 * time.Millisecond

// courier is the senders' daemon: it takes up what the ledger says may be sent
// now, which is what operators decided: new intents and retries.
type courier struct {
	books   ledger.Agent
	senders map[string]*Sender // by principal
	dir     string             // where approved content lies

	working sync.Mutex // one round at a time
}

// run works until ctx ends. What the ledger refuses is not an error: another
// sender was first, or the intent has moved since.
func (c *courier) run(ctx context.Context) {
	tick := time.NewTicker(courierPause)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			_ = c.round(ctx) // what failed is still due at the next tick
		}
	}
}

// round sends everything that may be sent now, and waits for a round under way.
func (c *courier) round(ctx context.Context) error {
	c.working.Lock()
	defer c.working.Unlock()
	due, err := c.books.Sendable(ctx, 20)
	if err != nil {
		return err
	}
	var failed []error
	for _, s := range due {
		failed = append(failed, c.deliver(ctx, s.OpKey))
	}
	return errors.Join(failed...)
}

func (c *courier) deliver(ctx context.Context, key string) error {
	intent, err := c.books.Get(ctx, key)
	if err != nil {
		return err
	}
	sender, ok := c.senders[intent.Principal]
	if !ok {
		return fmt.Errorf("%s: no sender delivers for %s", key, intent.Principal)
	}
	body, err := readPayload(c.dir, intent)
	if err != nil {
		return err
	}
	_, err = sender.Attempt(ctx, intent, body)
	return err
}

// readPayload fetches an intent's approved bytes by their hash.
func readPayload(dir string, intent ledger.Intent) ([]byte, error) {
	root, err := os.OpenRoot(dir) // what the ledger says never leads out of it
	if err != nil {
		return nil, fmt.Errorf("%s: fetch the approved content: %w", intent.OpKey, err)
	}
	body, err := root.ReadFile(payloadPath(intent.PayloadSHA256))
	if err := errors.Join(err, root.Close()); err != nil {
		return nil, fmt.Errorf("%s: fetch the approved content: %w", intent.OpKey, err)
	}
	return body, nil
}
