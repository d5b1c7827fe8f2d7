-- Lookups: written down before the call, finished once, never moving the version.

-- case: a lookup and its finish leave the version alone
-- given: begun, attempt unknown, unknown, lookup open
-- passes:
UPDATE lookups SET finished_at = @now, outcome = 'not_found', canary_seen = 1, evidence = '{"status":404}' WHERE lookup_id = 'l1';
-- then: SELECT version FROM intents => 4
-- then: SELECT group_concat(kind) FROM events WHERE kind LIKE 'lookup%' => lookup_started,lookup_finished
-- then: SELECT seq = (SELECT seq FROM events WHERE kind = 'lookup_started') FROM lookups => 1

-- case: a lookup of no intent
-- refused: unknown_intent
INSERT INTO lookups (lookup_id, op_key, started_at, actor, connector) VALUES ('l1', 'a', @now, 'ann', 'http');

-- case: a lookup of no intent, OR IGNORE
-- refused: unknown_intent
INSERT OR IGNORE INTO lookups (lookup_id, op_key, started_at, actor, connector) VALUES ('l1', NULL, @now, 'ann', 'http');

-- case: a lookup finishes twice
-- given: begun, lookup found
-- refused: append_only
UPDATE lookups SET outcome = 'not_found';

-- case: a finished lookup gets other evidence
-- given: begun, lookup found
-- refused: append_only
UPDATE lookups SET evidence = '{"proves":"absent"}';

-- case: a finished lookup is opened again
-- given: begun, lookup found
-- refused: append_only
UPDATE OR REPLACE lookups SET outcome = NULL, finished_at = NULL;

-- case: an open lookup changes before it finishes
-- given: begun, lookup open
-- refused: append_only
UPDATE lookups SET evidence = '{}';

-- case: a lookup began earlier after all
-- given: begun, lookup open
-- refused: append_only
UPDATE lookups SET started_at = @now-60000, finished_at = @now, outcome = 'not_found';

-- case: a lookup was made by another connector after all
-- given: begun, lookup open
-- refused: append_only
UPDATE lookups SET connector = 'file', finished_at = @now, outcome = 'not_found';

-- case: a lookup was made in another environment after all
-- given: begun, lookup open
-- refused: append_only
UPDATE lookups SET environment = 'production', finished_at = @now, outcome = 'not_found';

-- case: a lookup moves to another intent
-- given: begun, second, lookup open
-- refused: append_only
UPDATE lookups SET op_key = 'b', finished_at = @now, outcome = 'not_found';

-- case: a lookup gets another seq
-- given: begun, lookup open
-- refused: append_only
UPDATE lookups SET seq = 99;

-- case: a lookup loses its seq
-- given: begun, lookup open
-- refused: append_only
UPDATE lookups SET seq = NULL;

-- case: a lookup arrives with a seq
-- given: begun
-- refused: append_only
INSERT INTO lookups (lookup_id, op_key, started_at, actor, connector, seq) VALUES ('l1', 'a', @now, 'ann', 'http', 1);

-- case: UPDATE of a lookup's rowid
-- given: begun, lookup open
-- refused: append_only
UPDATE lookups SET rowid = 9, finished_at = @now, outcome = 'not_found';

-- case: REPLACE through lookup_id
-- given: begun, lookup found
-- refused: append_only
INSERT OR REPLACE INTO lookups (lookup_id, op_key, started_at, actor, connector) VALUES ('l1', 'a', @now, 'ann', 'http');

-- case: REPLACE through lookup_id from another intent
-- given: begun, second, lookup found
-- refused: append_only
INSERT OR REPLACE INTO lookups (lookup_id, op_key, started_at, actor, connector) VALUES ('l1', 'b', @now, 'ann', 'http');

-- case: REPLACE through the rowid of a lookup
-- given: begun, lookup found
-- refused: append_only
INSERT OR REPLACE INTO lookups (rowid, lookup_id, op_key, started_at, actor, connector) VALUES (1, 'l2', 'a', @now, 'ann', 'http');

