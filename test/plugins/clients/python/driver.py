"""Does what the lines of its input say, with eight threads, and answers a line for each: driver.py URL KEY PIN."""

from __future__ import annotations

import dataclasses
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from agent_orb import Orb, OrbError

url, key, pin = sys.argv[1:]
orbs: dict[int, Orb] = {}
outcomes: dict[str, Any] = {}


def orb_of(tries: int) -> Orb:
    if tries not in orbs:
        orbs[tries] = Orb(url, key, pin=json.loads(pin), tries=tries)
    return orbs[tries]


def do(asked: dict[str, Any]) -> dict[str, Any]:
    orb = orb_of(asked.get("tries", 4))
    if asked["op"] == "settle":
        return kept(asked["id"], orb.settle(outcomes[asked["of"]], timeout=asked["timeout"]))
    return kept(asked["id"], orb.run(asked["orb"], asked["inputs"], key=asked["key"], timeout=asked.get("timeout", 120)))


def kept(name: str, outcome: Any) -> dict[str, Any]:
    outcomes[name] = outcome
    shown = {member.name: getattr(outcome, member.name) for member in dataclasses.fields(outcome)}
    told = {name: shown[name] for name in ("check", "code", "acted") if shown.get(name) is not None}
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
