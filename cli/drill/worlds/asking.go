package worlds

import (
	"triage/actions/verdict"
	"triage/ledger"
)

// route is the way a lookup takes.
type route struct {
	connector, environment string
	stray                  bool // not the receiver that the configuration names: it knows nothing
	dies                   bool // whoever asks dies before the answer
}

// ask asks the receiver about a key. Time passes meanwhile, and things happen. The
// canary is asked for just before and just after, where one is named.
func (w *world) ask(r route, key string) answer {
	n := &w.nature
	long := w.dice.upTo(n.L)
	asked := w.now + w.dice.upTo(long)
	end := w.now + long
	before := n.canSee(w.now)
	w.pass(asked)
	if r.stray {
		w.pass(end)
		return answer{Outcome: ledger.LookupNotFound, CanarySeen: w.sighting(true), Evidence: ledger.Evidence{Status: 404}}
	}
	a := w.reply(key)
	w.pass(end)
	a.CanarySeen = w.sighting(before && n.canSee(w.now))
	return a
}

func (w *world) sighting(seen bool) *bool {
	if w.nature.terms.Promises.Canary == "" {
		return nil
	}
	return &seen
}

// reply is the answer at this very instant.
func (w *world) reply(key string) answer {
	if w.nature.export {
		return w.exported(key)
	}
	about := w.about(key)
	t, bad := w.nature.troubleAt(w.now)
	if !bad {
		return w.tell(key, w.knows(about, w.now))
	}
	if t.kind == replaying {
		a := w.knows(about, max(0, w.now-t.stale))
		a.Evidence.Replayed = true
		return w.tell(key, a)
	}
	var a answer
	t.wrong(key, &a)
	if !t.kind.quiet() {
		rec := w.record(key)
		rec.told = append(rec.told, t.kind)
	}
	return a
}

// tell remembers, for the oracle, what speaks of the key without settling it.
func (w *world) tell(key string, a answer) answer {
	rec := w.record(key)
	switch {
	case a.Outcome == ledger.LookupInProgress, a.Outcome == ledger.LookupFound && a.Evidence.Final != nil && !*a.Evidence.Final,
		a.Outcome == ledger.LookupAmbiguous, a.Outcome == ledger.LookupFound && !w.provesFound():
		rec.told = append(rec.told, stillBusy)
	}
	return a
}

// about is the key whose delivery answers a question: asked by content, it may be that
// of another delivery of the same content.
func (w *world) about(key string) string {
	if w.nature.terms.Promises.LookupBy != verdict.ByContent {
		return key
	}
	for _, k := range w.keys {
		if rec := w.records[k]; rec != nil && len(rec.visible(w.now)) > 0 {
			return k
		}
	}
	return key
}

// exported answers from an export: begun at one instant, finished at another, and
// each line as it was somewhere between.
func (w *world) exported(key string) answer {
	begun := w.now - w.dice.upTo(20*w.nature.unit)
	done := begun + w.dice.upTo(min(w.now-begun, 3*w.nature.unit))
	begun, done = max(0, begun), max(0, done)
	line := w.dice.between(begun, done)
	a := w.knows(w.about(key), line)
	if t, bad := w.nature.troubleAt(line); bad && (t.kind == blindMiss || t.kind == down) {
		t.wrong(key, &a)
	}
	a.Evidence.Status = 0
	a.Evidence.AsOf, a.Evidence.CompleteAt = w.receiverClock.at(begun), w.receiverClock.at(done)
	return w.tell(key, a)
}