-- case: the same lookup once more, OR IGNORE
-- given: begun, lookup open
-- refused: append_only
INSERT OR IGNORE INTO lookups (lookup_id, op_key, started_at, actor, connector) VALUES ('l1', 'a', @now, 'ann', 'http');

-- case: a rowid ahead of its turn
-- given: begun
-- refused: append_only
INSERT INTO lookups (rowid, lookup_id, op_key, started_at, actor, connector) VALUES (3, 'l1', 'a', @now, 'ann', 'http');

-- case: two lookups with one id in one statement
-- given: begun
-- refused: append_only
INSERT INTO lookups (lookup_id, op_key, started_at, actor, connector) VALUES ('l1', 'a', @now, 'ann', 'http'), ('l1', 'a', @now, 'ann', 'http');

-- case: DELETE of a lookup
-- given: begun, lookup open
-- refused: append_only
DELETE FROM lookups;

-- case: found after it was closed: contradicted
-- given: begun, attempt unknown, unknown, close decided, closed, lookup found
-- passes:
SELECT 1;
-- then: SELECT state || (contradicted_at IS NOT NULL) || queue FROM intents => FAILED10
-- then: SELECT i.updated_at = e.at AND i.contradicted_at = e.at FROM intents AS i, events AS e WHERE e.kind = 'contradicted' => 1

-- case: found after it was closed, by a lookup that finishes later, OR IGNORE
-- given: begun, attempt unknown, unknown, close decided, closed, lookup open
-- passes:
UPDATE OR IGNORE lookups SET finished_at = @now, outcome = 'found';
-- then: SELECT queue FROM intents => 0

-- case: a late receipt is one, whatever its attempt came to: after a close
-- given: begun, attempt open, abandoned, close decided, closed
-- passes:
UPDATE attempts SET finished_at = @now, outcome = 'unknown', receipt = 'LATE-1';
-- then: SELECT state || (contradicted_at IS NOT NULL) || queue FROM intents => FAILED10

-- case: a late receipt is one, whatever its attempt came to: after a new intent
-- given: begun, attempt open, abandoned, reissue decided, succeeded
-- passes:
UPDATE attempts SET finished_at = @now, outcome = 'unknown', receipt = 'LATE-1';
-- then: SELECT state || (contradicted_at IS NOT NULL) || queue FROM intents WHERE op_key = 'a' => UNKNOWN10

-- case: the same find once more, after it was acknowledged, says nothing new
-- given: begun, attempt unknown, unknown, close decided, closed, lookup found
-- passes:
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash) VALUES ('k', 'a', @now, 'ann', 'acknowledge', 'seen', @head, @next);
INSERT INTO lookups (lookup_id, op_key, started_at, finished_at, actor, connector, outcome, receipt, payload_sha256, evidence) VALUES ('l2', 'a', @now, @now, 'ann', 'http', 'found', 'R-1', @h1, '{"proves":"delivered"}');
-- then: SELECT ifnull(queue, 'out') FROM intents => out

-- case: found, undone, and found again: each is news
-- given: begun, attempt unknown, unknown, close decided, closed, lookup found
-- passes:
INSERT INTO lookups (lookup_id, op_key, started_at, finished_at, actor, connector, outcome, receipt, payload_sha256, cause) VALUES ('l2', 'a', @now, @now, 'ann', 'http', 'found', 'R-1', @h1, 'withdrawn');
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash) VALUES ('k', 'a', @now, 'ann', 'acknowledge', 'seen', @head, @next);
INSERT INTO lookups (lookup_id, op_key, started_at, finished_at, actor, connector, outcome, receipt, payload_sha256) VALUES ('l3', 'a', @now, @now, 'ann', 'http', 'found', 'R-1', @h1);
-- then: SELECT queue || (SELECT count(*) FROM events WHERE kind = 'contradicted') FROM intents => 03

