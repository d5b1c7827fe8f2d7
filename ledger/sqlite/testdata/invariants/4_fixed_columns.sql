-- What is fixed at begin, and what only triggers set.

-- case: task is fixed at begin
-- given: begun, second
-- refused: same_key_different_payload
UPDATE intents SET task = 'x' WHERE op_key = 'a';

-- case: stage is fixed at begin
-- given: begun, second
-- refused: same_key_different_payload
UPDATE intents SET stage = 'x' WHERE op_key = 'a';

-- case: principal is fixed at begin
-- given: begun, second
-- refused: same_key_different_payload
UPDATE intents SET principal = 'x' WHERE op_key = 'a';

-- case: target is fixed at begin
-- given: begun, second
-- refused: same_key_different_payload
UPDATE intents SET target = 'x' WHERE op_key = 'a';

-- case: payload_sha256 is fixed at begin
-- given: begun, second
-- refused: same_key_different_payload
UPDATE intents SET payload_sha256 = @h2 WHERE op_key = 'a';

-- case: payload_bytes is fixed at begin
-- given: begun, second
-- refused: same_key_different_payload
UPDATE intents SET payload_bytes = 1 WHERE op_key = 'a';

-- case: payload_ref is fixed at begin
-- given: begun, second
-- refused: same_key_different_payload
UPDATE intents SET payload_ref = 'x' WHERE op_key = 'a';

-- case: grant_id is fixed at begin
-- given: begun, second
-- refused: same_key_different_payload
UPDATE intents SET grant_id = 'g' WHERE op_key = 'a';

-- case: max_attempts is fixed at begin
-- given: begun, second
-- refused: same_key_different_payload
UPDATE intents SET max_attempts = 9 WHERE op_key = 'a';

-- case: deadline_at is fixed at begin
-- given: begun, second
-- refused: same_key_different_payload
UPDATE intents SET deadline_at = @now WHERE op_key = 'a';

-- case: supersedes is fixed at begin
-- given: begun, second
-- refused: same_key_different_payload
UPDATE intents SET supersedes = 'b' WHERE op_key = 'a';

-- case: created_at is fixed at begin
-- given: begun, second
-- refused: same_key_different_payload
UPDATE intents SET created_at = @now-1 WHERE op_key = 'a';

-- case: op_key is fixed at begin
-- given: begun, second
-- refused: same_key_different_payload
UPDATE intents SET op_key = 'z' WHERE op_key = 'a';

-- case: stage is fixed at begin, also from NULL and its default
-- given: begun
-- refused: same_key_different_payload
UPDATE OR REPLACE intents SET stage = NULL;

-- case: created_at is fixed at begin, also from NULL and its default
-- given: begun
-- refused: same_key_different_payload
UPDATE OR REPLACE intents SET created_at = NULL;

-- case: task is fixed at begin, also from NULL and its default
-- given: begun
-- refused: same_key_different_payload
UPDATE OR REPLACE intents SET task = NULL;

-- case: version goes back to its default through NULL
-- given: begun, attempt open
-- refused: illegal_transition
UPDATE OR REPLACE intents SET version = NULL;

-- case: updated_at goes back to its default through NULL
-- given: begun, attempt open
-- refused: illegal_transition
UPDATE OR REPLACE intents SET updated_at = NULL;

-- case: updated_by goes back to its default through NULL
-- given: begun, attempt open
-- refused: illegal_transition
UPDATE OR REPLACE intents SET updated_by = NULL;

-- case: attempt_count goes back to its default through NULL
-- given: begun, attempt open
-- refused: illegal_transition
UPDATE OR REPLACE intents SET attempt_count = NULL;

-- case: superseded_by is kept by triggers
-- given: begun, attempt open
-- refused: illegal_transition
UPDATE intents SET superseded_by = 'b';

-- case: superseded_by is kept by triggers, whatever the version says
-- given: begun, attempt open
-- refused: illegal_transition
UPDATE OR REPLACE intents SET superseded_by = 'b', version = version + 1;

-- case: contradicted_at is kept by triggers
-- given: begun, attempt open
-- refused: illegal_transition
UPDATE intents SET contradicted_at = @now;

-- case: contradicted_at is kept by triggers, whatever the version says
-- given: begun, attempt open
-- refused: illegal_transition
UPDATE OR REPLACE intents SET contradicted_at = @now, version = version + 1;

-- case: snoozed_until is kept by triggers
-- given: begun, attempt open
-- refused: illegal_transition
UPDATE intents SET snoozed_until = @now;

-- case: snoozed_until is kept by triggers, whatever the version says
-- given: begun, attempt open
-- refused: illegal_transition
UPDATE OR REPLACE intents SET snoozed_until = @now, version = version + 1;

-- case: attempt_count is kept by triggers
-- given: begun, attempt open
-- refused: illegal_transition
UPDATE intents SET attempt_count = 0;

-- case: attempt_count is kept by triggers, whatever the version says
-- given: begun, attempt open
-- refused: illegal_transition
UPDATE OR REPLACE intents SET attempt_count = 0, version = version + 1;

-- case: last_attempt_at is kept by triggers
-- given: begun, attempt open
-- refused: illegal_transition
UPDATE intents SET last_attempt_at = @now-1;

-- case: last_attempt_at is kept by triggers, whatever the version says
-- given: begun, attempt open
-- refused: illegal_transition
UPDATE OR REPLACE intents SET last_attempt_at = @now-1, version = version + 1;

-- case: last_attempt_seq is kept by triggers
-- given: begun, attempt open
-- refused: illegal_transition
UPDATE intents SET last_attempt_seq = 0;

