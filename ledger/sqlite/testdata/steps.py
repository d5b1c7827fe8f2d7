"""Counts the steps that SQLite's machine takes for each write of a delivery's life,
triggers included: what a plan doesn't show. Prints them as JSON.

    steps.py LEDGER
"""

import json
import sqlite3
import sys
import time

NOW = int(time.time() * 1000)
HASH = "c" * 64
HEAD = "(SELECT hash FROM chain_head)"
WRITES = {
    "begin": "INSERT INTO intents (op_key, task, principal, target, payload_sha256) VALUES ('z', 't', 'p', 'r', '%s')" % HASH,
    "begin again": "INSERT OR IGNORE INTO intents (op_key, task, principal, target, payload_sha256) VALUES ('z', 't', 'p', 'r', '%s')" % HASH,
    "grant": "INSERT INTO grants (grant_id, principal, target, granted_by, granted_at) VALUES ('zg', 'p', 'r', 'b', %d)" % NOW,
    "revoke": "UPDATE grants SET revoked_at = %d WHERE grant_id = 'zg'" % NOW,
    "attempt": "INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('z1', 'z', 1, %d)" % NOW,
    "finish": "UPDATE attempts SET finished_at = %d, outcome = 'unknown' WHERE attempt_id = 'z1'" % NOW,
    "unknown": "UPDATE intents SET state = 'UNKNOWN' WHERE op_key = 'z'",
    "look": "INSERT INTO lookups (lookup_id, op_key, started_at, actor, connector) VALUES ('zl', 'z', %d, 'ann', 'http')" % NOW,
    "see": "UPDATE lookups SET finished_at = %d, outcome = 'found', receipt = 'R', payload_sha256 = '%s' WHERE lookup_id = 'zl'" % (NOW, HASH),
    "claim": "INSERT INTO claims (op_key, operator, claimed_at, expires_at) VALUES ('z', 'ann', %d, %d)" % (NOW, NOW),
    "release": "UPDATE claims SET expires_at = %d WHERE op_key = 'z'" % (NOW + 1),
    "decide": "INSERT INTO decisions (decision_id, op_key, at, operator, kind, reason, until, prev_hash, hash)"
              " VALUES ('zd', 'z', %d, 'ann', 'retry_same_key', 'x', %d, %s, '%s')" % (NOW, NOW + 60000, HEAD, HASH),
    "retry": "INSERT INTO attempts (attempt_id, op_key, n, started_at) VALUES ('z2', 'z', 2, %d)" % NOW,
    "settle": "UPDATE intents SET state = 'DELIVERED', receipt = 'R' WHERE op_key = 'z'",
}


def main(ledger):
    db = sqlite3.connect(ledger, isolation_level=None)
    db.execute("BEGIN")
    steps = {}

    def count():
        steps[name] += 1

    for name, sql in WRITES.items():
        steps[name] = 0
        db.set_progress_handler(count, 1)
        db.execute(sql)
        db.set_progress_handler(None, 1)
    db.execute("ROLLBACK")
    json.dump(steps, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1])
