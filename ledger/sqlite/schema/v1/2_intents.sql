-- The rules of intents (docs/ledger.md). One trigger for each table and event,
-- because the order of several is undefined. RAISE(ABORT) undoes the statement and
-- can't be switched off by OR IGNORE. Guards are written so that NULL refuses.

CREATE TRIGGER intents_guard_insert BEFORE INSERT ON intents BEGIN
  SELECT RAISE(ABORT, 'same_key_different_payload: this op_key already stands for another payload, target or principal; nothing was written. New content is a new intent with a new key')
  WHERE EXISTS (SELECT 1 FROM intents WHERE op_key = NEW.op_key
    AND (payload_sha256 IS NOT NEW.payload_sha256 OR target IS NOT NEW.target OR principal IS NOT NEW.principal));

  SELECT RAISE(ABORT, 'append_only: this rowid is taken; the ledger numbers its own rows and replaces none')
  WHERE EXISTS (SELECT 1 FROM intents WHERE rowid = NEW.rowid);

  SELECT RAISE(ABORT, 'illegal_transition: every intent begins PENDING; attempt it and settle it from there')
  WHERE NEW.state <> 'PENDING' OR NEW.receipt IS NOT NULL OR NEW.settled_by IS NOT NULL;

  SELECT RAISE(ABORT, 'illegal_transition: version starts at 1, and superseded_by, contradicted_at, snoozed_until and the derived columns are kept by triggers; leave them out')
  WHERE NEW.version <> 1
     OR NEW.superseded_by IS NOT NULL OR NEW.contradicted_at IS NOT NULL OR NEW.snoozed_until IS NOT NULL
     OR NEW.attempt_count <> 0 OR NEW.last_attempt_at IS NOT NULL OR NEW.last_attempt_seq IS NOT NULL
     OR NEW.last_outcome IS NOT NULL OR NEW.last_cause IS NOT NULL OR NEW.in_flight IS NOT NULL
     OR NEW.set_aside_at IS NOT NULL OR NEW.acknowledged_at IS NOT NULL OR NEW.queue IS NOT 2;

  SELECT RAISE(ABORT, 'unknown_intent: supersedes names no intent')
  WHERE NEW.supersedes IS NOT NULL AND NOT EXISTS (SELECT 1 FROM intents WHERE op_key = NEW.supersedes);

  SELECT RAISE(ABORT, 'already_superseded: the intent that this one would replace was replaced already; look at its superseded_by')
  WHERE EXISTS (SELECT 1 FROM intents
                WHERE op_key = NEW.supersedes AND superseded_by IS NOT NULL AND superseded_by <> NEW.op_key);

  SELECT RAISE(ABORT, 'decision_required: a new intent in place of another wants a reissue decision that names its key, written first')
  WHERE NEW.supersedes IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM decisions
                    WHERE op_key = NEW.supersedes AND kind = 'reissue' AND new_op_key = NEW.op_key);
END;

