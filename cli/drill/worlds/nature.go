package worlds

import (
	"time"

	"triage/actions/config"
	"triage/actions/verdict"
)

// nature is what is true about a world before anything happens. Lengths are in
// milliseconds. What is promised of it is in target; whatever is promised is true.
type nature struct {
	seed  uint64
	human bool  // lengths as people set them; else a few milliseconds, where limits meet more often
	unit  int64 // milliseconds

	T, S, G, R, LR, K int64 // LR: how long it can be found
	L                 int64 // a lookup's limit
	band              int64 // the lowest that a clock may be ahead
	horizon           int64 // operators work until then

	limited       bool // senders keep to T
	honours       bool // the key is honoured for R
	authoritative bool // a miss means that it is not there
	foundFinal    bool // what is found is done
	refusalFinal  bool // what is refused stays refused
	canaryHonest  bool // who can't see the canary can't see the key, and the other way round

	refusal      refusal
	tellsHash    bool
	echoes       bool
	showsFinal   bool
	showsWork    bool // says that it is still working
	keepsRefused bool // a lookup shows what was refused
	drops        bool // may drop what it has accepted, where found_is_final isn't promised
	refusesBusy  bool // refuses a request while it is at work on another one under the key; that one may well succeed
	flaky        int  // percent of connections that are refused
	lossy        int  // percent of requests that never land
	silent       int  // percent of answers that are lost

	since     int64 // from when the promises hold; none if negative
	cancelAt  int64 // none if negative
	twins     bool
	export    bool // asked through exports
	budget    int  // max_attempts of a sender that retries by itself; 0: none
	mayRepeat bool // several requests in one attempt are allowed: the key is honoured, and T + S + K < R
	sdk       bool // several requests in one attempt
	dead      int  // percent of attempts whose sender dies
	janitor   bool // somebody finishes orphans in their sender's place
	operators int
	troubles  []trouble

	target config.Target
	terms  verdict.Terms
}

// refusal is how a receiver refuses.
type refusal int

const (
	takesAll     refusal = iota
	refusesAll           // for good: this content is never taken
	refusesFirst         // refuses now and may accept later
)

// drawNature draws a world.
func drawNature(seed uint64, d dice, t *twist) nature {
	n := nature{seed: seed, since: -1, cancelAt: -1, human: d.chance(50), unit: 1}
	if n.human {
		n.unit = 1000
	}
	n.drawLengths(d)
	p := n.drawFlags(d)
	n.drawReceiver(d)
	n.drawSenders(d, p)
	n.drawOthers(d, &p)
	n.target = config.Target{
		Name: "inbox", Environment: "production", DuplicateMeans: "it arrives twice",
		Lookup:   &config.Lookup{HTTP: &config.HTTP{}, Timeout: time.Duration(n.L) * time.Millisecond},
		Promises: p,
	}
	n.terms = n.target.Terms()
	if n.export {
		n.terms.Connector = "file"
	}
	if t != nil && t.tune != nil {
		t.tune(&n)
	}
	if t != nil && t.lie != nil {
		t.lie(&n, d)
	}
	n.band = -d.upTo(n.K)
	n.drawTroubles(d)
	return n
}

// wide is a length in the world's units, less often of the whole range.
func (n *nature) wide(d dice, most int64) int64 {
	v := d.upTo(most * n.unit)
	if d.chance(30) {
		v /= 10
	}
	return v
}

// need is the least time that an absence needs to be proven.
func (n *nature) need() int64 { return n.T + n.S + n.G + n.L + 2*n.K }

func (n *nature) drawLengths(d dice) {
	n.T, n.S, n.G = 1+n.wide(d, 60), n.wide(d, 60), n.wide(d, 60)
	n.K, n.L = n.wide(d, 15), 1+n.wide(d, 4)
	if n.human && d.chance(20) {
		n.K = 5000 // the default, which drawFlags then leaves out
	}
	kept := func() int64 {
		switch d.IntN(10) {
		case 0: // too short by a little, or just long enough
			return max(1, n.need()-1+d.Int64N(4))
		case 1, 2:
			return n.need() + d.upTo(4*n.L+n.unit)
		}
		return n.need()*d.between(2, 9) + n.wide(d, 600)
	}
	n.R = kept()
	n.LR = n.R
	if d.chance(35) {
		n.LR = kept()
	}
}

// ms is a promised duration.
func ms(n int64) *time.Duration {
	d := time.Duration(n) * time.Millisecond
	return &d
}

// drawFlags draws the promises. One that is not made says nothing, and the truth may
// then be anything.
func (n *nature) drawFlags(d dice) verdict.Promises {
	p := verdict.Promises{LookupBy: verdict.ByKey, Receipt: verdict.OwnReceipt, AttemptTimeout: ms(n.T), SettlesWithin: ms(n.S), LookupLag: ms(n.G),
		KeyRetention: ms(n.R), ClockSkew: ms(n.K)}
	if n.LR != n.R {
		p.LookupRetention = ms(n.LR)
	}
	if n.K == 5000 {
		p.ClockSkew = nil
	}
	n.limited = !d.chance(12)
	if !n.limited {
		p.AttemptTimeout, n.T = nil, n.T*d.between(1, 20)
	}
	if d.chance(4) {
		p.SettlesWithin, n.S = nil, n.S*d.between(1, 20)
	}
	if d.chance(4) {
		p.LookupLag, n.G = nil, n.G*d.between(1, 20)
	}
	if d.chance(6) {
		p.KeyRetention, n.R = nil, max(1, n.R/d.between(1, 20))
		if p.LookupRetention == nil {
			n.LR = n.R
		}
	}
	n.honours = d.chance(80)
	switch {
	case d.chance(12): // not told
	case n.honours:
		p.SameKey = verdict.ReturnsOriginal
	default:
		p.SameKey = verdict.SameKeyNone
	}
	flag := func(percent int, truth, promised *bool) {
		*promised = d.chance(percent)
		*truth = *promised || d.chance(40)
	}
	flag(90, &n.authoritative, &p.AbsenceIsProof)
	flag(85, &n.foundFinal, &p.FoundIsFinal)
	flag(70, &n.refusalFinal, &p.RefusalIsFinal)
	if d.chance(60) {
		p.Canary = "probe-1"
	}
	n.canaryHonest = true
	return p
}

