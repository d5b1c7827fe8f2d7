-- The rules of claims (leases), grants (authorisations) and the journal itself.

CREATE TRIGGER claims_guard_insert BEFORE INSERT ON claims BEGIN
  SELECT RAISE(ABORT, 'unknown_intent: no intent has this op_key')
  WHERE NOT EXISTS (SELECT 1 FROM intents WHERE op_key = NEW.op_key);

  SELECT RAISE(ABORT, 'append_only: this rowid is taken; claims are updated, never replaced')
  WHERE EXISTS (SELECT 1 FROM claims WHERE rowid = NEW.rowid);
END;

CREATE TRIGGER claims_journal_insert AFTER INSERT ON claims BEGIN
  SELECT RAISE(ABORT, 'append_only: the ledger numbers its own rows; leave the rowid out')
  WHERE NEW.rowid IS NOT 1 + coalesce((SELECT max(rowid) FROM claims WHERE rowid < NEW.rowid), 0);

  -- Nothing is deleted, so an intent's claim is inserted once and updated from then on.
  SELECT RAISE(ABORT, 'append_only: REPLACE would erase a claim; use ON CONFLICT (op_key) DO UPDATE')
  WHERE EXISTS (SELECT 1 FROM events WHERE op_key = NEW.op_key AND kind = 'claimed');

  INSERT INTO events (seq, at, op_key, kind, actor, detail)
  SELECT seq, at, NEW.op_key, 'claimed', NEW.operator, json_object(
    'operator', json_array(NULL, NEW.operator), 'claimed_at', json_array(NULL, NEW.claimed_at),
    'expires_at', json_array(NULL, NEW.expires_at))
  FROM journal_next;
END;

CREATE TRIGGER claims_guard_update BEFORE UPDATE ON claims BEGIN
  SELECT RAISE(ABORT, 'append_only: a claim stays with its intent')
  WHERE NEW.op_key IS NOT OLD.op_key OR NEW.rowid IS NOT OLD.rowid;
END;

CREATE TRIGGER claims_journal_update AFTER UPDATE ON claims
WHEN NEW.operator IS NOT OLD.operator OR NEW.claimed_at IS NOT OLD.claimed_at OR NEW.expires_at IS NOT OLD.expires_at
BEGIN
  INSERT INTO events (seq, at, op_key, kind, actor, detail)
  SELECT seq, at, NEW.op_key, 'claim_changed', NEW.operator, json_object(
    'operator', json_array(OLD.operator, NEW.operator), 'claimed_at', json_array(OLD.claimed_at, NEW.claimed_at),
    'expires_at', json_array(OLD.expires_at, NEW.expires_at))
  FROM journal_next;
END;

CREATE TRIGGER claims_guard_delete BEFORE DELETE ON claims BEGIN
  SELECT RAISE(ABORT, 'append_only: nothing is ever deleted from the ledger; a claim is released by letting it expire now');
END;

CREATE TRIGGER grants_guard_insert BEFORE INSERT ON grants BEGIN
  SELECT RAISE(ABORT, 'append_only: this grant_id or rowid is taken; a new authorisation is a new grant')
  WHERE EXISTS (SELECT 1 FROM grants WHERE grant_id = NEW.grant_id)
     OR EXISTS (SELECT 1 FROM grants WHERE rowid = NEW.rowid)
     OR NEW.seq IS NOT NULL;
END;

CREATE TRIGGER grants_journal_insert AFTER INSERT ON grants BEGIN
  SELECT RAISE(ABORT, 'append_only: the ledger numbers its own rows; leave the rowid out')
  WHERE NEW.rowid IS NOT 1 + coalesce((SELECT max(rowid) FROM grants WHERE rowid < NEW.rowid), 0);

  INSERT INTO events (seq, at, op_key, kind, actor, detail)
  SELECT seq, at, NULL, 'granted', NEW.granted_by, json_patch(
    json_object(
      'grant_id', json_array(NULL, NEW.grant_id), 'principal', json_array(NULL, NEW.principal),
      'target', json_array(NULL, NEW.target), 'granted_by', json_array(NULL, NEW.granted_by),
      'granted_at', json_array(NULL, NEW.granted_at), 'expires_at', json_array(NULL, NEW.expires_at),
      'revoked_at', json_array(NULL, NEW.revoked_at)),
    json_object(
      'payload_sha256', json(CASE WHEN NEW.payload_sha256 IS NOT NULL THEN json_array(NULL, NEW.payload_sha256) END)))
  FROM journal_next;

  UPDATE grants SET seq = (SELECT seq FROM journal_tail) WHERE grant_id = NEW.grant_id;
END;

