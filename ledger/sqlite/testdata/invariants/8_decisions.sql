-- Decisions: one chain, never rewritten; what each does to its intent.

-- case: the first decision
-- given: begun, noted
-- passes:
SELECT 1;
-- then: SELECT prev_hash FROM decisions => 0000000000000000000000000000000000000000000000000000000000000000
-- then: SELECT version FROM intents => 1
-- then: SELECT actor || json_extract(detail, '$.decision_id') FROM events WHERE kind = 'note' => annnote

-- case: a decision about no intent
-- refused: unknown_intent
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash) VALUES ('d', 'a', @now, 'ann', 'note', 'x', @head, @next);

-- case: a first decision that doesn't begin the chain
-- given: begun
-- refused: stale_head
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash) VALUES ('d', 'a', @now, 'ann', 'note', 'x', @h1, @next);

-- case: a decision that forks the chain
-- given: begun, noted
-- refused: stale_head
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash) VALUES ('d', 'a', @now, 'ann', 'note', 'x', printf('%064d', 0), @next);

-- case: a decision that forks the chain, OR IGNORE
-- given: begun, noted
-- refused: stale_head
INSERT OR IGNORE INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash) VALUES ('d', 'a', @now, 'ann', 'note', 'x', printf('%064d', 0), @next);

-- case: a decision whose prev_hash is NULL
-- given: begun
-- refused: stale_head
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash) VALUES ('d', 'a', @now, 'ann', 'note', 'x', NULL, @next);

-- case: a hash of 64 zeros, after which nothing could follow
-- given: begun, noted
-- refused: stale_head
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash) VALUES ('d', 'a', @now, 'ann', 'note', 'x', @head, printf('%064d', 0));

-- case: a decision that is its own predecessor
-- given: begun, noted
-- refused: append_only
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash) VALUES ('d', 'a', @now, 'ann', 'note', 'x', @head, @head);

-- case: two decisions on one head in one statement
-- given: begun
-- refused: stale_head
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash)
VALUES ('d', 'a', @now, 'ann', 'note', 'x', printf('%064d', 0), @h1), ('e', 'a', @now, 'ann', 'note', 'x', printf('%064d', 0), @h2);

-- case: two decisions that follow each other in one statement
-- given: begun
-- passes:
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash)
VALUES ('d', 'a', @now, 'ann', 'note', 'x', printf('%064d', 0), @h1), ('e', 'a', @now, 'ann', 'note', 'x', @h1, @h2);
-- then: SELECT hash = @h2 FROM chain_head => 1

-- case: REPLACE through decision_id
-- given: begun, noted
-- refused: append_only
INSERT OR REPLACE INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash) VALUES ('note', 'a', @now, 'ann', 'note', 'x', @head, @next);

-- case: REPLACE through prev_hash
-- given: begun, noted
-- refused: stale_head
INSERT OR REPLACE INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash) VALUES ('d', 'a', @now, 'ann', 'note', 'x', printf('%064d', 0), @next);

-- case: REPLACE through the hash of an earlier decision
-- given: begun, noted, close decided
-- refused: append_only
INSERT OR REPLACE INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash)
SELECT 'd', 'a', @now, 'ann', 'note', 'x', @head, hash FROM decisions WHERE decision_id = 'note';

-- case: REPLACE through the hash of the last decision
-- given: begun, noted, close decided
-- refused: append_only
INSERT OR REPLACE INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash) VALUES ('d', 'a', @now, 'ann', 'note', 'x', @head, @head);

-- case: REPLACE through the rowid of a decision
-- given: begun, noted
-- refused: append_only
INSERT OR REPLACE INTO decisions (rowid, decision_id, op_key, at, operator, kind, reason, prev_hash, hash) VALUES (1, 'd', 'a', @now, 'ann', 'note', 'x', @head, @next);

-- case: a rowid ahead of its turn, behind which the chain would hide
-- given: begun, noted
-- refused: append_only
INSERT INTO decisions (rowid, decision_id, op_key, at, operator, kind, reason, prev_hash, hash) VALUES (9223372036854775807, 'd', 'a', @now, 'ann', 'note', 'x', @head, @next);