CREATE TRIGGER intents_journal_insert AFTER INSERT ON intents BEGIN
  -- A REPLACE deletes without firing delete triggers, but it can't delete the journal.
  SELECT RAISE(ABORT, 'append_only: REPLACE would erase what happened to this op_key; use INSERT, or INSERT OR IGNORE to begin again')
  WHERE EXISTS (SELECT 1 FROM events WHERE op_key = NEW.op_key);

  SELECT RAISE(ABORT, 'append_only: the ledger numbers its own rows; leave the rowid out')
  WHERE NEW.rowid IS NOT 1 + coalesce((SELECT max(rowid) FROM intents WHERE rowid < NEW.rowid), 0);

  INSERT INTO events (seq, at, op_key, kind, actor, detail)
  SELECT seq, at, NEW.op_key, 'begun', NEW.updated_by, json_patch(
    json_object(
      'task', json_array(NULL, NEW.task), 'stage', json_array(NULL, NEW.stage),
      'principal', json_array(NULL, NEW.principal), 'target', json_array(NULL, NEW.target),
      'payload_sha256', json_array(NULL, NEW.payload_sha256), 'state', json_array(NULL, NEW.state),
      'created_at', json_array(NULL, NEW.created_at), 'updated_at', json_array(NULL, NEW.updated_at),
      'updated_by', json_array(NULL, NEW.updated_by), 'version', json_array(NULL, NEW.version)),
    json_object( -- json_patch drops the members that are null: columns that nothing was written to
      'payload_bytes', json(CASE WHEN NEW.payload_bytes IS NOT NULL THEN json_array(NULL, NEW.payload_bytes) END),
      'payload_ref', json(CASE WHEN NEW.payload_ref IS NOT NULL THEN json_array(NULL, NEW.payload_ref) END),
      'grant_id', json(CASE WHEN NEW.grant_id IS NOT NULL THEN json_array(NULL, NEW.grant_id) END),
      'max_attempts', json(CASE WHEN NEW.max_attempts IS NOT NULL THEN json_array(NULL, NEW.max_attempts) END),
      'deadline_at', json(CASE WHEN NEW.deadline_at IS NOT NULL THEN json_array(NULL, NEW.deadline_at) END),
      'supersedes', json(CASE WHEN NEW.supersedes IS NOT NULL THEN json_array(NULL, NEW.supersedes) END),
      'cancel_requested_at', json(CASE WHEN NEW.cancel_requested_at IS NOT NULL THEN json_array(NULL, NEW.cancel_requested_at) END)))
  FROM journal_next;

  -- The predecessor keeps its state and leaves the queue. Replacing a contradicted
  -- one is a way of dealing with it.
  INSERT INTO events (seq, at, op_key, kind, actor, detail)
  SELECT j.seq, j.at, p.op_key, 'superseded', NEW.updated_by, json_object(
    'superseded_by', json_array(NULL, NEW.op_key), 'version', json_array(p.version, p.version + 1))
  FROM intents AS p, journal_next AS j WHERE p.op_key = NEW.supersedes;

  UPDATE intents
  SET superseded_by = NEW.op_key, version = version + 1, updated_at = (SELECT at FROM journal_tail),
      acknowledged_at = CASE WHEN contradicted_at IS NOT NULL
        THEN coalesce(acknowledged_at, (SELECT at FROM journal_tail)) END,
      queue = NULL
  WHERE op_key = NEW.supersedes;
END;

