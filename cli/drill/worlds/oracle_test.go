package worlds

import (
	"testing"

	"triage/actions/verdict"
	"triage/ledger"
)

// handmade is a world in which nothing has happened but what a test writes.
func handmade(t *testing.T) (*world, *memory, *line) {
	t.Helper()
	w := newWorld(4, letter{}, nil)
	n := &w.nature
	n.refusal, n.troubles, n.twins, n.since, n.export = takesAll, nil, false, -1, false
	n.T, n.S, n.G, n.K, n.L, n.R, n.LR, n.horizon = 30, 20, 10, 2, 1, 5000, 5000, 4000
	n.tellsHash, n.echoes, n.showsFinal, n.janitor = true, true, true, false
	p := &n.terms.Promises
	p.AttemptTimeout, p.SettlesWithin, p.LookupLag, p.KeyRetention, p.LookupRetention = ms(30), ms(20), ms(10), ms(5000), nil
	p.AbsenceIsProof, p.FoundIsFinal, p.LookupBy = true, true, "key"
	m := newMemory(w)
	w.books = m
	l := &line{n: 1, root: "k", keys: []string{"k"}, head: "k", doubted: 40, settled: -1}
	w.lines = []*line{l}
	m.begin(w.intentFor("k"), origin)
	w.attempts["k#1"] = &attempt{id: "k#1", key: "k", line: l, end: 30, over: true, foundOut: -1}
	w.record("k").anchor = 0
	return w, m, l
}

func (w *world) happens(key string, at int64) {
	rec := w.record(key)
	rec.effects = append(rec.effects, effect{at: at, seen: at, receipt: "r"})
}

// TestOracle: worlds made by hand, with what is to be counted in them.
func TestOracle(t *testing.T) {
	final := func(s ledger.State) func(*world, *memory, *line) {
		return func(_ *world, m *memory, _ *line) { m.settle(m.intents["k"], s, "r", ledger.ByOperator) }
	}
	lands := func(w *world, _ *memory, _ *line) { w.happens("k", 35) }
	second := func(w *world, m *memory, l *line) {
		m.begin(w.intentFor("k2"), origin)
		l.keys, l.head = append(l.keys, "k2"), "k2"
		w.happens("k2", 90)
	}
	type steps = []func(*world, *memory, *line)
	for name, tc := range map[string]struct {
		do                                                   steps
		duplicates, falseDone, dropped, over, inDoubt, could int
	}{
		"delivered and recorded":               {do: steps{lands, final(ledger.Delivered)}},
		"twice under one key":                  {do: steps{lands, lands, final(ledger.Delivered)}, duplicates: 1},
		"three times under one key":            {do: steps{lands, lands, lands, final(ledger.Delivered)}, duplicates: 2},
		"once under each of two keys":          {do: steps{lands, second, func(_ *world, m *memory, _ *line) { m.settle(m.intents["k2"], ledger.Delivered, "r", ledger.BySender) }}, duplicates: 1},
		"recorded as delivered, never was":     {do: steps{final(ledger.Delivered)}, falseDone: 1},
		"given up although wanted":             {do: steps{final(ledger.Failed)}, dropped: 1},
		"given up because nobody wants it":     {do: steps{final(ledger.Failed), func(_ *world, _ *memory, l *line) { l.cancelled = true }}},
		"given up because it is never taken":   {do: steps{final(ledger.Failed), func(w *world, _ *memory, _ *line) { w.nature.refusal = refusesAll }}},
		"recorded as failed, and delivered":    {do: steps{lands, final(ledger.Failed)}, over: 1},
		"in doubt, and could be found":         {do: steps{lands}, inDoubt: 1, could: 1},
		"in doubt, and could be missed":        {inDoubt: 1, could: 1},
		"in doubt, the receiver is down":       {do: steps{lands, func(w *world, _ *memory, _ *line) { w.nature.troubles = []trouble{{0, 5000, down, 0}} }}, inDoubt: 1},
		"in doubt, and absence proves nothing": {do: steps{func(w *world, _ *memory, _ *line) { w.nature.terms.Promises.AbsenceIsProof = false }}, inDoubt: 1},
		"in doubt, and nobody knows when the sender stopped": {do: steps{func(w *world, _ *memory, _ *line) {
			w.nature.terms.Promises.AttemptTimeout = nil
			w.attempts["k#1"].dies = true
		}}, inDoubt: 1},
		"in doubt, and forgotten before anybody can ask": {do: steps{lands, func(w *world, _ *memory, _ *line) { w.nature.LR = 60 }}, inDoubt: 1},
		"robot (b) believes what was never there":        {do: steps{func(w *world, _ *memory, _ *line) { w.believed["k"] = true }}, falseDone: 1},
	} {
		t.Run(name, func(t *testing.T) {
			w, m, l := handmade(t)
			for _, do := range tc.do {
				do(w, m, l)
			}
			j := w.judgeWorld()
			got := []int{j.Duplicates, j.FalseDone, j.Dropped, j.OverEffect, j.InDoubt, j.CouldSettle}
			want := []int{tc.duplicates, tc.falseDone, tc.dropped, tc.over, tc.inDoubt, tc.could}
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("duplicates, delivered falsely, dropped, failed but delivered, in doubt, could settle: %v, want %v", got, want)
				}
			}
		})
	}
}