func (n *nature) drawReceiver(d dice) {
	n.tellsHash, n.echoes = !d.chance(4), !d.chance(4)
	n.showsFinal, n.showsWork, n.keepsRefused = d.chance(70), d.chance(50), d.chance(70)
	n.drops = !n.foundFinal && d.chance(50)
	n.lossy, n.silent = []int{0, 20, 50, 90}[d.IntN(4)], []int{10, 50, 90}[d.IntN(3)]
	switch {
	case d.chance(12):
		n.refusal = refusesAll
	case !n.refusalFinal && d.chance(40):
		n.refusal = refusesFirst
	}
}

func (n *nature) drawSenders(d dice, p verdict.Promises) {
	n.dead = []int{0, 25, 60}[d.IntN(3)]
	n.janitor, n.flaky = d.chance(12), []int{5, 12, 40}[d.IntN(3)]
	n.refusesBusy = d.chance(15)
	known := p.SameKey == verdict.ReturnsOriginal && p.KeyRetention != nil && p.AttemptTimeout != nil && p.SettlesWithin != nil
	if known && n.R-n.T-n.S-n.K > 1 {
		if d.chance(35) {
			n.budget = 2 + d.IntN(3)
		}
		n.sdk, n.mayRepeat = d.chance(50), true
	}
}

func (n *nature) drawOthers(d dice, p *verdict.Promises) {
	n.operators = 1
	if d.chance(40) {
		n.operators = 2
	}
	n.twins = d.chance(8)
	n.export = d.chance(10)
	if d.chance(3) {
		p.LookupBy = verdict.ByContent
	} else if d.chance(3) {
		p.Receipt = verdict.KeyAsReceipt
	}
	long := min(8*n.need(), 2*n.need()+max(n.R, n.LR))
	n.horizon = long + 4*n.need() + 200*n.unit
	if d.chance(18) {
		n.cancelAt = d.upTo(n.horizon / 3)
	}
	if d.chance(6) {
		n.since = d.upTo(n.T + 10*n.unit)
		n.budget, n.sdk, n.mayRepeat = 0, false, false // what is not promised yet is not relied on
	}
}

// unlimited takes the promised limit on attempts away.
func (n *nature) unlimited() {
	n.limited = false
	n.promise(func(p *verdict.Promises) { p.AttemptTimeout = nil })
	n.budget, n.sdk = 0, false
}

// promise changes what is promised after it was drawn.
func (n *nature) promise(change func(*verdict.Promises)) {
	change(&n.terms.Promises)
	change(&n.target.Promises)
}

// edges draws worlds of a few milliseconds whose clocks agree: limits meet there more
// often than anywhere else.
func (n *nature) edges() {
	n.human, n.unit = false, 1
	n.T, n.S, n.G, n.L, n.K = 1+n.T%3, n.S%3, n.G%3, 1, 0
	n.R = 3*n.need() + n.R%5
	n.LR = n.R
	n.horizon = 10*n.need() + n.R + 200
	n.promise(func(p *verdict.Promises) {
		p.ClockSkew, p.LookupRetention = ms(n.K), nil
		for promised, length := range map[**time.Duration]int64{&p.AttemptTimeout: n.T, &p.SettlesWithin: n.S, &p.LookupLag: n.G, &p.KeyRetention: n.R} {
			if *promised != nil {
				*promised = ms(length)
			}
		}
	})
}

// lastMoment draws worlds of edges in which a retry's requests are repeated.
func (n *nature) lastMoment() {
	n.edges()
	n.sdk, n.lossy, n.flaky, n.budget, n.dead = n.mayRepeat, 50, 5, 0, 0
}

// skewed draws worlds whose clocks differ by more than anything else takes.
func (n *nature) skewed() {
	more := 20*n.unit - n.K%n.unit
	n.K, n.R, n.LR = n.K+more, n.R+4*more, n.LR+4*more
	n.horizon += 8 * more
	n.promise(func(p *verdict.Promises) {
		p.ClockSkew = ms(n.K)
		if p.KeyRetention != nil {
			p.KeyRetention = ms(n.R)
		}
		if p.LookupRetention != nil {
			p.LookupRetention = ms(n.LR)
		}
	})
	n.repeating()
}

// repeating draws worlds for until: a retry at the last moment whose requests are
// repeated, after an attempt that was lost.
func (n *nature) repeating() {
	n.sdk, n.lossy, n.flaky, n.budget = n.mayRepeat, 50, 5, 0
	n.horizon = max(n.horizon, n.R+2*n.need())
}

// promisedLate draws worlds whose promises begin to hold about when the first attempt
// is made.
func (n *nature) promisedLate() {
	n.since = int64(n.seed % uint64(n.T+10*n.unit)) //nolint:gosec // a length is positive
	n.budget, n.sdk, n.mayRepeat = 0, false, false
}

// retrying draws worlds of edges whose senders retry by themselves wherever they may.
func (n *nature) retrying() {
	n.edges()
	if n.mayRepeat {
		n.budget = 3
	}
}
