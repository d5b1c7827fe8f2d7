package worlds

import (
	"triage/actions/verdict"
)

// couldSettle says, from the truth and the promises and without the verdict's code,
// whether evidence could have settled what is still in doubt (docs/worlds.md): there
// was a stretch of working time, long enough for an operator who asks again and again,
// in which a healthy receiver would have given the proof.
func (w *world) couldSettle(l *line) bool {
	if l.reissues >= mostReissues { // what is proven, the robot no longer acts on
		return false
	}
	rec := w.records[l.head]
	if rec == nil {
		rec = &record{anchor: -1, refused: -1}
	}
	return w.couldFind(l, rec) || w.couldMiss(l, rec)
}

// couldFind: it was delivered, and the receiver showed that beyond doubt.
func (w *world) couldFind(l *line, rec *record) bool {
	if len(rec.effects) != 1 || !w.provesFound() {
		return false
	}
	return w.healthy(l, rec.effects[0].seen+1, rec.anchor+w.nature.LR)
}

// provesFound: what the receiver shows names the key and the content, and is final.
func (w *world) provesFound() bool {
	n := &w.nature
	return n.tellsHash && n.echoes && n.terms.Promises.LookupBy == verdict.ByKey && (n.terms.Promises.FoundIsFinal || n.showsFinal)
}

// couldMiss: it was not delivered, every attempt has an end that is known, and the
// receiver promises enough. Two clocks may be off at each end of the time.
func (w *world) couldMiss(l *line, rec *record) bool {
	n, p := &w.nature, w.nature.terms.Promises
	if len(rec.effects) > 0 || !p.AbsenceIsProof || p.SettlesWithin == nil || p.LookupLag == nil || p.LookupBy != verdict.ByKey ||
		p.LookupRetention == nil && p.KeyRetention == nil || len(rec.told) > 0 || rec.refused >= 0 {
		return false
	}
	if n.need() >= n.LR || l.cancelled && w.books.state(l.head).Superseded() {
		return false
	}
	first, last, some := int64(0), int64(0), false
	for _, a := range w.attempts {
		if a.key != l.head {
			continue
		}
		end, known := w.knownEnd(a)
		if !known || n.since >= 0 && a.began < n.since+2*n.K {
			return false
		}
		if !some || a.began < first {
			first = a.began
		}
		last, some = max(last, end), true
	}
	return some && w.healthy(l, last+n.S+n.G+2*n.K+1, first+n.LR-2*n.K)
}

// knownEnd is when an attempt surely ended, as anyone may know it: it came back, or its
// limit has passed, or it was found out that its sender had died.
func (w *world) knownEnd(a *attempt) (int64, bool) {
	p := w.nature.terms.Promises
	switch {
	case p.AttemptTimeout != nil:
		end := a.began + p.AttemptTimeout.Milliseconds()
		if a.over && !a.dies {
			end = max(end, a.end+a.writesAt)
		}
		return end, true
	case a.over && !a.dies:
		return a.end + a.writesAt, !w.nature.janitor
	case a.foundOut >= 0:
		return a.foundOut + w.nature.unit, !w.nature.janitor
	}
	return 0, false
}

// healthy: within working hours and between two instants the receiver is itself for
// long enough: twelve lookups, and a tenth of the time since the delivery last moved.
func (w *world) healthy(l *line, from, until int64) bool {
	until = min(until, w.nature.horizon-w.nature.need())
	start := max(from, l.begun+w.nature.need()+w.nature.unit) // by then somebody has turned to it
	for start < until {
		end, next := until, until
		for _, t := range w.nature.troubles {
			if t.to <= start || t.from >= end {
				continue
			}
			if t.from <= start {
				end, next = start, t.to
				break
			}
			end, next = t.from, t.from
		}
		if end-start >= max(12*(w.nature.L+1), (start-l.moved)/10) {
			return true
		}
		start = max(next, start+1)
		if next >= until {
			return false
		}
	}
	return false
}