-- case: last_attempt_seq is kept by triggers, whatever the version says
-- given: begun, attempt open
-- refused: illegal_transition
UPDATE OR REPLACE intents SET last_attempt_seq = 0, version = version + 1;

-- case: last_outcome is kept by triggers
-- given: begun, attempt open
-- refused: illegal_transition
UPDATE intents SET last_outcome = 'not_sent';

-- case: last_outcome is kept by triggers, whatever the version says
-- given: begun, attempt open
-- refused: illegal_transition
UPDATE OR REPLACE intents SET last_outcome = 'not_sent', version = version + 1;

-- case: last_cause is kept by triggers
-- given: begun, attempt open
-- refused: illegal_transition
UPDATE intents SET last_cause = 'x';

-- case: last_cause is kept by triggers, whatever the version says
-- given: begun, attempt open
-- refused: illegal_transition
UPDATE OR REPLACE intents SET last_cause = 'x', version = version + 1;

-- case: in_flight is kept by triggers
-- given: begun, attempt open
-- refused: illegal_transition
UPDATE intents SET in_flight = NULL;

-- case: in_flight is kept by triggers, whatever the version says
-- given: begun, attempt open
-- refused: illegal_transition
UPDATE OR REPLACE intents SET in_flight = NULL, version = version + 1;

-- case: set_aside_at is kept by triggers
-- given: begun, attempt open
-- refused: illegal_transition
UPDATE intents SET set_aside_at = @now;

-- case: set_aside_at is kept by triggers, whatever the version says
-- given: begun, attempt open
-- refused: illegal_transition
UPDATE OR REPLACE intents SET set_aside_at = @now, version = version + 1;

-- case: acknowledged_at is kept by triggers
-- given: begun, attempt open
-- refused: illegal_transition
UPDATE intents SET acknowledged_at = @now;

-- case: acknowledged_at is kept by triggers, whatever the version says
-- given: begun, attempt open
-- refused: illegal_transition
UPDATE OR REPLACE intents SET acknowledged_at = @now, version = version + 1;

-- case: queue is kept by triggers
-- given: begun, attempt open
-- refused: illegal_transition
UPDATE intents SET queue = NULL;

-- case: queue is kept by triggers, whatever the version says
-- given: begun, attempt open
-- refused: illegal_transition
UPDATE OR REPLACE intents SET queue = NULL, version = version + 1;

-- case: the version goes up by hand
-- given: begun, attempt open
-- refused: illegal_transition
UPDATE intents SET version = version + 1;

-- case: the version goes down by hand
-- given: begun, attempt open
-- refused: illegal_transition
UPDATE intents SET version = version - 1;

-- case: the version jumps
-- given: begun, attempt open
-- refused: illegal_transition
UPDATE intents SET version = 99;

-- case: the version goes up by hand beside a legal change
-- given: begun, attempt open
-- refused: illegal_transition
UPDATE intents SET state = 'UNKNOWN', version = version + 1;

-- case: derived columns by hand while the newest event is a note
-- given: begun, attempt open, noted
-- refused: illegal_transition
UPDATE intents SET in_flight = NULL, version = version + 1;

-- case: derived columns by hand while the newest event is of another intent
-- given: begun, attempt open, second
-- refused: illegal_transition
UPDATE intents SET in_flight = NULL, version = version + 1 WHERE op_key = 'a';

-- case: a superseded intent comes back by hand
-- given: begun, attempt unknown, unknown, reissue decided, succeeded
-- refused: illegal_transition
UPDATE intents SET superseded_by = NULL, queue = 1, version = version + 1 WHERE op_key = 'a';

-- case: a contradiction is wiped away by hand
-- given: begun, attempt unknown, unknown, close decided, closed, lookup found
-- refused: illegal_transition
UPDATE intents SET contradicted_at = NULL, queue = NULL, version = version + 1;

-- case: a used retry is made good again by winding back last_attempt_seq
-- given: begun, attempt unknown, unknown, retry decided
-- refused: illegal_transition
INSERT INTO attempts (attempt_id, op_key, n, started_at, finished_at, outcome) VALUES ('a2', 'a', 2, @now, @now, 'unknown');
UPDATE intents SET last_attempt_seq = 0, version = version + 1;

-- case: a writer's own updated_at and updated_by are kept and journaled
-- given: begun
-- passes:
UPDATE intents SET updated_at = @now-5, updated_by = 'sender-2';
-- then: SELECT json_extract(detail, '$.updated_by[1]') || (json_extract(detail, '$.updated_at[1]') = @now-5) FROM events WHERE kind = 'changed' => sender-21
-- then: SELECT (updated_at = @now-5) || version FROM intents => 12

-- case: a wish to cancel is journaled
-- given: begun
-- passes:
UPDATE intents SET cancel_requested_at = @now;
-- then: SELECT json_extract(detail, '$.cancel_requested_at[1]') = @now FROM events WHERE kind = 'changed' => 1

-- case: a change that says nothing of its time gets that of its event
-- given: begun, unknown
-- passes:
SELECT 1;
-- then: SELECT i.updated_at = e.at FROM intents AS i, events AS e WHERE e.kind = 'changed' => 1

-- case: DELETE of an intent
-- given: begun
-- refused: append_only
DELETE FROM intents WHERE op_key = 'a';

-- case: DELETE of all intents
-- given: begun, second
-- refused: append_only
DELETE FROM intents;

-- case: DELETE with RETURNING
-- given: begun
-- refused: append_only
DELETE FROM intents RETURNING *;
