package drill

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"triage/ledger"
)

// A scene has these beside the files of its world.
const (
	tokenFile   = "lookup-token"
	payloadsDir = "payloads"
)

// stuckAfter is the stuck_after of the drill's configuration.
const stuckAfter = 2500 * time.Millisecond

// Scene is a drill that is ready: deliveries that went wrong, the receiver that
// knows the truth about them, and a sender that takes up what operators decide.
type Scene struct {
	Dir        string
	LedgerPath string
	ConfigPath string
	Receiver   *Receiver
	Items      []SceneItem // in the order in which they were sent

	world   *world
	courier *courier
	place   place
	stop    context.CancelFunc
	working sync.WaitGroup
	closing sync.Once
	closed  error
}

// Build makes a scene in dir, which must be empty or not there yet; "" is a
// temporary directory that goes with Close. It tells on progress what it does,
// and takes a few seconds. The program must have called SenderMain.
func Build(ctx context.Context, dir string, progress io.Writer) (*Scene, error) {
	at, err := claimPlace(dir)
	if err != nil {
		return nil, err
	}
	s := &Scene{Dir: at.dir, place: at}
	if err := s.build(ctx, &telling{out: progress}); err != nil {
		return nil, errors.Join(fmt.Errorf("prepare the drill: %w", err), s.Close(), at.undo())
	}
	return s, nil
}

// Close stops the receiver and the sender, and removes a temporary directory. It
// may be called more than once.
func (s *Scene) Close() error {
	s.closing.Do(func() { s.closed = s.close() })
	return s.closed
}

func (s *Scene) close() error {
	if s.stop != nil {
		s.stop()
	}
	s.working.Wait()
	var failed []error
	if s.world != nil {
		failed = append(failed, s.world.close())
	}
	if s.place.temporary {
		failed = append(failed, s.place.undo())
	}
	return errors.Join(failed...)
}

// Getenv is the environment in which the scene's configuration is to be read: the
// process's own, and the token.
func (s *Scene) Getenv(name string) (string, bool) { return s.world.getenv(name) }

// Export is the line with which another terminal can use the scene's
// configuration while the drill runs. It names the token and doesn't show it.
func (s *Scene) Export() string {
	return fmt.Sprintf("export %s=\"$(cat %s)\"", TokenVariable, shellQuote(filepath.Join(s.Dir, tokenFile)))
}

func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func (s *Scene) build(ctx context.Context, progress *telling) error {
	var err error
	if s.world, err = openWorld(ctx, s.Dir); err != nil {
		return err
	}
	s.LedgerPath, s.ConfigPath, s.Receiver = s.world.ledgerPath(), s.world.configPath(), s.world.receiver
	progress.say("A receiver listens on %s.", s.Receiver.URL())
	if err := s.writeFiles(); err != nil {
		return err
	}
	if err := grantAll(ctx, s.LedgerPath, fates); err != nil {
		return err
	}
	progress.say("Agents send %d deliveries. Every answer is lost, and one sender is killed.", len(fates))
	if progress.failed != nil {
		return progress.failed
	}
	for _, f := range fates {
		if err := s.deliver(ctx, f, s.world.senders[f.principal]); err != nil {
			return fmt.Errorf("%s: %w", f.OpKey, err)
		}
		s.Items = append(s.Items, f.SceneItem)
	}
	if err := s.revoke(ctx); err != nil {
		return err
	}
	if err := s.awaitStuck(ctx, ledger.WallClock); err != nil {
		return err
	}
	if err := s.awaitDue(ctx); err != nil {
		return err
	}
	s.startCourier()
	progress.say("Nobody on the agents' side knows what became of them. They are yours.")
	return progress.failed
}

// writeFiles writes what a scene has beside its world.
func (s *Scene) writeFiles() error {
	if err := os.WriteFile(filepath.Join(s.Dir, tokenFile), []byte(s.world.token), 0o600); err != nil {
		return fmt.Errorf("write the operators' token: %w", err)
	}
	return s.writePayloads()
}

