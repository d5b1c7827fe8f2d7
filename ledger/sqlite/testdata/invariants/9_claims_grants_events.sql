-- Claims, grants and the journal.

-- case: a claim, prolonged, then released by letting it expire
-- given: begun, claimed
-- passes:
INSERT INTO claims (op_key, operator, claimed_at, expires_at) VALUES ('a', 'ann', @now, @now+90000) ON CONFLICT (op_key) DO UPDATE SET expires_at = excluded.expires_at;
UPDATE claims SET expires_at = @now WHERE op_key = 'a';
-- then: SELECT group_concat(kind) FROM events => begun,claimed,claim_changed,claim_changed
-- then: SELECT version FROM intents => 1

-- case: a claim on no intent
-- refused: unknown_intent
INSERT INTO claims (op_key, operator, claimed_at, expires_at) VALUES ('a', 'ann', @now, @now);

-- case: a claim written again as it is leaves nothing
-- given: begun, claimed
-- silent:
UPDATE claims SET operator = 'ann';

-- case: REPLACE through a claim's key
-- given: begun, claimed
-- refused: append_only
INSERT OR REPLACE INTO claims (op_key, operator, claimed_at, expires_at) VALUES ('a', 'ben', @now, @now+1);

-- case: REPLACE through a claim's rowid
-- given: begun, second, claimed
-- refused: append_only
INSERT OR REPLACE INTO claims (rowid, op_key, operator, claimed_at, expires_at) VALUES (1, 'b', 'ben', @now, @now+1);

-- case: a claim with a rowid ahead of its turn
-- given: begun
-- refused: append_only
INSERT INTO claims (rowid, op_key, operator, claimed_at, expires_at) VALUES (5, 'a', 'ben', @now, @now+1);

-- case: a claim moves to another intent
-- given: begun, second, claimed
-- refused: append_only
UPDATE claims SET op_key = 'b';

-- case: UPDATE of a claim's rowid
-- given: begun, claimed
-- refused: append_only
UPDATE claims SET rowid = 3;

-- case: a claim by nobody
-- given: begun, claimed
-- refused: -
UPDATE claims SET operator = '';

-- case: DELETE of a claim
-- given: begun, claimed
-- refused: append_only
DELETE FROM claims;

-- case: a grant, shortened twice, then revoked
-- given: granted
-- passes:
UPDATE grants SET expires_at = @now+500000;
UPDATE grants SET expires_at = @now+400000;
UPDATE grants SET revoked_at = @now;
-- then: SELECT group_concat(kind) FROM events => granted,grant_changed,grant_changed,grant_changed
-- then: SELECT count(*) FROM events WHERE op_key IS NULL => 4
-- then: SELECT seq FROM grants => 4

-- case: a grant without an end gets one
-- passes:
INSERT INTO grants (grant_id, principal, target, granted_by, granted_at) VALUES ('g', 'p', 'r', 'boss', @now);
UPDATE grants SET expires_at = @now+1000;
-- then: SELECT json_extract(detail, '$.expires_at[1]') = @now+1000 FROM events WHERE kind = 'grant_changed' => 1

-- case: several grants at once
-- passes:
INSERT INTO grants (grant_id, principal, target, granted_by, granted_at) VALUES ('g', 'p', 'r', 'boss', @now), ('h', 'p', 'r', 'boss', @now);
UPDATE grants SET revoked_at = @now;
-- then: SELECT group_concat(seq) FROM grants => 3,4

-- case: a grant that arrives revoked
-- passes:
INSERT OR IGNORE INTO grants (grant_id, principal, target, granted_by, granted_at, revoked_at) VALUES ('g', 'p', 'r', 'boss', @now, @now);
-- then: SELECT seq FROM grants => 1

-- case: un-revoke
-- given: granted
-- refused: append_only
UPDATE grants SET revoked_at = @now;
UPDATE grants SET revoked_at = NULL;

-- case: un-revoke, OR REPLACE
-- given: granted
-- refused: append_only
UPDATE grants SET revoked_at = @now;
UPDATE OR REPLACE grants SET revoked_at = NULL;

-- case: revoke again, later
-- given: granted
-- refused: append_only
UPDATE grants SET revoked_at = @now;
UPDATE grants SET revoked_at = @now+5000;

-- case: prolong
-- given: granted
-- refused: append_only
UPDATE grants SET expires_at = expires_at + 1;

-- case: prolong for ever
-- given: granted
-- refused: append_only
UPDATE grants SET expires_at = NULL;

-- case: shorten in seconds
-- given: granted
-- refused: -
UPDATE grants SET expires_at = @now / 1000;

-- case: a grant for another principal
-- given: granted
-- refused: append_only
UPDATE grants SET principal = 'agent-2';

-- case: a grant for another target
-- given: granted
-- refused: append_only
UPDATE OR IGNORE grants SET target = 'outbox';

-- case: a grant for any content
-- given: granted
-- refused: append_only
UPDATE grants SET payload_sha256 = NULL;

-- case: a grant by somebody else
-- given: granted
-- refused: append_only
UPDATE grants SET granted_by = 'me';

