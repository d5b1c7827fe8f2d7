package actions

import "strings"

// Kind of refusal: it decides the exit code.
type RefusalKind int

// The kinds of refusal.
const (
	Denied   RefusalKind = iota // permission, precondition, consent: exit 3
	Changed                     // changed meanwhile, or claimed by someone else: exit 4
	Failed                      // unknown key, receiver gave nothing usable: exit 1
	Unusable                    // configuration or usage: exit 2
)

// Refusal is an act that did not happen. Its three parts are what every error
// owes its reader: what happened, what it means for the delivery, what to do now.
type Refusal struct {
	Kind  RefusalKind
	Code  string // a ledger code, or the actions' own: verdict_forbids, consent_required, changed_meanwhile, …
	What  string
	Means string
	Do    string
	Wants string // the phrase that is owed, for consent_required
}

func (r *Refusal) Error() string {
	parts := []string{r.Code + ": " + r.What}
	for _, p := range []string{r.Means, r.Do} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, " ")
}