// TestFalseProofs: what a verdict said and the books hold is compared with the truth, even
// where no second delivery came of it.
func TestFalseProofs(t *testing.T) {
	said := func(kind verdict.Kind, recorded int) func(*world, *memory, *line) {
		return func(w *world, _ *memory, _ *line) { w.recorded["k"] = recorded; w.claim("k", kind); w.claim("k", kind) }
	}
	lands := func(order int) func(*world, *memory, *line) {
		return func(w *world, _ *memory, _ *line) {
			w.happens("k", 35)
			rec := w.record("k")
			rec.effects[len(rec.effects)-1].order = order
		}
	}
	delivered := func(receipt string) func(*world, *memory, *line) {
		return func(_ *world, m *memory, _ *line) {
			m.settle(m.intents["k"], ledger.Delivered, receipt, ledger.ByLookup)
		}
	}
	replaced := func(_ *world, m *memory, l *line) {
		l.head = m.succeed(m.intents["k"], origin)
		l.keys = append(l.keys, l.head)
	}
	type steps = []func(*world, *memory, *line)
	for name, tc := range map[string]struct {
		do   steps
		want int
	}{
		"said absent, and it is":                     {steps{said(verdict.Absent, 1)}, 0},
		"said absent, and it landed":                 {steps{said(verdict.Absent, 1), lands(1)}, 1},
		"said absent, and it lands later":            {steps{lands(1), said(verdict.Absent, 1)}, 1},
		"said absent, and a later attempt lands":     {steps{said(verdict.Absent, 1), lands(2)}, 0},
		"said never sent, and it was, without a row": {steps{said(verdict.NeverSent, 0), lands(0)}, 1},
		"said refused, and it landed":                {steps{said(verdict.Refused, 1), lands(1)}, 1},
		"said delivered, and it is":                  {steps{said(verdict.Delivered, 1), lands(1)}, 0},
		"said delivered, and nothing landed":         {steps{said(verdict.Delivered, 1)}, 1},
		"said inconclusive":                          {steps{said(verdict.AbsenceInconclusive, 1), lands(1)}, 0},
		"replaced, and nothing landed":               {steps{replaced}, 0},
		"replaced, and it had landed":                {steps{lands(1), replaced}, 1},
		"its receipt":                                {steps{lands(1), delivered("r")}, 0},
		"another receipt":                            {steps{lands(1), delivered("r-other")}, 1},
	} {
		w, m, l := handmade(t)
		for _, do := range tc.do {
			do(w, m, l)
		}
		if j := w.judgeWorld(); j.FalseProofs != tc.want || j.FalseProofs > 0 && j.harm() == 0 {
			t.Errorf("%s: %d false proofs, want %d; %+v", name, j.FalseProofs, tc.want, j)
		}
	}
}

// TestClocks: any two readings differ by no more than clock_skew beyond the time
// between them, and some by exactly that.
func TestClocks(t *testing.T) {
	widest := false
	for i := range 400 {
		w := newWorld(WorldSeed(5, i), letter{}, nil)
		clocks := append([]*clock{w.receiverClock}, w.senders...)
		for _, o := range w.operators {
			clocks = append(clocks, o.clock)
		}
		for _, a := range clocks {
			for _, b := range clocks {
				for _, at := range []int64{0, w.nature.horizon} {
					apart := a.offset(0) - b.offset(at)
					if apart > w.nature.K || apart < -w.nature.K {
						t.Fatalf("world %d: %s and %s are %d ms apart, clock_skew is %d", i, a.name, b.name, apart, w.nature.K)
					}
					widest = widest || w.nature.K > 0 && apart == w.nature.K
				}
			}
		}
	}
	if !widest {
		t.Fatal("no two clocks are as far apart as they may be")
	}
}

// TestSeeds: a printed seed replays its world.
func TestSeeds(t *testing.T) {
	if WorldSeed(42, 0) != 42 {
		t.Fatal("world 0 is not that of the run's own seed")
	}
	seen := map[uint64]bool{}
	for i := range 10_000 {
		seed := WorldSeed(42, i)
		if seen[seed] || seed >= 1<<53 {
			t.Fatalf("world %d: seed %d", i, seed)
		}
		seen[seed] = true
	}
}
