-- Events that nobody but a trigger may write.

-- case: a forged event of kind begun
-- given: granted, begun on grant, attempt unknown, unknown, lookup found, claimed, noted
-- refused: append_only
INSERT INTO events (seq, at, op_key, kind, actor, detail) SELECT seq, at, 'a', 'begun', 'me', '{"state":[null,"PENDING"],"version":[null,1]}' FROM journal_next;

-- case: a forged event of kind superseded
-- given: granted, begun on grant, attempt unknown, unknown, lookup found, claimed, noted
-- refused: append_only
INSERT INTO events (seq, at, op_key, kind, actor, detail) SELECT seq, at, 'a', 'superseded', 'me', '{"superseded_by":[null,"a-2"],"version":[4,5]}' FROM journal_next;

-- case: a forged event of kind changed
-- given: granted, begun on grant, attempt unknown, unknown, lookup found, claimed, noted
-- refused: append_only
INSERT INTO events (seq, at, op_key, kind, actor, detail) SELECT seq, at, 'a', 'changed', 'me', '{"version":[4,5],"state":["PENDING","UNKNOWN"]}' FROM journal_next;

-- case: a forged event of kind attempt_started
-- given: granted, begun on grant, attempt unknown, unknown, lookup found, claimed, noted
-- refused: append_only
INSERT INTO events (seq, at, op_key, kind, actor, detail) SELECT seq, at, 'a', 'attempt_started', 'me', '{"attempt_id":[null,"a1"],"n":[null,1],"version":[4,5]}' FROM journal_next;

-- case: a forged event of kind attempt_finished
-- given: granted, begun on grant, attempt unknown, unknown, lookup found, claimed, noted
-- refused: append_only
INSERT INTO events (seq, at, op_key, kind, actor, detail) SELECT seq, at, 'a', 'attempt_finished', 'me', '{"attempt_id":["a1","a1"],"outcome":[null,"delivered"],"version":[4,5]}' FROM journal_next;

-- case: a forged event of kind lookup_started
-- given: granted, begun on grant, attempt unknown, unknown, lookup found, claimed, noted
-- refused: append_only
INSERT INTO events (seq, at, op_key, kind, actor, detail) SELECT seq, at, 'a', 'lookup_started', 'me', '{"lookup_id":[null,"l1"]}' FROM journal_next;

-- case: a forged event of kind lookup_finished
-- given: granted, begun on grant, attempt unknown, unknown, lookup found, claimed, noted
-- refused: append_only
INSERT INTO events (seq, at, op_key, kind, actor, detail) SELECT seq, at, 'a', 'lookup_finished', 'me', '{"lookup_id":["l1","l1"],"outcome":[null,"found"]}' FROM journal_next;

-- case: a forged event of kind contradicted
-- given: granted, begun on grant, attempt unknown, unknown, lookup found, claimed, noted
-- refused: append_only
INSERT INTO events (seq, at, op_key, kind, actor, detail) SELECT seq, at, 'a', 'contradicted', 'me', '{"lookup_id":["l1","l1"],"contradicted_at":[null,1796077269896],"version":[4,5]}' FROM journal_next;

-- case: a forged event of kind claimed
-- given: granted, begun on grant, attempt unknown, unknown, lookup found, claimed, noted
-- refused: append_only
INSERT INTO events (seq, at, op_key, kind, actor, detail) SELECT seq, at, 'a', 'claimed', 'me', '{"operator":[null,"me"],"claimed_at":[null,1],"expires_at":[null,2]}' FROM journal_next;

-- case: a forged event of kind claim_changed
-- given: granted, begun on grant, attempt unknown, unknown, lookup found, claimed, noted
-- refused: append_only
INSERT INTO events (seq, at, op_key, kind, actor, detail) SELECT seq, at, 'a', 'claim_changed', 'me', '{"operator":["ann","me"],"claimed_at":[1,1],"expires_at":[1,2]}' FROM journal_next;

