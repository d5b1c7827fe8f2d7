-- Beginning an intent: what its columns take, and that a key stands for one content.

-- case: begin
-- passes:
INSERT INTO intents (op_key, task, principal, target, payload_sha256) VALUES ('a', 't', 'p', 'r', @h1);
-- then: SELECT state || stage || version || updated_by || attempt_count FROM intents => PENDING1unknown0
-- then: SELECT kind || json_extract(detail, '$.state[1]') FROM events => begunPENDING

-- case: begin with every column that a sender sets
-- passes:
INSERT INTO intents (op_key, task, stage, principal, target, payload_sha256, payload_bytes, payload_ref, grant_id, max_attempts,
  deadline_at, cancel_requested_at, created_at, updated_at, updated_by)
VALUES ('a', 't', 's', 'p', 'r', @h1, 0, 'file:x', 'g', 3, @now+1000, @now, @now, @now, 'me');
-- then: SELECT count(*) FROM events WHERE json_extract(detail, '$.max_attempts[1]') = 3 => 1

-- case: begin the same again, OR IGNORE
-- given: begun
-- silent:
INSERT OR IGNORE INTO intents (op_key, task, principal, target, payload_sha256) VALUES ('a', 'weekly report', 'agent-1', 'inbox', @h1);

-- case: begin the same again, ON CONFLICT DO NOTHING
-- given: begun
-- silent:
INSERT INTO intents (op_key, task, principal, target, payload_sha256) VALUES ('a', 'weekly report', 'agent-1', 'inbox', @h1) ON CONFLICT DO NOTHING;

-- case: begin the same again, plainly
-- given: begun
-- refused: -
INSERT INTO intents (op_key, task, principal, target, payload_sha256) VALUES ('a', 'weekly report', 'agent-1', 'inbox', @h1);

-- case: begin the same again once it was delivered, OR IGNORE
-- given: begun, attempt delivered, delivered
-- silent:
INSERT OR IGNORE INTO intents (op_key, task, principal, target, payload_sha256) VALUES ('a', 'weekly report', 'agent-1', 'inbox', @h1);

-- case: other content under the key
-- given: begun
-- refused: same_key_different_payload
INSERT INTO intents (op_key, task, principal, target, payload_sha256) VALUES ('a', 'weekly report', 'agent-1', 'inbox', @h2);

-- case: other content under the key, OR IGNORE
-- given: begun
-- refused: same_key_different_payload
INSERT OR IGNORE INTO intents (op_key, task, principal, target, payload_sha256) VALUES ('a', 'weekly report', 'agent-1', 'inbox', @h2);

-- case: other content under the key, OR REPLACE
-- given: begun
-- refused: same_key_different_payload
INSERT OR REPLACE INTO intents (op_key, task, principal, target, payload_sha256) VALUES ('a', 'weekly report', 'agent-1', 'inbox', @h2);

-- case: other content under the key, ON CONFLICT DO NOTHING
-- given: begun
-- refused: same_key_different_payload
INSERT INTO intents (op_key, task, principal, target, payload_sha256) VALUES ('a', 'weekly report', 'agent-1', 'inbox', @h2) ON CONFLICT DO NOTHING;

-- case: another target under the key
-- given: begun
-- refused: same_key_different_payload
INSERT OR IGNORE INTO intents (op_key, task, principal, target, payload_sha256) VALUES ('a', 'weekly report', 'agent-1', 'outbox', @h1);

-- case: another principal under the key
-- given: begun
-- refused: same_key_different_payload
INSERT OR FAIL INTO intents (op_key, task, principal, target, payload_sha256) VALUES ('a', 'weekly report', 'agent-2', 'inbox', @h1);

-- case: other content under the key of a delivered intent
-- given: begun, attempt delivered, delivered
-- refused: same_key_different_payload
INSERT OR ROLLBACK INTO intents (op_key, task, principal, target, payload_sha256) VALUES ('a', 'weekly report', 'agent-1', 'inbox', @h2);

-- case: an upsert that changes the content
-- given: begun
-- refused: same_key_different_payload
INSERT INTO intents (op_key, task, principal, target, payload_sha256) VALUES ('a', 'weekly report', 'agent-1', 'inbox', @h1)
ON CONFLICT (op_key) DO UPDATE SET payload_sha256 = @h2;

