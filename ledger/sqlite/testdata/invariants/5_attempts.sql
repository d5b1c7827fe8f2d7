-- Attempts: who may send, how often, on whose authority.

-- case: the first attempt
-- given: begun, attempt open
-- passes:
SELECT 1;
-- then: SELECT attempt_count || in_flight || version || queue FROM intents => 1a122
-- then: SELECT seq = (SELECT seq FROM events WHERE kind = 'attempt_started') FROM attempts => 1

-- case: an attempt of no intent
-- refused: unknown_intent
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a1', 'a', 1, @now);

-- case: an attempt of no intent, OR IGNORE
-- refused: unknown_intent
INSERT OR IGNORE INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a1', 'nobody', 1, @now);

-- case: an attempt whose key is a blob
-- given: begun
-- refused: -
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a1', x'61', 1, @now);

-- case: an attempt whose key is NULL
-- given: begun
-- refused: unknown_intent
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a1', NULL, 1, @now);

-- case: a second attempt while one is in flight
-- given: begun, attempt open
-- refused: attempt_in_flight
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a2', 'a', 2, @now);

-- case: a second attempt while one is in flight, within a budget
-- given: budgeted, attempt open
-- refused: attempt_in_flight
INSERT OR REPLACE INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a2', 'a', 2, @now);

-- case: two attempts in one statement
-- given: budgeted
-- refused: attempt_in_flight
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a1', 'a', 1, @now), ('a2', 'a', 2, @now);

-- case: two attempts in one statement, OR FAIL
-- given: budgeted
-- refused: attempt_in_flight
INSERT OR FAIL INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a1', 'a', 1, @now), ('a2', 'a', 2, @now);

-- case: two attempts in one statement, OR ROLLBACK
-- given: budgeted
-- refused: attempt_in_flight
INSERT OR ROLLBACK INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a1', 'a', 1, @now), ('a2', 'a', 2, @now);

-- case: two attempts by INSERT … SELECT
-- given: budgeted
-- refused: attempt_in_flight
INSERT INTO attempts (attempt_id, op_key, n, started_at) SELECT 'x' || value, 'a', value, @now FROM json_each('[1,2]');

-- case: one attempt each for two intents
-- given: begun, second
-- passes:
INSERT INTO attempts (attempt_id, op_key, n, started_at) SELECT op_key || '1', op_key, 1, @now FROM intents;
-- then: SELECT group_concat(in_flight) FROM intents => a1,b1

-- case: an own retry after not_sent
-- given: begun, attempt not sent
-- passes:
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a2', 'a', 2, @now);
-- then: SELECT attempt_count || in_flight || ifnull(last_outcome, '-') FROM intents => 2a2-

-- case: an own retry after rejected
-- given: begun, attempt rejected
-- passes:
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a2', 'a', 2, @now);

-- case: an own retry after unknown, with no budget set
-- given: begun, attempt unknown
-- refused: budget_spent
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a2', 'a', 2, @now);

-- case: an own retry after unknown, with max_attempts alone
-- given: capped, attempt unknown
-- refused: budget_spent
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a2', 'a', 2, @now);

-- case: an own retry after unknown, with deadline_at alone
-- refused: budget_spent
INSERT INTO intents (op_key, task, principal, target, payload_sha256, deadline_at) VALUES ('a', 't', 'p', 'r', @h1, @now+600000);
INSERT INTO attempts (attempt_id, op_key, n, started_at, finished_at, outcome) VALUES ('a1', 'a', 1, @now, @now, 'unknown');
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a2', 'a', 2, @now);

-- case: an own retry after unknown, within the budget
-- given: budgeted, attempt unknown
-- passes:
INSERT INTO attempts (attempt_id, op_key, n, started_at, finished_at, outcome) VALUES ('a2', 'a', 2, @now, @now, 'unknown');
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a3', 'a', 3, @now);

-- case: an own retry after unknown and then not_sent, with no budget set
-- given: budgeted, attempt unknown
-- passes:
INSERT INTO attempts (attempt_id, op_key, n, started_at, finished_at, outcome) VALUES ('a2', 'a', 2, @now, @now, 'not_sent');

