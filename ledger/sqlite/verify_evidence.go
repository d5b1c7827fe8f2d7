package sqlite

import (
	"encoding/json"
	"slices"

	"triage/ledger"
)

// This file asks of every effect what bears it out: decisions, attempts, lookups.

// decision compares one decision with its event, and does to the row what the
// trigger did.
func (r *replay) decision(d detail) {
	if r.decided >= len(r.decisions) || r.decisions[r.decided].DecisionID != d.id {
		r.wrong("event %d (%s) tells of decision %s, which is not the next one there is", d.Seq, d.Kind, shown(d.id))
		return
	}
	decided := &r.decisions[r.decided]
	r.decided++
	decided.Seq = d.Seq
	name := d.says(values{"hash": asText(decided.Hash), "receipt": asText(decided.Receipt), "new_op_key": asText(decided.NewOpKey), "until": asNumber(decided.Until)})
	if name == "" && (string(decided.Kind) != d.Kind || decided.Operator != d.Actor) {
		name = "kind or operator"
	}
	if name != "" {
		r.wrong("decision %s is not the one that event %d told of: %s differs", shown(d.id), d.Seq, name)
	}
	switch ledger.DecisionKind(d.Kind) {
	case ledger.AbandonAttempt:
		r.is["in_flight"] = nil
	case ledger.Snooze:
		r.change(d, "snoozed_until", d.pairs["snoozed_until"])
	case ledger.SetAside:
		r.is["set_aside_at"] = d.now()
	case ledger.Dispute:
		r.change(d, "contradicted_at", d.pairs["contradicted_at"])
		r.is["acknowledged_at"] = nil
		r.against = d.Seq
	case ledger.Acknowledge:
		if r.is["contradicted_at"] != nil {
			r.is["acknowledged_at"] = d.now()
		}
	}
}

// standing: the journal told of such a decision after the last attempt, it holds that
// long, and nothing since speaks against it where it is a retry.
func (r *replay) standing(kind ledger.DecisionKind, until ledger.Millis) bool {
	var last int64
	if n, ok := r.is["last_attempt_seq"].(json.Number); ok {
		last, _ = n.Int64()
	}
	if kind == ledger.RetrySameKey {
		last = max(last, r.against)
	}
	for _, d := range r.decisions[:r.decided] {
		if d.Kind == kind && d.Seq > last && d.Until >= until {
			return true
		}
	}
	return false
}

// mayStart: the rules whose breach makes a duplicate, asked again of the journal.
func (r *replay) mayStart(d detail, a ledger.Attempt) {
	state, _ := r.is["state"].(string)
	switch {
	case ledger.State(state).Final():
		r.v.wrong(checkStates, r.key, "attempt %d (event %d) was made when it was %s already", a.N, d.Seq, state)
	case r.is["superseded_by"] != nil:
		r.v.wrong(checkStates, r.key, "attempt %d (event %d) was made when %s had taken its place", a.N, d.Seq, shown(r.is["superseded_by"]))
	case state == string(ledger.Unknown) && !r.standing(ledger.RetrySameKey, a.StartedAt):
		r.v.wrong(checkStates, r.key, "attempt %d (event %d) was made on an UNKNOWN intent without a retry decision that stood", a.N, d.Seq)
	case r.is["in_flight"] != nil && !a.Finished():
		r.v.wrong(checkStates, r.key, "attempt %d (event %d) was made while attempt %s was in flight", a.N, d.Seq, shown(r.is["in_flight"]))
	}
}

// disagrees: that it was delivered, under this receipt, is not what was decided.
func (r *replay) disagrees(receipt string) bool {
	return r.is["state"] == string(ledger.Failed) || r.is["superseded_by"] != nil ||
		r.is["state"] == string(ledger.Delivered) && receipt != "" && r.is["receipt"] != asText(receipt)
}

// lookupDisagrees is the view lookup_disagreements but for what a lookup proves against a
// person's word that it was delivered.
func (r *replay) lookupDisagrees(l ledger.Lookup) bool {
	found, ambiguous := l.Outcome == ledger.LookupFound, l.Outcome == ledger.LookupAmbiguous
	switch {
	case r.is["state"] == string(ledger.Failed), r.is["superseded_by"] != nil:
		return found || ambiguous || l.Outcome == ledger.LookupInProgress || l.ReadEvidence().Heard || r.refusalDisagrees(l)
	case r.is["state"] == string(ledger.Delivered) && r.is["settled_by"] == string(ledger.ByOperator):
		otherHash := l.PayloadSHA256 != "" && r.is["payload_sha256"] != asText(l.PayloadSHA256)
		return ambiguous || found && (otherHash || r.disagrees(l.Receipt))
	}
	return found && r.disagrees(l.Receipt)
}

// refusalDisagrees: what the receiver refused is other content, or shows that something
// came where the decision rests on nothing having come.
func (r *replay) refusalDisagrees(l ledger.Lookup) bool {
	if l.Outcome != ledger.LookupRefused {
		return false
	}
	return l.PayloadSHA256 != "" && r.is["payload_sha256"] != asText(l.PayloadSHA256) ||
		r.is["settled_by"] != string(ledger.BySender) &&
			!slices.ContainsFunc(r.lookups, func(p ledger.Lookup) bool { return p.ReadEvidence().Proves == "refused" })
}