-- case: an upsert that changes the task
-- given: begun
-- refused: same_key_different_payload
INSERT INTO intents (op_key, task, principal, target, payload_sha256) VALUES ('a', 'other', 'agent-1', 'inbox', @h1)
ON CONFLICT (op_key) DO UPDATE SET task = excluded.task;

-- case: an upsert that settles
-- given: begun
-- refused: illegal_transition
INSERT INTO intents (op_key, task, principal, target, payload_sha256) VALUES ('a', 'weekly report', 'agent-1', 'inbox', @h1)
ON CONFLICT (op_key) DO UPDATE SET state = 'DELIVERED', receipt = 'R';

-- case: two rows under one key with other content, in one statement
-- refused: same_key_different_payload
INSERT INTO intents (op_key, task, principal, target, payload_sha256) VALUES ('a', 't', 'p', 'r', @h1), ('a', 't', 'p', 'r', @h2);

-- case: two rows under one key with other content, OR FAIL
-- refused: same_key_different_payload
INSERT OR FAIL INTO intents (op_key, task, principal, target, payload_sha256) VALUES ('a', 't', 'p', 'r', @h1), ('a', 't', 'p', 'r', @h2);

-- case: several intents in one statement
-- passes:
INSERT INTO intents (op_key, task, principal, target, payload_sha256) VALUES ('a', 't', 'p', 'r', @h1), ('b', 't', 'p', 'r', @h1), ('c', 't', 'p', 'r', @h1);
-- then: SELECT group_concat(seq || op_key) FROM events => 1a,2b,3c

-- case: INSERT … SELECT from a CTE
-- passes:
WITH fresh (k) AS (VALUES ('a'), ('b')) INSERT INTO intents (op_key, task, principal, target, payload_sha256) SELECT k, 't', 'p', 'r', @h1 FROM fresh;
-- then: SELECT count(*) FROM events => 2

-- case: INSERT … SELECT that repeats every key with other content
-- given: begun, second
-- refused: same_key_different_payload
INSERT OR IGNORE INTO intents (op_key, task, principal, target, payload_sha256) SELECT op_key, task, principal, target, @h2 FROM intents;

-- case: begin with RETURNING
-- passes:
INSERT INTO intents (op_key, task, principal, target, payload_sha256) VALUES ('a', 't', 'p', 'r', @h1) RETURNING op_key, version;

-- case: REPLACE of the same content
-- given: begun
-- refused: append_only
REPLACE INTO intents (op_key, task, principal, target, payload_sha256) VALUES ('a', 'weekly report', 'agent-1', 'inbox', @h1);

-- case: REPLACE that would reset an UNKNOWN intent
-- given: begun, attempt unknown, unknown
-- refused: append_only
INSERT OR REPLACE INTO intents (op_key, task, principal, target, payload_sha256) VALUES ('a', 'weekly report', 'agent-1', 'inbox', @h1);

-- case: REPLACE through the rowid
-- given: begun
-- refused: append_only
INSERT OR REPLACE INTO intents (rowid, op_key, task, principal, target, payload_sha256) VALUES (1, 'z', 't', 'p', 'r', @h1);

-- case: REPLACE through the rowid by another of its names
-- given: begun
-- refused: append_only
INSERT OR REPLACE INTO intents (_rowid_, op_key, task, principal, target, payload_sha256) VALUES (1, 'z', 't', 'p', 'r', @h1);

-- case: REPLACE through supersedes
-- given: begun, attempt unknown, unknown, reissue decided, succeeded
-- refused: already_superseded
INSERT OR REPLACE INTO intents (op_key, task, principal, target, payload_sha256, supersedes) VALUES ('a-3', 't', 'p', 'r', @h1, 'a');

-- case: REPLACE of the successor itself
-- given: begun, attempt unknown, unknown, reissue decided, succeeded
-- refused: append_only
INSERT OR REPLACE INTO intents (op_key, task, principal, target, payload_sha256, supersedes) VALUES ('a-2', 'weekly report', 'agent-1', 'inbox', @h1, 'a');

-- case: UPDATE OR REPLACE onto another key
-- given: begun, second
-- refused: same_key_different_payload
UPDATE OR REPLACE intents SET op_key = 'a' WHERE op_key = 'b';