-- case: an unknown outcome hidden behind a later not_sent
-- given: begun, attempt not sent
-- refused: budget_spent
INSERT INTO attempts (attempt_id, op_key, n, started_at, finished_at, outcome) VALUES ('a2', 'a', 2, @now, @now, 'unknown');
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a3', 'a', 3, @now);

-- case: an attempt beyond max_attempts
-- given: capped, attempt not sent
-- refused: budget_spent
INSERT INTO attempts (attempt_id, op_key, n, started_at, finished_at, outcome) VALUES ('a2', 'a', 2, @now, @now, 'not_sent');
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a3', 'a', 3, @now);

-- case: an attempt beyond max_attempts that arrives finished
-- given: capped, attempt not sent
-- refused: budget_spent
INSERT INTO attempts (attempt_id, op_key, n, started_at, finished_at, outcome) VALUES ('a2', 'a', 2, @now, @now, 'not_sent');
INSERT OR IGNORE INTO attempts (attempt_id, op_key, n, started_at, finished_at, outcome) VALUES ('a3', 'a', 3, @now, @now, 'not_sent');

-- case: an attempt after the deadline, by the database's clock
-- refused: budget_spent
INSERT INTO intents (op_key, task, principal, target, payload_sha256, deadline_at) VALUES ('a', 't', 'p', 'r', @h1, @now-1);
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a1', 'a', 1, @now-60000);

-- case: an attempt after the deadline, by the writer's clock
-- given: budgeted
-- refused: budget_spent
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a1', 'a', 1, @now+600001);

-- case: an attempt at the deadline
-- given: budgeted
-- passes:
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a1', 'a', 1, @now+600000);

-- case: an attempt on a superseded intent
-- given: begun, attempt unknown, unknown, reissue decided, succeeded
-- refused: already_superseded
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a2', 'a', 2, @now);

-- case: an attempt on a superseded intent that has an unused retry
-- given: begun, attempt unknown, unknown, retry decided, reissue decided, succeeded
-- refused: already_superseded
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a2', 'a', 2, @now);

-- case: an attempt on a superseded PENDING intent
-- given: begun, reissue decided, succeeded
-- refused: already_superseded
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a1', 'a', 1, @now);

-- case: an attempt on a DELIVERED intent
-- given: begun, attempt delivered, delivered
-- refused: already_final
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a2', 'a', 2, @now);

-- case: an attempt on a FAILED intent
-- given: begun, attempt unknown, unknown, close decided, closed
-- refused: already_final
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a2', 'a', 2, @now);

-- case: an attempt after one that came back delivered
-- given: budgeted, attempt delivered
-- refused: already_final
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a2', 'a', 2, @now);

-- case: an attempt on UNKNOWN after one that came back delivered, with a retry decision
-- given: begun, attempt delivered, unknown, retry decided
-- refused: already_final
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a2', 'a', 2, @now);

-- case: an attempt that arrives delivered after one that came back delivered
-- given: begun, attempt delivered
-- refused: already_final
INSERT INTO attempts (attempt_id, op_key, n, started_at, finished_at, outcome, receipt) VALUES ('a2', 'a', 2, @now, @now, 'delivered', 'R-2');

-- case: a blind retry of an UNKNOWN intent
-- given: begun, attempt unknown, unknown
-- refused: decision_required
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a2', 'a', 2, @now);

-- case: a blind retry of an UNKNOWN intent that has budget left
-- given: budgeted, attempt unknown, unknown
-- refused: decision_required
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a2', 'a', 2, @now);

-- case: a blind retry that arrives finished
-- given: begun, attempt unknown, unknown
-- refused: decision_required
INSERT INTO attempts (attempt_id, op_key, n, started_at, finished_at, outcome) VALUES ('a2', 'a', 2, @now, @now, 'unknown');

-- case: a retry on its decision
-- given: begun, attempt unknown, unknown, retry decided
-- passes:
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a2', 'a', 2, @now);
-- then: SELECT state || in_flight FROM intents => UNKNOWNa2

-- case: a retry decision grants one attempt only
-- given: begun, attempt unknown, unknown, retry decided
-- refused: decision_required
INSERT INTO attempts (attempt_id, op_key, n, started_at, finished_at, outcome) VALUES ('a2', 'a', 2, @now, @now, 'not_sent');
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a3', 'a', 3, @now);