-- case: a rowid before the first
-- given: begun, noted
-- refused: append_only
INSERT INTO decisions (rowid, decision_id, op_key, at, operator, kind, reason, prev_hash, hash) VALUES (-5, 'd', 'a', @now, 'ann', 'note', 'x', @head, @next);

-- case: UPDATE of a decision's reason
-- given: begun, noted
-- refused: append_only
UPDATE decisions SET reason = 'better words';

-- case: UPDATE of a decision's hash, OR IGNORE
-- given: begun, noted
-- refused: append_only
UPDATE OR IGNORE decisions SET hash = @next;

-- case: UPDATE of a decision's facts, through NULL and their default
-- given: begun, noted
-- refused: append_only
UPDATE OR REPLACE decisions SET facts = NULL;

-- case: UPDATE of a decision's rowid
-- given: begun, noted
-- refused: append_only
UPDATE decisions SET rowid = 2;

-- case: UPDATE of a decision to what it is
-- given: begun, noted
-- refused: append_only
UPDATE decisions SET kind = kind;

-- case: an upsert into a decision
-- given: begun, noted
-- refused: append_only
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash) VALUES ('note', 'a', @now, 'ann', 'note', 'x', @head, @next)
ON CONFLICT (decision_id) DO UPDATE SET kind = 'retry_same_key';

-- case: DELETE of a decision
-- given: begun, noted
-- refused: append_only
DELETE FROM decisions;

-- case: the newest decision is taken back
-- given: begun, noted, close decided
-- refused: append_only
DELETE FROM decisions WHERE rowid = (SELECT max(rowid) FROM decisions);

-- case: mark delivered without a receipt
-- given: begun, attempt unknown, unknown
-- refused: receipt_required
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash) VALUES ('d', 'a', @now, 'ann', 'mark_delivered', 'x', @head, @next);

-- case: mark delivered with an empty receipt
-- given: begun, attempt unknown, unknown
-- refused: receipt_required
INSERT OR IGNORE INTO decisions (decision_id, op_key, at, operator, kind, reason, receipt, prev_hash, hash) VALUES ('d', 'a', @now, 'ann', 'mark_delivered', 'x', '', @head, @next);

-- case: abandon where nothing is in flight
-- given: begun
-- refused: illegal_transition
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash) VALUES ('d', 'a', @now, 'ann', 'abandon_attempt', 'x', @head, @next);

-- case: abandon a finished attempt
-- given: begun, attempt unknown
-- refused: illegal_transition
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash) VALUES ('d', 'a', @now, 'ann', 'abandon_attempt', 'x', @head, @next);

-- case: abandon again, now that it is known that the sender was killed
-- given: begun, attempt open, abandoned
-- passes:
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash) VALUES ('d', 'a', @now, 'ann', 'abandon_attempt', 'x', @head, @next);
-- then: SELECT state || ifnull(in_flight, '-') FROM intents => UNKNOWN-

-- case: abandon once the late receipt has come
-- given: begun, attempt open, abandoned
-- refused: illegal_transition
UPDATE attempts SET finished_at = @now, outcome = 'delivered', receipt = 'R-1';
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash) VALUES ('d', 'a', @now, 'ann', 'abandon_attempt', 'x', @head, @next);

-- case: abandon the attempt of an intent that was replaced: it keeps its state
-- given: begun, attempt open, reissue decided, succeeded, abandoned
-- passes:
SELECT 1;
-- then: SELECT state || ifnull(in_flight, '-') || ifnull(queue, 'out') FROM intents WHERE op_key = 'a' => PENDING-out

-- case: abandon makes the intent UNKNOWN and leaves the attempt open
-- given: begun, attempt open, abandoned
-- passes:
SELECT 1;
-- then: SELECT state || ifnull(in_flight, '-') || version || updated_by || queue FROM intents => UNKNOWN-4ann1
-- then: SELECT outcome IS NULL FROM attempts => 1
-- then: SELECT group_concat(kind) FROM events => begun,attempt_started,abandon_attempt,changed

-- case: abandon, then a late receipt is still written and settles
-- given: begun, attempt open, abandoned
-- passes:
UPDATE attempts SET finished_at = @now, outcome = 'delivered', receipt = 'R-1';
UPDATE intents SET state = 'DELIVERED', receipt = 'R-1', updated_by = 'sender-1';
-- then: SELECT state || settled_by || ifnull(contradicted_at, '-') FROM intents => DELIVEREDsender-

