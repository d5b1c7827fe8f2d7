-- The rules of decisions, claims and grants.

CREATE TRIGGER decisions_guard_insert BEFORE INSERT ON decisions BEGIN
  SELECT RAISE(ABORT, 'unknown_intent: no intent has this op_key')
  WHERE NOT EXISTS (SELECT 1 FROM intents WHERE op_key = NEW.op_key);

  SELECT RAISE(ABORT, 'append_only: this decision_id, hash or rowid is taken; decisions are never replaced')
  WHERE EXISTS (SELECT 1 FROM decisions WHERE decision_id = NEW.decision_id)
     OR EXISTS (SELECT 1 FROM decisions WHERE hash = NEW.hash)
     OR EXISTS (SELECT 1 FROM decisions WHERE rowid = NEW.rowid);

  SELECT RAISE(ABORT, 'stale_head: prev_hash is not the hash of the last decision; somebody decided meanwhile. Begin immediate, read the head again')
  WHERE NEW.prev_hash IS NOT (SELECT hash FROM chain_head);

  SELECT RAISE(ABORT, 'stale_head: 64 zeros are where the chain begins, never a hash; nothing could follow')
  WHERE NEW.hash = '0000000000000000000000000000000000000000000000000000000000000000';

  SELECT RAISE(ABORT, 'receipt_required: marking delivered wants the receipt')
  WHERE NEW.kind = 'mark_delivered' AND (NEW.receipt IS NULL OR trim(NEW.receipt, ' ' || char(9, 10, 11, 12, 13, 160)) = '');

  SELECT RAISE(ABORT, 'illegal_transition: there is no unfinished attempt to abandon')
  WHERE NEW.kind = 'abandon_attempt'
    AND NOT EXISTS (SELECT 1 FROM attempts WHERE op_key = NEW.op_key AND outcome IS NULL);
END;

CREATE TRIGGER decisions_journal_insert AFTER INSERT ON decisions BEGIN
  SELECT RAISE(ABORT, 'append_only: the ledger numbers its own rows; leave the rowid out')
  WHERE NEW.rowid IS NOT 1 + coalesce((SELECT max(rowid) FROM decisions WHERE rowid < NEW.rowid), 0);

  INSERT INTO events (seq, at, op_key, kind, actor, detail)
  SELECT j.seq, j.at, NEW.op_key, NEW.kind, NEW.operator, json_patch(
    json_object('decision_id', NEW.decision_id, 'hash', json_array(NULL, NEW.hash)),
    json_object(
      'receipt', json(CASE WHEN NEW.receipt IS NOT NULL THEN json_array(NULL, NEW.receipt) END),
      'new_op_key', json(CASE WHEN NEW.new_op_key IS NOT NULL THEN json_array(NULL, NEW.new_op_key) END),
      'until', json(CASE WHEN NEW.until IS NOT NULL THEN json_array(NULL, NEW.until) END),
      'snoozed_until', json(CASE WHEN NEW.kind = 'snooze' THEN json_array(i.snoozed_until, NEW.until) END),
      'contradicted_at', json(CASE WHEN NEW.kind = 'dispute' THEN json_array(i.contradicted_at, j.at) END),
      'version', json(CASE WHEN NEW.kind IN ('abandon_attempt', 'snooze', 'set_aside', 'dispute', 'acknowledge')
        THEN json_array(i.version, i.version + 1) END)))
  FROM intents AS i, journal_next AS j WHERE i.op_key = NEW.op_key;

  -- What a decision changes by itself. Final states and successors are written by
  -- whoever decides; their guards look for the decision.
  UPDATE intents
  SET version = version + 1, updated_at = (SELECT at FROM journal_tail),
      in_flight = CASE WHEN NEW.kind = 'abandon_attempt' THEN NULL ELSE in_flight END,
      snoozed_until = CASE WHEN NEW.kind = 'snooze' THEN NEW.until ELSE snoozed_until END,
      set_aside_at = CASE WHEN NEW.kind = 'set_aside'
        THEN (SELECT at FROM journal_tail) ELSE set_aside_at END,
      contradicted_at = CASE WHEN NEW.kind = 'dispute'
        THEN (SELECT at FROM journal_tail) ELSE contradicted_at END,
      acknowledged_at = CASE
        WHEN NEW.kind = 'acknowledge' AND contradicted_at IS NOT NULL
          THEN (SELECT at FROM journal_tail)
        WHEN NEW.kind = 'dispute' THEN NULL
        ELSE acknowledged_at END,
      queue = CASE
        WHEN NEW.kind = 'dispute' THEN 0
        WHEN contradicted_at IS NOT NULL AND acknowledged_at IS NULL AND NEW.kind <> 'acknowledge' THEN 0
        WHEN superseded_by IS NOT NULL OR set_aside_at IS NOT NULL OR NEW.kind = 'set_aside' THEN NULL
        WHEN state = 'UNKNOWN' THEN 1 WHEN state = 'PENDING' THEN 2 END
  WHERE op_key = NEW.op_key AND NEW.kind IN ('abandon_attempt', 'snooze', 'set_aside', 'dispute', 'acknowledge');

  -- Abandoning makes the intent UNKNOWN; the attempt's row stays open, so that a
  -- sender who comes back can still write its receipt. One that was replaced keeps
  -- its state.
  UPDATE intents SET state = 'UNKNOWN', updated_by = NEW.operator
  WHERE op_key = NEW.op_key AND NEW.kind = 'abandon_attempt' AND state = 'PENDING' AND superseded_by IS NULL;
END;

CREATE TRIGGER decisions_guard_update BEFORE UPDATE ON decisions BEGIN
  SELECT RAISE(ABORT, 'append_only: a decision never changes; take another one');
END;

CREATE TRIGGER decisions_guard_delete BEFORE DELETE ON decisions BEGIN
  SELECT RAISE(ABORT, 'append_only: nothing is ever deleted from the ledger');
END;
