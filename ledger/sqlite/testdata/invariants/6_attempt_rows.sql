-- Attempts: their rows never change once they are finished, and none is lost.

-- case: finish
-- given: begun, attempt open
-- passes:
UPDATE attempts SET finished_at = @now, outcome = 'unknown', cause = 'timeout', error = 'no answer', http_status = 504 WHERE attempt_id = 'a1';
-- then: SELECT ifnull(in_flight, '-') || last_outcome || last_cause || version FROM intents => -unknowntimeout3
-- then: SELECT json_extract(detail, '$.http_status[1]') FROM events WHERE kind = 'attempt_finished' => 504

-- case: finish twice
-- given: begun, attempt unknown
-- refused: append_only
UPDATE attempts SET outcome = 'delivered', receipt = 'R';

-- case: finish twice, OR IGNORE
-- given: begun, attempt unknown
-- refused: append_only
UPDATE OR IGNORE attempts SET outcome = 'not_sent';

-- case: a finished attempt gets a receipt
-- given: begun, attempt unknown
-- refused: append_only
UPDATE attempts SET receipt = 'R';

-- case: a finished attempt is opened again
-- given: begun, attempt unknown
-- refused: append_only
UPDATE attempts SET outcome = NULL, finished_at = NULL;

-- case: a finished attempt is written as it is
-- given: begun, attempt unknown
-- refused: append_only
UPDATE attempts SET outcome = outcome;

-- case: an open attempt changes before it finishes
-- given: begun, attempt open
-- refused: append_only
UPDATE attempts SET error = 'still waiting';

-- case: an attempt gets another start
-- given: begun, attempt open
-- refused: append_only
UPDATE attempts SET started_at = @now+1, finished_at = @now, outcome = 'unknown';

-- case: an attempt gets another n
-- given: begun, attempt open
-- refused: append_only
UPDATE attempts SET n = 5;

-- case: an attempt moves to another intent
-- given: begun, second, attempt open
-- refused: append_only
UPDATE attempts SET op_key = 'b';

-- case: an attempt gets another id
-- given: begun, attempt open
-- refused: append_only
UPDATE attempts SET attempt_id = 'z', finished_at = @now, outcome = 'unknown';

-- case: an attempt gets another layer, through NULL and its default
-- given: begun
-- refused: append_only
INSERT INTO attempts (attempt_id, op_key, n, layer, started_at) VALUES ('a1', 'a', 1, 'sdk', @now);
UPDATE OR REPLACE attempts SET layer = NULL, finished_at = @now, outcome = 'unknown';

-- case: an attempt gets another seq
-- given: begun, attempt open
-- refused: append_only
UPDATE attempts SET seq = 1;

-- case: an attempt loses its seq
-- given: begun, attempt open
-- refused: append_only
UPDATE attempts SET seq = NULL, finished_at = @now, outcome = 'unknown';

-- case: an attempt arrives with a seq
-- given: begun
-- refused: append_only
INSERT INTO attempts (attempt_id, op_key, n, started_at, seq) VALUES ('a1', 'a', 1, @now, 1);

-- case: UPDATE of an attempt's rowid
-- given: begun, attempt open
-- refused: append_only
UPDATE attempts SET rowid = 9;

-- case: REPLACE through attempt_id
-- given: budgeted, attempt unknown
-- refused: append_only
INSERT OR REPLACE INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a1', 'a', 2, @now);

-- case: REPLACE through attempt_id from another intent
-- given: begun, second, attempt unknown
-- refused: append_only
INSERT OR REPLACE INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a1', 'b', 1, @now);

-- case: REPLACE through (op_key, n)
-- given: budgeted, attempt unknown
-- refused: append_only
INSERT OR REPLACE INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a2', 'a', 1, @now);

-- case: REPLACE through the rowid of an attempt
-- given: begun, second, attempt unknown
-- refused: append_only
INSERT OR REPLACE INTO attempts (rowid, attempt_id, op_key, n, started_at) VALUES (1, 'b1', 'b', 1, @now);

-- case: REPLACE of an open attempt by a finished one
-- given: begun, attempt open
-- refused: budget_spent
INSERT OR REPLACE INTO attempts (attempt_id, op_key, n, started_at, finished_at, outcome) VALUES ('a1', 'a', 1, @now, @now, 'not_sent');

-- case: REPLACE of an open attempt by a finished one, within a budget
-- given: budgeted, attempt open
-- refused: append_only
INSERT OR REPLACE INTO attempts (attempt_id, op_key, n, started_at, finished_at, outcome) VALUES ('a1', 'a', 1, @now, @now, 'not_sent');

