-- From state to state, and what a writer can't set by hand.

-- case: DELIVERED without a receipt
-- given: begun, attempt delivered
-- refused: receipt_required
UPDATE intents SET state = 'DELIVERED';

-- case: DELIVERED with an empty receipt
-- given: begun, attempt delivered
-- refused: receipt_required
UPDATE intents SET state = 'DELIVERED', receipt = '';

-- case: DELIVERED that nothing bears out
-- given: begun, attempt open
-- refused: illegal_transition
UPDATE intents SET state = 'DELIVERED', receipt = 'R';

-- case: DELIVERED with another receipt than the attempt came back with
-- given: begun, attempt delivered
-- refused: illegal_transition
UPDATE intents SET state = 'DELIVERED', receipt = 'R-2';

-- case: DELIVERED as the attempt says
-- given: begun, attempt delivered
-- passes:
UPDATE intents SET state = 'DELIVERED', receipt = 'R-1', settled_by = 'sender';
-- then: SELECT state || receipt || settled_by || version || ifnull(queue, 'out') FROM intents => DELIVEREDR-1sender4out

-- case: who settled it is filled in: the sender
-- given: begun, attempt delivered, delivered
-- passes:
SELECT 1;
-- then: SELECT settled_by FROM intents => sender
-- then: SELECT json_extract(detail, '$.settled_by[1]') FROM events WHERE kind = 'changed' => sender

-- case: who settled it is filled in: a lookup
-- given: begun, attempt unknown, unknown, lookup found
-- passes:
UPDATE intents SET state = 'DELIVERED', receipt = 'R-1';
-- then: SELECT settled_by FROM intents => lookup

-- case: who settled it is filled in: an operator
-- given: begun, attempt unknown, unknown, mark decided
-- passes:
UPDATE intents SET state = 'DELIVERED', receipt = 'R-1';
-- then: SELECT settled_by FROM intents => operator

-- case: a hand-made outcome that looks like the sender's
-- given: begun, attempt unknown, unknown, mark decided
-- refused: illegal_transition
UPDATE intents SET state = 'DELIVERED', receipt = 'R-1', settled_by = 'sender';

-- case: a hand-made outcome that looks like a lookup's
-- given: begun, attempt unknown, unknown, mark decided
-- refused: illegal_transition
UPDATE intents SET state = 'DELIVERED', receipt = 'R-1', settled_by = 'lookup';

-- case: settled by an operator who decided nothing
-- given: begun, attempt delivered
-- refused: illegal_transition
UPDATE intents SET state = 'DELIVERED', receipt = 'R-1', settled_by = 'operator';

-- case: settled by an operator with another receipt than decided
-- given: begun, attempt unknown, unknown, mark decided
-- refused: illegal_transition
UPDATE intents SET state = 'DELIVERED', receipt = 'R-2', settled_by = 'operator';

-- case: settled by a lookup that found another hash
-- given: begun, attempt unknown, unknown, lookup open
-- refused: illegal_transition
UPDATE lookups SET finished_at = @now, outcome = 'found', receipt = 'R-1', payload_sha256 = @h2;
UPDATE intents SET state = 'DELIVERED', receipt = 'R-1', settled_by = 'lookup';

-- case: settled by a lookup that was told no hash
-- given: begun, attempt unknown, unknown, lookup open
-- refused: illegal_transition
UPDATE lookups SET finished_at = @now, outcome = 'found', receipt = 'R-1';
UPDATE intents SET state = 'DELIVERED', receipt = 'R-1', settled_by = 'lookup';

-- case: settled by a lookup that found it withdrawn
-- given: begun, attempt unknown, unknown, lookup open
-- refused: illegal_transition
UPDATE lookups SET finished_at = @now, outcome = 'found', receipt = 'R-1', payload_sha256 = @h1, cause = 'withdrawn';
UPDATE intents SET state = 'DELIVERED', receipt = 'R-1', settled_by = 'lookup';

-- case: settled by a lookup that found nothing
-- given: begun, attempt unknown, unknown, lookup not found
-- refused: illegal_transition
UPDATE intents SET state = 'DELIVERED', receipt = 'R-1', settled_by = 'lookup';

-- case: settled by a lookup of another intent
-- given: begun, second, attempt unknown, unknown
-- refused: illegal_transition
INSERT INTO lookups (lookup_id, op_key, started_at, finished_at, actor, connector, outcome, receipt, payload_sha256)
VALUES ('l1', 'b', @now, @now, 'ann', 'http', 'found', 'R-1', @h1);
UPDATE intents SET state = 'DELIVERED', receipt = 'R-1' WHERE op_key = 'a';

-- case: settled by a decision about another intent
-- given: begun, second, attempt unknown, unknown, mark decided
-- refused: illegal_transition
UPDATE intents SET state = 'DELIVERED', receipt = 'R-1' WHERE op_key = 'b';

-- case: settled by somebody unknown
-- given: begun, attempt delivered
-- refused: illegal_transition
UPDATE intents SET state = 'DELIVERED', receipt = 'R-1', settled_by = 'magic';