CREATE TRIGGER intents_guard_update BEFORE UPDATE ON intents BEGIN
  SELECT RAISE(ABORT, 'same_key_different_payload: what was set at begin (key, content, target, principal, task, stage, grant, budget, supersedes) never changes; other content is a new intent')
  WHERE NEW.op_key IS NOT OLD.op_key OR NEW.payload_sha256 IS NOT OLD.payload_sha256
     OR NEW.target IS NOT OLD.target OR NEW.principal IS NOT OLD.principal
     OR NEW.task IS NOT OLD.task OR NEW.stage IS NOT OLD.stage
     OR NEW.payload_bytes IS NOT OLD.payload_bytes OR NEW.payload_ref IS NOT OLD.payload_ref
     OR NEW.grant_id IS NOT OLD.grant_id OR NEW.supersedes IS NOT OLD.supersedes
     OR NEW.max_attempts IS NOT OLD.max_attempts OR NEW.deadline_at IS NOT OLD.deadline_at
     OR NEW.created_at IS NOT OLD.created_at;

  SELECT RAISE(ABORT, 'append_only: rowids never change')
  WHERE NEW.rowid IS NOT OLD.rowid;

  -- UPDATE OR REPLACE turns a NULL into the default, after this trigger.
  SELECT RAISE(ABORT, 'illegal_transition: state, version, updated_at, updated_by and attempt_count are never NULL')
  WHERE NEW.state IS NULL OR NEW.version IS NULL OR NEW.updated_at IS NULL OR NEW.updated_by IS NULL
     OR NEW.attempt_count IS NULL;

  -- Triggers write the event first: only they find the journal one version ahead.
  SELECT RAISE(ABORT, 'illegal_transition: the ledger raises version itself, by 1 on each change; leave it out, and put it into WHERE to write only what you have seen')
  WHERE NEW.version IS NOT OLD.version
    AND (NEW.version IS NOT OLD.version + 1
         OR (SELECT json_extract(detail, '$.version[0]') FROM events
             WHERE op_key = OLD.op_key ORDER BY seq DESC LIMIT 1) IS NOT OLD.version);

  SELECT RAISE(ABORT, 'illegal_transition: superseded_by, contradicted_at, snoozed_until and the derived columns are kept by triggers; write the decision or the attempt that they follow from')
  WHERE NEW.version = OLD.version
    AND (NEW.superseded_by IS NOT OLD.superseded_by OR NEW.contradicted_at IS NOT OLD.contradicted_at
         OR NEW.snoozed_until IS NOT OLD.snoozed_until OR NEW.attempt_count IS NOT OLD.attempt_count
         OR NEW.last_attempt_at IS NOT OLD.last_attempt_at OR NEW.last_attempt_seq IS NOT OLD.last_attempt_seq
         OR NEW.last_outcome IS NOT OLD.last_outcome OR NEW.last_cause IS NOT OLD.last_cause
         OR NEW.in_flight IS NOT OLD.in_flight OR NEW.set_aside_at IS NOT OLD.set_aside_at
         OR NEW.acknowledged_at IS NOT OLD.acknowledged_at OR NEW.queue IS NOT OLD.queue);

  SELECT RAISE(ABORT, 'illegal_transition: DELIVERED and FAILED are final, with their receipt and with who settled them; dispute what is wrong')
  WHERE OLD.state IN ('DELIVERED', 'FAILED')
    AND (NEW.state IS NOT OLD.state OR NEW.receipt IS NOT OLD.receipt
         OR (NEW.version = OLD.version AND NEW.settled_by IS NOT OLD.settled_by));

  SELECT RAISE(ABORT, 'illegal_transition: UNKNOWN never goes back to PENDING; a retry stays UNKNOWN until its outcome is known')
  WHERE OLD.state = 'UNKNOWN' AND NEW.state = 'PENDING';

  SELECT RAISE(ABORT, 'receipt_required: DELIVERED wants the receipt that the receiver gave')
  WHERE NEW.state = 'DELIVERED' AND (NEW.receipt IS NULL OR trim(NEW.receipt, ' ' || char(9, 10, 11, 12, 13, 160)) = '');

  SELECT RAISE(ABORT, 'illegal_transition: a receipt goes with DELIVERED, and settled_by with DELIVERED or FAILED')
  WHERE (NEW.receipt IS NOT NULL AND NEW.state <> 'DELIVERED')
     OR (NEW.settled_by IS NOT NULL AND NEW.state NOT IN ('DELIVERED', 'FAILED'));

  SELECT RAISE(ABORT, 'decision_required: UNKNOWN becomes FAILED only on a close_not_delivered decision newer than the last attempt; an outcome nobody knows is not a failure')
  WHERE OLD.state = 'UNKNOWN' AND NEW.state = 'FAILED'
    AND NOT EXISTS (SELECT 1 FROM standing_close WHERE op_key = OLD.op_key);

  SELECT RAISE(ABORT, 'illegal_transition: an attempt came back delivered; a refusal or a decision after it does not undo that')
  WHERE NEW.state = 'FAILED' AND OLD.state <> 'FAILED'
    AND EXISTS (SELECT 1 FROM attempts WHERE op_key = OLD.op_key AND outcome = 'delivered');

  SELECT RAISE(ABORT, 'illegal_transition: an attempt has an unknown outcome or never finished, and the refusal of another proves nothing about it; make the intent UNKNOWN')
  WHERE OLD.state = 'PENDING' AND NEW.state = 'FAILED'
    AND EXISTS (SELECT 1 FROM attempts WHERE op_key = OLD.op_key AND (outcome IS NULL OR outcome = 'unknown'))
    AND NOT EXISTS (SELECT 1 FROM standing_close WHERE op_key = OLD.op_key);

  SELECT RAISE(ABORT, 'illegal_transition: no attempt, lookup or decision bears this outcome out; write the evidence first, then the state')
  WHERE NEW.state IN ('DELIVERED', 'FAILED') AND NEW.state IS NOT OLD.state
    AND NOT EXISTS (SELECT 1 FROM settlement_evidence AS s
                    WHERE s.op_key = OLD.op_key AND s.state = NEW.state
                      AND (s.receipt IS NULL OR s.receipt = NEW.receipt)
                      AND s.settled_by = coalesce(NEW.settled_by, s.settled_by)
                      AND (s.state <> 'FAILED' OR s.settled_by <> 'sender' OR OLD.state = 'PENDING'));
