-- The rules of attempts. Inserting the attempt is the claim: whoever gets the row
-- in may make the call, and everybody else is refused.

CREATE TRIGGER attempts_guard_insert BEFORE INSERT ON attempts BEGIN
  SELECT RAISE(ABORT, 'unknown_intent: no intent has this op_key; begin it before the first attempt')
  WHERE NOT EXISTS (SELECT 1 FROM intents WHERE op_key = NEW.op_key);

  SELECT RAISE(ABORT, 'append_only: this attempt_id or rowid belongs to another attempt, which is never replaced')
  WHERE EXISTS (SELECT 1 FROM attempts WHERE attempt_id = NEW.attempt_id AND op_key IS NOT NEW.op_key)
     OR EXISTS (SELECT 1 FROM attempts WHERE rowid = NEW.rowid)
     OR NEW.seq IS NOT NULL;

  SELECT RAISE(ABORT, 'already_superseded: a new intent has taken the place of this one; nothing is sent for it any more')
  WHERE EXISTS (SELECT 1 FROM intents WHERE op_key = NEW.op_key AND superseded_by IS NOT NULL);

  SELECT RAISE(ABORT, 'already_final: this intent is settled, or an attempt came back delivered; sending again would be a duplicate')
  WHERE EXISTS (SELECT 1 FROM intents WHERE op_key = NEW.op_key AND state IN ('DELIVERED', 'FAILED'))
     OR EXISTS (SELECT 1 FROM attempts WHERE op_key = NEW.op_key AND outcome = 'delivered');

  SELECT RAISE(ABORT, 'attempt_in_flight: another attempt of this intent has not finished; wait for it, or let an operator abandon it')
  WHERE NEW.outcome IS NULL
    AND EXISTS (SELECT 1 FROM intents WHERE op_key = NEW.op_key AND in_flight IS NOT NULL);

  SELECT RAISE(ABORT, 'not_authorised: a wish to cancel is on record; find out what was sent, send nothing more')
  WHERE EXISTS (SELECT 1 FROM intents WHERE op_key = NEW.op_key AND cancel_requested_at IS NOT NULL);

  SELECT RAISE(ABORT, 'not_authorised: the grant of this intent was revoked or has expired; nothing may be sent on it')
  WHERE EXISTS (SELECT 1 FROM intents AS i JOIN grants AS g ON g.grant_id = i.grant_id
                WHERE i.op_key = NEW.op_key
                  AND (g.revoked_at IS NOT NULL
                       OR g.expires_at <= max(NEW.started_at, (SELECT now_ms FROM clock))));

  SELECT RAISE(ABORT, 'decision_required: what this intent replaces, itself or through others, was found since, so that sending it may be a duplicate; acknowledge that first')
  WHERE EXISTS (SELECT 1 FROM held_back WHERE op_key = NEW.op_key AND by IS NOT NULL);

  -- The two doors through which duplicates come are this one and supersedes.
  SELECT RAISE(ABORT, 'decision_required: nobody knows what became of the last attempt; look it up. A retry wants a retry_same_key decision newer than that attempt, not past its until, and no lookup since that came upon something')
  WHERE EXISTS (SELECT 1 FROM intents WHERE op_key = NEW.op_key AND state = 'UNKNOWN')
    AND NOT EXISTS (SELECT 1 FROM standing_retry
                    WHERE op_key = NEW.op_key
                      AND valid_until >= max(NEW.started_at, (SELECT now_ms FROM clock)));

  SELECT RAISE(ABORT, 'budget_spent: the deadline of this intent has passed')
  WHERE EXISTS (SELECT 1 FROM intents
                WHERE op_key = NEW.op_key AND deadline_at < max(NEW.started_at, (SELECT now_ms FROM clock)));

  -- A decided retry goes beyond max_attempts and is nobody's own retry.
  SELECT RAISE(ABORT, 'budget_spent: this intent has used all of its max_attempts')
  WHERE EXISTS (SELECT 1 FROM intents
                WHERE op_key = NEW.op_key AND state = 'PENDING' AND attempt_count >= max_attempts)
    AND NOT EXISTS (SELECT 1 FROM standing_retry
                    WHERE op_key = NEW.op_key
                      AND valid_until >= max(NEW.started_at, (SELECT now_ms FROM clock)));

  SELECT RAISE(ABORT, 'budget_spent: a sender may retry by itself after an unknown outcome only where max_attempts and deadline_at were both set at begin, which says that the receiver honours the key and for how long')
  WHERE EXISTS (SELECT 1 FROM intents
                WHERE op_key = NEW.op_key AND state = 'PENDING' AND (max_attempts IS NULL OR deadline_at IS NULL))
    AND EXISTS (SELECT 1 FROM attempts
                WHERE op_key = NEW.op_key AND (outcome IS NULL OR outcome NOT IN ('not_sent', 'rejected')))
    AND NOT EXISTS (SELECT 1 FROM standing_retry
                    WHERE op_key = NEW.op_key
                      AND valid_until >= max(NEW.started_at, (SELECT now_ms FROM clock)));

  SELECT RAISE(ABORT, 'append_only: attempts are numbered upwards; n must be greater than that of every earlier attempt')
  WHERE EXISTS (SELECT 1 FROM attempts WHERE op_key = NEW.op_key AND n > NEW.n);
END;

