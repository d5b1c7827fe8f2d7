package doctor

import (
	"maps"
	"slices"
	"time"

	"triage/actions/config"
	"triage/actions/verdict"
	"triage/ledger"
)

// Input is everything that a review rests on.
type Input struct {
	Config *config.Config
	Text   string            // the configuration file itself, to tell what stands in it literally; "" where there is none
	Sample *Sample           // nil: no ledger was named
	Asked  map[string]Asking // by target; a target that is missing was not asked
	Target string            // "": all
}

// subject is one target with what is known of it.
type subject struct {
	config.Target
	text    string
	ledger  bool // a ledger was looked at
	intents []ledger.History
	asking  Asking
}

// skew is K: the most by which two clocks are taken to differ.
func (s subject) skew() time.Duration {
	if k := s.Promises.ClockSkew; k != nil {
		return *k
	}
	return verdict.DefaultClockSkew
}

// Review answers the ten questions for every target of the configuration and of the
// sample.
func Review(in Input) Report {
	r := Report{LookedAt: in.lookedAt(), Targets: []TargetReport{}}
	for _, name := range in.targets() {
		s := subject{Target: in.Config.Target(name), text: in.Text, ledger: in.Sample != nil, asking: in.Asked[name]}
		if in.Sample != nil {
			s.intents = in.Sample.Intents[name]
		}
		t := TargetReport{Target: name, Configured: s.Unknown == "", Intents: len(s.intents), Asked: s.asking.sentence()}
		for i, answer := range []func(*page, subject){
			readOrWrite, refusalOrUnknown, savedFirst, numbered, honoursKey, receiptOrCheckpoint, foundAgain, failureOrAbsence, permitted, drilled,
		} {
			p := &page{n: i + 1}
			answer(p, s)
			t.Questions = append(t.Questions, p.finding())
		}
		r.Targets = append(r.Targets, t)
	}
	sortWorst(r.Targets)
	return r
}

// targets are the names to go through, in the order of the alphabet.
func (in Input) targets() []string {
	if in.Target != "" {
		return []string{in.Target}
	}
	names := map[string]bool{}
	if in.Config != nil {
		for name := range in.Config.Targets {
			names[name] = true
		}
	}
	if in.Sample != nil {
		for name := range in.Sample.Intents {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

func (in Input) lookedAt() []string {
	var all []string
	if in.Config != nil && in.Config.Path != "" {
		all = append(all, "The configuration "+in.Config.Path+".")
	} else {
		all = append(all, "No configuration: name one with --config, and more can be told.")
	}
	if in.Sample == nil {
		return append(all, "No ledger: name one with --db, and more can be told.")
	}
	return append(all, in.Sample.sentences()...)
}
