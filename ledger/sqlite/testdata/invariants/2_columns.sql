-- What the columns take: types, bounds, hostile text.

-- case: an empty key
-- refused: -
INSERT INTO intents (op_key, task, principal, target, payload_sha256) VALUES ('', 't', 'p', 'r', @h1);

-- case: a key of 256 characters
-- refused: -
INSERT INTO intents (op_key, task, principal, target, payload_sha256) VALUES (printf('%.*c', 256, 'k'), 't', 'p', 'r', @h1);

-- case: a key of 255 characters of two bytes each
-- passes:
INSERT INTO intents (op_key, task, principal, target, payload_sha256) VALUES (replace(printf('%.*c', 255, 'k'), 'k', 'é'), 't', 'p', 'r', @h1);

-- case: a key with NUL at its end
-- refused: -
INSERT INTO intents (op_key, task, principal, target, payload_sha256) VALUES ('a' || char(0), 't', 'p', 'r', @h1);

-- case: a key that hides 300 characters behind NUL
-- refused: -
INSERT INTO intents (op_key, task, principal, target, payload_sha256) VALUES ('a' || char(0) || printf('%.*c', 300, 'k'), 't', 'p', 'r', @h1);

-- case: a key with a newline
-- refused: -
INSERT INTO intents (op_key, task, principal, target, payload_sha256) VALUES ('a' || char(10) || 'b', 't', 'p', 'r', @h1);

-- case: a key with an escape
-- refused: -
INSERT INTO intents (op_key, task, principal, target, payload_sha256) VALUES (char(27) || '[2Ja', 't', 'p', 'r', @h1);

-- case: a key with DEL
-- refused: -
INSERT INTO intents (op_key, task, principal, target, payload_sha256) VALUES ('a' || char(127), 't', 'p', 'r', @h1);

-- case: a key with a C1 control
-- refused: -
INSERT INTO intents (op_key, task, principal, target, payload_sha256) VALUES ('a' || char(155) || 'm', 't', 'p', 'r', @h1);

-- case: a key with a control character, OR IGNORE
-- silent:
INSERT OR IGNORE INTO intents (op_key, task, principal, target, payload_sha256) VALUES ('a' || char(7), 't', 'p', 'r', @h1);

-- case: a key full of quotes, brackets, wildcards and bidi marks
-- passes:
INSERT INTO intents (op_key, task, principal, target, payload_sha256) VALUES ('"a"[*?]%_\$.x' || char(8238) || char(39) || '🚀', 't', 'p', 'r', @h1);
-- then: SELECT e.op_key = i.op_key FROM events AS e, intents AS i => 1

-- case: a key that is NULL
-- refused: -
INSERT INTO intents (op_key, task, principal, target, payload_sha256) VALUES (NULL, 't', 'p', 'r', @h1);

-- case: a key that is NULL, OR REPLACE
-- refused: -
INSERT OR REPLACE INTO intents (op_key, task, principal, target, payload_sha256) VALUES (NULL, 't', 'p', 'r', @h1);

-- case: a key that is a blob
-- refused: -
INSERT INTO intents (op_key, task, principal, target, payload_sha256) VALUES (x'61', 't', 'p', 'r', @h1);

-- case: the key of another, as a blob
-- given: begun
-- refused: -
INSERT INTO intents (op_key, task, principal, target, payload_sha256) VALUES (x'61', 'weekly report', 'agent-1', 'inbox', @h2);

-- case: a task that is empty
-- refused: -
INSERT INTO intents (op_key, task, principal, target, payload_sha256) VALUES ('a', '', 'p', 'r', @h1);

-- case: a principal that is empty
-- refused: -
INSERT INTO intents (op_key, task, principal, target, payload_sha256) VALUES ('a', 't', '', 'r', @h1);

-- case: a target that is empty
-- refused: -
INSERT INTO intents (op_key, task, principal, target, payload_sha256) VALUES ('a', 't', 'p', '', @h1);

-- case: a target with NUL
-- refused: -
INSERT INTO intents (op_key, task, principal, target, payload_sha256) VALUES ('a', 't', 'p', 'inbox' || char(0) || 'x', @h1);

-- case: a task that is NULL
-- refused: -
INSERT INTO intents (op_key, task, principal, target, payload_sha256) VALUES ('a', NULL, 'p', 'r', @h1);

-- case: a hash in upper case
-- refused: -
INSERT INTO intents (op_key, task, principal, target, payload_sha256) VALUES ('a', 't', 'p', 'r', upper(@h1));

-- case: a hash of 63 digits
-- refused: -
INSERT INTO intents (op_key, task, principal, target, payload_sha256) VALUES ('a', 't', 'p', 'r', substr(@h1, 2));