CREATE TRIGGER attempts_journal_insert AFTER INSERT ON attempts BEGIN
  SELECT RAISE(ABORT, 'append_only: the ledger numbers its own rows; leave the rowid out')
  WHERE NEW.rowid IS NOT 1 + coalesce((SELECT max(rowid) FROM attempts WHERE rowid < NEW.rowid), 0);

  SELECT RAISE(ABORT, 'append_only: REPLACE would erase an attempt; every attempt has its own attempt_id and n')
  WHERE (SELECT count(*) FROM attempts WHERE op_key = NEW.op_key)
        <> (SELECT attempt_count + 1 FROM intents WHERE op_key = NEW.op_key);

  INSERT INTO events (seq, at, op_key, kind, actor, detail)
  SELECT j.seq, j.at, NEW.op_key, 'attempt_started', i.updated_by, json_object(
    'attempt_id', json_array(NULL, NEW.attempt_id), 'n', json_array(NULL, NEW.n),
    'layer', json_array(NULL, NEW.layer), 'started_at', json_array(NULL, NEW.started_at),
    'version', json_array(i.version, i.version + 1))
  FROM intents AS i, journal_next AS j WHERE i.op_key = NEW.op_key;

  UPDATE intents
  SET version = version + 1, updated_at = (SELECT at FROM journal_tail),
      attempt_count = attempt_count + 1,
      last_attempt_at = max(coalesce(last_attempt_at, 0), NEW.started_at),
      last_attempt_seq = (SELECT seq FROM journal_tail),
      last_outcome = NULL, last_cause = NULL,
      in_flight = CASE WHEN NEW.outcome IS NULL THEN NEW.attempt_id ELSE in_flight END
  WHERE op_key = NEW.op_key;

  UPDATE attempts SET seq = (SELECT last_attempt_seq FROM intents WHERE op_key = NEW.op_key)
  WHERE attempt_id = NEW.attempt_id;
END;

CREATE TRIGGER attempts_guard_update BEFORE UPDATE ON attempts BEGIN
  SELECT RAISE(ABORT, 'append_only: a finished attempt never changes')
  WHERE OLD.outcome IS NOT NULL AND NOT (OLD.seq IS NULL AND NEW.seq IS NOT NULL);

  SELECT RAISE(ABORT, 'append_only: which attempt this is (attempt_id, op_key, n, layer, started_at) never changes')
  WHERE NEW.attempt_id IS NOT OLD.attempt_id OR NEW.op_key IS NOT OLD.op_key OR NEW.n IS NOT OLD.n
     OR NEW.layer IS NOT OLD.layer OR NEW.started_at IS NOT OLD.started_at OR NEW.rowid IS NOT OLD.rowid;

  SELECT RAISE(ABORT, 'append_only: an open attempt changes once, when it finishes')
  WHERE NEW.outcome IS NULL AND NEW.seq IS OLD.seq;

  SELECT RAISE(ABORT, 'append_only: seq is kept by triggers')
  WHERE NEW.seq IS NOT OLD.seq
    AND (OLD.seq IS NOT NULL OR NEW.outcome IS NOT OLD.outcome OR NEW.finished_at IS NOT OLD.finished_at
         OR NEW.receipt IS NOT OLD.receipt OR NEW.cause IS NOT OLD.cause OR NEW.error IS NOT OLD.error
         OR NEW.http_status IS NOT OLD.http_status
         OR NEW.seq IS NOT (SELECT last_attempt_seq FROM intents WHERE op_key = OLD.op_key));
END;

-- Runs for the finish of an attempt, and once for a row that arrived finished.
CREATE TRIGGER attempts_journal_update AFTER UPDATE ON attempts
WHEN NEW.outcome IS NOT NULL
BEGIN
  INSERT INTO events (seq, at, op_key, kind, actor, detail)
  SELECT j.seq, j.at, NEW.op_key, 'attempt_finished', i.updated_by, json_patch(
    json_object('attempt_id', json_array(NEW.attempt_id, NEW.attempt_id), 'n', json_array(NEW.n, NEW.n),
                'finished_at', json_array(NULL, NEW.finished_at), 'outcome', json_array(NULL, NEW.outcome),
                'version', json_array(i.version, i.version + 1)),
    json_object(
      'cause', json(CASE WHEN NEW.cause IS NOT NULL THEN json_array(NULL, NEW.cause) END),
      'http_status', json(CASE WHEN NEW.http_status IS NOT NULL THEN json_array(NULL, NEW.http_status) END),
      'error', json(CASE WHEN NEW.error IS NOT NULL THEN json_array(NULL, NEW.error) END),
      'receipt', json(CASE WHEN NEW.receipt IS NOT NULL THEN json_array(NULL, NEW.receipt) END)))
  FROM intents AS i, journal_next AS j WHERE i.op_key = NEW.op_key;

  UPDATE intents
  SET version = version + 1, updated_at = (SELECT at FROM journal_tail),
      in_flight = CASE WHEN in_flight = NEW.attempt_id THEN NULL ELSE in_flight END,
      last_outcome = CASE WHEN last_attempt_seq IS NEW.seq THEN NEW.outcome ELSE last_outcome END,
      last_cause = CASE WHEN last_attempt_seq IS NEW.seq THEN NEW.cause ELSE last_cause END
  WHERE op_key = NEW.op_key;

  INSERT INTO events (seq, at, op_key, kind, actor, detail)
  SELECT j.seq, j.at, i.op_key, 'contradicted', i.updated_by, json_object(
    'attempt_id', json_array(NEW.attempt_id, NEW.attempt_id),
    'contradicted_at', json_array(i.contradicted_at, j.at), 'version', json_array(i.version, i.version + 1))
  FROM intents AS i, journal_next AS j
  WHERE i.op_key = NEW.op_key AND EXISTS (SELECT 1 FROM attempt_disagreements WHERE attempt_id = NEW.attempt_id);
END;

CREATE TRIGGER attempts_guard_delete BEFORE DELETE ON attempts BEGIN
  SELECT RAISE(ABORT, 'append_only: nothing is ever deleted from the ledger');
END;
