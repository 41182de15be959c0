"""Prints for each call that is never answered in full how it ended, and whether it kept its time."""

from __future__ import annotations

import asyncio
import threading
from typing import Any, AsyncIterator, Awaitable, Callable

import httpx

from agent_orb import AsyncOrb, Orb, OrbError
from fake import BEGUN, FakeClock

RUN = {"run_id": "run_1", "status": "completed", "outputs": {}, "receipt": {"receipt_id": "rec_1"}}
TOOLS = {"result": {"tools": [], "nextCursor": "more"}}
TIMEOUT = 20


class Server(httpx.AsyncBaseTransport):
    """Answers, but for one path; each answer takes a second."""

    def __init__(self, clock: FakeClock, silent: str, status: str) -> None:
        self.clock, self.silent, self.status = clock, silent, status
        self.problems = iter([{"code": "overloaded", "retryable": True}] * 8)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path
        await self.clock.pass_by(1000)
        if self.status == "set back":
            self.clock.set_by = -3_600_000
        if self.silent in path:
            await self.clock.pass_by()
        if self.status == "busy" and path.startswith("/receipts") and (busy := next(self.problems, None)):
            return httpx.Response(503, headers={"retry-after": "0"}, json=busy)
        if path.endswith("/completions"):
            return httpx.Response(200, content=self.parts())
        if path.endswith("/mcp"):
            return httpx.Response(200, json=TOOLS)
        return httpx.Response(200, json={**RUN, "status": self.status} if path.startswith("/runs") else RUN)

    async def parts(self) -> AsyncIterator[bytes]:
        while True:
            await self.clock.pass_by(7000)
            yield b'data: {"choices": [{"delta": {"content": "on and on"}}]}\n\n'
            if self.status == "completed":
                yield b'data: {"orb": {"run_id": "run_1", "receipt_id": "rec_1"}}\n\ndata: [DONE]\n\n'


async def last_part(orb: AsyncOrb) -> Any:
    return [part async for part in orb.stream({}, timeout=TIMEOUT)][-1]


CASES: list[tuple[str, str, str, Callable[[AsyncOrb], Awaitable[Any]]]] = [
    ("run, without a token", "token", "", lambda orb: orb.run("a@1.0.0", {}, timeout=TIMEOUT)),
    ("run, without an answer", "/execute", "", lambda orb: orb.run("a@1.0.0", {}, timeout=TIMEOUT)),
    ("run, while the clock is set back", "/execute", "set back", lambda orb: orb.run("a@1.0.0", {}, timeout=TIMEOUT)),
    ("run, without a receipt", "/receipts", "", lambda orb: orb.run("a@1.0.0", {}, timeout=TIMEOUT)),
    ("run, whose receipt comes late", "nothing", "busy", lambda orb: orb.run("a@1.0.0", {}, timeout=TIMEOUT)),
    ("run, without keys", "/jwks.json", "", lambda orb: orb.run("a@1.0.0", {}, timeout=TIMEOUT)),
    ("enqueue, without an answer", "/execute", "", lambda orb: orb.enqueue("a@1.0.0", {}, timeout=TIMEOUT)),
    ("settle, without an answer", "/runs", "", lambda orb: orb.settle("run_1", timeout=TIMEOUT)),
    ("settle, without an end", "nothing", "running", lambda orb: orb.settle("run_1", timeout=TIMEOUT)),
    ("request, without an answer", "/orbs", "", lambda orb: orb.request("GET", "/orbs", timeout=TIMEOUT)),
    ("stream, without an end", "nothing", "running", last_part),
    ("stream, without a receipt", "/receipts", "completed", last_part),
    ("tools, without an end", "nothing", "", lambda orb: orb.tools("mcp")),
]


async def never_in_time() -> None:
    for name, silent, status, call in CASES:
        clock = FakeClock()

        async def token() -> str:
            if silent == "token":
                await clock.pass_by()
            return "orb_test_x"

        server = Server(clock, silent, status)
        # The time of the client is longer than that of the call, but for tools, which have none of their own.
        timeout = TIMEOUT if name.startswith("tools") else 1000
        orb = AsyncOrb("http://orb.test", token, pin="tofu", transport=server, clock=clock, timeout=timeout)
        try:
            outcome = await call(orb)
            end = " ".join(getattr(outcome, name) for name in ("kind", "check") if hasattr(outcome, name))
        except OrbError as error:
            end = f"error {error.code}"
        print(f"{name}: {end}, {'in time' if clock.at <= BEGUN + TIMEOUT * 1000 else f'after {clock.at - BEGUN} ms'}")


def token_of_a_thread() -> None:
    """While a function waits for one token, the other calls of the client go on."""
    begun, go, done = threading.Event(), threading.Event(), threading.Event()
    tokens = iter(["first", "second"])

    def token() -> str:
        if next(tokens) == "first":
            begun.set()
            go.wait(30)
        return "orb_test_x"

    answer = httpx.MockTransport(lambda _: httpx.Response(200, json=RUN))
    with Orb("http://orb.test", token, verify=False, transport=answer) as orb:

        def first() -> None:
            orb.run("a@1.0.0", {})
            done.set()

        thread = threading.Thread(target=first)
        thread.start()
        begun.wait(30)
        end = orb.run("a@1.0.0", {}).kind
        print(f"run, while another waits for a token: {end}, {'late' if done.is_set() else 'in time'}")
        go.set()
        thread.join()


asyncio.run(never_in_time())
token_of_a_thread()
