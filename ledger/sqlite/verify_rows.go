package sqlite

import (
	"encoding/json"
	"fmt"
	"strconv"

	"triage/ledger"
)

// This file compares the rows that hang on an intent with what the journal told of
// them: each has the events that its trigger wrote, and no event is without its row.

// text is a text column as JSON reads it: nil for NULL, U+FFFD for what is no UTF-8.
func asText(s string) any {
	if s == "" {
		return nil
	}
	return string([]rune(s))
}

func asNumber[T ~int | ~int64](n T) any {
	if n == 0 {
		return nil
	}
	return json.Number(strconv.FormatInt(int64(n), 10))
}

// says compares an event with a row, column by column. It names the first that
// differs, "" if none does.
func (d detail) says(row values) string {
	for name, want := range row {
		if d.pairs[name][1] != want {
			return name
		}
	}
	return ""
}

// attempt finds the row that an event is about; lookup does the same.
func (r *replay) attempt(d detail) (a ledger.Attempt, ok bool) {
	i, ok := r.index["attempt "+d.id]
	if !ok {
		r.wrong("event %d (%s) tells of attempt %s, which is gone", d.Seq, d.Kind, shown(d.id))
		return a, false
	}
	r.toldOf(d, "attempt "+d.id)
	return r.attempts[i], true
}

func (r *replay) lookup(d detail) (l ledger.Lookup, ok bool) {
	i, ok := r.index["lookup "+d.id]
	if !ok {
		r.wrong("event %d (%s) tells of lookup %s, which is gone", d.Seq, d.Kind, shown(d.id))
		return l, false
	}
	r.toldOf(d, "lookup "+d.id)
	return r.lookups[i], true
}

func (r *replay) attemptStarted(d detail) {
	a, ok := r.attempt(d)
	if !ok {
		return
	}
	name := d.says(values{"n": asNumber(a.N), "layer": asText(a.Layer), "started_at": asNumber(a.StartedAt)})
	if name == "" && a.Seq != d.Seq {
		name = "seq"
	}
	if name != "" {
		r.wrong("attempt %d is not the one that event %d told of: %s differs", a.N, d.Seq, name)
	}
	r.mayStart(d, a)
	n, _ := r.is["attempt_count"].(json.Number).Int64()
	r.is["attempt_count"] = asNumber(n + 1)
	if last, ok := r.is["last_attempt_at"].(json.Number); !ok || later(a.StartedAt, last) {
		r.is["last_attempt_at"] = asNumber(a.StartedAt)
	}
	r.is["last_attempt_seq"], r.is["last_outcome"], r.is["last_cause"] = asNumber(d.Seq), nil, nil
	if r.is["in_flight"] == nil { // else it arrived finished, beside one in flight
		r.is["in_flight"] = asText(a.AttemptID)
	}
}

func later(at ledger.Millis, than json.Number) bool {
	t, err := than.Int64()
	return err != nil || int64(at) > t
}

func (r *replay) attemptFinished(d detail) {
	a, ok := r.attempt(d)
	if !ok {
		return
	}
	name := d.says(values{
		"finished_at": asNumber(a.FinishedAt), "outcome": asText(string(a.Outcome)), "cause": asText(a.Cause),
		"http_status": asNumber(a.HTTPStatus), "error": emptyOrText(d, "error", a.Error), "receipt": asText(a.Receipt),
	})
	if name != "" {
		r.wrong("attempt %d does not say what event %d told when it came back: %s differs", a.N, d.Seq, name)
	}
	if r.is["in_flight"] == asText(a.AttemptID) {
		r.is["in_flight"] = nil
	}
	if r.is["last_attempt_seq"] == asNumber(a.Seq) {
		r.is["last_outcome"], r.is["last_cause"] = asText(string(a.Outcome)), asText(a.Cause)
	}
	r.against = d.Seq
	if (a.Outcome == ledger.OutcomeDelivered || a.Receipt != "") && r.disagrees(a.Receipt) {
		r.disputed = fmt.Sprintf("attempt %d came back %s with the receipt %s (event %d)", a.N, a.Outcome, shown(a.Receipt), d.Seq)
	}
}

// emptyOrText: error is the one column that may be empty and not NULL, which the Go
// types don't tell apart.
func emptyOrText(d detail, name, s string) any {
	if s == "" && d.pairs[name][1] == "" {
		return ""
	}
	return asText(s)
}

