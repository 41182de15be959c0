"""Follows events; connects again and goes on after the last one."""

from __future__ import annotations

import json
import math
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, AsyncGenerator, Mapping

import anyio
import httpx

from ._error import OrbError
from ._persist import pause_ms
from ._run import Scope
from ._sse import Sse, SseReader
from ._table import row_of, unlisted
from ._wire import Clock, Sending, send

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


async def events_of(body: httpx.Response, clock: Clock, reader: SseReader, end: float = math.inf) -> AsyncGenerator[Sse, None]:
    """Yield the events of a body as they come, until it ends, breaks off or is quiet for too long, or until a time."""
    chunks = body.aiter_bytes()
    try:
        while True:
            with clock.within(min(QUIET_MS, end - clock.ticks())):
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
    wire, position, failed = scope.wire, after, 0
    while True:
        headers = {"accept": "text/event-stream", "last-event-id": position or None}
        end, query = wire.clock.ticks() + CONNECT_MS, {"types": types, "run_id": run_id}
        heard = await send(wire, Sending("GET", "/events", end, query, headers=headers, stream=True))
        failed += 1
        if heard.status == 204:
            return
        if heard.body is not None:
            reader = SseReader()
            async with aclosing(events_of(heard.body, wire.clock, reader)) as found:
                async for sent in found:
                    failed = 1
                    if sent.event == "end":
                        return
                    position = sent.id or position
                    yield _event_of(sent, position)
            position = reader.id or position
        elif heard.status > 0:
            is_fatal = row_of(heard.code, heard.status)["retry"] == "never" and unlisted(heard.status) == "rejected"
            if is_fatal or (wire.tries is not None and failed >= wire.tries):
                raise OrbError(heard.code, f"the events cannot be read: {heard.code}")
        await wire.clock.sleep(pause_ms(wire, heard, failed))


def _event_of(sent: Sse, position: str) -> OrbEvent:
    read = json.loads(sent.data)
    if sent.event != "message" or not isinstance(read.get("type"), str):
        return OrbEvent(sent.event, sent.id, read)
    return OrbEvent(read["type"], position, read.get("data") or {}, read.get("id"), read.get("timestamp"))
