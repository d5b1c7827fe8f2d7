package drill

import (
	"context"
	"errors"
	"fmt"
	"time"

	"triage/ledger"
)

// Sender delivers on one principal's authority, the way design §4 asks of every
// sender: the intent before the first send, each attempt before its call, and
// what came of it whatever happens.
type Sender struct {
	Books   ledger.Agent
	Name    string        // who writes, for the ledger's updated_by
	URL     string        // the receiver's address
	Token   string        // the principal's credentials there
	Timeout time.Duration // hard limit on one attempt
}

// errOtherBytes: the bytes at hand are not those that were approved.
var errOtherBytes = errors.New("the content at hand is not the content that was approved: its hash differs")

// Deliver begins the intent and attempts it. Where the ledger knows the intent
// already it returns what is stored: a receipt is not fetched twice, and an
// UNKNOWN intent is not sent again. It returns an error of the ledger, never one
// of the network: that is an outcome, and it is in the ledger.
func (s *Sender) Deliver(ctx context.Context, n ledger.NewIntent, body []byte) (ledger.Intent, error) {
	n.UpdatedBy = s.Name
	intent, err := s.Books.Begin(ctx, n)
	if err != nil {
		return ledger.Intent{}, err
	}
	if intent.State != ledger.Pending {
		return intent, nil
	}
	return s.Attempt(ctx, intent, body)
}

// Attempt sends an intent that the ledger has, and retries under the same key
// while the intent's own budget allows it. Inserting the attempt is the claim:
// where another sender was first the ledger says so, and nothing is sent.
func (s *Sender) Attempt(ctx context.Context, intent ledger.Intent, body []byte) (ledger.Intent, error) {
	if contentHash(body) != intent.PayloadSHA256 {
		return intent, fmt.Errorf("%s: %w", intent.OpKey, errOtherBytes)
	}
	for {
		attempt, err := s.Books.StartAttempt(ctx, ledger.Attempt{OpKey: intent.OpKey})
		if err != nil {
			return intent, err
		}
		result := s.call(ctx, intent, body)
		if result.Outcome == ledger.OutcomeUnknown && mayRetry(intent, attempt, ledger.WallClock()) {
			err = s.write(ctx, func(ctx context.Context) error {
				_, err := s.Books.FinishAttempt(ctx, attempt.AttemptID, result)
				return err
			})
			if err != nil {
				return intent, err
			}
			continue
		}
		err = s.write(ctx, func(ctx context.Context) error {
			intent, err = s.Books.Finish(ctx, attempt.AttemptID, result)
			return err
		})
		return intent, err
	}
}

// mayRetry says whether the sender may try again by itself after an answer was
// lost: only where the intent says that this receiver honours the key, and for
// how long, by setting both limits (design §4).
func mayRetry(intent ledger.Intent, last ledger.Attempt, now ledger.Millis) bool {
	if intent.MaxAttempts == 0 || intent.DeadlineAt.IsNone() {
		return false
	}
	return last.N < intent.MaxAttempts && now < intent.DeadlineAt
}

// write keeps evidence from being lost with the context of the call: a sender
// that is told to stop still writes down what it knows.
func (s *Sender) write(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	return do(ctx)
}
