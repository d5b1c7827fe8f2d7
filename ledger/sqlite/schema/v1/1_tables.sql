-- The delivery ledger, schema version 1: tables, indexes and views.
--
-- Any program in any language may write these tables with plain SQL, so every rule
-- stands in the database itself: here as types and CHECKs, in the files that follow
-- as triggers. SQL that SQLite 3.40 runs. Foreign keys are not declared, because a
-- writer may have them switched off; triggers check parents instead.
--
-- Times are Unix milliseconds UTC between the years 2000 and 2200, so that seconds
-- and microseconds are refused. Text has no NUL: it would cut length() and GLOB.

CREATE TABLE intents (
  op_key              TEXT NOT NULL PRIMARY KEY
    CONSTRAINT op_key_is_1_to_255_characters CHECK (length(op_key) BETWEEN 1 AND 255)
    CONSTRAINT op_key_has_no_control_characters CHECK (
      instr(op_key, char(0)) = 0
      AND op_key NOT GLOB '*[' || char(1) || '-' || char(31) || char(127) || '-' || char(159) || ']*'),
  task                TEXT NOT NULL CONSTRAINT task_is_not_empty CHECK (length(task) > 0),
  stage               TEXT NOT NULL DEFAULT '',
  principal           TEXT NOT NULL CONSTRAINT principal_is_not_empty CHECK (length(principal) > 0),
  target              TEXT NOT NULL CONSTRAINT target_is_not_empty CHECK (length(target) > 0),
  payload_sha256      TEXT NOT NULL
    CONSTRAINT payload_sha256_is_64_lower_case_hex CHECK (
      length(payload_sha256) = 64 AND length(CAST(payload_sha256 AS BLOB)) = 64 AND payload_sha256 NOT GLOB '*[^0-9a-f]*'),
  payload_bytes       INTEGER CONSTRAINT payload_bytes_is_not_negative CHECK (payload_bytes >= 0),
  payload_ref         TEXT CONSTRAINT payload_ref_is_not_empty CHECK (length(payload_ref) > 0),
  grant_id            TEXT CONSTRAINT grant_id_is_not_empty CHECK (length(grant_id) > 0),
  state               TEXT NOT NULL DEFAULT 'PENDING'
    CONSTRAINT state_is_known CHECK (state IN ('PENDING', 'UNKNOWN', 'DELIVERED', 'FAILED')),
  receipt             TEXT CONSTRAINT receipt_is_not_empty CHECK (length(receipt) > 0),
  settled_by          TEXT
    CONSTRAINT settled_by_is_known CHECK (settled_by IN ('sender', 'lookup', 'operator')),
  max_attempts        INTEGER CONSTRAINT max_attempts_is_positive CHECK (max_attempts > 0),
  deadline_at         INTEGER
    CONSTRAINT deadline_at_is_in_milliseconds CHECK (deadline_at BETWEEN 946684800000 AND 7258118400000),
  supersedes          TEXT UNIQUE CONSTRAINT supersedes_another CHECK (supersedes <> op_key),
  superseded_by       TEXT,
  contradicted_at     INTEGER
    CONSTRAINT contradicted_at_is_in_milliseconds CHECK (contradicted_at BETWEEN 946684800000 AND 7258118400000),
  snoozed_until       INTEGER
    CONSTRAINT snoozed_until_is_in_milliseconds CHECK (snoozed_until BETWEEN 946684800000 AND 7258118400000),
  cancel_requested_at INTEGER
    CONSTRAINT cancel_requested_at_is_in_milliseconds CHECK (cancel_requested_at BETWEEN 946684800000 AND 7258118400000),
  created_at          INTEGER NOT NULL DEFAULT (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER))
    CONSTRAINT created_at_is_in_milliseconds CHECK (created_at BETWEEN 946684800000 AND 7258118400000),
  updated_at          INTEGER NOT NULL DEFAULT (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER))
    CONSTRAINT updated_at_is_in_milliseconds CHECK (updated_at BETWEEN 946684800000 AND 7258118400000),
  updated_by          TEXT NOT NULL DEFAULT 'unknown' CONSTRAINT updated_by_is_not_empty CHECK (length(updated_by) > 0),
  version             INTEGER NOT NULL DEFAULT 1 CONSTRAINT version_is_positive CHECK (version > 0),

  -- Derived, kept by triggers, recomputed by `triage verify`. They spare the queue
  -- a look at other tables; no rule of the contract needs a writer to know them.
  attempt_count       INTEGER NOT NULL DEFAULT 0,
  last_attempt_at     INTEGER, -- newest attempt's start
  last_attempt_seq    INTEGER, -- journal seq of the last attempt's row: "newer" is judged by it
  last_outcome        TEXT,    -- of the last attempt; NULL: never finished
  last_cause          TEXT,
  in_flight           TEXT,    -- attempt_id that has not finished and was not abandoned
  set_aside_at        INTEGER,
  acknowledged_at     INTEGER, -- somebody dealt with the contradiction
  queue               INTEGER DEFAULT 2 -- 0 contradicted, 1 UNKNOWN, 2 PENDING; NULL: not in the queue
    CONSTRAINT queue_is_known CHECK (queue IN (0, 1, 2)),

  -- Last, so that a rule with a code of its own speaks first.
  CONSTRAINT a_delivered_intent_has_a_receipt CHECK ((state = 'DELIVERED') = (receipt IS NOT NULL)),
  CONSTRAINT only_a_final_state_is_settled CHECK (settled_by IS NULL OR state IN ('DELIVERED', 'FAILED')),
  CONSTRAINT text_has_no_nul CHECK (
    instr(task || stage || principal || target || coalesce(payload_ref, '') || coalesce(grant_id, '')
      || coalesce(receipt, '') || updated_by, char(0)) = 0)
) STRICT;

