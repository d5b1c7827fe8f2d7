package doctor

import "slices"

// Answer to one of the ten questions.
type Answer string

// Ok: nothing speaks against it. Gap: something does. ToAsk: neither configuration nor
// ledger can tell, and a person has to ask.
const (
	Ok    Answer = "ok"
	Gap   Answer = "gap"
	ToAsk Answer = "ask"
)

// Harm is what a gap can come to.
type Harm string

// The harms, worst first. NeverSettled costs people's time and nothing else.
const (
	Duplicate    Harm = "duplicate"
	Loss         Harm = "loss"
	Leak         Harm = "leak"
	NeverSettled Harm = "never_settled"
)

var harms = []Harm{Duplicate, Loss, Leak, NeverSettled}

// Finding answers one question about one target.
type Finding struct {
	N        int      `json:"n"`        // 1 to 10
	Question string   `json:"question"` // as a reviewer asks it
	Answer   Answer   `json:"answer"`
	Because  []string `json:"because"` // sentences, gaps first; each names what it rests on
	Means    string   `json:"means"`   // what the gaps mean for a delivery; "" without one
	Do       string   `json:"do"`      // what to change, and what to ask whom
	Harms    []Harm   `json:"harms"`   // what the gaps can come to, worst first
}

// TargetReport is the review of one receiver.
type TargetReport struct {
	Target     string    `json:"target"`
	Configured bool      `json:"configured"`
	Intents    int       `json:"intents"` // how many of its intents were looked at
	Asked      string    `json:"asked"`   // what came of asking the receiver, as a sentence
	Questions  []Finding `json:"questions"`
}

// Report is the whole review. Targets and their questions are ordered worst first.
type Report struct {
	LookedAt []string       `json:"looked_at"` // what the answers rest on, as sentences
	Targets  []TargetReport `json:"targets"`
}

// Harmful counts the gaps that can make a duplicate or a loss, or that show a secret.
func (r Report) Harmful() int {
	n := 0
	for _, t := range r.Targets {
		for _, f := range t.Questions {
			if f.severity() < len(harms)-1 {
				n++
			}
		}
	}
	return n
}

// severity orders findings: the lower, the worse.
func (f Finding) severity() int {
	switch {
	case f.Answer == Ok:
		return len(harms) + 1
	case len(f.Harms) > 0:
		return slices.Index(harms, f.Harms[0])
	}
	return len(harms)
}

// severity of a target is that of its worst finding.
func (t TargetReport) severity() int {
	worst := len(harms) + 1
	for _, f := range t.Questions {
		worst = min(worst, f.severity())
	}
	return worst
}

// Count says how many of the questions have an answer.
func (t TargetReport) Count(a Answer) int {
	n := 0
	for _, f := range t.Questions {
		if f.Answer == a {
			n++
		}
	}
	return n
}
