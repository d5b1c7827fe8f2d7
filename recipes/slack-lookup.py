#!/usr/bin/env python3
"""Ask a Slack channel what became of one message: the program of the recipe slack.yaml.

It speaks the form that docs/configuration.md describes under exec, needs nothing but the
standard library, and only reads: conversations.history, page by page, from just before the
intent was written until now. In doubt, and where there is more than it may read, it prints
nothing and ends with code 1; that is no "not found".

Environment: SLACK_TOKEN (channels:history or groups:history), SLACK_CHANNEL (its id),
SLACK_API (https://slack.com/api).
"""
import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request

EVENT_TYPE = "triage_delivery"
BEFORE = 300  # seconds before the intent was written: clocks differ
PAGES = 5  # times the recipe's 10 lookups a minute: Slack's 50 requests a minute
PAGE = 999  # messages, the most that Slack gives


def history(cursor, oldest):
    """One page of the channel's history. Without latest it reaches up to now, by Slack's clock."""
    query = {
        "channel": os.environ["SLACK_CHANNEL"],
        "oldest": str(oldest),
        "inclusive": "true",
        "include_all_metadata": "true",
        "limit": str(PAGE),
    }
    if cursor:
        query["cursor"] = cursor
    url = os.environ["SLACK_API"] + "/conversations.history?" + urllib.parse.urlencode(query)
    request = urllib.request.Request(url, headers={"Authorization": "Bearer " + os.environ["SLACK_TOKEN"]})
    with urllib.request.urlopen(request, timeout=10) as response:
        page = json.load(response)
    if page.get("ok") is not True:  # Slack answers errors with 200, too
        raise SystemExit("Slack answered: " + str(page.get("error")))
    return page


def deliveries(key, created):
    """Every message that bears the key, all pages read."""
    found, cursor = [], ""
    for _ in range(PAGES):
        page = history(cursor, created - BEFORE)
        for message in page["messages"]:
            metadata = message.get("metadata") or {}
            payload = metadata.get("event_payload") or {}
            if metadata.get("event_type") == EVENT_TYPE and payload.get("op_key") == key:
                found.append((message["ts"], payload))
        cursor = (page.get("response_metadata") or {}).get("next_cursor") or ""
        if not cursor:
            if page.get("has_more"):
                raise SystemExit("Slack has more and does not say where")
            return found
    raise SystemExit("there are more than %d pages; not all were read" % PAGES)


def main():
    asked = json.load(sys.stdin)
    key = asked["op_key"]
    found = deliveries(key, asked["created_at"] // 1000)
    if len(found) > 1:
        answer = {"outcome": "ambiguous", "op_key": key}
    elif found:
        ts, payload = found[0]
        answer = {"outcome": "found", "op_key": payload["op_key"], "receipt": ts, "payload_sha256": payload.get("payload_sha256")}
    else:
        answer = {"outcome": "not_found", "op_key": key}
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    try:
        main()
    except (OSError, KeyError, ValueError) as error:  # its text may hold the URL; its kind says enough
        sys.exit("slack-lookup: %s" % type(error).__name__)