-- case: a hash with a g in it
-- refused: -
INSERT INTO intents (op_key, task, principal, target, payload_sha256) VALUES ('a', 't', 'p', 'r', 'g' || substr(@h1, 2));

-- case: a hash with something behind NUL
-- refused: -
INSERT INTO intents (op_key, task, principal, target, payload_sha256) VALUES ('a', 't', 'p', 'r', @h1 || char(0) || 'x');

-- case: a hash that is 64 digits only after NUL is cut
-- refused: -
INSERT INTO intents (op_key, task, principal, target, payload_sha256) VALUES ('a', 't', 'p', 'r', substr(@h1, 1, 60) || char(0) || 'xyz');

-- case: a hash as 32 raw bytes
-- refused: -
INSERT INTO intents (op_key, task, principal, target, payload_sha256) VALUES ('a', 't', 'p', 'r', randomblob(32));

-- case: a negative payload size
-- refused: -
INSERT INTO intents (op_key, task, principal, target, payload_sha256, payload_bytes) VALUES ('a', 't', 'p', 'r', @h1, -1);

-- case: no attempt allowed
-- refused: -
INSERT INTO intents (op_key, task, principal, target, payload_sha256, max_attempts) VALUES ('a', 't', 'p', 'r', @h1, 0);

-- case: a budget with a fraction
-- refused: -
INSERT INTO intents (op_key, task, principal, target, payload_sha256, max_attempts) VALUES ('a', 't', 'p', 'r', @h1, 1.5);

-- case: created_at in seconds
-- refused: -
INSERT INTO intents (op_key, task, principal, target, payload_sha256, created_at) VALUES ('a', 't', 'p', 'r', @h1, @now / 1000);

-- case: created_at in microseconds
-- refused: -
INSERT INTO intents (op_key, task, principal, target, payload_sha256, created_at) VALUES ('a', 't', 'p', 'r', @h1, @now * 1000);

-- case: created_at as text
-- refused: -
INSERT INTO intents (op_key, task, principal, target, payload_sha256, created_at) VALUES ('a', 't', 'p', 'r', @h1, '2026-11-30T12:00:00Z');

-- case: created_at NULL, OR REPLACE, takes the default
-- passes:
INSERT OR REPLACE INTO intents (op_key, task, principal, target, payload_sha256, created_at, state, version) VALUES ('a', 't', 'p', 'r', @h1, NULL, NULL, NULL);
-- then: SELECT i.created_at = json_extract(e.detail, '$.created_at[1]') FROM intents AS i, events AS e => 1

-- case: deadline_at in seconds
-- refused: -
INSERT INTO intents (op_key, task, principal, target, payload_sha256, deadline_at) VALUES ('a', 't', 'p', 'r', @h1, @now / 1000);

-- case: cancel_requested_at in seconds, in an UPDATE
-- given: begun
-- refused: -
UPDATE intents SET cancel_requested_at = @now / 1000;

-- case: cancel_requested_at in seconds, in an UPDATE OR IGNORE
-- given: begun
-- silent:
UPDATE OR IGNORE intents SET cancel_requested_at = @now / 1000;

-- case: updated_at in microseconds
-- given: begun
-- refused: -
UPDATE intents SET updated_at = @now * 1000;

-- case: an empty updated_by
-- given: begun
-- refused: -
UPDATE intents SET updated_by = '';

-- case: an intent that supersedes itself
-- refused: unknown_intent
INSERT INTO intents (op_key, task, principal, target, payload_sha256, supersedes) VALUES ('a', 't', 'p', 'r', @h1, 'a');

-- case: an attempt that started in seconds
-- given: begun
-- refused: -
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a1', 'a', 1, @now / 1000);

-- case: an attempt that started in microseconds
-- given: begun
-- refused: -
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a1', 'a', 1, @now * 1000);

-- case: an attempt without a start
-- given: begun
-- refused: -
INSERT INTO attempts (attempt_id, op_key, n) VALUES ('a1', 'a', 1);

-- case: an attempt without a start, OR IGNORE
-- given: begun
-- silent:
INSERT OR IGNORE INTO attempts (attempt_id, op_key, n) VALUES ('a1', 'a', 1);

-- case: an attempt with an empty id
-- given: begun
-- refused: -
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('', 'a', 1, @now);

-- case: an attempt with a NULL id
-- given: begun
-- refused: -
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES (NULL, 'a', 1, @now);

-- case: an attempt with n 0
-- given: begun
-- refused: -
INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('a1', 'a', 0, @now);

-- case: an outcome that nobody knows
-- given: begun
-- refused: -
INSERT INTO attempts (attempt_id, op_key, n, started_at, finished_at, outcome) VALUES ('a1', 'a', 1, @now, @now, 'ok');

