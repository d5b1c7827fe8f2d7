#!/usr/bin/env python3
"""Sends a report to an HTTP receiver exactly as the ledger allows it: once.

    send_report.py LEDGER KEY FILE URL [--timeout SECONDS] [--task …] [--principal …] [--target …] [--grant ID]

Start it again as often as you like. It sends when the ledger says that nothing was sent
yet, or that an operator decided a retry; else it tells how things stand.

Exit codes: 0 delivered · 1 not delivered, or nobody knows yet · 3 the ledger refuses to send
"""

import argparse
import json
import signal
import socket
import sys
import urllib.error
import urllib.request

from triage_ledger import Ledger, Refused

# Answers by which *this* receiver says that it did nothing and never will. Take them from
# the receiver's contract; what is not named there is unknown, not rejected.
REFUSALS = {400, 403, 404, 410, 413, 415, 422}


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args):
        return None  # a second request that nobody counted


def send(url, op_key, payload, timeout):
    """Makes one call, and says what came of it in the ledger's words."""
    request = urllib.request.Request(url, data=payload, method="POST", headers={"Idempotency-Key": op_key, "Content-Type": "application/octet-stream"})
    try:
        with urllib.request.build_opener(NoRedirect).open(request, timeout=timeout) as answer:
            body = json.loads(answer.read(1 << 20))
            if body.get("op_key") == op_key and body.get("receipt"):
                return dict(outcome="delivered", receipt=str(body["receipt"]), http_status=answer.status)
            return dict(outcome="unknown", cause="no_receipt", http_status=answer.status)
    except urllib.error.HTTPError as e:
        return dict(outcome="rejected" if e.code in REFUSALS else "unknown", cause="http_%d" % e.code, http_status=e.code)
    except urllib.error.URLError as e:
        if isinstance(e.reason, socket.gaierror):
            return dict(outcome="not_sent", cause="no_address", error=str(e.reason))
        if isinstance(e.reason, ConnectionRefusedError):
            return dict(outcome="not_sent", cause="connection_refused", error=str(e.reason))
        return unknown(e.reason)  # a part of the request may have left
    except Exception as e:  # whatever else: the request was on its way
        return unknown(e)


def unknown(error):
    if isinstance(error, (TimeoutError, socket.timeout)):
        return dict(outcome="unknown", cause="timeout", error=str(error))
    if isinstance(error, (ConnectionError, EOFError)):
        return dict(outcome="unknown", cause="connection_reset", error=str(error))
    return dict(outcome="unknown", cause="no_usable_answer", error="%s: %s" % (type(error).__name__, error))


def within(seconds, call):
    """A timeout of the socket counts each read anew. This one counts the whole attempt: the
    hard limit that an operator's attempt_timeout promises."""
    def give_up(*_):
        raise TimeoutError("the attempt took longer than %g s" % seconds)
    signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        return call()
    except TimeoutError as e:
        return unknown(e)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name in ("ledger", "key", "file", "url"):
        p.add_argument(name)
    p.add_argument("--timeout", type=float, default=30)
    p.add_argument("--task", default="weekly report")
    p.add_argument("--principal", default="agent-1")
    p.add_argument("--target", default="report-inbox")
    p.add_argument("--grant", help="the grant_id that authorises this delivery; without one no operator can let it go out again")
    a = p.parse_args()
    with open(a.file, "rb") as f:
        payload = f.read()
    ledger = Ledger(a.ledger, sender="send_report.py")
    try:
        intent = ledger.begin(a.key, task=a.task, principal=a.principal, target=a.target, payload=payload, payload_ref=a.file, grant_id=a.grant)
        if intent["state"] not in ("DELIVERED", "FAILED"):
            attempt = ledger.attempt(a.key)
            result = within(a.timeout, lambda: send(a.url, a.key, payload, a.timeout))
            intent = ledger.finish(attempt, **result)
    except Refused as e:
        print("not sent: %s" % e, file=sys.stderr)
        return 3
    finally:
        ledger.close()
    print(json.dumps({k: intent[k] for k in ("op_key", "state", "receipt", "settled_by", "last_outcome", "last_cause")}))
    return 0 if intent["state"] == "DELIVERED" else 1


if __name__ == "__main__":
    sys.exit(main())
