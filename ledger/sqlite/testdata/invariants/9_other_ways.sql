-- Other ways in: names that shadow the ledger's own, conflict clauses that reach into
-- triggers, values that change their type on the way.

-- case: a TEMP view in place of the chain's head
-- given: begun, noted
-- refused: stale_head
CREATE TEMP VIEW chain_head (hash) AS SELECT @h1;
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash) VALUES ('d', 'a', @now, 'ann', 'note', 'x', @h1, @next);

-- case: a TEMP view in place of the standing retries
-- given: begun, attempt unknown, unknown
-- refused: decision_required
CREATE TEMP VIEW standing_retry (op_key, valid_until) AS SELECT 'a', 7258118400000;
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a2', 'a', 2, @now);

-- case: a TEMP view in place of the evidence
-- given: begun, attempt open
-- refused: illegal_transition
CREATE TEMP VIEW settlement_evidence (op_key, state, receipt, settled_by) AS SELECT 'a', 'DELIVERED', 'R', 'sender';
UPDATE intents SET state = 'DELIVERED', receipt = 'R';

-- case: a TEMP view in place of the clock
-- refused: budget_spent
CREATE TEMP VIEW clock (now_ms) AS SELECT 946684800000;
INSERT INTO intents (op_key, task, principal, target, payload_sha256, deadline_at) VALUES ('a', 't', 'p', 'r', @h1, @now-1000);
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a1', 'a', 1, @now-60000);

-- case: a TEMP view in place of the end of the journal
-- given: begun
-- refused: append_only
CREATE TEMP VIEW journal_next (seq, at) AS SELECT 1, 0;
INSERT INTO main.events (seq, at, op_key, kind, actor, detail) SELECT seq, at, 'a', 'note', 'me', '{}' FROM journal_next;

-- case: a TEMP table in place of the grants
-- given: granted, begun on grant
-- refused: not_authorised
UPDATE grants SET revoked_at = @now;
CREATE TEMP TABLE grants (grant_id, revoked_at, expires_at);
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a1', 'a', 1, @now);

-- case: a key given as a number is the text of that number
-- passes:
INSERT INTO intents (op_key, task, principal, target, payload_sha256) VALUES (17, 't', 'p', 'r', @h1);
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES (1, 17, '1', @now);
-- then: SELECT typeof(op_key) || op_key || in_flight FROM intents => text171
-- then: SELECT count(DISTINCT op_key) FROM events => 1

-- case: other content under a key given as a number
-- refused: same_key_different_payload
INSERT INTO intents (op_key, task, principal, target, payload_sha256) VALUES ('17', 't', 'p', 'r', @h1);
INSERT OR REPLACE INTO intents (op_key, task, principal, target, payload_sha256) VALUES (17, 't', 'p', 'r', @h2);

-- case: a time given as a whole real is taken
-- given: begun
-- passes:
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a1', 'a', 1.0, @now + 0.0);
-- then: SELECT typeof(started_at) || typeof(n) FROM attempts => integerinteger

-- case: a time with a fraction
-- given: begun
-- refused: -
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a1', 'a', 1, @now + 0.5);

-- case: an attempt without n
-- given: begun
-- refused: -
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a1', 'a', NULL, @now);

-- case: an attempt without n, OR REPLACE
-- given: begun
-- refused: -
INSERT OR REPLACE INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a1', 'a', NULL, @now);

-- case: begin OR IGNORE drops no event
-- passes:
INSERT OR IGNORE INTO intents (op_key, task, principal, target, payload_sha256, updated_by) VALUES ('a', 't', 'p', 'r', @h1, 'me');
-- then: SELECT count(*) FROM events => 1

-- case: attempt, finish and settle OR IGNORE drop no event
-- given: begun
-- passes:
INSERT OR IGNORE INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a1', 'a', 1, @now);
UPDATE OR IGNORE attempts SET finished_at = @now, outcome = 'delivered', receipt = 'R';
UPDATE OR IGNORE intents SET state = 'DELIVERED', receipt = 'R';
-- then: SELECT count(*) || max(seq) FROM events => 44
-- then: SELECT version || settled_by FROM intents => 4sender

-- case: attempt, finish and settle OR REPLACE drop no event
-- given: begun
-- passes:
INSERT OR REPLACE INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a1', 'a', 1, @now);
UPDATE OR REPLACE attempts SET finished_at = @now, outcome = 'delivered', receipt = 'R';
UPDATE OR REPLACE intents SET state = 'DELIVERED', receipt = 'R';
-- then: SELECT count(*) FROM events => 4

