package doctor

import (
	"context"
	"errors"
	"fmt"

	"triage/actions/wording"
	"triage/ledger"
)

// How much of a ledger is read at most, whatever its size.
const (
	maxEvents  = 5000 // the journal's newest lines
	maxNewest  = 300  // intents that they speak of
	maxOldest  = 100  // intents from the head of the queue
	eventsPage = 1000
)

// Sample is the part of a ledger that was looked at: the intents of the journal's newest
// lines, and those that have waited in the queue for longest.
type Sample struct {
	Intents map[string][]ledger.History // by target
	Held    map[string]ledger.Millis    // receivers that asked to be left alone until then
	Events  int64                       // journal lines that were read
	Of      int64                       // of how many
	Newest  int                         // intents from the journal
	Oldest  int                         // further ones, from the queue
	Cut     bool                        // there was more of either
}

// Gather reads a sample by the journal's own order and the queue's index: the cost does
// not depend on the size of the ledger.
func Gather(ctx context.Context, r ledger.Reader, targets []string, stuck ledger.StuckRule, now ledger.Millis) (*Sample, error) {
	s := &Sample{Intents: map[string][]ledger.History{}, Held: map[string]ledger.Millis{}}
	keys, err := s.newest(ctx, r)
	if err != nil {
		return nil, err
	}
	s.Newest = len(keys)
	queue, err := r.Queue(ctx, ledger.QueueQuery{Filter: ledger.FilterOpen, Stuck: stuck, Now: now, Limit: maxOldest})
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, key := range keys {
		known[key] = true
	}
	for _, row := range queue {
		if !known[row.Intent.OpKey] {
			keys = append(keys, row.Intent.OpKey)
			s.Oldest++
		}
	}
	s.Cut = s.Cut || len(queue) == maxOldest
	for _, key := range keys {
		h, err := r.History(ctx, key, now)
		if errors.Is(err, ledger.ErrNoSuchIntent) { // a journal line about nothing: verify's business
			continue
		}
		if err != nil {
			return nil, err
		}
		s.Intents[h.Intent.Target] = append(s.Intents[h.Intent.Target], h)
	}
	return s, s.held(ctx, r, targets, now)
}

// newest are the keys of the journal's last lines, the newest first.
func (s *Sample) newest(ctx context.Context, r ledger.Reader) ([]string, error) {
	last, err := r.LastSeq(ctx)
	if err != nil {
		return nil, err
	}
	s.Of = last
	var keys []string
	seen := map[string]bool{}
	for to := last; to > 0 && s.Events < maxEvents; to -= eventsPage {
		from := max(0, to-eventsPage)
		events, err := r.Journal(ctx, from, int(to-from))
		if err != nil {
			return nil, err
		}
		for i := len(events) - 1; i >= 0; i-- {
			s.Events++
			if key := events[i].OpKey; key != "" && !seen[key] {
				if len(keys) == maxNewest {
					s.Cut = true
					return keys, nil
				}
				seen[key] = true
				keys = append(keys, key)
			}
		}
	}
	s.Cut = s.Events < last
	return keys, nil
}

// held finds out who asked to be left alone: of those that are configured, whether or not
// the sample has an intent of theirs.
func (s *Sample) held(ctx context.Context, r ledger.Reader, targets []string, now ledger.Millis) error {
	for _, target := range targets {
		until, err := r.RetryAt(ctx, target, now)
		if err != nil {
			return err
		}
		if until > now {
			s.Held[target] = until
		}
	}
	return nil
}

// sentences say what was looked at.
func (s *Sample) sentences() []string {
	what := fmt.Sprintf("The ledger's newest %s of %s: %s", wording.Count(int(s.Events), "journal line", "journal lines"),
		wording.Number(s.Of), wording.Count(s.Newest, "intent", "intents"))
	if s.Oldest > 0 {
		what += fmt.Sprintf(", and %s that waited longest", wording.Number(int64(s.Oldest)))
	}
	if s.Cut {
		return []string{what + ".", "What lies further back was not looked at; `triage verify` reads everything."}
	}
	return []string{what + ". That is all of it."}
}