-- case: a retry past its until, by the database's clock
-- given: begun, attempt unknown, unknown
-- refused: decision_required
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, until, prev_hash, hash) VALUES ('r', 'a', @now, 'ann', 'retry_same_key', 'x', @now-1, @head, @next);
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a2', 'a', 2, @now-60000);

-- case: a retry past its until, by the writer's clock
-- given: begun, attempt unknown, unknown, retry decided
-- refused: decision_required
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a2', 'a', 2, @now+60001);

-- case: a retry on another intent's decision
-- given: begun, second, attempt unknown, unknown
-- refused: decision_required
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, until, prev_hash, hash) VALUES ('r', 'b', @now, 'ann', 'retry_same_key', 'x', @now+60000, @head, @next);
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a2', 'a', 2, @now);

-- case: a retry on a decision from before the last attempt, dated after it
-- given: budgeted, attempt not sent
-- refused: decision_required
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, until, prev_hash, hash) VALUES ('r', 'a', @now+50000, 'ann', 'retry_same_key', 'x', @now+60000, @head, @next);
INSERT INTO attempts (attempt_id, op_key, n, started_at, finished_at, outcome) VALUES ('a2', 'a', 2, @now, @now, 'unknown');
UPDATE intents SET state = 'UNKNOWN';
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a3', 'a', 3, @now);

-- case: a retry on a note, a proposal, a denial and a withdrawal
-- given: begun, attempt unknown, unknown, noted
-- refused: decision_required
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, until, prev_hash, hash) VALUES ('p', 'a', @now, 'ann', 'propose', 'retry_same_key', @now+60000, @head, @next);
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, until, prev_hash, hash) VALUES ('x', 'a', @now, 'ann', 'denied', 'retry_same_key', @now+60000, @head, @next);
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a2', 'a', 2, @now);

-- case: a retry beyond max_attempts, on its decision
-- given: capped, attempt not sent
-- passes:
INSERT INTO attempts (attempt_id, op_key, n, started_at, finished_at, outcome) VALUES ('a2', 'a', 2, @now, @now, 'unknown');
UPDATE intents SET state = 'UNKNOWN';
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, until, prev_hash, hash) VALUES ('r', 'a', @now, 'ann', 'retry_same_key', 'x', @now+60000, @head, @next);
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a3', 'a', 3, @now);

-- case: a retry after the deadline, on its decision
-- refused: budget_spent
INSERT INTO intents (op_key, task, principal, target, payload_sha256, deadline_at) VALUES ('a', 't', 'p', 'r', @h1, @now+30000);
INSERT INTO attempts (attempt_id, op_key, n, started_at, finished_at, outcome) VALUES ('a1', 'a', 1, @now, @now, 'unknown');
UPDATE intents SET state = 'UNKNOWN';
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, until, prev_hash, hash) VALUES ('r', 'a', @now, 'ann', 'retry_same_key', 'x', @now+60000, @head, @next);
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a2', 'a', 2, @now+30001);

-- case: a decided retry of a PENDING intent whose sender never came to make it UNKNOWN
-- given: begun, attempt unknown, retry decided
-- passes:
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a2', 'a', 2, @now);
-- then: SELECT state || attempt_count FROM intents => PENDING2

-- case: a decided retry of a PENDING intent grants one attempt only
-- given: begun, attempt unknown, retry decided
-- refused: budget_spent
INSERT INTO attempts (attempt_id, op_key, n, started_at, finished_at, outcome) VALUES ('a2', 'a', 2, @now, @now, 'unknown');
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a3', 'a', 3, @now);

-- case: a decided retry while the orphan is still in flight
-- given: begun, attempt open, retry decided
-- refused: attempt_in_flight
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a2', 'a', 2, @now);

-- case: an attempt while a cancel is wished
-- given: begun
-- refused: not_authorised
UPDATE intents SET cancel_requested_at = @now;
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a1', 'a', 1, @now);

-- case: an attempt of an intent that was begun with the wish to cancel it
-- refused: not_authorised
INSERT INTO intents (op_key, task, principal, target, payload_sha256, cancel_requested_at) VALUES ('a', 't', 'p', 'r', @h1, @now);
INSERT OR IGNORE INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a1', 'a', 1, @now);