-- The queue's own index: covering for the page and the counts, and as small as the
-- queue is, whatever the size of the ledger. Any predicate on queue uses it.
CREATE INDEX intents_queue ON intents (
  queue, created_at, op_key, state, target, last_attempt_at, deadline_at, snoozed_until
) WHERE queue IS NOT NULL;

-- What was sent and left the queue by somebody's decision, for sweeps: the open ones
-- that were set aside, and by target what was closed, replaced or marked by hand. As
-- small as what people decided.
CREATE INDEX intents_left ON intents (
  (superseded_by IS NULL AND state IN ('UNKNOWN', 'PENDING')), target, last_attempt_at, op_key
) WHERE queue IS NULL AND (set_aside_at IS NOT NULL OR superseded_by IS NOT NULL OR settled_by = 'operator');

-- "A receipt that another intent of this target holds", and searches by one.
CREATE INDEX intents_receipt ON intents (receipt, target) WHERE receipt IS NOT NULL;

-- Searches by the beginning of a task or of a hash.
CREATE INDEX intents_task ON intents (task);
CREATE INDEX intents_hash ON intents (substr(payload_sha256, 1, 16));

-- "Another intent with the same target and hash that is unaccounted for."
CREATE INDEX intents_in_doubt ON intents (target, payload_sha256) WHERE state IN ('UNKNOWN', 'PENDING');

CREATE TABLE attempts (
  attempt_id  TEXT NOT NULL PRIMARY KEY CONSTRAINT attempt_id_is_not_empty CHECK (length(attempt_id) > 0),
  op_key      TEXT NOT NULL,
  n           INTEGER NOT NULL CONSTRAINT n_is_positive CHECK (n > 0),
  layer       TEXT NOT NULL DEFAULT 'app' CONSTRAINT layer_is_not_empty CHECK (length(layer) > 0),
  started_at  INTEGER NOT NULL
    CONSTRAINT started_at_is_in_milliseconds CHECK (started_at BETWEEN 946684800000 AND 7258118400000),
  finished_at INTEGER
    CONSTRAINT finished_at_is_in_milliseconds CHECK (finished_at BETWEEN 946684800000 AND 7258118400000),
  outcome     TEXT
    CONSTRAINT outcome_is_known CHECK (outcome IN ('delivered', 'rejected', 'unknown', 'not_sent')),
  cause       TEXT CONSTRAINT cause_is_not_empty CHECK (length(cause) > 0),
  http_status INTEGER CONSTRAINT http_status_is_a_status CHECK (http_status BETWEEN 100 AND 599),
  error       TEXT,
  receipt     TEXT CONSTRAINT receipt_is_not_empty CHECK (length(receipt) > 0),
  seq         INTEGER, -- derived: journal seq of the row's first event

  UNIQUE (op_key, n),
  CONSTRAINT finished_means_an_outcome CHECK ((finished_at IS NULL) = (outcome IS NULL)),
  CONSTRAINT text_has_no_nul CHECK (
    instr(attempt_id || layer || coalesce(cause, '') || coalesce(error, '') || coalesce(receipt, ''), char(0)) = 0)
) STRICT;