-- case: a receipt without DELIVERED
-- given: begun
-- refused: illegal_transition
UPDATE intents SET receipt = 'R-1';

-- case: settled_by without a final state
-- given: begun
-- refused: illegal_transition
UPDATE intents SET settled_by = 'sender';

-- case: FAILED that nothing bears out
-- given: begun
-- refused: illegal_transition
UPDATE intents SET state = 'FAILED';

-- case: FAILED while nothing was ever sent
-- given: begun, attempt not sent
-- refused: illegal_transition
UPDATE intents SET state = 'FAILED';

-- case: FAILED on a definite refusal
-- given: begun, attempt rejected
-- passes:
UPDATE intents SET state = 'FAILED';
-- then: SELECT state || settled_by FROM intents => FAILEDsender

-- case: FAILED while an attempt never finished
-- given: begun, attempt open
-- refused: illegal_transition
UPDATE intents SET state = 'FAILED';

-- case: FAILED while an attempt has an unknown outcome
-- given: begun, attempt unknown
-- refused: illegal_transition
UPDATE intents SET state = 'FAILED';

-- case: the refusal of a retry proves nothing about the attempt before it
-- given: budgeted, attempt unknown
-- refused: illegal_transition
INSERT INTO attempts (attempt_id, op_key, n, started_at, finished_at, outcome) VALUES ('a2', 'a', 2, @now, @now, 'rejected');
UPDATE intents SET state = 'FAILED';

-- case: the refusal of a retry and a close decision: an operator settled it
-- given: budgeted, attempt unknown
-- passes:
INSERT INTO attempts (attempt_id, op_key, n, started_at, finished_at, outcome) VALUES ('a2', 'a', 2, @now, @now, 'rejected');
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash) VALUES ('close', 'a', @now, 'ann', 'close_not_delivered', 'absent', @head, @next);
UPDATE intents SET state = 'FAILED';
-- then: SELECT settled_by FROM intents => operator

-- case: the refusal of a retry and a close decision, said to be the sender's
-- given: budgeted, attempt unknown
-- refused: illegal_transition
INSERT INTO attempts (attempt_id, op_key, n, started_at, finished_at, outcome) VALUES ('a2', 'a', 2, @now, @now, 'rejected');
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash) VALUES ('close', 'a', @now, 'ann', 'close_not_delivered', 'absent', @head, @next);
UPDATE intents SET state = 'FAILED', settled_by = 'sender';

-- case: FAILED after an attempt came back delivered
-- given: begun, attempt delivered, close decided
-- refused: illegal_transition
UPDATE intents SET state = 'FAILED', settled_by = 'operator';

-- case: FAILED by a lookup
-- given: begun, attempt unknown, lookup not found, close decided
-- refused: illegal_transition
UPDATE intents SET state = 'FAILED', settled_by = 'lookup';

-- case: UNKNOWN becomes FAILED without a decision
-- given: begun, attempt unknown, unknown
-- refused: decision_required
UPDATE intents SET state = 'FAILED';

-- case: UNKNOWN becomes FAILED on a lookup alone
-- given: begun, attempt unknown, unknown, lookup not found
-- refused: decision_required
UPDATE intents SET state = 'FAILED', settled_by = 'operator';

-- case: UNKNOWN becomes FAILED on a close decision
-- given: begun, attempt unknown, unknown, close decided, closed
-- passes:
SELECT 1;
-- then: SELECT state || settled_by || ifnull(queue, 'out') FROM intents => FAILEDoperatorout

-- case: UNKNOWN becomes FAILED by sender on a close decision
-- given: begun, attempt rejected, unknown, close decided
-- refused: illegal_transition
UPDATE intents SET state = 'FAILED', settled_by = 'sender';

-- case: UNKNOWN becomes FAILED on a close decision that is older than the last attempt
-- given: begun, attempt unknown, unknown, close decided, retry decided
-- refused: decision_required
INSERT INTO attempts (attempt_id, op_key, n, started_at, finished_at, outcome) VALUES ('a2', 'a', 2, @now, @now, 'unknown');
UPDATE intents SET state = 'FAILED';

-- case: UNKNOWN becomes FAILED on another intent's close decision
-- given: begun, second, attempt unknown, unknown
-- refused: decision_required
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash) VALUES ('close', 'b', @now, 'ann', 'close_not_delivered', 'absent', @head, @next);
UPDATE intents SET state = 'FAILED' WHERE op_key = 'a';

-- case: UNKNOWN becomes FAILED on a denied close
-- given: begun, attempt unknown, unknown
-- refused: decision_required
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash) VALUES ('close', 'a', @now, 'ann', 'denied', 'close_not_delivered', @head, @next);
UPDATE intents SET state = 'FAILED';

