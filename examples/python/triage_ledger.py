"""A sender's side of the delivery ledger, with nothing but Python's sqlite3.

    ledger = Ledger("ledger.db", sender="report-bot")
    intent = ledger.begin(op_key, task="weekly report", principal="agent-1", target="inbox", payload=report)
    if intent["state"] == "PENDING":
        attempt = ledger.attempt(op_key)        # on disk before the call is made
        ...                                     # the call
        intent = ledger.finish(attempt, "delivered", receipt=receipt)

Every rule is the database's own (docs/ledger.md): what it refuses is raised as Refused,
with the rule's code. What a sender owes beyond these calls is in docs/agents.md.
"""

import contextlib
import hashlib
import os
import sqlite3
import time
import urllib.parse
import uuid

APPLICATION_ID = 0x54524947  # "TRIG"
CODES = (
    "same_key_different_payload", "illegal_transition", "receipt_required", "unknown_intent", "already_final", "append_only",
    "attempt_in_flight", "already_superseded", "budget_spent", "decision_required", "not_authorised", "stale_head",
)


class Refused(Exception):
    """The ledger's own rules refuse this. Nothing was written."""

    def __init__(self, code, text):
        super().__init__("%s: %s" % (code, text))
        self.code, self.text = code, text


def now_ms():
    return int(time.time() * 1000)


class Ledger:
    def __init__(self, path, sender, busy_seconds=10):
        # mode=rw: a missing file is an error, never a new, empty database
        uri = "file:%s?mode=rw" % urllib.parse.quote(os.path.abspath(path))
        self.sender = sender
        self.db = sqlite3.connect(uri, uri=True, timeout=busy_seconds, isolation_level=None)
        self.db.row_factory = sqlite3.Row
        self.db.execute("PRAGMA synchronous = FULL")  # a committed attempt outlives a power cut
        if self.db.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
            raise ValueError("%s is not a triage ledger" % path)

    @contextlib.contextmanager
    def _write(self):
        """One transaction that takes the write lock at once: all of it is written, or nothing."""
        try:
            self.db.execute("BEGIN IMMEDIATE")
            yield self.db
            self.db.execute("COMMIT")
        except sqlite3.Error as e:
            for code in CODES:
                if code + ": " in str(e):
                    raise Refused(code, str(e).split(code + ": ", 1)[1]) from e
            raise
        finally:
            if self.db.in_transaction:
                self.db.execute("ROLLBACK")

    def begin(self, op_key, task, principal, target, payload, stage="", payload_ref=None, grant_id=None, max_attempts=None, deadline_at=None):
        """Persists the intent before the first send. The same content again returns what is
        stored, with its receipt if it has one; other content under the key is refused."""
        with self._write() as db:
            db.execute(
                "INSERT OR IGNORE INTO intents (op_key, task, stage, principal, target, payload_sha256, payload_bytes,"
                " payload_ref, grant_id, max_attempts, deadline_at, updated_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (op_key, task, stage, principal, target, hashlib.sha256(payload).hexdigest(), len(payload),
                 payload_ref, grant_id, max_attempts, deadline_at, self.sender))
        intent = self.get(op_key)
        if intent is None:  # OR IGNORE also says nothing of a value that a column does not take
            raise ValueError("the ledger did not take the intent %r: look at its columns in docs/ledger.md" % op_key)
        return intent

    def attempt(self, op_key, layer="app"):
        """Claims the next attempt and returns its id. Only after this may the call be made."""
        attempt_id = str(uuid.uuid4())
        with self._write() as db:
            inserted = db.execute(
                "INSERT INTO attempts (attempt_id, op_key, n, layer, started_at)"
                " VALUES (?1, ?2, (SELECT coalesce(max(n), 0) + 1 FROM attempts WHERE op_key = ?2), ?3, ?4)",
                (attempt_id, op_key, layer, now_ms()))
            if inserted.rowcount != 1:
                raise RuntimeError("the attempt was not recorded: do not make the call")
        return attempt_id

    def finish(self, attempt_id, outcome, receipt=None, cause=None, http_status=None, error=None):
        """Writes what the attempt came to, whatever happened to the intent meanwhile, and moves
        the intent to where that leads. Returns the intent."""
        with self._write() as db:
            finished = db.execute(
                "UPDATE attempts SET finished_at = ?, outcome = ?, receipt = ?, cause = ?, http_status = ?, error = ? WHERE attempt_id = ?",
                (now_ms(), outcome, receipt, cause, http_status, error, attempt_id))
            if finished.rowcount != 1:
                raise RuntimeError("there is no attempt %s" % attempt_id)
            intent = db.execute(
                "SELECT i.* FROM intents AS i JOIN attempts AS a ON a.op_key = i.op_key WHERE a.attempt_id = ?", (attempt_id,)).fetchone()
            doubts = db.execute(
                "SELECT count(*) FROM attempts WHERE op_key = ? AND (outcome IS NULL OR outcome = 'unknown')", (intent["op_key"],)).fetchone()[0]
            state = follows(intent["state"], outcome, receipt, doubts)
            if state != intent["state"]:
                db.execute("UPDATE intents SET state = ?, receipt = ?, updated_by = ? WHERE op_key = ?",
                           (state, receipt if state == "DELIVERED" else None, self.sender, intent["op_key"]))
        return self.get(intent["op_key"])

    def get(self, op_key):
        row = self.db.execute("SELECT * FROM intents WHERE op_key = ?", (op_key,)).fetchone()
        return dict(row) if row else None

    def sendable(self, limit=100):
        """What may be sent now: (op_key, why). Inserting the attempt is the claim."""
        return [tuple(row) for row in self.db.execute("SELECT op_key, why FROM sendable LIMIT ?", (limit,))]

    def close(self):
        self.db.close()


def follows(state, outcome, receipt, doubts):
    """Where an attempt's outcome leads the intent. doubts counts its attempts whose outcome
    nobody knows: the refusal of one proves nothing about them."""
    if state in ("DELIVERED", "FAILED"):
        return state  # final; a receipt that comes late marks it contradicted, by trigger
    if outcome == "delivered" and receipt and receipt.strip():
        return "DELIVERED"
    if state == "UNKNOWN" or outcome == "not_sent":
        return state
    if outcome == "rejected" and not doubts:
        return "FAILED"
    return "UNKNOWN"