CREATE INDEX attempts_receipt ON attempts (receipt) WHERE receipt IS NOT NULL;

CREATE TABLE lookups (
  lookup_id      TEXT NOT NULL PRIMARY KEY CONSTRAINT lookup_id_is_not_empty CHECK (length(lookup_id) > 0),
  op_key         TEXT NOT NULL,
  started_at     INTEGER NOT NULL
    CONSTRAINT started_at_is_in_milliseconds CHECK (started_at BETWEEN 946684800000 AND 7258118400000),
  finished_at    INTEGER
    CONSTRAINT finished_at_is_in_milliseconds CHECK (finished_at BETWEEN 946684800000 AND 7258118400000),
  actor          TEXT NOT NULL CONSTRAINT actor_is_not_empty CHECK (length(actor) > 0),
  connector      TEXT NOT NULL CONSTRAINT connector_is_not_empty CHECK (length(connector) > 0),
  environment    TEXT CONSTRAINT environment_is_not_empty CHECK (length(environment) > 0),
  outcome        TEXT
    CONSTRAINT outcome_is_known CHECK (outcome IN ('found', 'not_found', 'in_progress', 'refused', 'ambiguous', 'failed')),
  canary_seen    INTEGER CONSTRAINT canary_seen_is_0_or_1 CHECK (canary_seen IN (0, 1)),
  receipt        TEXT CONSTRAINT receipt_is_not_empty CHECK (length(receipt) > 0),
  payload_sha256 TEXT
    CONSTRAINT payload_sha256_is_64_lower_case_hex CHECK (
      length(payload_sha256) = 64 AND length(CAST(payload_sha256 AS BLOB)) = 64 AND payload_sha256 NOT GLOB '*[^0-9a-f]*'),
  owner          TEXT CONSTRAINT owner_is_not_empty CHECK (length(owner) > 0),
  cause          TEXT CONSTRAINT cause_is_not_empty CHECK (length(cause) > 0),
  evidence       TEXT
    CONSTRAINT evidence_is_json CHECK (evidence IS NULL OR json_valid(evidence))
    CONSTRAINT evidence_is_at_most_16_kib CHECK (evidence IS NULL OR length(CAST(evidence AS BLOB)) <= 16384),
  seq            INTEGER, -- derived: journal seq of the row's first event, which is when it began

  CONSTRAINT finished_means_an_outcome CHECK ((finished_at IS NULL) = (outcome IS NULL)),
  CONSTRAINT text_has_no_nul CHECK (
    instr(lookup_id || actor || connector || coalesce(environment, '') || coalesce(receipt, '')
      || coalesce(owner, '') || coalesce(cause, '') || coalesce(evidence, ''), char(0)) = 0)
) STRICT;

CREATE INDEX lookups_of_intent ON lookups (op_key, seq);

CREATE INDEX lookups_receipt ON lookups (receipt) WHERE receipt IS NOT NULL;

-- Receivers that asked to be left alone for a while: as small as what they asked for.
CREATE INDEX lookups_held ON lookups (finished_at, op_key)
  WHERE json_type(evidence, '$.retry_at') = 'integer';

