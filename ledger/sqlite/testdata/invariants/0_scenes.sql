-- Scenes that the cases start from, and how to read these files.
--
--   -- scene: NAME           statements that set a scene; all of them must pass
--   -- case: what is tried   statements; the last one is what the case is about
--   -- given: NAME, NAME     scenes played first
--   -- refused: CODE         the last statement fails with this code and changes nothing
--   -- refused: -            it fails on a type or a CHECK, and changes nothing
--   -- silent:               it passes and changes nothing
--   -- passes:               it passes
--   -- then: QUERY => VALUE  asked afterwards; NULL is spelled so
--
-- Every statement ends with a semicolon at the end of a line. Words with @ stand for
-- values: @now, @now+1000, @now-1000 (milliseconds), @h1 and @h2 (payload hashes),
-- @head (the last decision's hash), @next (a hash that was never used).

-- scene: begun
INSERT INTO intents (op_key, task, principal, target, payload_sha256, created_at, updated_at, updated_by)
VALUES ('a', 'weekly report', 'agent-1', 'inbox', @h1, @now, @now, 'sender-1');

-- scene: second
INSERT INTO intents (op_key, task, principal, target, payload_sha256, created_at, updated_at, updated_by)
VALUES ('b', 'weekly report', 'agent-1', 'inbox', @h2, @now, @now, 'sender-1');

-- scene: budgeted
INSERT INTO intents (op_key, task, principal, target, payload_sha256, max_attempts, deadline_at, updated_by)
VALUES ('a', 'weekly report', 'agent-1', 'inbox', @h1, 3, @now+600000, 'sender-1');

-- scene: capped
INSERT INTO intents (op_key, task, principal, target, payload_sha256, max_attempts, updated_by)
VALUES ('a', 'weekly report', 'agent-1', 'inbox', @h1, 2, 'sender-1');

-- scene: granted
INSERT INTO grants (grant_id, principal, target, payload_sha256, granted_by, granted_at, expires_at)
VALUES ('g', 'agent-1', 'inbox', @h1, 'boss', @now, @now+600000);

-- scene: begun on grant
INSERT INTO intents (op_key, task, principal, target, payload_sha256, grant_id, updated_by)
VALUES ('a', 'weekly report', 'agent-1', 'inbox', @h1, 'g', 'sender-1');

-- scene: attempt open
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a1', 'a', 1, @now);

-- scene: attempt unknown
INSERT INTO attempts (attempt_id, op_key, n, started_at, finished_at, outcome, cause)
VALUES ('a1', 'a', 1, @now, @now, 'unknown', 'timeout');

-- scene: attempt not sent
INSERT INTO attempts (attempt_id, op_key, n, started_at, finished_at, outcome, cause)
VALUES ('a1', 'a', 1, @now, @now, 'not_sent', 'connection_refused');

-- scene: attempt rejected
INSERT INTO attempts (attempt_id, op_key, n, started_at, finished_at, outcome, http_status)
VALUES ('a1', 'a', 1, @now, @now, 'rejected', 422);

-- scene: attempt delivered
INSERT INTO attempts (attempt_id, op_key, n, started_at, finished_at, outcome, receipt)
VALUES ('a1', 'a', 1, @now, @now, 'delivered', 'R-1');

-- scene: unknown
UPDATE intents SET state = 'UNKNOWN' WHERE op_key = 'a';

-- scene: delivered
UPDATE intents SET state = 'DELIVERED', receipt = 'R-1' WHERE op_key = 'a';

-- scene: close decided
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash)
VALUES ('close', 'a', @now, 'ann', 'close_not_delivered', 'absent', @head, @next);

-- scene: closed
UPDATE intents SET state = 'FAILED', settled_by = 'operator', updated_by = 'ann' WHERE op_key = 'a';

-- scene: mark decided
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, receipt, prev_hash, hash)
VALUES ('mark', 'a', @now, 'ann', 'mark_delivered', 'seen in the console', 'R-1', @head, @next);

-- scene: retry decided
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, until, prev_hash, hash)
VALUES ('retry', 'a', @now, 'ann', 'retry_same_key', 'absent', @now+60000, @head, @next);

-- scene: reissue decided
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, new_op_key, prev_hash, hash)
VALUES ('reissue', 'a', @now, 'ann', 'reissue', 'absent', 'a-2', @head, @next);

-- scene: succeeded
INSERT INTO intents (op_key, task, principal, target, payload_sha256, supersedes, updated_by)
VALUES ('a-2', 'weekly report', 'agent-1', 'inbox', @h1, 'a', 'ann');

-- scene: succeeded again
INSERT INTO attempts (attempt_id, op_key, n, started_at, finished_at, outcome) VALUES ('b1', 'a-2', 1, @now, @now, 'unknown');
UPDATE intents SET state = 'UNKNOWN', updated_by = 'agent-1' WHERE op_key = 'a-2';
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, new_op_key, prev_hash, hash)
VALUES ('reissue again', 'a-2', @now, 'ann', 'reissue', 'absent', 'a-3', @head, @next);
INSERT INTO intents (op_key, task, principal, target, payload_sha256, supersedes, updated_by)
VALUES ('a-3', 'weekly report', 'agent-1', 'inbox', @h1, 'a-2', 'ann');

-- scene: abandoned
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash)
VALUES ('abandon', 'a', @now, 'ann', 'abandon_attempt', 'the host was rebooted', @head, @next);

-- scene: noted
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash)
VALUES ('note', 'a', @now, 'ann', 'note', 'asked the receiver', @head, @next);

-- scene: lookup open
INSERT INTO lookups (lookup_id, op_key, started_at, actor, connector) VALUES ('l1', 'a', @now, 'ann', 'http');

-- scene: lookup found
INSERT INTO lookups (lookup_id, op_key, started_at, finished_at, actor, connector, outcome, receipt, payload_sha256)
VALUES ('l1', 'a', @now, @now, 'ann', 'http', 'found', 'R-1', @h1);

-- scene: lookup not found
INSERT INTO lookups (lookup_id, op_key, started_at, finished_at, actor, connector, outcome)
VALUES ('l1', 'a', @now, @now, 'ann', 'http', 'not_found');

-- scene: claimed
INSERT INTO claims (op_key, operator, claimed_at, expires_at) VALUES ('a', 'ann', @now, @now+60000);
