package sqlite

import (
	"database/sql"
	"fmt"
)

// A query of this kind returns op_key and what is wrong, one row for each finding.
type wrongQuery struct {
	check string
	query string
}

func (v *verifier) run(queries []wrongQuery) error {
	for _, w := range queries {
		scan := func(rows *sql.Rows) (pair [2]string, err error) {
			err = rows.Scan(text{&pair[0]}, &pair[1])
			return pair, err
		}
		found, err := collect(v.ctx, v.q, scan, fmt.Sprintf("%s LIMIT %d", w.query, maxFindings+1))
		if err != nil {
			return err
		}
		for _, f := range found {
			v.wrong(w.check, f[0], "%s", f[1])
		}
	}
	return nil
}

// journal: contiguous numbers and a clock that never runs backwards.
func (v *verifier) journal() error {
	return v.run([]wrongQuery{
		{checkJournal, `SELECT op_key, 'event ' || seq || ' follows event ' || coalesce(prev, 0) || ': events between them are gone'
FROM (SELECT op_key, seq, lag(seq) OVER (ORDER BY seq) AS prev FROM events) WHERE seq <> coalesce(prev, 0) + 1`},
		{checkJournal, `SELECT op_key, 'event ' || seq || ' is earlier than the one before it'
FROM (SELECT op_key, seq, at, lag(at) OVER (ORDER BY seq) AS prev FROM events) WHERE at < prev`},
	})
}

// rowsAndEvents: every row has the event that its trigger wrote, and every event
// has its row.
func (v *verifier) rowsAndEvents() error {
	for _, queries := range [][]wrongQuery{attemptQueries, lookupQueries, decisionQueries, grantQueries} {
		if err := v.run(queries); err != nil {
			return err
		}
	}
	return nil
}

var attemptQueries = []wrongQuery{
	{checkJournal, `SELECT a.op_key, 'attempt ' || a.n || ' (' || a.attempt_id || ') is not the one that event ' || coalesce(a.seq, '(none)') || ' recorded'
FROM attempts AS a LEFT JOIN events AS e ON e.seq = a.seq
WHERE (e.kind = 'attempt_started' AND e.op_key = a.op_key AND json_extract(e.detail, '$.attempt_id[1]') = a.attempt_id
  AND json_extract(e.detail, '$.n[1]') = a.n AND json_extract(e.detail, '$.layer[1]') = a.layer
  AND json_extract(e.detail, '$.started_at[1]') = a.started_at) IS NOT TRUE`},
	{checkJournal, `SELECT e.op_key, 'event ' || e.seq || ' tells of an attempt that is gone'
FROM events AS e LEFT JOIN attempts AS a ON a.seq = e.seq AND a.op_key = e.op_key
WHERE e.kind = 'attempt_started' AND a.attempt_id IS NULL AND NOT EXISTS (
  SELECT 1 FROM attempts WHERE attempt_id = json_extract(e.detail, '$.attempt_id[1]'))`},
	{checkJournal, `SELECT e.op_key, 'attempt ' || coalesce(a.n, '') || ' does not say what event ' || e.seq || ' recorded when it came back'
FROM events AS e LEFT JOIN attempts AS a ON a.attempt_id = json_extract(e.detail, '$.attempt_id[1]')
WHERE e.kind = 'attempt_finished' AND (a.op_key = e.op_key
  AND a.outcome IS json_extract(e.detail, '$.outcome[1]') AND a.finished_at IS json_extract(e.detail, '$.finished_at[1]')
  AND coalesce(json_extract(e.detail, '$.receipt[1]'), a.receipt, '') = coalesce(a.receipt, '')
  AND coalesce(json_extract(e.detail, '$.cause[1]'), a.cause, '') = coalesce(a.cause, '')) IS NOT TRUE`},
	{checkJournal, `SELECT a.op_key, 'attempt ' || a.n || ' is finished, and no event recorded that'
FROM attempts AS a
WHERE a.outcome IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM events AS e WHERE e.op_key = a.op_key AND e.kind = 'attempt_finished'
    AND json_extract(e.detail, '$.attempt_id[1]') = a.attempt_id)`},
}

