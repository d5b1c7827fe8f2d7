package doctor

import (
	"cmp"
	"slices"
	"strings"
)

// questions are the ten that a reviewer asks, in their order.
var questions = [...]string{
	"Is this a write, and does asking about it only read?",
	"Can a definite refusal be told from an unknown outcome?",
	"Is the intent saved before the first send, and its key kept across retries?",
	"Are attempts numbered apart from intents?",
	"Does the receiver really honour the key: scope, lifetime, other content under it, two at once?",
	"Is a checkpoint or a local id taken for a receipt anywhere?",
	"Can it be found again, with owner, content and present state compared?",
	"Is a failed lookup ever read as an absence?",
	"Are permissions and consents rechecked, and do the records stay free of credentials and bodies?",
	"Has loss after the commit been drilled?",
}

// page collects what is found about one question.
type page struct {
	n                int
	gaps, asks, fine []string
	means, do        []string
	harms            []Harm
}

// ok notes something that is in order.
func (p *page) ok(because string) { p.fine = append(p.fine, because) }

// ask notes what only people can tell.
func (p *page) ask(because, do string) {
	p.asks = append(p.asks, because)
	p.do = append(p.do, do)
}

// gap notes something that is missing or wrong.
func (p *page) gap(h Harm, because, means, do string) {
	p.gaps = append(p.gaps, because)
	p.harms = append(p.harms, h)
	p.means = append(p.means, means)
	p.do = append(p.do, do)
}

// finding is the page as an answer.
func (p *page) finding() Finding {
	f := Finding{N: p.n, Question: questions[p.n-1], Answer: Ok, Because: slices.Concat(p.gaps, p.asks, p.fine),
		Means: sentences(p.means), Do: sentences(p.do), Harms: []Harm{}}
	for _, h := range harms {
		if slices.Contains(p.harms, h) {
			f.Harms = append(f.Harms, h)
		}
	}
	switch {
	case len(p.gaps) > 0:
		f.Answer = Gap
	case len(p.asks) > 0 || len(p.fine) == 0:
		f.Answer = ToAsk
	}
	if f.Because == nil {
		f.Because = []string{}
	}
	return f
}

// sentences joins what was said, once each.
func sentences(all []string) string {
	var once []string
	for _, s := range all {
		if s != "" && !slices.Contains(once, s) {
			once = append(once, s)
		}
	}
	return strings.Join(once, " ")
}

// sortWorst orders targets and their questions worst first; of equal ones the order
// stays.
func sortWorst(targets []TargetReport) {
	for _, t := range targets {
		slices.SortStableFunc(t.Questions, func(a, b Finding) int { return cmp.Compare(a.severity(), b.severity()) })
	}
	slices.SortStableFunc(targets, func(a, b TargetReport) int { return cmp.Compare(a.severity(), b.severity()) })
}