// writePayloads keeps the approved content where senders fetch it.
func (s *Scene) writePayloads() error {
	if err := os.Mkdir(filepath.Join(s.Dir, payloadsDir), 0o700); err != nil {
		return fmt.Errorf("make a place for the approved content: %w", err)
	}
	for _, f := range fates {
		path := filepath.Join(s.Dir, filepath.FromSlash(payloadRef(f.body)))
		if err := os.WriteFile(path, []byte(f.body), 0o600); err != nil {
			return fmt.Errorf("write the approved content: %w", err)
		}
	}
	return nil
}

// deliver sends one delivery and lets happen to it what is to happen.
func (s *Scene) deliver(ctx context.Context, f fate, sender *Sender) error {
	if f.foreign != "" {
		// Another program of the same account, which keeps no ledger.
		other := ledger.Intent{OpKey: f.OpKey, Target: f.target, PayloadSHA256: contentHash([]byte(f.foreign))}
		if r := sender.call(ctx, other, []byte(f.foreign)); r.Outcome != ledger.OutcomeDelivered {
			return fmt.Errorf("the other program's delivery came to %s (%s)", r.Outcome, r.Cause)
		}
	}
	lost := make(chan struct{})
	f.script.Lost = lost
	s.Receiver.Script(f.OpKey, f.script)
	if f.script.Refuse != "" {
		s.Receiver.RefuseContent(contentHash([]byte(f.body)), f.script.Refuse)
	}
	if f.killed {
		return killAfterCommit(ctx, job{
			Ledger: s.LedgerPath, Name: sender.Name, URL: sender.URL, Token: sender.Token,
			Timeout: sender.Timeout, Intent: f.intent(), Body: []byte(f.body),
		}, lost)
	}
	if f.script.Lose == LoseByHang {
		hasty := *sender
		hasty.Timeout = shortTimeout
		sender = &hasty
	}
	intent, err := sender.Deliver(ctx, f.intent(), []byte(f.body))
	if err != nil {
		return err
	}
	select { // the sender may have given up before the receiver was done
	case <-lost:
	case <-ctx.Done():
		return ctx.Err()
	}
	if intent.State != ledger.Unknown {
		return fmt.Errorf("it became %s; its answer should have been lost", intent.State)
	}
	return nil
}

// revoke takes back the grants of those deliveries that are to lose theirs.
func (s *Scene) revoke(ctx context.Context) error {
	for _, f := range fates {
		if !f.revoked {
			continue
		}
		if err := revokeGrant(ctx, s.LedgerPath, f.grant()); err != nil {
			return err
		}
	}
	return nil
}

// awaitDue waits until lookups can prove absences, however slow the machine was: mostly
// that is so by then. The archive, which is late by design, is not waited for.
func (s *Scene) awaitDue(ctx context.Context) error {
	desk, err := s.world.desk()
	if err != nil {
		return err
	}
	for _, f := range fates {
		if f.OpKey == lateContract {
			continue
		}
		item, err := desk.Item(ctx, f.OpKey)
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(item.Verdict.NotBefore.Sub(item.Now)):
		}
	}
	return nil
}

// awaitStuck waits until the killed sender has been silent for long enough.
func (s *Scene) awaitStuck(ctx context.Context, now ledger.Clock) error {
	rule := ledger.StuckRule{Default: stuckAfter}
	for _, f := range fates {
		if !f.killed {
			continue
		}
		intent, err := s.world.books.Get(ctx, f.OpKey)
		if err != nil {
			return err
		}
		for !rule.Stuck(intent, now()) {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(50 * time.Millisecond):
			}
		}
	}
	return nil
}

// startCourier starts the sender that takes up what operators decide.
func (s *Scene) startCourier() {
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.courier = &courier{books: s.world.books, senders: s.world.senders, dir: s.Dir}
	s.working.Go(func() { s.courier.run(ctx) })
}