CREATE TABLE decisions (
  decision_id TEXT NOT NULL PRIMARY KEY CONSTRAINT decision_id_is_not_empty CHECK (length(decision_id) > 0),
  op_key      TEXT NOT NULL,
  at          INTEGER NOT NULL CONSTRAINT at_is_in_milliseconds CHECK (at BETWEEN 946684800000 AND 7258118400000),
  operator    TEXT NOT NULL CONSTRAINT operator_is_not_empty CHECK (length(operator) > 0),
  kind        TEXT NOT NULL
    CONSTRAINT kind_is_known CHECK (kind IN (
      'mark_delivered', 'reissue', 'retry_same_key', 'close_not_delivered', 'abandon_attempt', 'set_aside',
      'dispute', 'acknowledge', 'note', 'snooze', 'claim', 'release', 'take_over', 'propose', 'confirm',
      'withdraw', 'denied')),
  reason      TEXT NOT NULL,
  receipt     TEXT CONSTRAINT receipt_is_not_empty CHECK (length(receipt) > 0),
  new_op_key  TEXT CONSTRAINT new_op_key_is_not_empty CHECK (length(new_op_key) > 0),
  until       INTEGER CONSTRAINT until_is_in_milliseconds CHECK (until BETWEEN 946684800000 AND 7258118400000),
  facts       TEXT NOT NULL DEFAULT '{}' CONSTRAINT facts_is_json CHECK (json_valid(facts)),
  prev_hash   TEXT NOT NULL UNIQUE
    CONSTRAINT prev_hash_is_64_lower_case_hex CHECK (
      length(prev_hash) = 64 AND length(CAST(prev_hash AS BLOB)) = 64 AND prev_hash NOT GLOB '*[^0-9a-f]*'),
  hash        TEXT NOT NULL UNIQUE
    CONSTRAINT hash_is_64_lower_case_hex CHECK (
      length(hash) = 64 AND length(CAST(hash AS BLOB)) = 64 AND hash NOT GLOB '*[^0-9a-f]*'),

  CONSTRAINT a_reissue_names_the_new_key CHECK (kind <> 'reissue' OR new_op_key IS NOT NULL),
  CONSTRAINT a_snooze_or_a_retry_says_until_when CHECK (kind NOT IN ('snooze', 'retry_same_key') OR until IS NOT NULL),
  CONSTRAINT text_has_no_nul CHECK (
    instr(decision_id || operator || reason || coalesce(receipt, '') || coalesce(new_op_key, '') || facts, char(0)) = 0)
) STRICT;

CREATE INDEX decisions_of_intent ON decisions (op_key);

-- Retries that may still stand, for senders that ask what they may send.
CREATE INDEX decisions_retry ON decisions (until) WHERE kind = 'retry_same_key';

CREATE TABLE claims (
  op_key     TEXT NOT NULL PRIMARY KEY,
  operator   TEXT NOT NULL CONSTRAINT operator_is_not_empty CHECK (length(operator) > 0 AND instr(operator, char(0)) = 0),
  claimed_at INTEGER NOT NULL
    CONSTRAINT claimed_at_is_in_milliseconds CHECK (claimed_at BETWEEN 946684800000 AND 7258118400000),
  expires_at INTEGER NOT NULL
    CONSTRAINT expires_at_is_in_milliseconds CHECK (expires_at BETWEEN 946684800000 AND 7258118400000)
) STRICT;

CREATE TABLE grants (
  grant_id       TEXT NOT NULL PRIMARY KEY CONSTRAINT grant_id_is_not_empty CHECK (length(grant_id) > 0),
  principal      TEXT NOT NULL CONSTRAINT principal_is_not_empty CHECK (length(principal) > 0),
  target         TEXT NOT NULL CONSTRAINT target_is_not_empty CHECK (length(target) > 0),
  payload_sha256 TEXT
    CONSTRAINT payload_sha256_is_64_lower_case_hex CHECK (
      length(payload_sha256) = 64 AND length(CAST(payload_sha256 AS BLOB)) = 64 AND payload_sha256 NOT GLOB '*[^0-9a-f]*'),
  granted_by     TEXT NOT NULL CONSTRAINT granted_by_is_not_empty CHECK (length(granted_by) > 0),
  granted_at     INTEGER NOT NULL
    CONSTRAINT granted_at_is_in_milliseconds CHECK (granted_at BETWEEN 946684800000 AND 7258118400000),
  expires_at     INTEGER
    CONSTRAINT expires_at_is_in_milliseconds CHECK (expires_at BETWEEN 946684800000 AND 7258118400000),
  revoked_at     INTEGER
    CONSTRAINT revoked_at_is_in_milliseconds CHECK (revoked_at BETWEEN 946684800000 AND 7258118400000),
  seq            INTEGER, -- derived: journal seq of the grant's newest event

  CONSTRAINT text_has_no_nul CHECK (instr(grant_id || principal || target || granted_by, char(0)) = 0)
) STRICT;

-- The journal, written by triggers only. Its guards are triggers, not CHECKs: an
-- outer INSERT OR IGNORE would let a CHECK drop an event without a word. seq has no
-- AUTOINCREMENT, whose counter anyone could overwrite; a guard keeps it contiguous.
CREATE TABLE events (
  seq    INTEGER NOT NULL PRIMARY KEY,
  at     INTEGER NOT NULL,
  op_key TEXT, -- NULL where the event concerns a grant
  kind   TEXT NOT NULL,
  actor  TEXT NOT NULL,
  detail TEXT NOT NULL
) STRICT;