-- case: a grant from another day
-- given: granted
-- refused: append_only
UPDATE grants SET granted_at = @now-1;

-- case: a grant under another id
-- given: granted
-- refused: append_only
UPDATE grants SET grant_id = 'h';

-- case: a grant gets another seq
-- given: granted
-- refused: append_only
UPDATE grants SET seq = 99;

-- case: a grant loses its seq
-- given: granted
-- refused: append_only
UPDATE grants SET seq = NULL;

-- case: a grant loses its seq while it is shortened
-- given: granted
-- refused: append_only
UPDATE grants SET seq = NULL, expires_at = @now;

-- case: a grant arrives with a seq
-- refused: append_only
INSERT INTO grants (grant_id, principal, target, granted_by, granted_at, seq) VALUES ('g', 'p', 'r', 'boss', @now, 1);

-- case: UPDATE of a grant's rowid
-- given: granted
-- refused: append_only
UPDATE grants SET rowid = 3;

-- case: REPLACE that un-revokes
-- given: granted
-- refused: append_only
UPDATE grants SET revoked_at = @now;
INSERT OR REPLACE INTO grants (grant_id, principal, target, payload_sha256, granted_by, granted_at) VALUES ('g', 'agent-1', 'inbox', @h1, 'boss', @now);

-- case: REPLACE by the very same grant
-- passes:
INSERT INTO grants (grant_id, principal, target, granted_by, granted_at) VALUES ('g', 'p', 'r', 'boss', @now);

-- case: REPLACE by the very same grant, a second time
-- refused: append_only
INSERT INTO grants (grant_id, principal, target, granted_by, granted_at) VALUES ('g', 'p', 'r', 'boss', @now);
REPLACE INTO grants (grant_id, principal, target, granted_by, granted_at) VALUES ('g', 'p', 'r', 'boss', @now);

-- case: REPLACE through the rowid of a grant
-- given: granted
-- refused: append_only
INSERT OR REPLACE INTO grants (rowid, grant_id, principal, target, granted_by, granted_at) VALUES (1, 'h', 'p', 'r', 'boss', @now);

-- case: an upsert that prolongs
-- given: granted
-- refused: append_only
INSERT INTO grants (grant_id, principal, target, granted_by, granted_at) VALUES ('g', 'agent-1', 'inbox', 'boss', @now) ON CONFLICT (grant_id) DO UPDATE SET expires_at = NULL;

-- case: a grant with a rowid ahead of its turn
-- refused: append_only
INSERT INTO grants (rowid, grant_id, principal, target, granted_by, granted_at) VALUES (9, 'h', 'p', 'r', 'boss', @now);

-- case: DELETE of a grant
-- given: granted
-- refused: append_only
DELETE FROM grants;

-- case: an event without its number
-- given: begun
-- refused: append_only
INSERT INTO events (at, op_key, kind, actor, detail) VALUES (@now, 'a', 'note', 'me', '{}');

-- case: an event with the next number
-- given: begun
-- refused: append_only
INSERT INTO events (seq, at, op_key, kind, actor, detail) SELECT seq, at, 'a', 'note', 'me', '{}' FROM journal_next;

-- case: an event with the next number, OR IGNORE
-- given: begun
-- refused: append_only
INSERT OR IGNORE INTO events (seq, at, op_key, kind, actor, detail) SELECT seq, at, 'a', 'surprise', 'me', '{}' FROM journal_next;

-- case: an event far ahead, after which none could follow
-- given: begun
-- refused: append_only
INSERT INTO events (seq, at, op_key, kind, actor, detail) VALUES (9223372036854775807, @now, 'a', 'note', 'me', '{}');

-- case: an event that replaces another
-- given: begun
-- refused: append_only
INSERT OR REPLACE INTO events (seq, at, op_key, kind, actor, detail) VALUES (1, @now, 'a', 'begun', 'me', '{}');

-- case: an event with broken detail
-- given: begun
-- refused: append_only
INSERT INTO events (seq, at, op_key, kind, actor, detail) SELECT seq, at, 'a', 'attempt_started', 'me', '{' FROM journal_next;

-- case: an event of a kind that is NULL
-- given: begun
-- refused: append_only
INSERT OR IGNORE INTO events (seq, at, op_key, kind, actor, detail) SELECT seq, at, 'a', NULL, 'me', '{}' FROM journal_next;

-- case: an upsert into the journal
-- given: begun
-- refused: append_only
INSERT INTO events (seq, at, op_key, kind, actor, detail) VALUES (1, @now, 'a', 'begun', 'me', '{}') ON CONFLICT (seq) DO UPDATE SET actor = 'me';

-- case: UPDATE of an event
-- given: begun
-- refused: append_only
UPDATE events SET actor = 'somebody else';

-- case: UPDATE of an event, OR IGNORE
-- given: begun
-- refused: append_only
UPDATE OR IGNORE events SET seq = 5;

-- case: DELETE of an event
-- given: begun
-- refused: append_only
DELETE FROM events WHERE seq = 1;

-- case: DELETE of the journal
-- given: begun, attempt open
-- refused: append_only
DELETE FROM events;
