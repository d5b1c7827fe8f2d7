package sqlite

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"triage/ledger"
)

// intentAsJSON is a whole row of intents, in the words that the journal uses.
const intentAsJSON = `json_object(
  'task', task, 'stage', stage, 'principal', principal, 'target', target, 'payload_sha256', payload_sha256,
  'payload_bytes', payload_bytes, 'payload_ref', payload_ref, 'grant_id', grant_id, 'state', state, 'receipt', receipt,
  'settled_by', settled_by, 'max_attempts', max_attempts, 'deadline_at', deadline_at, 'supersedes', supersedes,
  'superseded_by', superseded_by, 'contradicted_at', contradicted_at, 'snoozed_until', snoozed_until,
  'cancel_requested_at', cancel_requested_at, 'created_at', created_at, 'updated_at', updated_at, 'updated_by', updated_by,
  'version', version, 'attempt_count', attempt_count, 'last_attempt_at', last_attempt_at, 'last_attempt_seq', last_attempt_seq,
  'last_outcome', last_outcome, 'last_cause', last_cause, 'in_flight', in_flight, 'set_aside_at', set_aside_at,
  'acknowledged_at', acknowledged_at, 'queue', queue)`

// derivedColumns are those that triggers compute; the journal records the others.
var derivedColumns = map[string]bool{
	"attempt_count": true, "last_attempt_at": true, "last_attempt_seq": true, "last_outcome": true, "last_cause": true,
	"in_flight": true, "set_aside_at": true, "acknowledged_at": true, "queue": true,
}

// values are columns by name: string, json.Number or nil.
type values map[string]any

func readRow(raw string) (row values, err error) {
	d := json.NewDecoder(strings.NewReader(raw))
	d.UseNumber()
	err = d.Decode(&row)
	return row, err
}

// replay plays the journal of one intent from its begin.
type replay struct {
	v   *verifier
	key string

	events    []told
	attempts  []ledger.Attempt
	lookups   []ledger.Lookup
	decisions []ledger.Decision
	claim     []ledger.Claim

	is       values            // the row, as far as the journal has told
	decided  int               // decisions that the journal has told of
	last     map[string]string // attempts and lookups: kind of the last event about each
	index    map[string]int    // attempts and lookups: where each is in its slice
	settling int64             // seq of the event that made it final
	newest   statement         // by which a lookup contradicted last; zero: none, or an attempt did
	against  int64             // seq of the newest event that ends a decided retry
	disputed string            // evidence that disagreed just now: the next event says so
}

func (r *replay) gather(s streams) (err error) {
	if r.events, err = s.events.take(r.v, r.key); err != nil {
		return err
	}
	if r.attempts, err = s.attempts.take(r.v, r.key); err != nil {
		return err
	}
	if r.lookups, err = s.lookups.take(r.v, r.key); err != nil {
		return err
	}
	if r.decisions, err = s.decisions.take(r.v, r.key); err != nil {
		return err
	}
	if r.claim, err = s.claims.take(r.v, r.key); err != nil {
		return err
	}
	r.number()
	return nil
}

// number notes where each attempt and lookup is.
func (r *replay) number() {
	r.last, r.index = map[string]string{}, map[string]int{}
	for i, a := range r.attempts {
		r.index["attempt "+a.AttemptID] = i
	}
	for i, l := range r.lookups {
		r.index["lookup "+l.LookupID] = i
	}
}

func (r *replay) wrong(format string, args ...any) { r.v.wrong(checkJournal, r.key, format, args...) }

func (r *replay) run(row values) {
	r.is = values{"attempt_count": json.Number("0")}
	var claim values
	for i, e := range r.events {
		if begun := e.Kind == "begun"; begun != (i == 0) {
			r.wrong("event %d (%s) is where the journal of this intent can't have it: it begins with one event begun, and has no other", e.Seq, e.Kind)
		}
		d, err := e.read()
		switch {
		case err != nil:
			r.wrong("event %d can't be read", e.Seq)
		case e.Kind == "claimed" || e.Kind == "claim_changed":
			claim = r.claimed(claim, d)
		default:
			r.step(d)
		}
		if by := r.actorOf(d, claim); by != nil && by != asText(e.Actor) {
			r.wrong("event %d (%s) names %s for who did it, where %s did", e.Seq, e.Kind, shown(e.Actor), shown(by))
		}
	}
	if len(r.events) == 0 {
		r.wrong("the journal does not know this intent: no trigger saw its begin, or its events are gone")
		return
	}
	r.heardOf("")
	r.is["queue"] = r.queue()
	r.compare(row)
	r.allTold()
	r.compareClaim(claim)
	r.bornOut(row)
}

// told is an event, with the id of the row that it is about as SQLite spells it.
type told struct {
	ledger.Event
	id string // of the attempt, lookup or decision
}

const toldColumns = `SELECT seq, at, op_key, kind, actor, detail, CASE WHEN json_valid(detail) THEN coalesce(
  json_extract(detail, '$.attempt_id[1]'), json_extract(detail, '$.lookup_id[1]'), json_extract(detail, '$.decision_id'), '') ELSE '' END`