-- case: a reused id says nothing, OR IGNORE
-- given: budgeted, attempt unknown
-- silent:
INSERT OR IGNORE INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a1', 'a', 2, @now);

-- case: a reused n says nothing, OR IGNORE
-- given: budgeted, attempt unknown
-- silent:
INSERT OR IGNORE INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a2', 'a', 1, @now);

-- case: an n below an earlier one
-- given: budgeted
-- refused: append_only
INSERT INTO attempts (attempt_id, op_key, n, started_at, finished_at, outcome) VALUES ('a5', 'a', 5, @now, @now, 'not_sent');
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a2', 'a', 2, @now);

-- case: an upsert that finishes an attempt twice
-- given: budgeted, attempt unknown
-- refused: append_only
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a1', 'a', 2, @now) ON CONFLICT (attempt_id) DO UPDATE SET outcome = 'not_sent';

-- case: a rowid ahead of its turn
-- given: begun
-- refused: append_only
INSERT INTO attempts (rowid, attempt_id, op_key, n, started_at) VALUES (7, 'a1', 'a', 1, @now);

-- case: an attempt that arrives finished leaves both its events
-- given: begun, attempt unknown
-- passes:
SELECT 1;
-- then: SELECT group_concat(kind) FROM events => begun,attempt_started,attempt_finished
-- then: SELECT version || last_outcome || ifnull(in_flight, '-') FROM intents => 3unknown-

-- case: an attempt that arrives finished leaves both its events, OR IGNORE
-- given: begun
-- passes:
INSERT OR IGNORE INTO attempts (attempt_id, op_key, n, started_at, finished_at, outcome) VALUES ('a1', 'a', 1, @now, @now, 'unknown');
-- then: SELECT group_concat(kind) FROM events => begun,attempt_started,attempt_finished

-- case: an attempt with its layer left to the default by NULL, OR REPLACE
-- given: begun
-- passes:
INSERT OR REPLACE INTO attempts (attempt_id, op_key, n, layer, started_at) VALUES ('a1', 'a', 1, NULL, @now);
-- then: SELECT json_extract(detail, '$.layer[1]') FROM events WHERE kind = 'attempt_started' => app

-- case: an attempt with RETURNING
-- given: begun
-- passes:
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a1', 'a', 1, @now) RETURNING attempt_id, n;

-- case: DELETE of an attempt
-- given: begun, attempt open
-- refused: append_only
DELETE FROM attempts WHERE attempt_id = 'a1';

-- case: DELETE of all attempts
-- given: begun, attempt unknown
-- refused: append_only
DELETE FROM attempts;

-- case: finishing is allowed on a superseded intent, and marks it contradicted
-- given: begun, attempt open, reissue decided, succeeded
-- passes:
UPDATE attempts SET finished_at = @now, outcome = 'delivered', receipt = 'R-1' WHERE attempt_id = 'a1';
-- then: SELECT (contradicted_at IS NOT NULL) || queue FROM intents WHERE op_key = 'a' => 10
-- then: SELECT kind FROM events ORDER BY seq DESC LIMIT 1 => contradicted

-- case: finishing is allowed on a closed intent, and marks it contradicted
-- given: begun, attempt open, abandoned, close decided, closed
-- passes:
UPDATE attempts SET finished_at = @now, outcome = 'delivered', receipt = 'R-1';
-- then: SELECT state || (contradicted_at IS NOT NULL) || queue FROM intents => FAILED10

-- case: finishing is allowed on a revoked grant, past the deadline, after a wish to cancel
-- given: granted, begun on grant, attempt open
-- passes:
UPDATE grants SET revoked_at = @now;
UPDATE intents SET cancel_requested_at = @now;
UPDATE attempts SET finished_at = @now, outcome = 'delivered', receipt = 'R-1';
UPDATE intents SET state = 'DELIVERED', receipt = 'R-1';
-- then: SELECT settled_by FROM intents => sender

-- case: a late receipt that differs from the one on record marks it contradicted
-- given: begun, attempt open, mark decided, delivered
-- passes:
UPDATE attempts SET finished_at = @now, outcome = 'delivered', receipt = 'R-7';
-- then: SELECT state || receipt || settled_by || queue FROM intents => DELIVEREDR-1operator0

-- case: a late receipt that equals the one on record agrees
-- given: begun, attempt open, mark decided, delivered
-- passes:
UPDATE attempts SET finished_at = @now, outcome = 'delivered', receipt = 'R-1';
-- then: SELECT contradicted_at IS NULL FROM intents => 1
