-- What holds after every statement, whoever wrote it. Each query finds what is wrong.

-- sound: the journal is contiguous and its clock never runs backwards
SELECT seq FROM (SELECT seq, at, row_number() OVER (ORDER BY seq) AS n, lag(at) OVER (ORDER BY seq) AS before FROM events)
WHERE seq <> n OR at < before;

-- sound: rows are numbered without a gap
SELECT 'intents' FROM (SELECT count(*) AS n, max(rowid) AS last FROM intents) WHERE n <> last
UNION ALL SELECT 'attempts' FROM (SELECT count(*) AS n, max(rowid) AS last FROM attempts) WHERE n <> last
UNION ALL SELECT 'lookups' FROM (SELECT count(*) AS n, max(rowid) AS last FROM lookups) WHERE n <> last
UNION ALL SELECT 'decisions' FROM (SELECT count(*) AS n, max(rowid) AS last FROM decisions) WHERE n <> last
UNION ALL SELECT 'claims' FROM (SELECT count(*) AS n, max(rowid) AS last FROM claims) WHERE n <> last
UNION ALL SELECT 'grants' FROM (SELECT count(*) AS n, max(rowid) AS last FROM grants) WHERE n <> last;

-- sound: the journal tells of every version once
SELECT i.op_key FROM intents AS i
WHERE i.version <> (SELECT count(*) FROM events AS e WHERE e.op_key = i.op_key AND json_type(e.detail, '$.version') IS NOT NULL)
   OR i.version <> (SELECT max(json_extract(e.detail, '$.version[1]')) FROM events AS e WHERE e.op_key = i.op_key);

-- sound: the journal tells what the row says
SELECT i.op_key FROM intents AS i JOIN journaled AS j ON j.op_key = i.op_key
WHERE i.state IS NOT j.state OR i.updated_by IS NOT j.updated_by OR i.updated_at IS NOT j.updated_at
   OR i.cancel_requested_at IS NOT j.cancel_requested_at;

-- sound: every row has its events
SELECT 'intent ' || i.op_key FROM intents AS i WHERE 1 <> (SELECT count(*) FROM events AS e WHERE e.op_key = i.op_key AND e.kind = 'begun')
UNION ALL
SELECT 'attempt ' || a.attempt_id FROM attempts AS a
WHERE 1 <> (SELECT count(*) FROM events AS e WHERE e.op_key = a.op_key AND e.kind = 'attempt_started' AND json_extract(e.detail, '$.attempt_id[1]') = a.attempt_id)
   OR (a.outcome IS NOT NULL) <> (SELECT count(*) FROM events AS e WHERE e.op_key = a.op_key AND e.kind = 'attempt_finished' AND json_extract(e.detail, '$.attempt_id[1]') = a.attempt_id)
UNION ALL
SELECT 'lookup ' || l.lookup_id FROM lookups AS l
WHERE 1 <> (SELECT count(*) FROM events AS e WHERE e.op_key = l.op_key AND e.kind = 'lookup_started' AND json_extract(e.detail, '$.lookup_id[1]') = l.lookup_id)
   OR (l.outcome IS NOT NULL) <> (SELECT count(*) FROM events AS e WHERE e.op_key = l.op_key AND e.kind = 'lookup_finished' AND json_extract(e.detail, '$.lookup_id[1]') = l.lookup_id)
UNION ALL
SELECT 'decision ' || d.decision_id FROM decisions AS d
WHERE 1 <> (SELECT count(*) FROM events AS e WHERE e.op_key = d.op_key AND e.kind = d.kind AND json_extract(e.detail, '$.decision_id') = d.decision_id)
UNION ALL
SELECT 'claim ' || c.op_key FROM claims AS c WHERE 1 <> (SELECT count(*) FROM events AS e WHERE e.op_key = c.op_key AND e.kind = 'claimed')
UNION ALL
SELECT 'grant ' || g.grant_id FROM grants AS g
WHERE 1 <> (SELECT count(*) FROM events AS e WHERE e.op_key IS NULL AND e.kind = 'granted' AND json_extract(e.detail, '$.grant_id[1]') = g.grant_id);

-- sound: the derived columns follow from the other tables
SELECT i.op_key FROM intents AS i
WHERE i.attempt_count <> (SELECT count(*) FROM attempts AS a WHERE a.op_key = i.op_key)
   OR i.last_attempt_at IS NOT (SELECT max(started_at) FROM attempts AS a WHERE a.op_key = i.op_key)
   OR i.last_attempt_seq IS NOT (SELECT max(seq) FROM attempts AS a WHERE a.op_key = i.op_key)
   OR i.last_outcome IS NOT (SELECT outcome FROM attempts AS a WHERE a.op_key = i.op_key ORDER BY seq DESC LIMIT 1)
   OR i.last_cause IS NOT (SELECT cause FROM attempts AS a WHERE a.op_key = i.op_key ORDER BY seq DESC LIMIT 1)
   OR i.queue IS NOT CASE
        WHEN i.contradicted_at IS NOT NULL AND i.acknowledged_at IS NULL THEN 0
        WHEN i.superseded_by IS NOT NULL OR i.set_aside_at IS NOT NULL THEN NULL
        WHEN i.state = 'UNKNOWN' THEN 1 WHEN i.state = 'PENDING' THEN 2 END
   OR i.superseded_by IS NOT (SELECT op_key FROM intents AS s WHERE s.supersedes = i.op_key);

-- sound: an attempt that may be in flight is known to be
SELECT i.op_key FROM intents AS i
WHERE (i.in_flight IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM attempts AS a WHERE a.attempt_id = i.in_flight AND a.op_key = i.op_key AND a.outcome IS NULL))
   OR (i.in_flight IS NULL AND (SELECT count(*) FROM attempts AS a WHERE a.op_key = i.op_key AND a.outcome IS NULL)
       > (SELECT count(*) FROM decisions AS d WHERE d.op_key = i.op_key AND d.kind = 'abandon_attempt'));

-- sound: every final state is borne out, and says by whom
SELECT i.op_key FROM intents AS i
WHERE i.state IN ('DELIVERED', 'FAILED')
  AND NOT EXISTS (SELECT 1 FROM settlement_evidence AS s
                  WHERE s.op_key = i.op_key AND s.state = i.state AND s.settled_by = i.settled_by
                    AND (s.receipt IS NULL OR s.receipt = i.receipt))
  AND i.contradicted_at IS NULL;

-- sound: every successor has its decision
SELECT s.op_key FROM intents AS s
WHERE s.supersedes IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM decisions AS d WHERE d.op_key = s.supersedes AND d.kind = 'reissue' AND d.new_op_key = s.op_key);

-- sound: the decisions are one chain
SELECT decision_id FROM (SELECT decision_id, prev_hash, lag(hash, 1, printf('%064d', 0)) OVER (ORDER BY rowid) AS before FROM decisions)
WHERE prev_hash <> before;