CREATE TRIGGER grants_guard_update BEFORE UPDATE ON grants BEGIN
  SELECT RAISE(ABORT, 'append_only: a grant is never rewritten; only expires_at (earlier) and revoked_at (once) can be set')
  WHERE NEW.grant_id IS NOT OLD.grant_id OR NEW.principal IS NOT OLD.principal OR NEW.target IS NOT OLD.target
     OR NEW.payload_sha256 IS NOT OLD.payload_sha256 OR NEW.granted_by IS NOT OLD.granted_by
     OR NEW.granted_at IS NOT OLD.granted_at OR NEW.rowid IS NOT OLD.rowid;

  SELECT RAISE(ABORT, 'append_only: revoking a grant is one-way')
  WHERE OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS NOT OLD.revoked_at;

  SELECT RAISE(ABORT, 'append_only: a grant can be shortened, never prolonged')
  WHERE OLD.expires_at IS NOT NULL AND (NEW.expires_at <= OLD.expires_at) IS NOT TRUE;

  -- Right after its event only: at any other time the newest event is not about this
  -- grant, or seq names it already.
  SELECT RAISE(ABORT, 'append_only: seq is kept by triggers')
  WHERE NEW.seq IS NOT OLD.seq
    AND (NEW.expires_at IS NOT OLD.expires_at OR NEW.revoked_at IS NOT OLD.revoked_at
         OR NEW.seq IS NOT (SELECT seq FROM journal_tail
                            WHERE kind IN ('granted', 'grant_changed')
                              AND json_extract(detail, '$.grant_id[1]') = OLD.grant_id));
END;

CREATE TRIGGER grants_journal_update AFTER UPDATE ON grants
WHEN NEW.expires_at IS NOT OLD.expires_at OR NEW.revoked_at IS NOT OLD.revoked_at
BEGIN
  INSERT INTO events (seq, at, op_key, kind, actor, detail)
  SELECT seq, at, NULL, 'grant_changed', NEW.granted_by, json_object(
    'grant_id', json_array(NEW.grant_id, NEW.grant_id), 'expires_at', json_array(OLD.expires_at, NEW.expires_at),
    'revoked_at', json_array(OLD.revoked_at, NEW.revoked_at))
  FROM journal_next;

  UPDATE grants SET seq = (SELECT seq FROM journal_tail) WHERE grant_id = NEW.grant_id;
END;

CREATE TRIGGER grants_guard_delete BEFORE DELETE ON grants BEGIN
  SELECT RAISE(ABORT, 'append_only: nothing is ever deleted from the ledger; revoke the grant');
END;