-- case: abandon, then a blind retry
-- given: begun, attempt open, abandoned
-- refused: decision_required
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a2', 'a', 2, @now);

-- case: abandon, then a decided retry beside the open row, then the late receipt of the first
-- given: begun, attempt open, abandoned, retry decided
-- passes:
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a2', 'a', 2, @now);
UPDATE attempts SET finished_at = @now, outcome = 'delivered', receipt = 'R-1' WHERE attempt_id = 'a1';
-- then: SELECT in_flight || ifnull(last_outcome, '-') FROM intents => a2-

-- case: abandon and FAILED without a close
-- given: begun, attempt open, abandoned
-- refused: decision_required
UPDATE intents SET state = 'FAILED';

-- case: a successor without its decision
-- given: begun, attempt unknown, unknown
-- refused: decision_required
INSERT INTO intents (op_key, task, principal, target, payload_sha256, supersedes) VALUES ('a-2', 't', 'p', 'r', @h1, 'a');

-- case: a successor whose decision names another key
-- given: begun, attempt unknown, unknown, reissue decided
-- refused: decision_required
INSERT INTO intents (op_key, task, principal, target, payload_sha256, supersedes) VALUES ('a-3', 't', 'p', 'r', @h1, 'a');

-- case: a successor whose decision is about another intent
-- given: begun, second, attempt unknown, unknown, reissue decided
-- refused: decision_required
INSERT OR IGNORE INTO intents (op_key, task, principal, target, payload_sha256, supersedes) VALUES ('a-2', 't', 'p', 'r', @h1, 'b');

-- case: a successor whose decision was denied
-- given: begun, attempt unknown, unknown
-- refused: decision_required
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, new_op_key, prev_hash, hash) VALUES ('d', 'a', @now, 'ann', 'denied', 'reissue', 'a-2', @head, @next);
INSERT INTO intents (op_key, task, principal, target, payload_sha256, supersedes) VALUES ('a-2', 't', 'p', 'r', @h1, 'a');

-- case: a successor of nothing
-- refused: unknown_intent
INSERT INTO intents (op_key, task, principal, target, payload_sha256, supersedes) VALUES ('a-2', 't', 'p', 'r', @h1, 'a');

-- case: a second successor
-- given: begun, attempt unknown, unknown, reissue decided, succeeded
-- refused: already_superseded
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, new_op_key, prev_hash, hash) VALUES ('d', 'a', @now, 'ann', 'reissue', 'again', 'a-3', @head, @next);
INSERT INTO intents (op_key, task, principal, target, payload_sha256, supersedes) VALUES ('a-3', 't', 'p', 'r', @h1, 'a');

-- case: two successors in one statement
-- given: begun, attempt unknown, unknown, reissue decided
-- refused: already_superseded
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, new_op_key, prev_hash, hash) VALUES ('d', 'a', @now, 'ann', 'reissue', 'again', 'a-3', @head, @next);
INSERT INTO intents (op_key, task, principal, target, payload_sha256, supersedes) VALUES ('a-2', 't', 'p', 'r', @h1, 'a'), ('a-3', 't', 'p', 'r', @h1, 'a');

-- case: a successor and what it does to its predecessor
-- given: begun, attempt unknown, unknown, retry decided, reissue decided, succeeded
-- passes:
SELECT 1;
-- then: SELECT state || superseded_by || ifnull(queue, 'out') FROM intents WHERE op_key = 'a' => UNKNOWNa-2out
-- then: SELECT state || supersedes || version FROM intents WHERE op_key = 'a-2' => PENDINGa1
-- then: SELECT count(*) FROM sendable WHERE op_key = 'a' => 0

-- case: a chain of successors
-- given: begun, attempt unknown, unknown, reissue decided, succeeded
-- passes:
INSERT INTO attempts (attempt_id, op_key, n, started_at, finished_at, outcome) VALUES ('b1', 'a-2', 1, @now, @now, 'unknown');
UPDATE intents SET state = 'UNKNOWN' WHERE op_key = 'a-2';
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, new_op_key, prev_hash, hash) VALUES ('d', 'a-2', @now, 'ann', 'reissue', 'again', 'a-3', @head, @next);
INSERT INTO intents (op_key, task, principal, target, payload_sha256, supersedes) VALUES ('a-3', 't', 'p', 'r', @h1, 'a-2');
-- then: SELECT group_concat(ifnull(superseded_by, '-')) FROM intents => a-2,a-3,-

