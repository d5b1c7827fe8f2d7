package bulk

// What each row holds. i numbers the intents from 1 and is their rowid; doubt is
// whether one is in doubt, before is how many in doubt come before it. What happens to
// one intent happens within 100 ms, before the next one is begun.
const (
	intents = `INSERT INTO intents (op_key, task, stage, principal, target, payload_sha256, payload_bytes, state, receipt, settled_by,
  created_at, updated_at, updated_by, version, attempt_count, last_attempt_at, last_attempt_seq, last_outcome, last_cause, queue)
WITH RECURSIVE c (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < :n),
  d AS (SELECT i, i % :every = 0 AND i <= :last AS doubt, min(i - 1, :last) / :every AS before FROM c)
SELECT printf('delivery-2026-%010d', i * 7919 % 1000000007),
  printf('%s-report-%07d', substr('monthly weekly  quarterly', 1 + i % 3 * 8, 7), i % 500000), 'send', 'agent-' || (i % 40),
  'inbox-' || (i % 7), printf('%016x%016x%016x%016x', i * 2654435761 % 4294967291 * 1048583, i * 40503, i * 69069, i), 800 + i % 4000,
  iif(doubt, 'UNKNOWN', 'DELIVERED'), iif(doubt, NULL, printf('rcpt_%017d', i * 31337)), iif(doubt, NULL, 'sender'),
  :from + :step * i, :from + :step * i + 60, 'agent-' || (i % 40), 4, 1, :from + :step * i + 20,
  2 * (i - 1) + 4 * before + 2, iif(doubt, 'unknown', 'delivered'), iif(doubt, 'timeout', NULL), iif(doubt, 1, NULL)
FROM d`

	attempts = `INSERT INTO attempts (attempt_id, op_key, n, layer, started_at, finished_at, outcome, cause, error, receipt, seq)
SELECT printf('att-%012x', rowid), op_key, 1, 'app', last_attempt_at, updated_at - 20, last_outcome, last_cause,
  iif(queue = 1, 'Post "https://inbox.example/v1/deliveries": context deadline exceeded while awaiting the headers', NULL),
  receipt, last_attempt_seq
FROM intents ORDER BY rowid`

	lookups = `INSERT INTO lookups (lookup_id, op_key, started_at, finished_at, actor, connector, environment, outcome, canary_seen, cause, evidence, seq)
SELECT printf('look-%012x', rowid), op_key, updated_at + 20, updated_at + 40, 'operator', 'http', 'production', 'failed', 0, 'http_503',
  json_object('request', 'GET https://inbox.example/v1/deliveries?idempotency_key=' || op_key, 'status', 503,
    'body', 'upstream connect error or disconnect/reset before headers. reset reason: connection termination',
    'as_of', NULL, 'source', 'inbox.example', 'pages', 1), last_attempt_seq + 3
FROM intents WHERE queue = 1 ORDER BY rowid`

	shortEvents = `INSERT INTO events (seq, at, op_key, kind, actor, detail)
SELECT last_attempt_seq - 1 + k, created_at + 20 * k, op_key, iif(k = 0, 'begun', 'attempt_started'), principal,
  iif(k = 0, '{"state":[null,"PENDING"],"version":[null,1]}', '{"n":[null,1],"version":[1,2]}')
FROM intents CROSS JOIN (SELECT 0 AS k UNION ALL SELECT 1) WHERE queue IS NULL ORDER BY intents.rowid, k`

	openEvents = `INSERT INTO events (seq, at, op_key, kind, actor, detail)
SELECT i.last_attempt_seq - 1 + k, i.created_at + 20 * k, i.op_key,
  CASE k WHEN 0 THEN 'begun' WHEN 1 THEN 'attempt_started' WHEN 2 THEN 'attempt_finished' WHEN 3 THEN 'changed'
    WHEN 4 THEN 'lookup_started' ELSE 'lookup_finished' END,
  iif(k < 4, i.principal, 'operator'),
  CASE k
    WHEN 0 THEN json_object('task', json_array(NULL, i.task), 'stage', json_array(NULL, i.stage), 'principal', json_array(NULL, i.principal),
      'target', json_array(NULL, i.target), 'payload_sha256', json_array(NULL, i.payload_sha256), 'state', json_array(NULL, 'PENDING'),
      'created_at', json_array(NULL, i.created_at), 'updated_at', json_array(NULL, i.created_at), 'updated_by', json_array(NULL, i.principal),
      'version', json_array(NULL, 1), 'payload_bytes', json_array(NULL, i.payload_bytes))
    WHEN 1 THEN json_object('attempt_id', json_array(NULL, a.attempt_id), 'n', json_array(NULL, 1), 'layer', json_array(NULL, a.layer),
      'started_at', json_array(NULL, a.started_at), 'version', json_array(1, 2))
    WHEN 2 THEN json_object('attempt_id', json_array(a.attempt_id, a.attempt_id), 'n', json_array(1, 1),
      'finished_at', json_array(NULL, a.finished_at), 'outcome', json_array(NULL, a.outcome), 'version', json_array(2, 3),
      'cause', json_array(NULL, a.cause), 'error', json_array(NULL, a.error))
    WHEN 3 THEN '{"version":[3,4],"state":["PENDING","UNKNOWN"]}'
    WHEN 4 THEN json_object('lookup_id', json_array(NULL, l.lookup_id), 'started_at', json_array(NULL, l.started_at),
      'connector', json_array(NULL, l.connector), 'environment', json_array(NULL, l.environment))
    ELSE json_object('lookup_id', json_array(l.lookup_id, l.lookup_id), 'finished_at', json_array(NULL, l.finished_at),
      'outcome', json_array(NULL, l.outcome), 'canary_seen', json_array(NULL, l.canary_seen), 'cause', json_array(NULL, l.cause))
  END
FROM intents AS i JOIN attempts AS a ON a.op_key = i.op_key JOIN lookups AS l ON l.op_key = i.op_key
  CROSS JOIN (SELECT 0 AS k UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5)
WHERE i.queue = 1`
)