var lookupQueries = []wrongQuery{
	{checkJournal, `SELECT l.op_key, 'lookup ' || l.lookup_id || ' is not the one that event ' || coalesce(l.seq, '(none)') || ' recorded'
FROM lookups AS l LEFT JOIN events AS e ON e.seq = l.seq
WHERE (e.kind = 'lookup_started' AND e.op_key = l.op_key AND json_extract(e.detail, '$.lookup_id[1]') = l.lookup_id
  AND json_extract(e.detail, '$.started_at[1]') = l.started_at AND json_extract(e.detail, '$.connector[1]') = l.connector
  AND json_extract(e.detail, '$.environment[1]') IS l.environment AND e.actor = l.actor) IS NOT TRUE`},
	{checkJournal, `SELECT e.op_key, 'event ' || e.seq || ' tells of a lookup that is gone'
FROM events AS e
WHERE e.kind = 'lookup_started' AND NOT EXISTS (
  SELECT 1 FROM lookups WHERE lookup_id = json_extract(e.detail, '$.lookup_id[1]'))`},
	{checkJournal, `SELECT e.op_key, 'lookup ' || coalesce(l.lookup_id, '') || ' does not say what event ' || e.seq || ' recorded when it finished'
FROM events AS e LEFT JOIN lookups AS l ON l.lookup_id = json_extract(e.detail, '$.lookup_id[1]')
WHERE e.kind = 'lookup_finished' AND (l.op_key = e.op_key
  AND l.outcome IS json_extract(e.detail, '$.outcome[1]') AND l.finished_at IS json_extract(e.detail, '$.finished_at[1]')
  AND l.receipt IS json_extract(e.detail, '$.receipt[1]') AND l.payload_sha256 IS json_extract(e.detail, '$.payload_sha256[1]')
  AND l.owner IS json_extract(e.detail, '$.owner[1]') AND l.cause IS json_extract(e.detail, '$.cause[1]')
  AND l.canary_seen IS json_extract(e.detail, '$.canary_seen[1]')) IS NOT TRUE`},
	{checkJournal, `SELECT l.op_key, 'lookup ' || l.lookup_id || ' is finished, and no event recorded that'
FROM lookups AS l
WHERE l.outcome IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM events AS e WHERE e.op_key = l.op_key AND e.kind = 'lookup_finished'
    AND json_extract(e.detail, '$.lookup_id[1]') = l.lookup_id)`},
}

var decisionQueries = []wrongQuery{
	{checkJournal, `SELECT d.op_key, 'decision ' || d.decision_id || ' (' || d.kind || ') has no event: no trigger saw it'
FROM decisions AS d
WHERE NOT EXISTS (
  SELECT 1 FROM events AS e WHERE e.op_key = d.op_key AND e.kind = d.kind AND e.actor = d.operator
    AND json_extract(e.detail, '$.decision_id') = d.decision_id AND json_extract(e.detail, '$.hash[1]') = d.hash)`},
	{checkJournal, `SELECT e.op_key, 'event ' || e.seq || ' tells of a decision (' || e.kind || ') that is gone'
FROM events AS e
WHERE json_extract(e.detail, '$.decision_id') IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM decisions WHERE decision_id = json_extract(e.detail, '$.decision_id'))`},
}

var grantQueries = []wrongQuery{
	{checkJournal, `SELECT NULL, 'grant ' || g.grant_id || ' is not what the journal recorded of it'
FROM grants AS g
LEFT JOIN (
  SELECT json_extract(detail, '$.grant_id[1]') AS grant_id,
         max(CASE WHEN kind = 'granted' THEN detail END) AS made,
         max(json_extract(detail, '$.revoked_at[1]')) AS revoked_at,
         min(json_extract(detail, '$.expires_at[1]')) AS expires_at
  FROM events WHERE op_key IS NULL AND kind IN ('granted', 'grant_changed') GROUP BY 1) AS e ON e.grant_id = g.grant_id
WHERE (json_extract(e.made, '$.principal[1]') = g.principal AND json_extract(e.made, '$.target[1]') = g.target
  AND json_extract(e.made, '$.granted_by[1]') = g.granted_by AND json_extract(e.made, '$.granted_at[1]') = g.granted_at
  AND json_extract(e.made, '$.payload_sha256[1]') IS g.payload_sha256
  AND e.revoked_at IS g.revoked_at AND e.expires_at IS g.expires_at) IS NOT TRUE`},
	{checkJournal, `SELECT NULL, 'event ' || e.seq || ' tells of a grant that is gone'
FROM events AS e
WHERE e.op_key IS NULL AND e.kind = 'granted' AND NOT EXISTS (
  SELECT 1 FROM grants WHERE grant_id = json_extract(e.detail, '$.grant_id[1]'))`},
	{checkJournal, `SELECT c.op_key, 'the claim of ' || c.operator || ' is not what the journal recorded'
FROM claims AS c
WHERE (SELECT json_extract(e.detail, '$.operator[1]') = c.operator AND json_extract(e.detail, '$.claimed_at[1]') = c.claimed_at
         AND json_extract(e.detail, '$.expires_at[1]') = c.expires_at
       FROM events AS e WHERE e.op_key = c.op_key AND e.kind IN ('claimed', 'claim_changed') ORDER BY e.seq DESC LIMIT 1) IS NOT TRUE`},
}