-- case: a decided retry lapses when the attempt that was given up comes back
-- given: begun, attempt open, abandoned, retry decided
-- refused: decision_required
UPDATE attempts SET finished_at = @now, outcome = 'unknown';
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a2', 'a', 2, @now);

-- case: and is not sendable any more
-- given: begun, attempt open, abandoned, retry decided
-- passes:
UPDATE attempts SET finished_at = @now, outcome = 'unknown', receipt = 'LATE-1';
-- then: SELECT count(*) FROM sendable => 0

-- case: a decided retry lapses when a receipt is disputed
-- given: begun, attempt unknown, unknown, retry decided
-- refused: decision_required
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash) VALUES ('d', 'a', @now, 'ben', 'dispute', 'look again', @head, @next);
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a2', 'a', 2, @now);

-- case: a retry that was decided anew stands again
-- given: begun, attempt open, abandoned, retry decided
-- passes:
UPDATE attempts SET finished_at = @now, outcome = 'unknown';
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, until, prev_hash, hash) VALUES ('r2', 'a', @now, 'ann', 'retry_same_key', 'absent again', @now+60000, @head, @next);
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a2', 'a', 2, @now);

-- case: snooze
-- given: begun, attempt unknown, unknown
-- passes:
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, until, prev_hash, hash) VALUES ('s', 'a', @now, 'ann', 'snooze', 'their maintenance', @now+60000, @head, @next);
-- then: SELECT (snoozed_until = @now+60000) || version || queue FROM intents => 151

-- case: set aside leaves the queue and keeps the state
-- given: begun, attempt unknown, unknown
-- passes:
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash) VALUES ('s', 'a', @now, 'ann', 'set_aside', 'handed over', @head, @next);
-- then: SELECT state || (set_aside_at IS NOT NULL) || ifnull(queue, 'out') FROM intents => UNKNOWN1out

-- case: set aside, then disputed, comes to the top
-- given: begun, attempt unknown, unknown
-- passes:
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash) VALUES ('s', 'a', @now, 'ann', 'set_aside', 'handed over', @head, @next);
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash) VALUES ('d', 'a', @now, 'ben', 'dispute', 'wrong', @head, @next);
-- then: SELECT queue FROM intents => 0

-- case: a dispute about a wrong receipt, then acknowledged
-- given: begun, attempt unknown, unknown, mark decided, delivered
-- passes:
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash) VALUES ('d', 'a', @now, 'ben', 'dispute', 'that receipt is another order', @head, @next);
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash) VALUES ('k', 'a', @now, 'ann', 'acknowledge', 'sorted out', @head, @next);
-- then: SELECT ifnull(queue, 'out') || (contradicted_at IS NOT NULL) || (acknowledged_at IS NOT NULL) FROM intents => out11

-- case: a decided retry is sendable even where the intent was set aside before
-- given: begun, attempt unknown, unknown
-- passes:
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash) VALUES ('s', 'a', @now, 'ann', 'set_aside', 'handed over', @head, @next);
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, until, prev_hash, hash) VALUES ('r', 'a', @now, 'ann', 'retry_same_key', 'absent', @now+60000, @head, @next);
-- then: SELECT op_key || why FROM sendable => aretry_decided

-- case: two standing retries make one sendable row
-- given: begun, attempt unknown, unknown, retry decided
-- passes:
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, until, prev_hash, hash) VALUES ('r', 'a', @now, 'ann', 'retry_same_key', 'absent', @now+70000, @head, @next);
-- then: SELECT count(*) FROM sendable => 1

-- case: nothing is sendable without the ledger's leave
-- given: granted, begun on grant, second
-- passes:
UPDATE grants SET revoked_at = @now;
UPDATE intents SET cancel_requested_at = @now WHERE op_key = 'b';
-- then: SELECT count(*) FROM sendable => 0

-- case: what was never sent is sendable, until somebody claims it by its attempt
-- given: begun, second, attempt open
-- passes:
SELECT 1;
-- then: SELECT group_concat(op_key || why) FROM sendable => bnever_attempted