// statement is what makes one lookup say the same as another, asked the same way.
type statement struct {
	outcome                                                    ledger.LookupOutcome
	receipt, hash, owner, cause, connector, environment, proof string
}

func statementOf(l ledger.Lookup) statement {
	s := statement{l.Outcome, l.Receipt, l.PayloadSHA256, l.Owner, l.Cause, l.Connector, l.Environment, ""}
	switch proves := l.ReadEvidence().Proves; proves {
	case "absent", "refused", "wrong_owner", "withdrawn": // what is found once more proves nothing by itself
		s.proof = proves
	}
	return s
}

// speaksAgainst: a lookup that ends a retry decided before it.
func speaksAgainst(l ledger.Lookup) bool {
	switch l.Outcome {
	case ledger.LookupFound, ledger.LookupInProgress, ledger.LookupRefused, ledger.LookupAmbiguous:
		return true
	}
	return l.ReadEvidence().Heard
}

// heardOf: evidence that disagrees is followed at once by the event that says so.
func (r *replay) heardOf(kind string) {
	if r.disputed != "" && kind != "contradicted" {
		r.v.wrong(checkStates, r.key, "%s against what was decided, and nothing marks it contradicted", r.disputed)
	}
	r.disputed = ""
}

// bornOut: a final state has the attempt, lookup or decision that its settled_by
// names.
func (r *replay) bornOut(row values) {
	state, _ := row["state"].(string)
	by, _ := row["settled_by"].(string)
	receipt, _ := row["receipt"].(string)
	if !ledger.State(state).Final() {
		return
	}
	borne := false
	switch ledger.SettledBy(by) {
	case ledger.BySender:
		borne = r.bySender(ledger.State(state), receipt)
	case ledger.ByLookup:
		borne = state == string(ledger.Delivered) && r.byLookup(receipt, row["payload_sha256"])
	case ledger.ByOperator:
		borne = r.byOperator(ledger.State(state), receipt)
	}
	if !borne {
		r.v.wrong(checkStates, r.key, "it is %s, settled by %s, and no attempt, lookup or decision bears that out", state, shown(row["settled_by"]))
	}
}

func (r *replay) bySender(state ledger.State, receipt string) bool {
	delivered, rejected, open := false, false, false
	for _, a := range r.attempts {
		switch a.Outcome {
		case ledger.OutcomeDelivered:
			delivered = delivered || a.Receipt == "" || string([]rune(a.Receipt)) == receipt
			open = true
		case ledger.OutcomeRejected:
			rejected = true
		case ledger.OutcomeNotSent:
		default: // unknown, or never finished
			open = true
		}
	}
	if state == ledger.Delivered {
		return delivered
	}
	return rejected && !open // a refusal says nothing about what another attempt did
}

func (r *replay) byLookup(receipt string, hash any) bool {
	for _, l := range r.lookups {
		if l.Outcome == ledger.LookupFound && string([]rune(l.Receipt)) == receipt && hash == l.PayloadSHA256 && l.Cause != ledger.CauseWithdrawn {
			return true
		}
	}
	return false
}

func (r *replay) byOperator(state ledger.State, receipt string) bool {
	for _, d := range r.decisions[:r.decided] {
		if d.Seq > r.settling {
			continue // decided afterwards
		}
		if state == ledger.Delivered && d.Kind == ledger.MarkDelivered && string([]rune(d.Receipt)) == receipt ||
			state == ledger.Failed && d.Kind == ledger.CloseNotDelivered {
			return true
		}
	}
	return false
}

// successors: whatever takes another's place was decided to, both know it, and it was
// not sent while it had to wait (view held_back).
func (v *verifier) successors() error {
	for _, query := range []string{
		`SELECT i.op_key, 'it takes the place of ' || i.supersedes || ' without a reissue decision that names it'
FROM intents AS i
WHERE i.supersedes IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM decisions WHERE op_key = i.supersedes AND kind = 'reissue' AND new_op_key = i.op_key)`,
		`SELECT i.op_key, 'superseded_by is ' || coalesce(i.superseded_by, 'nothing') || ', and ' || coalesce(s.op_key, 'no intent') || ' takes its place'
FROM intents AS i LEFT JOIN intents AS s ON s.supersedes = i.op_key
WHERE i.superseded_by IS NOT s.op_key`,
		`WITH RECURSIVE line (op_key, before) AS (
  SELECT op_key, supersedes FROM intents WHERE supersedes IS NOT NULL
  UNION
  SELECT l.op_key, p.supersedes FROM line AS l JOIN intents AS p ON p.op_key = l.before WHERE p.supersedes IS NOT NULL
)
SELECT l.op_key, 'an attempt (event ' || s.seq || ') was made while ' || l.before || ', which it replaces, was contradicted and nobody had acknowledged that'
FROM line AS l
JOIN events AS c ON c.op_key = l.before AND c.kind = 'contradicted'
JOIN events AS s ON s.op_key = l.op_key AND s.kind = 'attempt_started' AND s.seq > c.seq
WHERE NOT EXISTS (
  SELECT 1 FROM events AS k
  WHERE k.op_key = l.before AND k.kind IN ('acknowledge', 'superseded') AND k.seq BETWEEN c.seq AND s.seq)`,
	} {
		if err := v.ask(checkStates, query); err != nil {
			return err
		}
	}
	return nil
}
