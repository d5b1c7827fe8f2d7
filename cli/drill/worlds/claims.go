package worlds

import (
	"slices"

	"triage/actions/verdict"
	"triage/ledger"
)

// A false proof is harm even where nothing comes of it: that the second request was lost,
// too, is luck. So the oracle remembers what verdicts said and holds it against the truth.

// claim is what a verdict said of a key while so many attempts were recorded under it.
type claim struct {
	key      string
	kind     verdict.Kind
	recorded int
}

// claim remembers what a robot was told, once for as long as it stays the same.
func (w *world) claim(key string, kind verdict.Kind) {
	switch kind {
	case verdict.Absent, verdict.Refused, verdict.NeverSent, verdict.Delivered:
	default:
		return
	}
	c := claim{key, kind, w.recorded[key]}
	if !slices.Contains(w.claims, c) {
		w.claims = append(w.claims, c)
	}
}

// falseClaims counts those that were not so: not delivered, and an attempt of that time
// has an effect, then or later; or delivered, and nothing ever was. What an attempt
// recorded later does is no part of it.
func (w *world) falseClaims() int {
	n := 0
	for _, c := range w.claims {
		effects := 0
		if rec := w.records[c.key]; rec != nil {
			for _, e := range rec.effects {
				if e.order <= c.recorded {
					effects++
				}
			}
		}
		if (c.kind == verdict.Delivered) != (effects > 0) {
			n++
		}
	}
	return n
}

// falselyWritten says that the books replaced a key although it was delivered, or have a
// receipt for it that is none.
func (w *world) falselyWritten(key string) bool {
	i, rec := w.books.state(key), w.records[key]
	switch {
	case i.Superseded():
		return rec != nil && len(rec.effects) > 0
	case i.State == ledger.Delivered && rec != nil && len(rec.effects) > 0:
		return !slices.ContainsFunc(rec.effects, func(e effect) bool { return e.receipt == i.Receipt })
	}
	return false // delivered without any effect is a loss already
}