CREATE INDEX events_of_intent ON events (op_key, seq);

-- What became of a grant: no intent's events tell it.
CREATE INDEX events_of_grant ON events (json_extract(detail, '$.grant_id[1]'), seq) WHERE op_key IS NULL;

-- For a review of what changed between two instants: what people decided and wished,
-- what disagreed, and grants that were taken back. As small as that is, however much
-- senders and lookups write.
CREATE INDEX events_notable ON events (seq)
  WHERE kind NOT IN ('begun', 'changed', 'attempt_started', 'attempt_finished', 'lookup_started', 'lookup_finished', 'granted')
     OR kind = 'changed' AND json_type(detail, '$.cancel_requested_at') IS NOT NULL;

-- The database's own clock, in milliseconds (SQLite 3.40 has no shorter way).
CREATE VIEW clock (now_ms) AS
  SELECT CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER);

-- The newest event, and where the journal goes on. Its clock never runs backwards.
CREATE VIEW journal_tail (seq, at, op_key, kind, detail) AS
  SELECT seq, at, op_key, kind, detail FROM events WHERE seq = (SELECT max(seq) FROM events);

CREATE VIEW journal_next (seq, at) AS
  SELECT coalesce((SELECT seq FROM journal_tail), 0) + 1,
         max((SELECT now_ms FROM clock), coalesce((SELECT at FROM journal_tail), 0));

-- The last hash of the decision chain; 64 zeros before the first decision.
CREATE VIEW chain_head (hash) AS
  SELECT coalesce((SELECT hash FROM decisions WHERE rowid = (SELECT max(rowid) FROM decisions)),
                  '0000000000000000000000000000000000000000000000000000000000000000');

-- Close decisions newer than the last attempt.
CREATE VIEW standing_close (op_key) AS
  SELECT i.op_key
  FROM intents AS i
  JOIN events AS e ON e.op_key = i.op_key AND e.seq > coalesce(i.last_attempt_seq, 0)
  JOIN decisions AS d ON d.decision_id = json_extract(e.detail, '$.decision_id') AND d.op_key = i.op_key
  WHERE e.kind = 'close_not_delivered' AND d.kind = 'close_not_delivered';

-- Retry decisions that no attempt has used yet, and that nothing since speaks against:
-- no lookup that came upon something, no attempt that came back (its sender was alive
-- after all), no dispute. Whoever asks compares valid_until.
CREATE VIEW standing_retry (op_key, valid_until) AS
  SELECT i.op_key, d.until
  FROM intents AS i
  JOIN events AS e ON e.op_key = i.op_key AND e.seq > coalesce(i.last_attempt_seq, 0)
  JOIN decisions AS d ON d.decision_id = json_extract(e.detail, '$.decision_id') AND d.op_key = i.op_key
  WHERE e.kind = 'retry_same_key' AND d.kind = 'retry_same_key' AND i.superseded_by IS NULL
    AND NOT EXISTS (
      SELECT 1 FROM events AS f
      WHERE f.op_key = e.op_key AND f.seq > e.seq
        AND (f.kind IN ('attempt_finished', 'dispute')
             OR f.kind = 'lookup_finished'
                AND (json_extract(f.detail, '$.outcome[1]') IN ('found', 'in_progress', 'refused', 'ambiguous')
                     OR EXISTS (SELECT 1 FROM lookups AS l
                                WHERE l.lookup_id = json_extract(f.detail, '$.lookup_id[1]')
                                  AND json_extract(l.evidence, '$.heard')))));

-- What bears out a final state, and by whose hand. A NULL receipt names none. A
-- refusal bears out FAILED only where it covers all that was ever sent.
CREATE VIEW settlement_evidence (op_key, state, receipt, settled_by) AS
  SELECT op_key, 'DELIVERED', receipt, 'sender' FROM attempts WHERE outcome = 'delivered'
  UNION ALL
  SELECT a.op_key, 'FAILED', NULL, 'sender'
  FROM attempts AS a
  WHERE a.outcome = 'rejected'
    AND NOT EXISTS (SELECT 1 FROM attempts AS b
                    WHERE b.op_key = a.op_key AND (b.outcome IS NULL OR b.outcome IN ('unknown', 'delivered')))
  UNION ALL
  SELECT l.op_key, 'DELIVERED', l.receipt, 'lookup'
  FROM lookups AS l JOIN intents AS i ON i.op_key = l.op_key
  WHERE l.outcome = 'found' AND l.receipt IS NOT NULL AND l.payload_sha256 = i.payload_sha256
    AND l.cause IS NOT 'withdrawn'
  UNION ALL
  SELECT op_key, 'DELIVERED', receipt, 'operator' FROM decisions WHERE kind = 'mark_delivered'
  UNION ALL
  SELECT op_key, 'FAILED', NULL, 'operator' FROM standing_close;