-- case: found in one environment and then in another: the second is news
-- given: begun, attempt unknown, unknown, close decided, closed
-- passes:
INSERT INTO lookups (lookup_id, op_key, started_at, finished_at, actor, connector, environment, outcome, receipt) VALUES ('l1', 'a', @now, @now, 'ann', 'http', 'staging', 'found', 'R-1');
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash) VALUES ('k', 'a', @now, 'ann', 'acknowledge', 'only a test', @head, @next);
INSERT INTO lookups (lookup_id, op_key, started_at, finished_at, actor, connector, environment, outcome, receipt) VALUES ('l2', 'a', @now, @now, 'ann', 'http', 'production', 'found', 'R-1');
-- then: SELECT queue FROM intents => 0

-- case: found after it was replaced: contradicted
-- given: begun, attempt unknown, unknown, reissue decided, succeeded, lookup found
-- passes:
SELECT 1;
-- then: SELECT state || queue FROM intents WHERE op_key = 'a' => UNKNOWN0

-- case: found under another receipt than the one marked by hand: contradicted
-- given: begun, attempt unknown, unknown, mark decided, delivered
-- passes:
INSERT INTO lookups (lookup_id, op_key, started_at, finished_at, actor, connector, outcome, receipt) VALUES ('l1', 'a', @now, @now, 'ann', 'http', 'found', 'R-9');
-- then: SELECT state || receipt || queue FROM intents => DELIVEREDR-10

-- case: proven absent after it was marked by hand: contradicted
-- given: begun, attempt unknown, unknown, mark decided, delivered
-- passes:
INSERT INTO lookups (lookup_id, op_key, started_at, finished_at, actor, connector, outcome, evidence) VALUES ('l1', 'a', @now, @now, 'ann', 'http', 'not_found', '{"proves":"absent"}');
-- then: SELECT queue FROM intents => 0

-- case: not found after it was marked by hand proves nothing by itself
-- given: begun, attempt unknown, unknown, mark decided, delivered, lookup not found
-- passes:
SELECT 1;
-- then: SELECT contradicted_at IS NULL FROM intents => 1

-- case: proven absent after a receipt came back from the receiver itself is no contradiction of a decision
-- given: begun, attempt delivered, delivered
-- passes:
INSERT INTO lookups (lookup_id, op_key, started_at, finished_at, actor, connector, outcome, evidence) VALUES ('l1', 'a', @now, @now, 'ann', 'http', 'not_found', '{"proves":"absent"}');
-- then: SELECT contradicted_at IS NULL FROM intents => 1

-- case: found again once somebody has acknowledged it stays off the top
-- given: begun, attempt unknown, unknown, close decided, closed, lookup found
-- passes:
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash) VALUES ('ack', 'a', @now, 'ann', 'acknowledge', 'told the customer', @head, @next);
INSERT INTO lookups (lookup_id, op_key, started_at, finished_at, actor, connector, outcome, receipt, payload_sha256) VALUES ('l2', 'a', @now, @now, 'ann', 'http', 'found', 'R-1', @h1);
-- then: SELECT ifnull(queue, 'out') || (acknowledged_at IS NOT NULL) FROM intents => out1

-- case: found with the right receipt after it was delivered agrees
-- given: begun, attempt delivered, delivered, lookup found
-- passes:
SELECT 1;
-- then: SELECT contradicted_at IS NULL FROM intents => 1

-- case: what was heard in an answer that can't be used, after it was closed
-- given: begun, attempt unknown, unknown, close decided, closed, lookup open
-- passes:
UPDATE lookups SET finished_at = @now, outcome = 'failed', cause = 'mapping_conflict', evidence = '{"heard":true}' WHERE lookup_id = 'l1';
-- then: SELECT contradicted_at IS NOT NULL FROM intents WHERE op_key = 'a' => 1

