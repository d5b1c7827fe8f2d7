package sqlite

// tampered are changes behind the triggers' back to the ledger of story.
var tampered = []struct {
	what       string
	statements []string
	check      string
	opKey      string
	words      string
}{
	{"an intent deleted", []string{`DELETE FROM intents WHERE op_key = 'unknown'`}, checkJournal, "unknown", "an event of an intent that is gone"},
	{"the last intent deleted", []string{`DELETE FROM intents WHERE op_key = 'twin-9'`}, checkJournal, "twin-9", "an event of an intent that is gone"},
	{"an intent put in", []string{`INSERT INTO intents (op_key, task, principal, target, payload_sha256) VALUES ('mine', 't', 'p', 'r', printf('%064d', 1))`},
		checkJournal, "mine", "no trigger saw its begin"},
	{"an intent moved to another key", []string{`UPDATE intents SET op_key = 'moved' WHERE op_key = 'delivered'`}, checkJournal, "moved", "no trigger saw its begin"},
	{"a state set by hand", []string{`UPDATE intents SET state = 'DELIVERED', receipt = 'R', settled_by = 'sender', queue = NULL WHERE op_key = 'unknown'`},
		checkStates, "unknown", "no attempt, lookup or decision bears that out"},
	{"a receipt exchanged", []string{`UPDATE intents SET receipt = 'R-9' WHERE op_key = 'delivered'`}, checkJournal, "delivered", `receipt is "R-9", and the journal leads to "R-1"`},
	{"a hand-made outcome dressed as the sender's", []string{`UPDATE intents SET settled_by = 'sender' WHERE op_key = 'marked'`}, checkStates, "marked", `settled by "sender"`},
	{"the same, with its event", []string{
		`UPDATE intents SET settled_by = 'sender' WHERE op_key = 'closed'`,
		`UPDATE events SET detail = json_set(detail, '$.settled_by[1]', 'sender') WHERE op_key = 'closed' AND kind = 'changed'`,
	}, checkStates, "closed", `FAILED, settled by "sender"`},
	{"a contradiction hidden", []string{`UPDATE intents SET contradicted_at = NULL, queue = NULL WHERE op_key = 'found after all'`}, checkJournal, "found after all", "contradicted_at is nothing"},
	{"taken out of the queue", []string{`UPDATE intents SET queue = NULL WHERE op_key = 'unknown'`}, checkDerived, "unknown", "queue is nothing, and 1 follows"},
	{"the attempt in flight forgotten", []string{`UPDATE intents SET in_flight = NULL WHERE op_key = 'in flight'`}, checkDerived, "in flight", "in_flight is nothing"},
	{"a successor that nobody decided", []string{`UPDATE intents SET supersedes = 'unknown' WHERE op_key = 'never sent'`}, checkStates, "never sent", "without a reissue decision"},
	{"a predecessor set free", []string{`UPDATE intents SET superseded_by = NULL, queue = 1 WHERE op_key = 'replaced'`}, checkStates, "replaced", "successor takes its place"},

	{"an attempt deleted", []string{`DELETE FROM attempts WHERE op_key = 'unknown'`}, checkJournal, "unknown", "tells of attempt"},
	{"an attempt put in", []string{`INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('x', 'unknown', 2, 1796077269896)`}, checkJournal, "unknown", "does not know attempt 2"},
	{"an attempt's outcome turned", []string{`UPDATE attempts SET outcome = 'not_sent' WHERE op_key = 'unknown'`}, checkJournal, "unknown", "outcome differs"},
	{"an attempt finished by hand", []string{`UPDATE attempts SET outcome = 'not_sent', finished_at = started_at WHERE op_key = 'in flight'`}, checkJournal, "in flight", "does not know attempt 1"},
	{"an attempt opened again", []string{`UPDATE attempts SET outcome = NULL, finished_at = NULL WHERE op_key = 'refused'`}, checkJournal, "refused", "differs"},
	{"an attempt of no intent", []string{`UPDATE attempts SET op_key = 'nobody' WHERE op_key = 'unknown'`}, checkJournal, "nobody", "an attempt of an intent that is gone"},

	{"a lookup deleted", []string{`DELETE FROM lookups WHERE op_key = 'looked up'`}, checkStates, "looked up", `settled by "lookup"`},
	{"a lookup put in", []string{`INSERT INTO lookups (lookup_id, op_key, started_at, actor, connector) VALUES ('x', 'unknown', 1796077269896, 'ann', 'http')`},
		checkJournal, "unknown", "does not know lookup"},
	{"a lookup that found it after all", []string{`UPDATE lookups SET outcome = 'found' WHERE op_key = 'unknown' AND outcome IS NOT NULL`}, checkJournal, "unknown", "outcome differs"},
	{"a lookup in another environment", []string{`UPDATE lookups SET environment = 'staging' WHERE op_key = 'unknown'`}, checkJournal, "unknown", "environment differs"},
	{"a lookup of no intent", []string{`UPDATE lookups SET op_key = 'nobody' WHERE op_key = 'unknown'`}, checkJournal, "nobody", "a lookup of an intent that is gone"},

	{"a decision reworded", []string{`UPDATE decisions SET reason = 'better words' WHERE op_key = 'closed'`}, checkChain, "closed", "is not what its hash says"},
	{"a decision's facts changed", []string{`UPDATE decisions SET facts = '{"verdict":"absent"}' WHERE op_key = 'closed'`}, checkChain, "closed", "is not what its hash says"},
	{"a decision deleted", []string{`DELETE FROM decisions WHERE op_key = 'closed'`}, checkStates, "closed", "bears that out"},
	{"a decision deleted: the chain", []string{`DELETE FROM decisions WHERE op_key = 'closed'`}, checkChain, "retried", "a decision before it is gone"},
	{"a decision put in", []string{`INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, prev_hash, hash)
SELECT 'x', 'unknown', 1796077269896, 'ann', 'retry_same_key', 'x', hash, printf('%064d', 7) FROM chain_head`}, checkJournal, "unknown", "does not know decision"},
	{"two decisions exchanged", []string{
		`UPDATE decisions SET rowid = -1 WHERE rowid = 1`, `UPDATE decisions SET rowid = 1 WHERE rowid = 2`, `UPDATE decisions SET rowid = 2 WHERE rowid = -1`,
	}, checkChain, "closed", "does not continue"},
	{"a close decision that came after the fact", []string{
		`UPDATE events SET seq = -seq WHERE op_key = 'closed' AND kind IN ('close_not_delivered', 'changed') AND seq > (SELECT min(seq) FROM events WHERE op_key = 'closed' AND kind = 'changed')`,
		`UPDATE events SET seq = (SELECT max(seq) FROM events) + 2 WHERE seq < 0 AND kind = 'close_not_delivered'`,
		`UPDATE events SET seq = (SELECT max(seq) FROM events) - 1 WHERE seq < 0`,
	}, checkStates, "closed", "without a close decision newer than the last attempt"},

	{"a claim taken over", []string{`UPDATE claims SET operator = 'eve' WHERE op_key = 'unknown'`}, checkJournal, "unknown", "the claim of"},
	{"a claim deleted", []string{`DELETE FROM claims WHERE op_key = 'unknown'`}, checkJournal, "unknown", "the claim that the journal told of is gone"},
	{"a claim put in", []string{`INSERT INTO claims VALUES ('delivered', 'eve', 1796077269896, 1796077269896)`}, checkJournal, "delivered", "does not know the claim"},

	{"a grant un-revoked", []string{`UPDATE grants SET revoked_at = NULL WHERE grant_id = 'g'`}, checkJournal, "", `revoked_at of grant "g" is nothing`},
	{"a grant prolonged", []string{`UPDATE grants SET expires_at = 7258118400000 WHERE grant_id = 'g'`}, checkJournal, "", `expires_at of grant "g"`},
	{"a grant for somebody else", []string{`UPDATE grants SET principal = 'eve' WHERE grant_id = 'h'`}, checkJournal, "", `principal of grant "h" is "eve"`},
	{"a grant deleted", []string{`DELETE FROM grants WHERE grant_id = 'g'`}, checkJournal, "", `tells of grant "g", which is gone`},
	{"a grant put in", []string{`INSERT INTO grants (grant_id, principal, target, granted_by, granted_at) VALUES ('x', 'eve', 'inbox', 'eve', 1796077269896)`},
		checkJournal, "", `of grant "x" is`},

	{"an event deleted", []string{`DELETE FROM events WHERE op_key = 'unknown' AND kind = 'changed'`}, checkJournal, "unknown", `state is "UNKNOWN", and the journal leads to "PENDING"`},
	{"an event deleted: the numbers", []string{`DELETE FROM events WHERE seq = 17`}, checkJournal, "unknown", "events between them are gone"},
	{"the first event deleted", []string{`DELETE FROM events WHERE seq = 1`}, checkJournal, "delivered", "follows event 0"},
	{"the last event deleted", []string{`DELETE FROM events WHERE seq = (SELECT max(seq) FROM events)`}, checkJournal, "twin-9", "the journal does not know this intent"},
	{"an event put in", []string{`INSERT INTO events SELECT seq, at, 'unknown', 'note', 'eve', '{"decision_id":"x"}' FROM journal_next`}, checkJournal, "unknown", "tells of decision"},
	{"an event of no kind that there is", []string{`INSERT INTO events SELECT seq, at, 'unknown', 'surprise', 'eve', '{}' FROM journal_next`}, checkJournal, "unknown", "surprise"},
	{"an event of no intent", []string{`UPDATE events SET op_key = 'nobody' WHERE op_key = 'twin-3'`}, checkJournal, "nobody", "an event of an intent that is gone"},
	{"an event that is no JSON", []string{`UPDATE events SET detail = '{' WHERE op_key = 'twin-3'`}, checkJournal, "twin-3", "can't be read"},
	{"a clock that ran backwards", []string{`UPDATE events SET at = at - 60000 WHERE op_key = 'twin-7'`}, checkJournal, "twin-7", "is earlier than the one before it"},
	{"an old value altered", []string{`UPDATE events SET detail = json_set(detail, '$.state[0]', 'FAILED') WHERE op_key = 'unknown' AND kind = 'changed'`},
		checkJournal, "unknown", `changed state from "FAILED", and it was "PENDING"`},
	{"a lookup's event altered", []string{`UPDATE events SET detail = json_set(detail, '$.outcome[1]', 'found') WHERE op_key = 'unknown' AND kind = 'lookup_finished'`},
		checkJournal, "unknown", "outcome differs"},
	{"a decision's event altered", []string{`UPDATE events SET actor = 'eve' WHERE op_key = 'closed' AND kind = 'close_not_delivered'`}, checkJournal, "closed", "kind or operator differs"},
}

