package drill

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"triage/ledger"
)

// lab is the place of one scheme of the experiment.
type lab struct {
	*world
	sender *Sender
}

func openLab(ctx context.Context, dir string) (*lab, error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make a place for the scheme: %w", err)
	}
	w, err := openWorld(ctx, dir)
	if err != nil {
		return nil, err
	}
	return &lab{world: w, sender: w.senders[reporter]}, nil
}

// intent is what the sender begins in every scheme, under the key given.
func (l *lab) intent(key string, body []byte) ledger.NewIntent {
	size := int64(len(body))
	return ledger.NewIntent{
		OpKey: key, Task: "weekly-report", Stage: "approved", Principal: reporter, Target: inboxTarget,
		PayloadSHA256: contentHash(body), PayloadBytes: &size,
	}
}

// deliverLosingTheAnswer delivers: the receiver commits, the connection is cut,
// and the intent is UNKNOWN.
func (l *lab) deliverLosingTheAnswer(ctx context.Context, n ledger.NewIntent, body []byte) error {
	l.receiver.Script(n.OpKey, Script{Lose: LoseByCut})
	intent, err := l.sender.Deliver(ctx, n, body)
	if err == nil && intent.State != ledger.Unknown {
		err = fmt.Errorf("%s is %s after its answer was lost; it should be UNKNOWN", n.OpKey, intent.State)
	}
	return err
}

// states reads the ledger's journal: the state of the intent that was begun last,
// and in words the states that each intent has gone through after PENDING.
func states(ctx context.Context, books ledger.Reader) (last, all string, err error) {
	events, err := books.Journal(ctx, 0, 1000)
	if err != nil {
		return "", "", err
	}
	var begun []string
	paths := map[string][]string{}
	for _, e := range events {
		state, err := newState(e)
		if err != nil {
			return "", "", err
		}
		switch {
		case e.Kind == "begun":
			begun, last = append(begun, e.OpKey), state
		case state != "":
			paths[e.OpKey] = append(paths[e.OpKey], state)
			last = state
		}
	}
	for i, key := range begun {
		begun[i] = strings.Join(paths[key], " → ")
	}
	return last, strings.Join(begun, " and "), nil
}

// newState is the state that an event brought its intent to, "" if it changed none.
func newState(e ledger.Event) (string, error) {
	var detail struct {
		State []*string `json:"state"` // old and new
	}
	if err := json.Unmarshal([]byte(e.Detail), &detail); err != nil {
		return "", fmt.Errorf("read the journal at %d: %w", e.Seq, err)
	}
	if len(detail.State) != 2 || detail.State[1] == nil {
		return "", nil
	}
	return *detail.State[1], nil
}

// lookup asks the receiver what became of an intent, as an operator would.
func (l *lab) lookup(ctx context.Context, opKey string) error {
	desk, err := l.desk()
	if err != nil {
		return err
	}
	done, err := desk.Lookup(ctx, opKey)
	if err == nil && done.Lookup.Outcome == ledger.LookupFailed {
		err = fmt.Errorf("the lookup of %s failed: %s", opKey, done.Lookup.Cause)
	}
	return err
}
