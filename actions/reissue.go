package actions

import (
	"context"
	"encoding/hex"
	"fmt"
	"regexp"
	"unicode/utf8"

	"github.com/google/uuid"

	"triage/actions/config"
	"triage/actions/verdict"
	"triage/ledger"
)

// Phrase is what an operator types to accept a possible duplicate. It says what a
// duplicate would mean.
func Phrase(t config.Target) string {
	if t.DuplicateMeans != "" {
		return "I accept that " + t.DuplicateMeans
	}
	return "I accept a possible duplicate at " + t.Name
}

// Reissue makes a new intent with a fresh key in place of this one, after a live
// permission recheck. It is free where absence or a final refusal is proven, wants
// the stated phrase where nothing is proven, and is refused on anything else
// (design §6). It sends nothing itself: the new intent waits for a sender.
func (d *Desk) Reissue(ctx context.Context, r ReissueRequest) (Done, error) {
	return d.perform(ctx, deed{
		act: verdict.ActReissue, kind: ledger.Reissue, request: r.Request, phrase: r.AcceptDuplicate,
		check: func(_ ledger.Tx, item Item) (*Refusal, error) { return checkDeadline(r.DeadlineAt, item.Now), nil },
		decision: func(item Item, _ *facts) ledger.Decision {
			return ledger.Decision{NewOpKey: freshKey(item.Intent.OpKey)}
		},
		effect: func(tx ledger.Tx, item Item, made ledger.Decision) error {
			_, err := tx.Succeed(successor(item.Intent, made.NewOpKey, r.DeadlineAt, d.Operator.Name), item.Intent.OpKey, item.Now)
			return err
		},
		text: func(_ Item, made ledger.Decision) string {
			return fmt.Sprintf("A new intent %s takes its place and waits for a sender. Nothing was sent under the old key.", made.NewOpKey)
		},
	})
}

// checkDeadline: a new intent that nobody may send any more would be a loss that
// shows only later.
func checkDeadline(deadline, now ledger.Millis) *Refusal {
	if deadline.IsNone() || deadline > now && deadline <= ledger.LastMillis {
		return nil
	}
	return &Refusal{
		Kind: Denied, Code: CodeDeadline, What: fmt.Sprintf("The deadline %s has passed, or lies beyond the year 2200.", instant(deadline)),
		Means: nothingWasDone, Do: "Give a deadline to come, or none.",
	}
}

func consentOwed(item Item, want string, wrong bool) *Refusal {
	r := &Refusal{
		Kind: Denied, Code: CodeConsentRequired, Wants: want,
		What:  fmt.Sprintf("Nothing proves that the original was not delivered (%s): a new intent may make a duplicate.", item.Verdict.Kind),
		Means: "Nothing was sent; what is known about the delivery is what it was.",
		Do:    fmt.Sprintf("To accept a possible duplicate, give exactly this phrase (--accept-duplicate): %s", want),
	}
	if wrong {
		r.What += " The phrase that was given is not the one that is owed."
	}
	if item.Target.Unknown != "" && item.Target.Lookup == nil {
		r.Do = fmt.Sprintf("Better: have it looked up first. %s %s", item.Target.Unknown, r.Do)
	}
	if nb := item.Verdict.NotBefore; nb > item.Now {
		r.Do = fmt.Sprintf("Better: look it up from %s on, which can prove more. %s", instant(nb), r.Do)
	}
	return r
}

var reissued = regexp.MustCompile(`~[0-9a-f]{8}$`)

// freshKey makes a key that can be told from the old one and still shows where it
// comes from. Keys have at most 255 characters.
func freshKey(old string) string {
	const most, suffix = 255, 9
	base := reissued.ReplaceAllString(old, "")
	for utf8.RuneCountInString(base) > most-suffix {
		_, size := utf8.DecodeLastRuneInString(base)
		base = base[:len(base)-size]
	}
	id := uuid.New()
	return base + "~" + hex.EncodeToString(id[:4])
}

// successor copies what was authorised; the deadline is empty unless given.
func successor(i ledger.Intent, key string, deadline ledger.Millis, by string) ledger.NewIntent {
	return ledger.NewIntent{
		OpKey: key, Task: i.Task, Stage: i.Stage, Principal: i.Principal, Target: i.Target,
		PayloadSHA256: i.PayloadSHA256, PayloadBytes: i.PayloadBytes, PayloadRef: i.PayloadRef, GrantID: i.GrantID,
		MaxAttempts: i.MaxAttempts, DeadlineAt: deadline, UpdatedBy: by,
	}
}