func scanTold(rows *sql.Rows) (e told, err error) {
	err = rows.Scan(&e.Seq, (*int64)(&e.At), text{&e.OpKey}, &e.Kind, &e.Actor, &e.Detail, &e.id)
	return e, err
}

// detail is one event and what it says of each column: old and new.
type detail struct {
	told
	pairs map[string][2]any
}

func (e told) read() (detail, error) {
	d := detail{told: e, pairs: map[string][2]any{}}
	raw, err := readRow(e.Detail)
	for name, v := range raw {
		if pair, ok := v.([]any); ok && len(pair) == 2 {
			d.pairs[name] = [2]any{pair[0], pair[1]}
		}
	}
	return d, err
}

// now is the instant of the event, as a column holds it.
func (d detail) now() json.Number { return json.Number(strconv.FormatInt(int64(d.At), 10)) }

// step applies one event to the row.
func (r *replay) step(d detail) {
	r.heardOf(d.Kind)
	if version, ok := d.pairs["version"]; ok {
		r.change(d, "version", version)
		r.is["updated_at"] = d.now()
		if at, ok := d.pairs["updated_at"]; ok {
			r.is["updated_at"] = at[1]
		}
	}
	switch d.Kind {
	case "begun":
		for name, pair := range d.pairs {
			r.is[name] = pair[1]
		}
	case "changed":
		r.changed(d)
	case "superseded":
		r.change(d, "superseded_by", d.pairs["superseded_by"])
		if r.is["contradicted_at"] != nil && r.is["acknowledged_at"] == nil {
			r.is["acknowledged_at"] = d.now()
		}
	case "attempt_started":
		r.attemptStarted(d)
	case "attempt_finished":
		r.attemptFinished(d)
	case "lookup_started":
		r.lookupStarted(d)
	case "lookup_finished":
		r.lookupFinished(d)
	case "contradicted":
		r.change(d, "contradicted_at", d.pairs["contradicted_at"])
		r.is["acknowledged_at"] = nil
		r.newest = statement{}
		if i, ok := r.index["lookup "+d.id]; ok {
			r.newest = statementOf(r.lookups[i])
		}
	default:
		r.decision(d)
	}
}

// change sets a column to what the event says, if it was what the event says.
func (r *replay) change(d detail, name string, pair [2]any) {
	if d.Kind != "begun" && pair[0] != r.is[name] {
		r.wrong("event %d changed %s from %s, and it was %s: events are gone, or were altered", d.Seq, name, shown(pair[0]), shown(r.is[name]))
	}
	r.is[name] = pair[1]
}

// changed is a writer's own change of the intent.
func (r *replay) changed(d detail) {
	from, _ := r.is["state"].(string)
	for name, pair := range d.pairs {
		if name != "version" && name != "updated_at" {
			r.change(d, name, pair)
		}
	}
	to, _ := r.is["state"].(string)
	if from == to {
		return
	}
	if ledger.State(from).Final() || to == string(ledger.Pending) {
		r.v.wrong(checkStates, r.key, "event %d made it %s again, which can't follow on %s", d.Seq, to, from)
	}
	if ledger.State(to).Final() {
		r.settling = d.Seq
	}
	if to == string(ledger.Failed) && from == string(ledger.Unknown) && !r.standing(ledger.CloseNotDelivered, 0) {
		r.v.wrong(checkStates, r.key, "event %d made UNKNOWN FAILED without a close decision newer than the last attempt", d.Seq)
	}
}

// actorOf is who did what the event tells of, as far as the rows say; nil if they
// don't. Decisions and lookups are asked on their own.
func (r *replay) actorOf(d detail, claim values) any {
	switch d.Kind {
	case "begun", "changed", "attempt_started", "attempt_finished":
		return r.is["updated_by"]
	case "claimed", "claim_changed":
		return claim["operator"]
	}
	return nil
}

func (r *replay) queue() any {
	switch {
	case r.is["contradicted_at"] != nil && r.is["acknowledged_at"] == nil:
		return json.Number("0")
	case r.is["superseded_by"] != nil, r.is["set_aside_at"] != nil:
		return nil
	case r.is["state"] == string(ledger.Unknown):
		return json.Number("1")
	case r.is["state"] == string(ledger.Pending):
		return json.Number("2")
	}
	return nil
}

func (r *replay) compare(row values) {
	for name, have := range row {
		if have == r.is[name] {
			continue
		}
		if derivedColumns[name] {
			r.v.wrong(checkDerived, r.key, "%s is %s, and %s follows from the journal", name, shown(have), shown(r.is[name]))
		} else {
			r.wrong("%s is %s, and the journal leads to %s: the row was changed past its triggers", name, shown(have), shown(r.is[name]))
		}
	}
}

func shown(v any) string {
	switch v := v.(type) {
	case nil:
		return "nothing"
	case string:
		return strconv.Quote(v)
	}
	return fmt.Sprint(v)
}
