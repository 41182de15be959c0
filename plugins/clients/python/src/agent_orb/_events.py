"""Follows events; connects again and goes on after the last one."""

from __future__ import annotations

import json
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, AsyncGenerator, Mapping

import anyio
import httpx

from ._error import OrbError
from ._persist import problem_of
from ._run import Scope
from ._sse import Sse, SseReader
from ._table import backoff_ms, retry_after_ms, row_of, unlisted
from ._wire import Answered, Clock, Sending, send

CONNECT_MS = 30_000
# The server sends something at least every 15 seconds.
QUIET_MS = 45_000


@dataclass(frozen=True)
class OrbEvent:
    """An event; of the type `gap` when events in between are lost. `position`: give it as `after` to go on behind it."""

    type: str
    position: str
    data: Mapping[str, Any]
    id: str | None = None
    timestamp: str | None = None


async def events_of(body: httpx.Response, reader: SseReader, clock: Clock) -> AsyncGenerator[Sse, None]:
    """Yield the events of a body as they come; ends when it ends, breaks off or is quiet for too long."""
    chunks = body.aiter_bytes()
    try:
        while True:
            with clock.within(QUIET_MS):
                chunk = await anext(chunks)
            for event in reader.push(chunk):
                yield event
    except (StopAsyncIteration, TimeoutError, httpx.HTTPError):
        return
    finally:
        with anyio.CancelScope(shield=True):
            await body.aclose()


async def events(scope: Scope, types: str | None, run_id: str | None, after: str) -> AsyncGenerator[OrbEvent, None]:
    """Yield events, until the run of `run_id` has ended."""
    clock, position, failed = scope.wire.clock, after, 0
    query = {"types": types, "run_id": run_id}
    while True:
        headers = {"accept": "text/event-stream", "last-event-id": position or None}
        sending = Sending("GET", "/events", clock.now() + CONNECT_MS, query, headers=headers, stream=True)
        heard = await send(scope.wire, sending)
        failed += 1
        if isinstance(heard, Answered) and heard.body is not None:
            reader = SseReader()
            async with aclosing(events_of(heard.body, reader, clock)) as found:
                async for sent in found:
                    failed = 1
                    if sent.event == "end":
                        return
                    position = sent.id or position
                    yield _event_of(sent, position)
            position = reader.id or position
        elif isinstance(heard, Answered):
            if heard.status == 204:
                return
            _refuse(heard, scope.tries is not None and failed >= scope.tries)
        asked = heard.headers.get("retry-after") if isinstance(heard, Answered) else None
        wait = retry_after_ms(asked, clock.now())
        await clock.sleep(backoff_ms(max(1, failed), clock.random()) if wait is None else wait)


def _refuse(heard: Answered, is_last: bool) -> None:
    """Raise for an answer after which no other try helps."""
    problem = problem_of(heard)
    code = f"http_{heard.status}" if problem is None else problem["code"]
    fatal = row_of(code, heard.status).retry == "never" and unlisted(heard.status) == "rejected"
    if fatal or is_last:
        raise OrbError(code, f"the events cannot be read: {code}")


def _event_of(sent: Sse, position: str) -> OrbEvent:
    read = json.loads(sent.data)
    if sent.event != "message" or not isinstance(read.get("type"), str):
        return OrbEvent(sent.event, sent.id, read)
    return OrbEvent(read["type"], position, read.get("data") or {}, read.get("id"), read.get("timestamp"))