-- case: attempt, finish and settle OR FAIL drop no event
-- given: begun
-- passes:
INSERT OR FAIL INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a1', 'a', 1, @now);
UPDATE OR FAIL attempts SET finished_at = @now, outcome = 'delivered', receipt = 'R';
UPDATE OR FAIL intents SET state = 'DELIVERED', receipt = 'R';
-- then: SELECT count(*) FROM events => 4

-- case: decisions OR IGNORE drop no event and no effect
-- given: begun, attempt open
-- passes:
INSERT OR IGNORE INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash) VALUES ('d', 'a', @now, 'ann', 'abandon_attempt', 'killed', @head, @next);
INSERT OR REPLACE INTO decisions (decision_id, op_key, at, operator, kind, reason, until, prev_hash, hash) VALUES ('e', 'a', @now, 'ann', 'snooze', 'later', @now+1000, @head, @next);
INSERT OR IGNORE INTO decisions (decision_id, op_key, at, operator, kind, reason, new_op_key, prev_hash, hash) VALUES ('f', 'a', @now, 'ann', 'reissue', 'x', 'a-2', @head, @next);
INSERT OR IGNORE INTO intents (op_key, task, principal, target, payload_sha256, supersedes) VALUES ('a-2', 't', 'p', 'r', @h1, 'a');
-- then: SELECT state || superseded_by || (snoozed_until IS NOT NULL) || version FROM intents WHERE op_key = 'a' => UNKNOWNa-216

-- case: lookups and their contradiction OR IGNORE drop no event
-- given: begun, attempt unknown, unknown, close decided, closed
-- passes:
INSERT OR IGNORE INTO lookups (lookup_id, op_key, started_at, actor, connector) VALUES ('l1', 'a', @now, 'ann', 'http');
UPDATE OR REPLACE lookups SET finished_at = @now, outcome = 'found', receipt = 'R', payload_sha256 = @h1;
-- then: SELECT count(*) FROM events WHERE kind IN ('lookup_started', 'lookup_finished', 'contradicted') => 3

-- case: a claim and a grant OR IGNORE drop no event
-- given: begun
-- passes:
INSERT OR IGNORE INTO claims (op_key, operator, claimed_at, expires_at) VALUES ('a', 'ann', @now, @now+1);
UPDATE OR IGNORE claims SET expires_at = @now+2;
INSERT OR IGNORE INTO grants (grant_id, principal, target, granted_by, granted_at) VALUES ('g', 'p', 'r', 'boss', @now);
UPDATE OR IGNORE grants SET revoked_at = @now;
-- then: SELECT count(*) FROM events => 5

-- case: a decision with a hash that stands already, OR IGNORE
-- given: begun, noted
-- refused: append_only
INSERT OR IGNORE INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash) VALUES ('d', 'a', @now, 'ann', 'note', 'x', @head, @head);

-- case: a statement that writes two attempts, the second of which a CHECK drops, OR IGNORE
-- given: begun, second
-- passes:
INSERT OR IGNORE INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a1', 'a', 1, @now), ('b1', 'b', 1, 5);
-- then: SELECT group_concat(attempt_id) FROM attempts => a1
-- then: SELECT count(*) FROM events => 3

-- case: a statement that writes two attempts, the second of which a CHECK stops, OR ABORT
-- given: begun, second
-- refused: -
INSERT OR ABORT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a1', 'a', 1, @now), ('b1', 'b', 1, 5);

-- case: finishing several attempts at once
-- given: begun, second, attempt open
-- passes:
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('b1', 'b', 1, @now);
UPDATE attempts SET finished_at = @now, outcome = 'unknown', cause = 'timeout' WHERE outcome IS NULL RETURNING attempt_id;
-- then: SELECT count(*) FROM events WHERE kind = 'attempt_finished' => 2
-- then: SELECT count(*) FROM intents WHERE in_flight IS NULL AND last_outcome = 'unknown' => 2

-- case: UPDATE … FROM that names a row twice changes it once
-- given: begun
-- passes:
UPDATE intents SET state = 'UNKNOWN' FROM (VALUES (1), (2)) AS twice;
-- then: SELECT version FROM intents => 2

-- case: a table of an agent beside the ledger changes nothing in it
-- given: begun
-- passes:
CREATE TABLE agents_own (x);
INSERT INTO agents_own VALUES (1);
-- then: SELECT count(*) FROM events => 1