// unguarded are statements that only pass while the guards are away; the journal
// triggers see them all the same.
var unguarded = []struct {
	what      string
	statement string
	opKey     string
	words     string
}{
	{"a blind retry", `INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('x', 'unknown', 2, 1796077269896)`, "unknown", "without a retry decision that stood"},
	{"an attempt on a settled intent", `INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('x', 'refused', 2, 1796077269896)`, "refused", "was made when it was FAILED already"},
	{"an attempt on a replaced intent", `INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('x', 'replaced', 2, 1796077269896)`, "replaced", "had taken its place"},
	{"a second attempt in flight", `INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('x', 'in flight', 2, 1796077269896)`, "in flight", "was in flight"},
	{"a state without evidence", `UPDATE intents SET state = 'DELIVERED', receipt = 'x', settled_by = 'operator' WHERE op_key = 'unknown'`, "unknown", "bears that out"},
	{"a failure that nobody decided", `UPDATE intents SET state = 'FAILED', settled_by = 'operator' WHERE op_key = 'unknown'`, "unknown", "without a close decision"},
	{"back to PENDING", `UPDATE intents SET state = 'PENDING' WHERE op_key = 'unknown'`, "unknown", "PENDING again"},
	{"a successor that nobody decided", `INSERT INTO intents (op_key, task, principal, target, payload_sha256, supersedes) VALUES ('x', 't', 'p', 'r', printf('%064d', 1), 'unknown')`, "x", "without a reissue decision"},
}