-- An event is due only in the middle of the statement that it tells of, between the
-- row's change and the rest of what its trigger does. Each kind is asked whether its
-- row has a change that no event tells of yet; whoever writes here directly finds the
-- journal complete.
CREATE TRIGGER events_guard_insert BEFORE INSERT ON events BEGIN
  SELECT RAISE(ABORT, 'append_only: the clock of this machine is outside the years 2000 to 2200; the journal takes nothing until it is set')
  WHERE NEW.seq IS (SELECT seq FROM journal_next) AND NEW.at NOT BETWEEN 946684800000 AND 7258118400000;

  SELECT RAISE(ABORT, 'append_only: the journal is written by triggers only')
  WHERE NEW.seq IS NOT (SELECT seq FROM journal_next)
     OR NEW.at IS NULL OR NEW.kind IS NULL OR NEW.actor IS NULL OR json_valid(NEW.detail) IS NOT TRUE
     OR NEW.at < coalesce((SELECT at FROM journal_tail), 0)
     OR CASE NEW.kind
        WHEN 'begun' THEN
          EXISTS (SELECT 1 FROM intents WHERE op_key = NEW.op_key)
          AND NOT EXISTS (SELECT 1 FROM events WHERE op_key = NEW.op_key)
        WHEN 'superseded' THEN
          EXISTS (SELECT 1 FROM intents AS p JOIN intents AS s ON s.supersedes = p.op_key
                  WHERE p.op_key = NEW.op_key AND p.superseded_by IS NULL)
        WHEN 'changed' THEN
          EXISTS (SELECT 1 FROM intents AS i JOIN journaled AS j ON j.op_key = i.op_key
                  WHERE i.op_key = NEW.op_key
                    AND (i.state IS NOT j.state OR i.updated_by IS NOT j.updated_by
                         OR i.updated_at IS NOT j.updated_at OR i.cancel_requested_at IS NOT j.cancel_requested_at))
        WHEN 'attempt_started' THEN
          EXISTS (SELECT 1 FROM attempts
                  WHERE attempt_id = json_extract(NEW.detail, '$.attempt_id[1]') AND op_key = NEW.op_key AND seq IS NULL)
        WHEN 'attempt_finished' THEN
          EXISTS (SELECT 1 FROM attempts AS a
                  WHERE a.attempt_id = json_extract(NEW.detail, '$.attempt_id[1]') AND a.op_key = NEW.op_key
                    AND a.outcome IS NOT NULL
                    AND NOT EXISTS (SELECT 1 FROM events AS e
                                    WHERE e.op_key = a.op_key AND e.seq > a.seq AND e.kind = 'attempt_finished'
                                      AND json_extract(e.detail, '$.attempt_id[1]') = a.attempt_id))
        WHEN 'lookup_started' THEN
          EXISTS (SELECT 1 FROM lookups
                  WHERE lookup_id = json_extract(NEW.detail, '$.lookup_id[1]') AND op_key = NEW.op_key AND seq IS NULL)
        WHEN 'lookup_finished' THEN
          EXISTS (SELECT 1 FROM lookups AS l
                  WHERE l.lookup_id = json_extract(NEW.detail, '$.lookup_id[1]') AND l.op_key = NEW.op_key
                    AND l.outcome IS NOT NULL
                    AND NOT EXISTS (SELECT 1 FROM events AS e
                                    WHERE e.op_key = l.op_key AND e.seq > l.seq AND e.kind = 'lookup_finished'
                                      AND json_extract(e.detail, '$.lookup_id[1]') = l.lookup_id))
        WHEN 'contradicted' THEN -- it follows on the heels of the evidence
          EXISTS (SELECT 1 FROM journal_tail
                  WHERE op_key = NEW.op_key AND kind = 'attempt_finished'
                    AND json_extract(detail, '$.attempt_id[1]') = json_extract(NEW.detail, '$.attempt_id[1]'))
            AND EXISTS (SELECT 1 FROM attempt_disagreements WHERE attempt_id = json_extract(NEW.detail, '$.attempt_id[1]'))
          OR EXISTS (SELECT 1 FROM journal_tail
                     WHERE op_key = NEW.op_key AND kind = 'lookup_finished'
                       AND json_extract(detail, '$.lookup_id[1]') = json_extract(NEW.detail, '$.lookup_id[1]'))
            AND EXISTS (SELECT 1 FROM lookup_disagreements WHERE lookup_id = json_extract(NEW.detail, '$.lookup_id[1]'))
        WHEN 'claimed' THEN
          EXISTS (SELECT 1 FROM claims WHERE op_key = NEW.op_key)
          AND NOT EXISTS (SELECT 1 FROM events WHERE op_key = NEW.op_key AND kind = 'claimed')
        WHEN 'claim_changed' THEN
          (SELECT json_array(operator, claimed_at, expires_at) FROM claims WHERE op_key = NEW.op_key)
          <> (SELECT json_array(json_extract(detail, '$.operator[1]'), json_extract(detail, '$.claimed_at[1]'),
                                json_extract(detail, '$.expires_at[1]'))
              FROM events WHERE op_key = NEW.op_key AND kind IN ('claimed', 'claim_changed')
              ORDER BY seq DESC LIMIT 1)
        WHEN 'granted' THEN
          EXISTS (SELECT 1 FROM grants WHERE grant_id = json_extract(NEW.detail, '$.grant_id[1]') AND seq IS NULL)
        WHEN 'grant_changed' THEN
          EXISTS (SELECT 1 FROM grants AS g JOIN events AS e ON e.seq = g.seq
                  WHERE g.grant_id = json_extract(NEW.detail, '$.grant_id[1]')
                    AND (g.expires_at IS NOT json_extract(e.detail, '$.expires_at[1]')
                         OR g.revoked_at IS NOT json_extract(e.detail, '$.revoked_at[1]')))
        ELSE
          EXISTS (SELECT 1 FROM decisions AS d
                  WHERE d.decision_id = json_extract(NEW.detail, '$.decision_id')
                    AND d.op_key = NEW.op_key AND d.kind = NEW.kind
                    AND NOT EXISTS (SELECT 1 FROM events AS e
                                    WHERE e.op_key = d.op_key AND e.kind = d.kind
                                      AND json_extract(e.detail, '$.decision_id') = d.decision_id))
        END IS NOT TRUE;
END;

-- Whatever evidence disagrees, its event brings the intent to the top of the queue.
CREATE TRIGGER events_contradict AFTER INSERT ON events
WHEN NEW.kind = 'contradicted'
BEGIN
  UPDATE intents
  SET version = version + 1, acknowledged_at = NULL, queue = 0, contradicted_at = NEW.at, updated_at = NEW.at
  WHERE op_key = NEW.op_key;
END;

CREATE TRIGGER events_guard_update BEFORE UPDATE ON events BEGIN
  SELECT RAISE(ABORT, 'append_only: the journal never changes');
END;

CREATE TRIGGER events_guard_delete BEFORE DELETE ON events BEGIN
  SELECT RAISE(ABORT, 'append_only: the journal never changes');
END;