-- case: UNKNOWN becomes FAILED because a note's facts say so
-- given: begun, attempt unknown, unknown
-- refused: decision_required
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, facts, prev_hash, hash)
VALUES ('close', 'a', @now, 'ann', 'note', 'x', '{"kind":"close_not_delivered","decision_id":"close"}', @head, @next);
UPDATE intents SET state = 'FAILED';

-- case: UNKNOWN goes back to PENDING
-- given: begun, attempt unknown, unknown
-- refused: illegal_transition
UPDATE intents SET state = 'PENDING';

-- case: UNKNOWN goes back to PENDING through the default
-- given: begun, attempt unknown, unknown
-- refused: illegal_transition
UPDATE OR REPLACE intents SET state = NULL;

-- case: UNKNOWN goes back to PENDING, OR IGNORE
-- given: begun, attempt unknown, unknown
-- refused: illegal_transition
UPDATE OR IGNORE intents SET state = 'PENDING';

-- case: a state that isn't one
-- given: begun
-- refused: -
UPDATE intents SET state = 'LOST';

-- case: a state in lower case
-- given: begun
-- refused: -
UPDATE intents SET state = 'unknown';

-- case: DELIVERED becomes UNKNOWN
-- given: begun, attempt delivered, delivered
-- refused: illegal_transition
UPDATE intents SET state = 'UNKNOWN', receipt = NULL, settled_by = NULL;

-- case: DELIVERED becomes FAILED with a close decision
-- given: begun, attempt delivered, delivered, close decided
-- refused: illegal_transition
UPDATE intents SET state = 'FAILED', receipt = NULL;

-- case: DELIVERED gets another receipt
-- given: begun, attempt delivered, delivered, mark decided
-- refused: illegal_transition
UPDATE intents SET receipt = 'R-9';

-- case: DELIVERED loses its receipt
-- given: begun, attempt delivered, delivered
-- refused: receipt_required, illegal_transition
UPDATE intents SET receipt = NULL;

-- case: DELIVERED gets another settled_by
-- given: begun, attempt delivered, delivered, mark decided
-- refused: illegal_transition
UPDATE intents SET settled_by = 'operator';

-- case: DELIVERED loses its settled_by
-- given: begun, attempt delivered, delivered
-- refused: illegal_transition
UPDATE OR REPLACE intents SET settled_by = NULL;

-- case: FAILED becomes DELIVERED when the receipt comes after all
-- given: begun, attempt unknown, unknown, close decided, closed, lookup found
-- refused: illegal_transition
UPDATE intents SET state = 'DELIVERED', receipt = 'R-1', settled_by = 'lookup';

-- case: FAILED becomes PENDING
-- given: begun, attempt rejected
-- refused: illegal_transition
UPDATE intents SET state = 'FAILED';
UPDATE intents SET state = 'PENDING', settled_by = NULL;

-- case: all intents at once, one of which may not
-- given: begun, second, attempt unknown, unknown
-- refused: illegal_transition
UPDATE intents SET state = 'PENDING';

-- case: all intents at once, one of which may not, OR FAIL
-- given: begun, second, attempt rejected
-- refused: illegal_transition
UPDATE OR FAIL intents SET state = 'FAILED';

-- case: UPDATE … FROM that settles what nothing bears out
-- given: begun, second, attempt delivered
-- refused: illegal_transition
UPDATE intents SET state = 'DELIVERED', receipt = a.receipt FROM attempts AS a WHERE intents.op_key = 'b';

-- case: UPDATE … FROM that settles what an attempt bears out
-- given: begun, second, attempt delivered
-- passes:
UPDATE intents SET state = 'DELIVERED', receipt = a.receipt FROM attempts AS a WHERE intents.op_key = a.op_key;
-- then: SELECT group_concat(state) FROM intents => DELIVERED,PENDING

-- case: several intents become UNKNOWN at once
-- given: begun, second
-- passes:
UPDATE intents SET state = 'UNKNOWN' RETURNING op_key;
-- then: SELECT group_concat(version || queue) FROM intents => 21,21
-- then: SELECT count(*) FROM events WHERE kind = 'changed' => 2

-- case: an UPDATE that changes nothing leaves nothing
-- given: begun
-- silent:
UPDATE intents SET state = 'PENDING', updated_by = updated_by;

-- case: a condition on a version that has passed
-- given: begun, attempt open
-- silent:
UPDATE intents SET state = 'UNKNOWN' WHERE op_key = 'a' AND version = 1;

-- case: DELIVERED with a receipt that is nothing but blanks
-- given: begun, attempt open
-- refused: receipt_required
UPDATE attempts SET finished_at = @now, outcome = 'delivered', receipt = ' ' || char(10);
UPDATE intents SET state = 'DELIVERED', receipt = ' ' || char(10) WHERE op_key = 'a';

-- case: a mark_delivered decision with nothing but blanks for a receipt
-- given: begun, attempt unknown, unknown
-- refused: receipt_required
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, receipt, prev_hash, hash) VALUES ('m', 'a', @now, 'ann', 'mark_delivered', 'seen', char(9) || char(160), @head, @next);
