-- The rules of lookups. They never raise an intent's version, or a sweep would void
-- every proposal; only a contradiction that they find does.

CREATE TRIGGER lookups_guard_insert BEFORE INSERT ON lookups BEGIN
  SELECT RAISE(ABORT, 'unknown_intent: no intent has this op_key')
  WHERE NOT EXISTS (SELECT 1 FROM intents WHERE op_key = NEW.op_key);

  SELECT RAISE(ABORT, 'append_only: this lookup_id or rowid is taken; lookups are never replaced')
  WHERE EXISTS (SELECT 1 FROM lookups WHERE lookup_id = NEW.lookup_id)
     OR EXISTS (SELECT 1 FROM lookups WHERE rowid = NEW.rowid)
     OR NEW.seq IS NOT NULL;
END;

CREATE TRIGGER lookups_journal_insert AFTER INSERT ON lookups BEGIN
  SELECT RAISE(ABORT, 'append_only: the ledger numbers its own rows; leave the rowid out')
  WHERE NEW.rowid IS NOT 1 + coalesce((SELECT max(rowid) FROM lookups WHERE rowid < NEW.rowid), 0);

  INSERT INTO events (seq, at, op_key, kind, actor, detail)
  SELECT seq, at, NEW.op_key, 'lookup_started', NEW.actor, json_patch(
    json_object('lookup_id', json_array(NULL, NEW.lookup_id), 'started_at', json_array(NULL, NEW.started_at),
                'connector', json_array(NULL, NEW.connector)),
    json_object('environment', json(CASE WHEN NEW.environment IS NOT NULL THEN json_array(NULL, NEW.environment) END)))
  FROM journal_next;

  UPDATE lookups SET seq = (SELECT seq FROM journal_tail) WHERE lookup_id = NEW.lookup_id;
END;

CREATE TRIGGER lookups_guard_update BEFORE UPDATE ON lookups BEGIN
  SELECT RAISE(ABORT, 'append_only: a finished lookup never changes')
  WHERE OLD.outcome IS NOT NULL AND NOT (OLD.seq IS NULL AND NEW.seq IS NOT NULL);

  SELECT RAISE(ABORT, 'append_only: which lookup this is (lookup_id, op_key, started_at, actor, connector, environment) never changes')
  WHERE NEW.lookup_id IS NOT OLD.lookup_id OR NEW.op_key IS NOT OLD.op_key OR NEW.started_at IS NOT OLD.started_at
     OR NEW.actor IS NOT OLD.actor OR NEW.connector IS NOT OLD.connector
     OR NEW.environment IS NOT OLD.environment OR NEW.rowid IS NOT OLD.rowid;

  SELECT RAISE(ABORT, 'append_only: an open lookup changes once, when it finishes')
  WHERE NEW.outcome IS NULL AND NEW.seq IS OLD.seq;

  SELECT RAISE(ABORT, 'append_only: seq is kept by triggers')
  WHERE NEW.seq IS NOT OLD.seq
    AND (OLD.seq IS NOT NULL OR NEW.outcome IS NOT OLD.outcome OR NEW.finished_at IS NOT OLD.finished_at
         OR NEW.receipt IS NOT OLD.receipt OR NEW.payload_sha256 IS NOT OLD.payload_sha256
         OR NEW.evidence IS NOT OLD.evidence OR NEW.cause IS NOT OLD.cause OR NEW.owner IS NOT OLD.owner
         OR NEW.canary_seen IS NOT OLD.canary_seen
         OR NEW.seq IS NOT (SELECT seq FROM journal_tail));
END;

-- Runs for the finish of a lookup, and once for a row that arrived finished.
CREATE TRIGGER lookups_journal_update AFTER UPDATE ON lookups
WHEN NEW.outcome IS NOT NULL
BEGIN
  INSERT INTO events (seq, at, op_key, kind, actor, detail)
  SELECT seq, at, NEW.op_key, 'lookup_finished', NEW.actor, json_patch(
    json_object('lookup_id', json_array(NEW.lookup_id, NEW.lookup_id),
                'finished_at', json_array(NULL, NEW.finished_at), 'outcome', json_array(NULL, NEW.outcome)),
    json_object(
      'canary_seen', json(CASE WHEN NEW.canary_seen IS NOT NULL THEN json_array(NULL, NEW.canary_seen) END),
      'receipt', json(CASE WHEN NEW.receipt IS NOT NULL THEN json_array(NULL, NEW.receipt) END),
      'payload_sha256', json(CASE WHEN NEW.payload_sha256 IS NOT NULL THEN json_array(NULL, NEW.payload_sha256) END),
      'owner', json(CASE WHEN NEW.owner IS NOT NULL THEN json_array(NULL, NEW.owner) END),
      'cause', json(CASE WHEN NEW.cause IS NOT NULL THEN json_array(NULL, NEW.cause) END)))
  FROM journal_next;

  INSERT INTO events (seq, at, op_key, kind, actor, detail)
  SELECT j.seq, j.at, i.op_key, 'contradicted', NEW.actor, json_object(
    'lookup_id', json_array(NEW.lookup_id, NEW.lookup_id),
    'contradicted_at', json_array(i.contradicted_at, j.at), 'version', json_array(i.version, i.version + 1))
  FROM intents AS i, journal_next AS j
  WHERE i.op_key = NEW.op_key AND EXISTS (SELECT 1 FROM lookup_disagreements WHERE lookup_id = NEW.lookup_id);
END;

CREATE TRIGGER lookups_guard_delete BEFORE DELETE ON lookups BEGIN
  SELECT RAISE(ABORT, 'append_only: nothing is ever deleted from the ledger');
END;