END;

-- A writer's own change: journal it, then raise the version and set what follows.
-- Changes that other triggers make raise the version themselves and don't come here;
-- an UPDATE that changes nothing leaves no event.
CREATE TRIGGER intents_journal_update AFTER UPDATE ON intents
WHEN NEW.version = OLD.version
 AND (NEW.state IS NOT OLD.state OR NEW.cancel_requested_at IS NOT OLD.cancel_requested_at
      OR NEW.updated_by IS NOT OLD.updated_by OR NEW.updated_at IS NOT OLD.updated_at)
BEGIN
  INSERT INTO events (seq, at, op_key, kind, actor, detail)
  SELECT seq, at, NEW.op_key, 'changed', NEW.updated_by, json_patch(
    json_object('version', json_array(OLD.version, OLD.version + 1)),
    json_object(
      'state', json(CASE WHEN NEW.state IS NOT OLD.state THEN json_array(OLD.state, NEW.state) END),
      'receipt', json(CASE WHEN NEW.receipt IS NOT OLD.receipt THEN json_array(OLD.receipt, NEW.receipt) END),
      'settled_by', json(CASE WHEN NEW.state IS NOT OLD.state AND NEW.state IN ('DELIVERED', 'FAILED')
        THEN json_array(OLD.settled_by, coalesce(NEW.settled_by, (
          SELECT s.settled_by FROM settlement_evidence AS s
          WHERE s.op_key = NEW.op_key AND s.state = NEW.state AND (s.receipt IS NULL OR s.receipt = NEW.receipt)
            AND (s.state <> 'FAILED' OR s.settled_by <> 'sender' OR OLD.state = 'PENDING')
          ORDER BY CASE s.settled_by WHEN 'sender' THEN 0 WHEN 'operator' THEN 1 ELSE 2 END LIMIT 1))) END),
      'cancel_requested_at', json(CASE WHEN NEW.cancel_requested_at IS NOT OLD.cancel_requested_at
        THEN json_array(OLD.cancel_requested_at, NEW.cancel_requested_at) END),
      'updated_by', json(CASE WHEN NEW.updated_by IS NOT OLD.updated_by
        THEN json_array(OLD.updated_by, NEW.updated_by) END),
      'updated_at', json(CASE WHEN NEW.updated_at IS NOT OLD.updated_at
        THEN json_array(OLD.updated_at, NEW.updated_at) END)))
  FROM journal_next;

  UPDATE intents
  SET version = version + 1,
      settled_by = CASE WHEN NEW.state IN ('DELIVERED', 'FAILED') THEN coalesce(settled_by, (
        SELECT json_extract(e.detail, '$.settled_by[1]') FROM events AS e ORDER BY e.seq DESC LIMIT 1)) END,
      updated_at = CASE WHEN NEW.updated_at IS NOT OLD.updated_at THEN NEW.updated_at
                        ELSE (SELECT at FROM journal_tail) END,
      queue = CASE WHEN contradicted_at IS NOT NULL AND acknowledged_at IS NULL THEN 0
                   WHEN superseded_by IS NOT NULL OR set_aside_at IS NOT NULL THEN NULL
                   WHEN state = 'UNKNOWN' THEN 1 WHEN state = 'PENDING' THEN 2 END
  WHERE op_key = NEW.op_key;
END;

CREATE TRIGGER intents_guard_delete BEFORE DELETE ON intents BEGIN
  SELECT RAISE(ABORT, 'append_only: nothing is ever deleted from the ledger');
END;