// states: no effect without what bears it out.
func (v *verifier) states() error {
	return v.run([]wrongQuery{
		{checkStates, `SELECT i.op_key, i.state || ', settled by ' || coalesce(i.settled_by, 'nobody') || ', and no attempt, lookup or decision bears that out'
FROM intents AS i
WHERE i.state IN ('DELIVERED', 'FAILED') AND (
  (i.state = 'DELIVERED' AND i.settled_by = 'sender' AND EXISTS (
     SELECT 1 FROM attempts WHERE op_key = i.op_key AND outcome = 'delivered' AND (receipt IS NULL OR receipt = i.receipt)))
  OR (i.state = 'DELIVERED' AND i.settled_by = 'lookup' AND EXISTS (
     SELECT 1 FROM lookups WHERE op_key = i.op_key AND outcome = 'found' AND receipt = i.receipt AND payload_sha256 = i.payload_sha256))
  OR (i.state = 'DELIVERED' AND i.settled_by = 'operator' AND EXISTS (
     SELECT 1 FROM decisions WHERE op_key = i.op_key AND kind = 'mark_delivered' AND receipt = i.receipt))
  OR (i.state = 'FAILED' AND i.settled_by = 'sender' AND EXISTS (
     SELECT 1 FROM attempts WHERE op_key = i.op_key AND outcome = 'rejected'))
  OR (i.state = 'FAILED' AND i.settled_by = 'operator' AND EXISTS (
     SELECT 1 FROM decisions WHERE op_key = i.op_key AND kind = 'close_not_delivered'))) IS NOT TRUE`},
		{checkStates, `SELECT i.op_key, 'supersedes ' || i.supersedes || ' without a reissue decision that names it'
FROM intents AS i
WHERE i.supersedes IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM decisions WHERE op_key = i.supersedes AND kind = 'reissue' AND new_op_key = i.op_key)`},
		{checkStates, `SELECT i.op_key, 'superseded_by does not name the intent that supersedes it'
FROM intents AS i LEFT JOIN intents AS s ON s.supersedes = i.op_key
WHERE i.superseded_by IS NOT s.op_key`},
		{checkStates, `SELECT a.op_key, 'attempt ' || a.n || ' has no intent'
FROM attempts AS a WHERE NOT EXISTS (SELECT 1 FROM intents WHERE op_key = a.op_key)`},
		{checkStates, `SELECT l.op_key, 'lookup ' || l.lookup_id || ' has no intent'
FROM lookups AS l WHERE NOT EXISTS (SELECT 1 FROM intents WHERE op_key = l.op_key)`},
		{checkStates, `SELECT d.op_key, 'decision ' || d.decision_id || ' has no intent'
FROM decisions AS d WHERE NOT EXISTS (SELECT 1 FROM intents WHERE op_key = d.op_key)`},
	})
}

// derived: what triggers keep, computed again.
func (v *verifier) derived() error {
	const queue = `CASE WHEN i.contradicted_at IS NOT NULL AND i.acknowledged_at IS NULL THEN 0
  WHEN i.superseded_by IS NOT NULL OR i.set_aside_at IS NOT NULL THEN NULL
  WHEN i.state = 'UNKNOWN' THEN 1 WHEN i.state = 'PENDING' THEN 2 END`
	return v.run([]wrongQuery{
		{checkDerived, `SELECT i.op_key, 'it stands in the wrong place of the queue, or is missing there' FROM intents AS i WHERE i.queue IS NOT (` + queue + `)`},
		{checkDerived, `SELECT i.op_key, 'its counts of attempts do not match its attempts'
FROM intents AS i
LEFT JOIN (SELECT op_key, count(*) AS n, max(started_at) AS at, max(seq) AS seq FROM attempts GROUP BY op_key) AS a ON a.op_key = i.op_key
WHERE i.attempt_count <> coalesce(a.n, 0) OR i.last_attempt_at IS NOT a.at OR i.last_attempt_seq IS NOT a.seq`},
		{checkDerived, `SELECT i.op_key, 'its last outcome is not that of its last attempt'
FROM intents AS i LEFT JOIN attempts AS a ON a.op_key = i.op_key AND a.seq = i.last_attempt_seq
WHERE i.last_outcome IS NOT a.outcome OR i.last_cause IS NOT CASE WHEN a.outcome IS NOT NULL THEN a.cause ELSE i.last_cause END`},
		{checkDerived, `SELECT i.op_key, 'the attempt in flight is not the one that never finished'
FROM intents AS i
WHERE i.in_flight IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM attempts WHERE op_key = i.op_key AND attempt_id = i.in_flight AND outcome IS NULL)
   OR i.in_flight IS NULL AND EXISTS (
        SELECT 1 FROM attempts AS a WHERE a.op_key = i.op_key AND a.outcome IS NULL AND NOT EXISTS (
          SELECT 1 FROM events AS e WHERE e.op_key = i.op_key AND e.kind = 'abandon_attempt' AND e.seq > a.seq))`},
		{checkDerived, `SELECT i.op_key, 'set_aside_at or acknowledged_at stands without its decision'
FROM intents AS i
WHERE i.set_aside_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM decisions WHERE op_key = i.op_key AND kind = 'set_aside')
   OR i.acknowledged_at IS NOT NULL AND i.superseded_by IS NULL
      AND NOT EXISTS (SELECT 1 FROM decisions WHERE op_key = i.op_key AND kind = 'acknowledge')`},
	})
}
