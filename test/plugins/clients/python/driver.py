"""Does what the lines of its input say, with eight threads, and answers a line for each: driver.py URL KEY PIN FRESH."""

from __future__ import annotations

import dataclasses
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
from agent_orb import Orb, OrbError

url, key, pin, fresh = sys.argv[1:]
orbs: dict[int, Orb] = {}
outcomes: dict[str, Any] = {}


def orb_of(tries: int) -> Orb:
    if tries not in orbs:
        trust: dict[str, Any] = {"verify": False} if pin == "null" else {"pin": json.loads(pin)}
        # Each request has a connection of its own.
        limits = httpx.Limits(max_keepalive_connections=0) if fresh == "true" else httpx.Limits()
        orbs[tries] = Orb(url, key, tries=tries, transport=httpx.AsyncHTTPTransport(limits=limits), **trust)
    return orbs[tries]


def do(asked: dict[str, Any]) -> dict[str, Any]:
    orb = orb_of(asked.get("tries", 4))
    if asked["op"] == "settle":
        return kept(asked["id"], orb.settle(outcomes[asked["of"]], timeout=asked["timeout"]))
    options = {name: asked[name] for name in ("key", "timeout", "hold") if name in asked}
    return kept(asked["id"], orb.run(asked["orb"], asked["inputs"], **options))


def kept(name: str, outcome: Any) -> dict[str, Any]:
    outcomes[name] = outcome
    shown = {member.name: getattr(outcome, member.name) for member in dataclasses.fields(outcome)}
    told = {name: shown[name] for name in ("check", "code", "acted", "approval", "replayed") if shown.get(name) is not None}
    verified = {} if shown.get("verified") is None else {"verified": True}
    return {"kind": shown["kind"], "runId": shown["run_id"], **told, **verified}


def answer(line: str) -> None:
    asked = json.loads(line)
    try:
        outcome = do(asked)
    except OrbError as error:
        outcome = {"kind": "error", "code": error.code}
    except Exception as error:
        outcome = {"kind": "error", "code": repr(error)}
    sys.stdout.write(json.dumps({"id": asked["id"], "outcome": outcome}) + "\n")
    sys.stdout.flush()


with ThreadPoolExecutor(8) as pool:
    for line in sys.stdin:
        pool.submit(answer, line)
