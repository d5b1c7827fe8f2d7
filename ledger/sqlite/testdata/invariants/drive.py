"""Drives every invariant of the ledger from outside: python3's own sqlite3 module,
plain SQL, no help from the program that made the file.

    drive.py LEDGER CASES.sql...

LEDGER is an empty ledger that `triage init` made. Each case runs on a copy of it in
memory, inside a transaction with recursive triggers off; where the statement has a
conflict clause, also with recursive triggers on and by itself. 0_scenes.sql says how
a case is written. Prints what went wrong and how many cases ran; exit 1 if anything
did.
"""

import re
import sqlite3
import sys
import time

RECURSIVE = "PRAGMA recursive_triggers = %s"
TABLES = ["intents", "attempts", "lookups", "decisions", "claims", "grants", "events"]


class Block:
    """One scene, case or query: its headers, and the statements after them."""

    def __init__(self, path, headers, text):
        self.path, self.headers = path, headers
        self.statements = [s.strip() for s in re.split(r";[ ]*(?:\n|$)", text) if s.strip()]

    def all(self, key):
        return [v for k, v in self.headers if k == key]

    def get(self, key):
        return next(iter(self.all(key)), None)


def read(path):
    for part in re.split(r"\n(?=-- (?:scene|case|sound): )", open(path, encoding="utf-8").read()):
        headers, lines = [], []
        for line in part.split("\n"):
            m = re.match(r"-- (scene|case|sound|given|refused|silent|passes|then): ?(.*)$", line)
            if m:
                headers.append((m[1], m[2].strip()))
            elif not line.startswith("-- "):
                lines.append(line)
        if headers:
            yield Block(path, headers, "\n".join(lines))


class Values:
    """What the words with @ stand for, fixed for one case."""

    now = int(time.time() * 1000)

    def __init__(self):
        self.used = 0

    def fill(self, sql):
        def word(m):
            name, offset = m[1], m[2]
            if name == "now":
                return str(self.now + int(offset or 0))
            if name == "next":
                self.used += 1
                return "'%064x'" % (0xABC000 + self.used)
            return {"h1": "'" + "a" * 64 + "'", "h2": "'" + "b" * 64 + "'", "head": "(SELECT hash FROM chain_head)"}[name]

        return re.sub(r"@(now|next|head|h1|h2)\b([+-]\d+)?", word, sql)


def dump(db):
    rows = [db.execute("SELECT rowid, * FROM main.%s ORDER BY rowid" % t).fetchall() for t in TABLES]
    return rows + [db.execute("SELECT * FROM sqlite_schema ORDER BY rowid").fetchall()]


def run(db, sql):
    return db.execute(sql).fetchall()  # fetching runs a RETURNING to its end


def play(db, case, scenes, sound):
    """Plays one case; returns what went wrong."""
    values = Values()
    for name in filter(None, (case.get("given") or "").split(", ")):
        for sql in scenes[name].statements:
            run(db, values.fill(sql))
    for sql in case.statements[:-1]:
        run(db, values.fill(sql))
    before, refused = dump(db), None
    try:
        run(db, values.fill(case.statements[-1]))
    except sqlite3.Error as e:
        refused = str(e)
    yield from judge(case, refused, dump(db) == before)
    if refused is None:
        for then in case.all("then"):
            query, want = then.rsplit(" => ", 1)
            got = [("NULL" if v is None else str(v)) for row in run(db, values.fill(query)) for v in row]
            if got != [want]:
                yield "%s gives %s, want %s" % (query, got, want)
        for query in sound:
            found = run(db, query.statements[0])
            if found:
                yield "not so: %s: %s" % (query.get("sound"), found)


def judge(case, refused, unchanged):
    codes = case.get("refused")
    if codes is None:
        if refused is not None:
            yield "was refused: " + refused
        if case.get("silent") is not None and not unchanged:
            yield "changed the ledger"
        return
    if refused is None:
        yield "was not refused"
    elif codes == "-":
        if re.search(r"\b[a-z_]+: ", refused) and "constraint failed" not in refused and "cannot store" not in refused:
            yield "was refused in other words than a type's or a CHECK's: " + refused
    elif not any(code + ": " in refused for code in codes.split(", ")):
        yield "was refused in other words: " + refused
    if not unchanged:
        yield "changed the ledger"


def copy(ledger, setting):
    db = sqlite3.connect(":memory:", isolation_level=None, cached_statements=5000)
    db.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
    sqlite3.connect(ledger).backup(db)
    db.execute(setting)
    return db


def in_a_transaction(db, case, scenes, sound):
    db.execute("BEGIN IMMEDIATE")
    try:
        yield from play(db, case, scenes, sound)
    finally:
        if db.in_transaction:  # OR ROLLBACK ends it
            db.execute("ROLLBACK")


def by_itself(db, case, scenes, sound):
    yield from play(db, case, scenes, sound)
    if db.in_transaction:
        yield "a transaction was left open"


def findings(ledger, off, on, case, scenes, sound):
    for finding in in_a_transaction(off, case, scenes, sound):
        yield "in a transaction, " + finding
    if re.search(r"\bOR (?:REPLACE|IGNORE|FAIL|ROLLBACK)\b|\bON CONFLICT\b|^REPLACE\b", case.statements[-1]):
        for finding in in_a_transaction(on, case, scenes, sound):
            yield "with recursive triggers, " + finding
        for finding in by_itself(copy(ledger, RECURSIVE % "OFF"), case, scenes, sound):
            yield "by itself, " + finding


def main(ledger, paths):
    blocks = [b for p in paths for b in read(p)]
    scenes = {b.get("scene"): b for b in blocks if b.get("scene")}
    sound = [b for b in blocks if b.get("sound")]
    cases = [b for b in blocks if b.get("case")]
    off, on = copy(ledger, RECURSIVE % "OFF"), copy(ledger, RECURSIVE % "ON")
    wrong = 0
    for case in cases:
        try:
            found = list(findings(ledger, off, on, case, scenes, sound))
        except (sqlite3.Error, KeyError) as e:
            found = ["the scene was not set: %r" % e]
        for finding in found:
            wrong += 1
            print("%s: %s: %s" % (case.path, case.get("case"), finding))
    refused = sum(c.get("refused") is not None for c in cases)
    print("%d cases, %d of them refused, SQLite %s" % (len(cases), refused, sqlite3.sqlite_version))
    return 1 if wrong or not cases else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
