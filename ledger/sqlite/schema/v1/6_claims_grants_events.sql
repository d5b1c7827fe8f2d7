-- The rules of claims (leases), grants (authorisations) and the journal itself.

CREATE TRIGGER claims_guard_insert BEFORE INSERT ON claims BEGIN
  SELECT RAISE(ABORT, 'unknown_intent: no intent has this op_key')
  WHERE NOT EXISTS (SELECT 1 FROM intents WHERE op_key = NEW.op_key);

  SELECT RAISE(ABORT, 'append_only: this rowid is taken; claims are updated, never replaced')
  WHERE EXISTS (SELECT 1 FROM claims WHERE rowid = NEW.rowid);
END;

CREATE TRIGGER claims_journal_insert AFTER INSERT ON claims BEGIN
  -- Nothing is deleted, so an intent's claim is inserted once and updated from then on.
  SELECT RAISE(ABORT, 'append_only: REPLACE would erase a claim; use ON CONFLICT (op_key) DO UPDATE')
  WHERE NEW.rowid < 1
     OR EXISTS (SELECT 1 FROM events WHERE op_key = NEW.op_key AND kind = 'claimed');

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

CREATE TRIGGER claims_journal_update AFTER UPDATE ON claims BEGIN
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
  -- The same grant once more is left to INSERT OR IGNORE; anything else under its id
  -- would be a REPLACE that un-revokes or prolongs it.
  SELECT RAISE(ABORT, 'append_only: this grant_id stands for another grant; a new authorisation is a new grant')
  WHERE EXISTS (SELECT 1 FROM grants WHERE grant_id = NEW.grant_id
    AND (principal IS NOT NEW.principal OR target IS NOT NEW.target OR payload_sha256 IS NOT NEW.payload_sha256
         OR granted_by IS NOT NEW.granted_by OR granted_at IS NOT NEW.granted_at
         OR expires_at IS NOT NEW.expires_at OR revoked_at IS NOT NEW.revoked_at));

  SELECT RAISE(ABORT, 'append_only: this rowid is taken; grants are never replaced')
  WHERE EXISTS (SELECT 1 FROM grants WHERE rowid = NEW.rowid AND grant_id IS NOT NEW.grant_id);
END;

CREATE TRIGGER grants_journal_insert AFTER INSERT ON grants BEGIN
  SELECT RAISE(ABORT, 'append_only: rowids are positive; leave the rowid out')
  WHERE NEW.rowid < 1;

  INSERT INTO events (seq, at, op_key, kind, actor, detail)
  SELECT seq, at, NULL, 'granted', NEW.granted_by, json_patch(
    json_object(
      'grant_id', json_array(NULL, NEW.grant_id), 'principal', json_array(NULL, NEW.principal),
      'target', json_array(NULL, NEW.target), 'granted_by', json_array(NULL, NEW.granted_by),
      'granted_at', json_array(NULL, NEW.granted_at)),
    json_object(
      'payload_sha256', json(CASE WHEN NEW.payload_sha256 IS NOT NULL THEN json_array(NULL, NEW.payload_sha256) END),
      'expires_at', json(CASE WHEN NEW.expires_at IS NOT NULL THEN json_array(NULL, NEW.expires_at) END),
      'revoked_at', json(CASE WHEN NEW.revoked_at IS NOT NULL THEN json_array(NULL, NEW.revoked_at) END)))
  FROM journal_next;
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
END;

CREATE TRIGGER grants_journal_update AFTER UPDATE ON grants BEGIN
  INSERT INTO events (seq, at, op_key, kind, actor, detail)
  SELECT seq, at, NULL, 'grant_changed', NEW.granted_by, json_patch(
    json_object('grant_id', json_array(NEW.grant_id, NEW.grant_id)),
    json_object(
      'expires_at', json(CASE WHEN NEW.expires_at IS NOT OLD.expires_at THEN json_array(OLD.expires_at, NEW.expires_at) END),
      'revoked_at', json(CASE WHEN NEW.revoked_at IS NOT OLD.revoked_at THEN json_array(OLD.revoked_at, NEW.revoked_at) END)))
  FROM journal_next;
END;

CREATE TRIGGER grants_guard_delete BEFORE DELETE ON grants BEGIN
  SELECT RAISE(ABORT, 'append_only: nothing is ever deleted from the ledger; revoke the grant');
END;

CREATE TRIGGER events_guard_insert BEFORE INSERT ON events BEGIN
  SELECT RAISE(ABORT, 'append_only: the journal is written by triggers only')
  WHERE NEW.seq IS NOT (SELECT seq FROM journal_next)
     OR NEW.at IS NULL OR NEW.kind IS NULL OR NEW.actor IS NULL OR json_valid(NEW.detail) IS NOT TRUE
     OR NEW.at < coalesce((SELECT at FROM events ORDER BY seq DESC LIMIT 1), 0);
END;

CREATE TRIGGER events_guard_update BEFORE UPDATE ON events BEGIN
  SELECT RAISE(ABORT, 'append_only: the journal never changes');
END;

CREATE TRIGGER events_guard_delete BEFORE DELETE ON events BEGIN
  SELECT RAISE(ABORT, 'append_only: the journal never changes');
END;