-- case: what was heard in an answer that can't be used, after it was replaced
-- given: begun, attempt unknown, unknown, reissue decided, succeeded, lookup open
-- passes:
UPDATE lookups SET finished_at = @now, outcome = 'failed', cause = 'bad_receipt', evidence = '{"heard":true}' WHERE lookup_id = 'l1';
-- then: SELECT count(*) FROM sendable => 0

-- case: a lookup that failed without a word of it, after it was replaced
-- given: begun, attempt unknown, unknown, reissue decided, succeeded, lookup open
-- passes:
UPDATE lookups SET finished_at = @now, outcome = 'failed', cause = 'timeout' WHERE lookup_id = 'l1';
-- then: SELECT count(*) FROM sendable => 1
-- then: SELECT contradicted_at IS NULL FROM intents WHERE op_key = 'a' => 1

-- case: a refusal that proves nothing, after it was replaced
-- given: begun, attempt unknown, unknown, reissue decided, succeeded, lookup open
-- passes:
UPDATE lookups SET finished_at = @now, outcome = 'refused' WHERE lookup_id = 'l1';
-- then: SELECT count(*) FROM sendable => 0

-- case: a refusal that proves it, after it was replaced
-- given: begun, attempt unknown, unknown, reissue decided, succeeded, lookup open
-- passes:
UPDATE lookups SET finished_at = @now, outcome = 'refused', evidence = '{"proves":"refused"}' WHERE lookup_id = 'l1';
-- then: SELECT count(*) FROM sendable => 1

-- case: a refusal once more, after it was closed on one that proved it
-- given: begun, attempt unknown, unknown, lookup open
-- passes:
UPDATE lookups SET finished_at = @now, outcome = 'refused', evidence = '{"proves":"refused"}' WHERE lookup_id = 'l1';
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash) VALUES ('close', 'a', @now, 'ann', 'close_not_delivered', 'refused', @head, @next);
UPDATE intents SET state = 'FAILED', settled_by = 'operator', updated_by = 'ann' WHERE op_key = 'a';
INSERT INTO lookups (lookup_id, op_key, started_at, finished_at, actor, connector, outcome) VALUES ('l2', 'a', @now, @now, 'ann', 'http', 'refused');
-- then: SELECT contradicted_at IS NULL FROM intents WHERE op_key = 'a' => 1

-- case: a refusal by lookup, after its sender was refused
-- given: begun
-- passes:
INSERT INTO attempts (attempt_id, op_key, n, started_at, finished_at, outcome) VALUES ('a1', 'a', 1, @now, @now, 'rejected');
UPDATE intents SET state = 'FAILED', settled_by = 'sender', updated_by = 'agent-1' WHERE op_key = 'a';
INSERT INTO lookups (lookup_id, op_key, started_at, finished_at, actor, connector, outcome) VALUES ('l2', 'a', @now, @now, 'ann', 'http', 'refused');
-- then: SELECT contradicted_at IS NULL FROM intents WHERE op_key = 'a' => 1

-- case: a refusal of other content, after it was closed on one that proved it
-- given: begun, attempt unknown, unknown, lookup open
-- passes:
UPDATE lookups SET finished_at = @now, outcome = 'refused', evidence = '{"proves":"refused"}' WHERE lookup_id = 'l1';
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash) VALUES ('close', 'a', @now, 'ann', 'close_not_delivered', 'refused', @head, @next);
UPDATE intents SET state = 'FAILED', settled_by = 'operator', updated_by = 'ann' WHERE op_key = 'a';
INSERT INTO lookups (lookup_id, op_key, started_at, finished_at, actor, connector, outcome, payload_sha256) VALUES ('l3', 'a', @now, @now, 'ann', 'http', 'refused', @h2);
-- then: SELECT contradicted_at IS NOT NULL FROM intents WHERE op_key = 'a' => 1