func (r *replay) lookupStarted(d detail) {
	l, ok := r.lookup(d)
	if !ok {
		return
	}
	name := d.says(values{"started_at": asNumber(l.StartedAt), "connector": asText(l.Connector), "environment": asText(l.Environment)})
	switch {
	case name == "" && l.Actor != d.Actor:
		name = "actor"
	case name == "" && l.Seq != d.Seq:
		name = "seq"
	}
	if name != "" {
		r.wrong("lookup %s is not the one that event %d told of: %s differs", shown(d.id), d.Seq, name)
	}
}

func (r *replay) lookupFinished(d detail) {
	l, ok := r.lookup(d)
	if !ok {
		return
	}
	name := d.says(values{
		"finished_at": asNumber(l.FinishedAt), "outcome": asText(string(l.Outcome)), "canary_seen": asFlag(l.CanarySeen), "receipt": asText(l.Receipt),
		"payload_sha256": asText(l.PayloadSHA256), "owner": asText(l.Owner), "cause": asText(l.Cause),
	})
	if name == "" && l.Actor != d.Actor {
		name = "actor"
	}
	if name != "" {
		r.wrong("lookup %s does not say what event %d told when it finished: %s differs", shown(d.id), d.Seq, name)
	}
	if speaksAgainst(l) {
		r.against = d.Seq
	}
	if r.lookupDisagrees(l) && r.newest != statementOf(l) {
		r.disputed = fmt.Sprintf("lookup %s says %s (event %d)", shown(d.id), l.Outcome, d.Seq)
	}
}

func asFlag(b *bool) any {
	switch {
	case b == nil:
		return nil
	case *b:
		return json.Number("1")
	}
	return json.Number("0")
}

// toldOf notes that the journal told of a row; it does so in the order started,
// finished, each once.
func (r *replay) toldOf(d detail, row string) {
	before := map[string]string{"attempt_finished": "attempt_started", "lookup_finished": "lookup_started"}[d.Kind]
	if r.last[row] != before {
		r.wrong("event %d (%s of %s) is one too many, or comes too early", d.Seq, d.Kind, shown(d.id))
	}
	r.last[row] = d.Kind
}

// allTold: every row is where the journal left it.
func (r *replay) allTold() {
	for _, a := range r.attempts {
		if r.last["attempt "+a.AttemptID] != due("attempt", a.Finished()) {
			r.wrong("the journal does not know attempt %d (%s) as it stands: no trigger saw it", a.N, shown(a.AttemptID))
		}
	}
	for _, l := range r.lookups {
		if r.last["lookup "+l.LookupID] != due("lookup", l.Finished()) {
			r.wrong("the journal does not know lookup %s as it stands: no trigger saw it", shown(l.LookupID))
		}
	}
	for _, d := range r.decisions[r.decided:] {
		r.wrong("the journal does not know decision %s (%s): no trigger saw it", shown(d.DecisionID), d.Kind)
	}
}

func due(what string, finished bool) string {
	if finished {
		return what + "_finished"
	}
	return what + "_started"
}

// claimed follows the claim of the intent.
func (r *replay) claimed(claim values, d detail) values {
	if (d.Kind == "claimed") != (claim == nil) {
		r.wrong("event %d (%s) does not follow from the claim before it", d.Seq, d.Kind)
	}
	for name, pair := range d.pairs {
		if claim != nil && pair[0] != claim[name] {
			r.wrong("event %d changed %s of the claim from %s, and it was %s", d.Seq, name, shown(pair[0]), shown(claim[name]))
		}
	}
	return values{"operator": d.pairs["operator"][1], "claimed_at": d.pairs["claimed_at"][1], "expires_at": d.pairs["expires_at"][1]}
}

func (r *replay) compareClaim(told values) {
	switch {
	case told == nil && len(r.claim) == 0:
	case told == nil:
		r.wrong("the journal does not know the claim of %s: no trigger saw it", shown(r.claim[0].Operator))
	case len(r.claim) == 0:
		r.wrong("the claim that the journal told of is gone")
	default:
		c := r.claim[0]
		if told["operator"] != asText(c.Operator) || told["claimed_at"] != asNumber(c.ClaimedAt) || told["expires_at"] != asNumber(c.ExpiresAt) {
			r.wrong("the claim of %s is not what the journal told: it was changed past its trigger", shown(c.Operator))
		}
	}
}
