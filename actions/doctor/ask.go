package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"triage/actions/config"
	"triage/actions/lookup"
	"triage/actions/verdict"
	"triage/actions/wording"
	"triage/ledger"
)

// Asking is what came of one lookup for a key that nobody ever used. It only reads, and
// where a canary is named it is asked for just before and just after, as in every lookup.
type Asking struct {
	Key    string        // that was asked for; "": nothing was asked
	Why    string        // why not, as a sentence
	Guess  bool          // placeholders besides {op_key} were filled with invented values
	Answer lookup.Answer // what came
}

// NotAsked says why a receiver was left alone.
func NotAsked(why string) Asking { return Asking{Why: why} }

// Ask asks a target's receiver through its real connector. key must be one that nobody
// ever used; other is an intent of the target, if one is known, for placeholders besides
// {op_key}. Nothing is written down.
func Ask(ctx context.Context, t config.Target, key string, other *ledger.Intent, heldUntil ledger.Millis,
	connect func(config.Target) (lookup.Connector, error)) Asking {
	if t.Lookup == nil {
		return NotAsked("No lookup is configured, so there is nobody to ask.")
	}
	if !heldUntil.IsNone() {
		return NotAsked(fmt.Sprintf("The receiver asked to be left alone until %s, so it was not asked.", wording.Instant(heldUntil, time.UTC)))
	}
	if t.Promises.LookupBy == verdict.ByContent {
		return NotAsked("The receiver is asked by content and not by the key, so that asking for a key that nobody used would show nothing.")
	}
	connector, err := connect(t)
	if errors.Is(err, lookup.ErrLookupOff) {
		return NotAsked(err.Error())
	}
	if err != nil {
		return NotAsked("The lookup can't be made: " + err.Error())
	}
	a := Asking{Key: key, Guess: other == nil && beyondKey(t.Lookup)}
	intent := ledger.Intent{Task: "triage-doctor", Stage: "triage-doctor", Principal: "triage-doctor", Target: t.Name, PayloadSHA256: noHash}
	if other != nil {
		intent = *other
	}
	intent.OpKey = key
	a.Answer = connector.Look(ctx, intent)
	return a
}

// beyondKey says that a lookup asks by more than the key.
func beyondKey(l *config.Lookup) bool {
	for _, name := range config.Placeholders[1:] {
		if l.HTTP != nil && strings.Contains(l.HTTP.URL, "{"+name+"}") || l.SQL != nil && strings.Contains(l.SQL.Query, ":"+name) {
			return true
		}
	}
	return l.Exec != nil
}

// noHash is the SHA-256 of nothing.
const noHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// sentence says what came of it.
func (a Asking) sentence() string {
	if a.Key == "" {
		if a.Why == "" {
			return "The receiver was not asked."
		}
		return a.Why
	}
	text := fmt.Sprintf("Asked for the key %s, which nobody ever used: %s", a.Key, a.Answer.Outcome)
	if a.Answer.Cause != "" {
		text += " (" + a.Answer.Cause + ")"
	}
	if a.Answer.CanarySeen != nil {
		text += "; the canary: " + a.Answer.Evidence.Canary
	}
	return text + "."
}