-- case: an outcome without its time
-- given: begun, attempt open
-- refused: -
UPDATE attempts SET outcome = 'unknown';

-- case: a time without its outcome
-- given: begun, attempt open
-- refused: append_only
UPDATE attempts SET finished_at = @now;

-- case: an HTTP status of 42
-- given: begun, attempt open
-- refused: -
UPDATE attempts SET finished_at = @now, outcome = 'unknown', http_status = 42;

-- case: an error text with NUL
-- given: begun, attempt open
-- refused: -
UPDATE attempts SET finished_at = @now, outcome = 'unknown', error = 'a' || char(0) || 'b';

-- case: an error text with NUL, OR IGNORE
-- given: begun, attempt open
-- silent:
UPDATE OR IGNORE attempts SET finished_at = @now, outcome = 'unknown', error = 'a' || char(0) || 'b';

-- case: an error text with quotes, escapes, bidi marks, a lone surrogate and broken UTF-8
-- given: begun, attempt open
-- passes:
UPDATE attempts SET finished_at = @now, outcome = 'unknown', error = '"x\"' || char(27, 10, 8238, 55296) || CAST(x'fffe80' AS TEXT);
-- then: SELECT a.error = json_extract(e.detail, '$.error[1]') FROM attempts AS a, events AS e WHERE e.kind = 'attempt_finished' => 1

-- case: a lookup's evidence that is no JSON
-- given: begun
-- refused: -
INSERT INTO lookups (lookup_id, op_key, started_at, actor, connector, evidence) VALUES ('l1', 'a', @now, 'ann', 'http', '{');

-- case: a lookup's evidence of more than 16 KiB
-- given: begun
-- refused: -
INSERT INTO lookups (lookup_id, op_key, started_at, actor, connector, evidence) VALUES ('l1', 'a', @now, 'ann', 'http', json_quote(printf('%.*c', 16384, 'x')));

-- case: a lookup that started in seconds
-- given: begun
-- refused: -
INSERT INTO lookups (lookup_id, op_key, started_at, actor, connector) VALUES ('l1', 'a', @now / 1000, 'ann', 'http');

-- case: a lookup without a connector
-- given: begun
-- refused: -
INSERT INTO lookups (lookup_id, op_key, started_at, actor) VALUES ('l1', 'a', @now, 'ann');

-- case: a lookup whose canary is neither seen nor unseen
-- given: begun, lookup open
-- refused: -
UPDATE lookups SET finished_at = @now, outcome = 'not_found', canary_seen = 2;

-- case: a lookup with a hash in upper case
-- given: begun, lookup open
-- refused: -
UPDATE lookups SET finished_at = @now, outcome = 'found', payload_sha256 = upper(@h1);

-- case: a decision whose facts are no JSON
-- given: begun
-- refused: -
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, facts, prev_hash, hash) VALUES ('d', 'a', @now, 'ann', 'note', 'x', 'no', @head, @next);

-- case: a decision by nobody
-- given: begun
-- refused: -
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash) VALUES ('d', 'a', @now, '', 'note', 'x', @head, @next);

-- case: a decision of an unknown kind
-- given: begun
-- refused: -
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash) VALUES ('d', 'a', @now, 'ann', 'begun', 'x', @head, @next);

-- case: a decision in seconds
-- given: begun
-- refused: -
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash) VALUES ('d', 'a', @now / 1000, 'ann', 'note', 'x', @head, @next);

-- case: a hash that is none
-- given: begun
-- refused: -
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash) VALUES ('d', 'a', @now, 'ann', 'note', 'x', @head, 'abc');

-- case: a snooze without an end
-- given: begun
-- refused: -
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash) VALUES ('d', 'a', @now, 'ann', 'snooze', 'x', @head, @next);

-- case: a retry without an end
-- given: begun, attempt unknown, unknown
-- refused: -
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash) VALUES ('d', 'a', @now, 'ann', 'retry_same_key', 'x', @head, @next);

-- case: a reissue that names no key
-- given: begun
-- refused: -
INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash) VALUES ('d', 'a', @now, 'ann', 'reissue', 'x', @head, @next);

-- case: a claim in seconds
-- given: begun
-- refused: -
INSERT INTO claims (op_key, operator, claimed_at, expires_at) VALUES ('a', 'ann', @now / 1000, @now);

-- case: a grant in seconds
-- refused: -
INSERT INTO grants (grant_id, principal, target, granted_by, granted_at) VALUES ('g', 'p', 'r', 'boss', @now / 1000);

-- case: a grant with an empty principal
-- refused: -
INSERT INTO grants (grant_id, principal, target, granted_by, granted_at) VALUES ('g', '', 'r', 'boss', @now);
