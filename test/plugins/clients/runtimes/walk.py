"""The walk of `walk.mjs` for Python, which answers the same lines: walk.py URL KEY SUB."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import sys
from typing import Any

from agent_orb import Completed, Expected, Orb, Queued, RefusedWebhook, Verified, Webhook, verify_receipt, verify_webhook

url, key, sub = sys.argv[1:]
lines: list[str] = []


def say(*words: Any) -> None:
    lines.append(" ".join(str(word).lower() if isinstance(word, bool) else str(word) for word in words))


def walk(orb: Orb) -> None:
    mail = {"to": "ada@example.com", "from_address": "orb@example.com", "subject": "hello", "body": "It works. ä€😀"}
    first = orb.run("notify.email@1.0.0", mail, key=f"walk-{sub}")
    again = orb.run("notify.email@1.0.0", mail, key=f"walk-{sub}")
    assert isinstance(first, Completed) and isinstance(again, Completed), (first, again)
    assert first.verified is not None and first.receipt is not None
    say("run", first.kind, len(first.verified.limits), first.replayed)
    say("again", again.kind, again.replayed, again.run_id == first.run_id)
    say("orThrow", first.or_raise().outputs["message_id"] == again.outputs["message_id"])

    wrong = orb.run("notify.email@1.0.0", {"to": "ada@example.com"})
    say("wrong", wrong.kind, getattr(wrong, "code"), len(getattr(wrong, "errors")))
    none = orb.run("no.orb@1.0.0", {})
    say("none", none.kind, getattr(none, "code"))

    receipt = orb.receipts.get(first.receipt["receipt_id"])
    keys = orb.request("GET", "/.well-known/jwks.json").body
    say("receipt", isinstance(verify_receipt(receipt, keys, Expected(run_id=first.run_id)), Verified))
    changed = verify_receipt({**receipt, "trust_score": 100}, keys)
    say("changed", isinstance(changed, Verified), getattr(changed, "check"))
    strange = verify_receipt(receipt, {"keys": []})
    say("strange", isinstance(strange, Verified), getattr(strange, "check"))

    queued = orb.enqueue("notify.email@1.0.0", mail)
    assert isinstance(queued, Queued), queued
    say("events", *(event.type for event in orb.events(run_id=queued.run_id)))
    say("result", orb.settle(queued, timeout=30).kind)

    listed = 0
    for run in orb.runs.list(limit=1):
        listed += "run_id" in run
        if listed == 2:
            break
    say("listed", listed)
    tools = orb.tools("openai")
    say("tools", any(tool["function"]["name"] == "notify_email" for tool in tools.tools))
    say("call", tools.call("notify_email", json.dumps(mail)).outcome.kind)


def check_webhooks() -> None:
    body = '{"type":"run.completed","timestamp":"t","data":{"subscription_id":"sub_1"}}'
    plain = b"0" * 32
    mac = hmac.new(plain, f"msg_1.1000.{body}".encode(), hashlib.sha256).digest()
    signature = f"v1,{base64.b64encode(mac).decode()}"
    headers = {"webhook-id": "msg_1", "webhook-timestamp": "1000", "webhook-signature": signature}
    secrets = [f"whsec_{base64.b64encode(plain).decode()}"]
    checked = verify_webhook(headers, body, secrets=secrets, now=1000)
    say("webhook", isinstance(checked, Webhook), getattr(checked, "type", checked))
    forged = verify_webhook(headers, f"{body} ", secrets=secrets, now=1000)
    say("forged", not isinstance(forged, RefusedWebhook), getattr(forged, "reason", forged))


def call_nobody() -> None:
    with Orb(re.sub(r"\d+$", "1", url), key, verify=False, tries=1) as dead:
        say("dead", dead.run("notify.email@1.0.0", {}, timeout=3).kind in ("unreachable", "unknown"))


with Orb(url, key, pin="tofu") as client:
    walk(client)
check_webhooks()
call_nobody()
print(json.dumps(lines))