-- case: a decided retry while a cancel is wished
-- given: begun, attempt unknown, unknown, retry decided
-- refused: not_authorised
UPDATE intents SET cancel_requested_at = @now;
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a2', 'a', 2, @now);

-- case: an attempt on a valid grant
-- given: granted, begun on grant, attempt open
-- passes:
SELECT 1;
-- then: SELECT count(*) FROM attempts => 1

-- case: an attempt on a revoked grant
-- given: granted, begun on grant
-- refused: not_authorised
UPDATE grants SET revoked_at = @now;
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a1', 'a', 1, @now);

-- case: an attempt on a grant that expired, by the database's clock
-- given: granted, begun on grant
-- refused: not_authorised
UPDATE grants SET expires_at = @now-1;
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a1', 'a', 1, @now-60000);

-- case: an attempt on a grant that expires at the instant of its start
-- given: granted, begun on grant
-- refused: not_authorised
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a1', 'a', 1, @now+600000);

-- case: a decided retry on a revoked grant
-- given: granted, begun on grant, attempt unknown, unknown, retry decided
-- refused: not_authorised
UPDATE grants SET revoked_at = @now;
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a2', 'a', 2, @now);

-- case: an attempt for a successor whose predecessor was found meanwhile
-- given: begun, attempt unknown, unknown, reissue decided, succeeded, lookup found
-- refused: decision_required
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('b1', 'a-2', 1, @now);

-- case: a successor whose predecessor was found is not sendable
-- given: begun, attempt unknown, unknown, reissue decided, succeeded, lookup found
-- passes:
SELECT 1;
-- then: SELECT count(*) FROM sendable => 0

-- case: a successor is sendable again once somebody took note of what was found
-- given: begun, attempt unknown, unknown, reissue decided, succeeded, lookup found
-- passes:
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash) VALUES ('k', 'a', @now, 'ann', 'acknowledge', 'wanted twice', @head, @next);
-- then: SELECT group_concat(op_key || why) FROM sendable => a-2never_attempted

-- case: an attempt for a successor whose predecessor was missed again
-- given: begun, attempt unknown, unknown, reissue decided, succeeded, lookup not found
-- passes:
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('b1', 'a-2', 1, @now);

-- case: an attempt for a successor's successor after the first of them was found
-- given: begun, attempt unknown, unknown, reissue decided, succeeded, succeeded again, lookup found
-- refused: decision_required
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('c1', 'a-3', 1, @now);

-- case: a successor's successor is not sendable after the first of them was found
-- given: begun, attempt unknown, unknown, reissue decided, succeeded, succeeded again, lookup found
-- passes:
SELECT 1;
-- then: SELECT count(*) FROM sendable => 0
-- then: SELECT group_concat(op_key || ifnull(by, '-')) FROM held_back => a-,a-2a,a-3a

-- case: a successor's successor that arrives begun and finished after the first was found
-- given: begun, attempt unknown, unknown, reissue decided, succeeded, succeeded again, lookup found
-- refused: decision_required
INSERT INTO attempts (attempt_id, op_key, n, started_at, finished_at, outcome) VALUES ('c1', 'a-3', 1, @now, @now, 'not_sent');

-- case: a successor's successor is sendable again once somebody took note of what was found
-- given: begun, attempt unknown, unknown, reissue decided, succeeded, succeeded again, lookup found
-- passes:
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash) VALUES ('k', 'a', @now, 'ann', 'acknowledge', 'wanted twice', @head, @next);
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('c1', 'a-3', 1, @now);
-- then: SELECT count(*) FROM held_back WHERE by IS NOT NULL => 0

-- case: a successor's successor after the second of them was found
-- given: begun, attempt unknown, unknown, reissue decided, succeeded, succeeded again
-- refused: decision_required
INSERT INTO lookups (lookup_id, op_key, started_at, finished_at, actor, connector, outcome, receipt, payload_sha256) VALUES ('l2', 'a-2', @now, @now, 'ann', 'http', 'found', 'R-2', @h1);
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('c1', 'a-3', 1, @now);