-- case: a forged event of kind granted
-- given: granted, begun on grant, attempt unknown, unknown, lookup found, claimed, noted
-- refused: append_only
INSERT INTO events (seq, at, op_key, kind, actor, detail) SELECT seq, at, NULL, 'granted', 'me', '{"grant_id":[null,"g"]}' FROM journal_next;

-- case: a forged event of kind grant_changed
-- given: granted, begun on grant, attempt unknown, unknown, lookup found, claimed, noted
-- refused: append_only
INSERT INTO events (seq, at, op_key, kind, actor, detail) SELECT seq, at, NULL, 'grant_changed', 'me', '{"grant_id":["g","g"],"revoked_at":[1,null],"expires_at":[null,null]}' FROM journal_next;

-- case: a forged event of kind retry_same_key
-- given: granted, begun on grant, attempt unknown, unknown, lookup found, claimed, noted
-- refused: append_only
INSERT INTO events (seq, at, op_key, kind, actor, detail) SELECT seq, at, 'a', 'retry_same_key', 'me', '{"decision_id":"note","until":[null,7258118400000]}' FROM journal_next;

-- case: a forged event of kind note
-- given: granted, begun on grant, attempt unknown, unknown, lookup found, claimed, noted
-- refused: append_only
INSERT INTO events (seq, at, op_key, kind, actor, detail) SELECT seq, at, 'a', 'note', 'me', '{"decision_id":"note"}' FROM journal_next;

-- case: a forged event of kind close_not_delivered
-- given: granted, begun on grant, attempt unknown, unknown, lookup found, claimed, noted
-- refused: append_only
INSERT INTO events (seq, at, op_key, kind, actor, detail) SELECT seq, at, 'a', 'close_not_delivered', 'me', '{"decision_id":"note"}' FROM journal_next;

-- case: a forged event of kind NULL
-- given: granted, begun on grant, attempt unknown, unknown, lookup found, claimed, noted
-- refused: append_only
INSERT INTO events (seq, at, op_key, kind, actor, detail) SELECT seq, at, 'a', NULL, 'me', '{}' FROM journal_next;

-- case: a forged contradiction right after the evidence that would be one if it had been closed
-- given: begun, attempt unknown, unknown, lookup found
-- refused: append_only
INSERT INTO events (seq, at, op_key, kind, actor, detail) SELECT seq, at, 'a', 'contradicted', 'me', '{"lookup_id":["l1","l1"],"version":[4,5]}' FROM journal_next;

-- case: a forged contradiction right after a true one
-- given: begun, attempt unknown, unknown, close decided, closed, lookup found
-- refused: append_only
INSERT INTO events (seq, at, op_key, kind, actor, detail) SELECT seq, at, 'a', 'contradicted', 'me', '{"lookup_id":["l1","l1"],"version":[6,7]}' FROM journal_next;

-- case: a forged finish of an open attempt
-- given: begun, attempt open
-- refused: append_only
INSERT INTO events (seq, at, op_key, kind, actor, detail) SELECT seq, at, 'a', 'attempt_finished', 'me', '{"attempt_id":["a1","a1"],"outcome":[null,"delivered"],"version":[2,3]}' FROM journal_next;

-- case: a forged second start of an attempt, as OR REPLACE
-- given: begun, attempt open
-- refused: append_only
INSERT OR REPLACE INTO events (seq, at, op_key, kind, actor, detail) SELECT seq, at, 'a', 'attempt_started', 'me', '{"attempt_id":[null,"a1"],"version":[2,3]}' FROM journal_next;

-- case: a forged event copied from a true one
-- given: begun, attempt open, unknown
-- refused: append_only
INSERT INTO events (seq, at, op_key, kind, actor, detail) SELECT j.seq, j.at, e.op_key, e.kind, e.actor, e.detail FROM journal_next AS j, events AS e WHERE e.kind = 'changed';