-- Evidence that disagrees with what was decided: delivered (or being worked on)
-- after it was closed or replaced, delivered under another receipt, or marked by
-- hand and then proven otherwise. A receipt is one whatever its attempt came to. Two
-- views, so that SQLite finds one row by its key whatever the size of the ledger.
CREATE VIEW attempt_disagreements (op_key, attempt_id) AS
  SELECT a.op_key, a.attempt_id
  FROM attempts AS a JOIN intents AS i ON i.op_key = a.op_key
  WHERE (a.outcome = 'delivered' OR a.receipt IS NOT NULL)
    AND (i.state = 'FAILED' OR i.superseded_by IS NOT NULL OR (i.state = 'DELIVERED' AND a.receipt <> i.receipt));

-- The same disagreement as the newest one, shown once more by the same way of asking,
-- says nothing new; any other one does, however often it was dealt with.
CREATE VIEW lookup_disagreements (op_key, lookup_id) AS
  SELECT l.op_key, l.lookup_id
  FROM lookups AS l JOIN intents AS i ON i.op_key = l.op_key
  WHERE CASE -- lazily: what agrees never looks at what was said before
      WHEN CASE
          WHEN i.state = 'FAILED' OR i.superseded_by IS NOT NULL
            -- Whatever shows that something came, or takes away the proof by which it was
            -- decided. A refusal agrees where it is the proof, or the sender's own word.
            THEN l.outcome IN ('found', 'in_progress', 'ambiguous')
              OR json_extract(l.evidence, '$.heard')
              OR (l.outcome = 'refused' AND (l.payload_sha256 <> i.payload_sha256
                OR (i.settled_by IS NOT 'sender' AND NOT EXISTS (
                  SELECT 1 FROM lookups AS r
                  WHERE r.op_key = l.op_key AND json_extract(r.evidence, '$.proves') = 'refused'))))
          WHEN i.state = 'DELIVERED' AND i.settled_by = 'operator'
            THEN (l.outcome = 'found' AND (l.receipt <> i.receipt OR l.payload_sha256 <> i.payload_sha256))
              OR l.outcome = 'ambiguous'
              OR json_extract(l.evidence, '$.proves') IN ('absent', 'refused', 'wrong_owner', 'withdrawn')
          WHEN i.state = 'DELIVERED' THEN l.outcome = 'found' AND l.receipt <> i.receipt
        END
      THEN NOT EXISTS (
        SELECT 1
        FROM lookups AS p
        WHERE p.lookup_id = (SELECT json_extract(e.detail, '$.lookup_id[1]') FROM events AS e
                             WHERE e.op_key = l.op_key AND e.kind = 'contradicted' ORDER BY e.seq DESC LIMIT 1)
          AND p.outcome = l.outcome AND p.receipt IS l.receipt AND p.payload_sha256 IS l.payload_sha256
          AND p.owner IS l.owner AND p.cause IS l.cause
          AND p.connector = l.connector AND p.environment IS l.environment
          -- proves counts where it alone disagrees: what is found once more proves
          -- nothing by itself, because the first one does already
          AND ((json_extract(l.evidence, '$.proves') IN ('absent', 'refused', 'wrong_owner', 'withdrawn')) IS NOT TRUE
               OR json_extract(p.evidence, '$.proves') IS json_extract(l.evidence, '$.proves')))
    END;

