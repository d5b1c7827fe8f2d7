package actions

import (
	"encoding/json"
	"fmt"
	"strings"

	"triage/ledger"
)

// pinMoved compares what the operator saw with what stands now. It returns the
// refusal that tells what changed and by whom, or nil. A note is pinned only where
// a version was asked for.
func pinMoved(w deed, now Item) *Refusal {
	seen := w.request.Seen
	switch {
	case w.bindsNothing && (seen == (Seen{}) || seen.Verdict != ""):
		return nil
	case seen == (Seen{}):
		r := movedSince(now)
		r.What = "Nothing says which version of the intent you saw."
		return r
	}
	changedHash := seen.PayloadSHA256 != "" && seen.PayloadSHA256 != now.Intent.PayloadSHA256
	if seen.Version == now.Intent.Version && !changedHash && (seen.Verdict == "" || seen.Verdict == now.Verdict.Kind) {
		return nil
	}
	r := movedSince(now)
	var what []string
	if seen.Version != now.Intent.Version {
		what = append(what, changesSince(seen.Version, now))
	}
	if seen.Verdict != "" && seen.Verdict != now.Verdict.Kind {
		what = append(what, fmt.Sprintf("The verdict was %s and is now %s.", seen.Verdict, now.Verdict.Kind))
	}
	if changedHash {
		what = append(what, fmt.Sprintf("The payload hash is %s, not the %s that you saw.", now.Intent.PayloadSHA256, seen.PayloadSHA256))
	}
	r.What = "The intent changed since you looked. " + strings.Join(what, " ")
	return r
}

func movedSince(now Item) *Refusal {
	return &Refusal{
		Kind: Changed, Code: CodeChanged,
		What:  fmt.Sprintf("The intent changed since you looked; it is %s now.", now.Intent.State),
		Means: "Nothing was done by you; what stands is what the others did.",
		Do:    "Read the intent again and decide on what it says now.",
	}
}

// changesSince names the changes after a version, by whom and when, from the
// journal.
func changesSince(version int64, now Item) string {
	var told []string
	for _, e := range now.Events {
		if to, ok := versionAfter(e); ok && to > version {
			told = append(told, fmt.Sprintf("%s by %s at %s", eventWords(e, now.Intent), e.Actor, instant(e.At)))
		}
	}
	if len(told) == 0 {
		return fmt.Sprintf("You saw version %d; it is at version %d now.", version, now.Intent.Version)
	}
	const most = 4
	if extra := len(told) - most; extra > 0 {
		told = append([]string{fmt.Sprintf("%d earlier changes", extra)}, told[extra:]...)
	}
	return "Since then: " + strings.Join(told, "; ") + "."
}

// versionAfter reads the version that an event led to.
func versionAfter(e ledger.Event) (int64, bool) {
	var detail struct {
		Version [2]*int64 `json:"version"`
	}
	if json.Unmarshal([]byte(e.Detail), &detail) != nil || detail.Version[1] == nil {
		return 0, false
	}
	return *detail.Version[1], true
}

// eventWords says what an event was, in words for a person.
func eventWords(e ledger.Event, i ledger.Intent) string {
	switch e.Kind {
	case "superseded":
		return fmt.Sprintf("replaced by the new intent %s", i.SupersededBy)
	case "changed":
		return "settled or changed"
	case "attempt_started":
		return "a new attempt started"
	case "attempt_finished":
		return "an attempt came back"
	case "contradicted":
		return "contradicted by new evidence"
	}
	return strings.ReplaceAll(e.Kind, "_", " ")
}
