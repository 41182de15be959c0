"""Prints one line for each vector, as plugins/clients/vectors/README.md says: lines.py FOLDER FILE…"""

from __future__ import annotations

import asyncio
import email.utils
import json
import sys
from typing import Any, Callable

import httpx

from agent_orb import AsyncOrb, Expected, OrbError, Verified, Webhook, verify_receipt, verify_webhook
from agent_orb._forms import canonical
from agent_orb._sse import SseReader
from fake import FakeClock

FOLDER, *FILES = sys.argv[1:]
INPUTS = {"to": "ada@example.com", "from_address": "orb@example.com", "subject": "hello", "body": "It works."}


def read(name: str) -> Any:
    with open(f"{FOLDER}/{name}.json", encoding="utf-8") as file:
        return json.load(file)


def show(file: str, name: str, result: Any) -> None:
    print(file, name, canonical(result), sep=" ")


class Script(httpx.AsyncBaseTransport):
    """Plays answers, and notes what was sent."""

    def __init__(self, answers: list[Any], clock: FakeClock) -> None:
        self.answers, self.clock, self.requests = answers, clock, []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        path = request.url.raw_path.decode()
        prefer = request.headers.get("prefer")
        line = f"{request.method} {path}{'' if prefer is None else f' {prefer}'}"
        self.requests.append((line, request.headers.get("idempotency-key"), request.url))
        answer = self.answers[min(len(self.requests), len(self.answers)) - 1]
        if "broken" in answer:
            raise httpx.ConnectError("refused") if answer["broken"] == "refused" else httpx.ReadError("reset")
        if "hang" in answer:
            await self.clock.pass_by()
        text = answer["text"] if "text" in answer else json.dumps(answer.get("body"))
        headers = {"date": email.utils.formatdate(self.clock.at / 1000, usegmt=True), **answer.get("headers", {})}
        return httpx.Response(answer["status"], headers=headers, content=text.encode())


def shown(outcome: Any) -> dict[str, Any]:
    members = ("kind", "code", "retryable", "acted", "check", "outputs", "reason", "reasons", "replayed", "run_id")
    found = {name: getattr(outcome, name, None) for name in members}
    approval = getattr(outcome, "approval", None)
    found["approval"] = None if approval is None else approval.get("id")
    return {name: value for name, value in found.items() if value is not None}


async def play(case: dict[str, Any], tries: int | None = None) -> dict[str, Any]:
    clock = FakeClock()
    script = Script(case["answers"], clock)
    waits: list[Any] = []
    log: Callable[[Any], None] = lambda entry: waits.append(entry["ms"]) if entry["event"] == "wait" else None
    given = {} if tries is None else {"tries": tries}
    orb = AsyncOrb("http://orb.test", "orb_test_x", verify=False, transport=script, clock=clock, log=log, **given)
    options = {} if "timeout_ms" not in case else {"timeout": case["timeout_ms"] / 1000}
    outcomes: list[Any] = []
    for step in case["steps"]:
        start = clock.now()
        if step in ("run", "enqueue"):
            call = orb.run if step == "run" else orb.enqueue
            outcomes.append(await call("notify.email@1.0.0", INPUTS, **options))
        else:
            outcomes.append(await orb.settle(outcomes[-1]))
        assert clock.now() - start <= case.get("timeout_ms", 120_000), f"{step} took {clock.now() - start} ms"
    keys = {key for _, key, _ in script.requests if key is not None}
    return {
        "outcomes": [shown(one) for one in outcomes],
        "requests": [line for line, _, _ in script.requests],
        "waits": waits,
        "keys": len(keys),
    }


async def scripts(file: str) -> None:
    for case in read(file)["cases"]:
        show(file, case["name"], await play(case))


async def problems(file: str) -> None:
    for case in read(file)["cases"]:
        answers = [*([{"broken": "reset"}] if case.get("doubt") else []), case["answer"]]
        played = await play({"answers": answers, "steps": ["run"]}, len(answers))
        show(file, case["name"], played["outcomes"][0])


async def paging(file: str) -> None:
    for case in read(file)["cases"]:
        clock = FakeClock()
        script = Script(case["pages"], clock)
        orb = AsyncOrb("http://orb.test", "orb_test_x", verify=False, transport=script, clock=clock)
        items: list[Any] = []
        result: dict[str, Any] = {"items": items}
        try:
            async for run in orb.runs.list():
                items.append(run["run_id"])
        except OrbError as error:
            result["error"] = error.code
        result["cursors"] = [url.params.get("cursor") for _, _, url in script.requests]
        show(file, case["name"], result)


async def streams(file: str) -> None:
    for case in read(file)["cases"]:
        data = case["text"].encode()

        def events_of(*parts: bytes) -> dict[str, Any]:
            reader = SseReader()
            found = [[one.event, one.id, one.data] for part in parts for one in reader.push(part)]
            return {"events": found, "id": reader.id}

        whole = events_of(data)
        for at in range(len(data) + 1):
            assert events_of(data[:at], data[at:]) == whole, f"{case['name']}, cut at {at}"
        show(file, case["name"], whole)


async def webhooks(file: str) -> None:
    for case in read(file)["cases"]:
        by = dict(case["by"])
        if "now" in by:
            by["now"] /= 1000
        found = verify_webhook(case["headers"], case["body"], **by)
        ok = isinstance(found, Webhook)
        members = ("id", "type", "timestamp", "data") if ok else ("reason",)
        show(file, case["name"], {"ok": ok, **{name: getattr(found, name) for name in members}})


def edited(text: str, edits: list[Any]) -> str:
    for at, remove, put in edits:
        text = text[:at] + put + text[at + remove :]
    return text


async def receipts(file: str) -> None:
    vectors = read(file)
    for case in vectors["cases"]:
        document = edited(vectors["documents"][case["base"]], case.get("edits", []))
        trust = vectors["key_sets"][case.get("trust", "pinned")]
        verdict = verify_receipt(document, trust, Expected(**case.get("expected", {})))
        verified = isinstance(verdict, Verified)
        show(file, case["name"], {"verified": True} if verified else {"verified": False, "check": verdict.check})


async def mutations(file: str) -> None:
    vectors, asked = read("receipts"), read(file)
    text, place, accepted = vectors["documents"][asked["base"]], 0, 0
    for _ in range(asked["count"]):
        place = (place + asked["step"]) % len(text)
        while any(begin <= place < end for begin, end in asked["skip"]):
            place = (place + asked["step"]) % len(text)
        letter = text[place]
        put = str((int(letter) + 1) % 10) if letter in "0123456789" else "y" if letter == "x" else "x"
        verdict = verify_receipt(edited(text, [[place, 1, put]]), vectors["key_sets"]["pinned"])
        accepted += isinstance(verdict, Verified)
    print(file, accepted)


async def changes(file: str) -> None:
    sets = read("receipts")["key_sets"]
    for case in read(file)["cases"]:
        pinned: list[Any] = []
        orb = AsyncOrb("http://orb.test", "orb_test_x", pin=sets[case["trust"]], pinned=pinned.append)
        await orb.receipts.trust(case["document"] if isinstance(case["document"], str) else json.dumps(case["document"]))
        keys = (pinned or [sets[case["trust"]]])[-1]["keys"]
        print(file, case["name"], canonical(sorted(key["kid"] for key in keys)))


RUNNERS = {
    "approvals": scripts,
    "scripts": scripts,
    "problems": problems,
    "paging": paging,
    "streams": streams,
    "webhooks": webhooks,
    "receipts": receipts,
    "mutations": mutations,
    "changes": changes,
}
for name in FILES:
    asyncio.run(RUNNERS[name](name))