-- What the journal says of the columns that a writer may change: equal to the row
-- at the end of every statement.
CREATE VIEW journaled (op_key, state, cancel_requested_at, updated_by, updated_at) AS
  SELECT i.op_key,
    (SELECT json_extract(e.detail, '$.state[1]') FROM events AS e
     WHERE e.op_key = i.op_key AND e.kind IN ('begun', 'changed') AND json_type(e.detail, '$.state') IS NOT NULL
     ORDER BY e.seq DESC LIMIT 1),
    (SELECT json_extract(e.detail, '$.cancel_requested_at[1]') FROM events AS e
     WHERE e.op_key = i.op_key AND e.kind IN ('begun', 'changed') AND json_type(e.detail, '$.cancel_requested_at') IS NOT NULL
     ORDER BY e.seq DESC LIMIT 1),
    (SELECT json_extract(e.detail, '$.updated_by[1]') FROM events AS e
     WHERE e.op_key = i.op_key AND e.kind IN ('begun', 'changed') AND json_type(e.detail, '$.updated_by') IS NOT NULL
     ORDER BY e.seq DESC LIMIT 1),
    (SELECT coalesce(json_extract(e.detail, '$.updated_at[1]'), e.at) FROM events AS e
     WHERE e.op_key = i.op_key AND json_type(e.detail, '$.version') IS NOT NULL
     ORDER BY e.seq DESC LIMIT 1)
  FROM intents AS i;

-- Successors that wait: something they take the place of, directly or further back, was
-- found since and nobody has acknowledged that, so that sending them may be a duplicate.
-- by is the nearest such intent.
CREATE VIEW held_back (op_key, by) AS
  SELECT i.op_key, (
    WITH RECURSIVE before (op_key) AS (
      SELECT i.supersedes
      UNION
      SELECT p.supersedes FROM before JOIN intents AS p ON p.op_key = before.op_key
    )
    SELECT p.op_key
    FROM before JOIN intents AS p ON p.op_key = before.op_key
    WHERE p.contradicted_at IS NOT NULL AND p.acknowledged_at IS NULL
    LIMIT 1)
  FROM intents AS i;

-- Intents that nothing keeps from being sent but what their attempts came to.
CREATE VIEW not_held_back (op_key, state, queue, attempt_count, max_attempts) AS
  SELECT i.op_key, i.state, i.queue, i.attempt_count, i.max_attempts
  FROM intents AS i
  LEFT JOIN grants AS g ON g.grant_id = i.grant_id
  WHERE i.superseded_by IS NULL
    AND (i.supersedes IS NULL OR (SELECT h.by FROM held_back AS h WHERE h.op_key = i.op_key) IS NULL)
    AND i.in_flight IS NULL
    AND i.cancel_requested_at IS NULL
    AND (i.deadline_at IS NULL OR i.deadline_at >= (SELECT now_ms FROM clock))
    AND g.revoked_at IS NULL
    AND (g.expires_at IS NULL OR g.expires_at > (SELECT now_ms FROM clock));

-- What a sender may send now: what was never sent, and retries that were decided
-- and still stand. Inserting the attempt is the claim.
CREATE VIEW sendable (op_key, why) AS
  SELECT i.op_key, CASE WHEN i.attempt_count = 0 THEN 'never_attempted' ELSE 'not_sent' END
  FROM not_held_back AS i
  WHERE i.queue = 2
    AND (i.max_attempts IS NULL OR i.attempt_count < i.max_attempts)
    AND NOT EXISTS (SELECT 1 FROM attempts AS a WHERE a.op_key = i.op_key AND a.outcome IS NOT 'not_sent')
  UNION ALL
  SELECT i.op_key, 'retry_decided'
  FROM decisions AS d
  JOIN not_held_back AS i ON i.op_key = d.op_key
  WHERE d.kind = 'retry_same_key' AND d.until >= (SELECT now_ms FROM clock)
    AND i.state IN ('UNKNOWN', 'PENDING')
    AND EXISTS (SELECT 1 FROM standing_retry AS r
                WHERE r.op_key = d.op_key AND r.valid_until >= (SELECT now_ms FROM clock))
    -- one row for each intent: the newest of its retries that stand
    AND NOT EXISTS (SELECT 1 FROM decisions AS later
                    WHERE later.op_key = d.op_key AND later.kind = 'retry_same_key' AND later.rowid > d.rowid
                      AND later.until >= (SELECT now_ms FROM clock))
    AND NOT EXISTS (SELECT 1 FROM attempts AS a WHERE a.op_key = d.op_key AND a.outcome = 'delivered')
    AND (i.queue IS NOT 2 OR i.attempt_count >= i.max_attempts
         OR EXISTS (SELECT 1 FROM attempts AS a WHERE a.op_key = d.op_key AND a.outcome IS NOT 'not_sent'));