-- case: UPDATE OR REPLACE onto another rowid
-- given: begun, second
-- refused: append_only
UPDATE OR REPLACE intents SET rowid = 1 WHERE op_key = 'b';

-- case: UPDATE of the rowid
-- given: begun
-- refused: append_only
UPDATE intents SET rowid = 99;

-- case: a rowid ahead of its turn
-- refused: append_only
INSERT INTO intents (rowid, op_key, task, principal, target, payload_sha256) VALUES (9223372036854775807, 'a', 't', 'p', 'r', @h1);

-- case: rowid 0
-- refused: append_only
INSERT INTO intents (rowid, op_key, task, principal, target, payload_sha256) VALUES (0, 'a', 't', 'p', 'r', @h1);

-- case: rowid -1, which BEFORE triggers see for "none"
-- refused: append_only
INSERT INTO intents (rowid, op_key, task, principal, target, payload_sha256) VALUES (-1, 'a', 't', 'p', 'r', @h1);

-- case: begin in state UNKNOWN
-- refused: illegal_transition
INSERT INTO intents (op_key, task, principal, target, payload_sha256, state) VALUES ('a', 't', 'p', 'r', @h1, 'UNKNOWN');

-- case: begin in state DELIVERED with a receipt
-- refused: illegal_transition
INSERT INTO intents (op_key, task, principal, target, payload_sha256, state, receipt) VALUES ('a', 't', 'p', 'r', @h1, 'DELIVERED', 'R');

-- case: begin in state FAILED
-- refused: illegal_transition
INSERT OR IGNORE INTO intents (op_key, task, principal, target, payload_sha256, state) VALUES ('a', 't', 'p', 'r', @h1, 'FAILED');

-- case: begin with a receipt
-- refused: illegal_transition
INSERT INTO intents (op_key, task, principal, target, payload_sha256, receipt) VALUES ('a', 't', 'p', 'r', @h1, 'R');

-- case: begin as settled by somebody
-- refused: illegal_transition
INSERT INTO intents (op_key, task, principal, target, payload_sha256, settled_by) VALUES ('a', 't', 'p', 'r', @h1, 'sender');

-- case: begin at version 7
-- refused: illegal_transition
INSERT INTO intents (op_key, task, principal, target, payload_sha256, version) VALUES ('a', 't', 'p', 'r', @h1, 7);

-- case: begin as already superseded
-- given: begun
-- refused: illegal_transition
INSERT INTO intents (op_key, task, principal, target, payload_sha256, superseded_by) VALUES ('z', 't', 'p', 'r', @h1, 'a');

-- case: begin outside the queue
-- refused: illegal_transition
INSERT INTO intents (op_key, task, principal, target, payload_sha256, queue) VALUES ('a', 't', 'p', 'r', @h1, NULL);

-- case: begin with attempts already counted
-- refused: illegal_transition
INSERT INTO intents (op_key, task, principal, target, payload_sha256, attempt_count) VALUES ('a', 't', 'p', 'r', @h1, 1);

-- case: begin as snoozed
-- refused: illegal_transition
INSERT INTO intents (op_key, task, principal, target, payload_sha256, snoozed_until) VALUES ('a', 't', 'p', 'r', @h1, @now);

-- case: begin as contradicted
-- refused: illegal_transition
INSERT INTO intents (op_key, task, principal, target, payload_sha256, contradicted_at) VALUES ('a', 't', 'p', 'r', @h1, @now);

-- case: begin with a last attempt
-- refused: illegal_transition
INSERT INTO intents (op_key, task, principal, target, payload_sha256, last_attempt_seq) VALUES ('a', 't', 'p', 'r', @h1, 0);

-- case: begin as in flight
-- refused: illegal_transition
INSERT INTO intents (op_key, task, principal, target, payload_sha256, in_flight) VALUES ('a', 't', 'p', 'r', @h1, 'x');

-- case: begin as acknowledged
-- refused: illegal_transition
INSERT INTO intents (op_key, task, principal, target, payload_sha256, acknowledged_at) VALUES ('a', 't', 'p', 'r', @h1, @now);

-- case: begin as set aside
-- refused: illegal_transition
INSERT INTO intents (op_key, task, principal, target, payload_sha256, set_aside_at) VALUES ('a', 't', 'p', 'r', @h1, @now);
