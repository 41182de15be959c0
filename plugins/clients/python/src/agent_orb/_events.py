"""Follows events; connects again and goes on after the last one."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, AsyncGenerator, Mapping

from ._error import OrbError
from ._persist import problem_of
from ._run import Scope
from ._sse import Sse, SseReader
from ._table import backoff_ms, retry_after_ms, row_of, unlisted
from ._wire import Answered, Sending, open_stream

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


async def events(scope: Scope, types: str | None, run_id: str | None, after: str) -> AsyncGenerator[OrbEvent, None]:
    """Yield events, until the run of `run_id` has ended."""
    wire, clock, position, failed = scope.wire, scope.wire.clock, after, 0
    while True:
        headers = {"accept": "text/event-stream", **({"last-event-id": position} if position else {})}
        query = {"types": types, "run_id": run_id}
        stream = await open_stream(wire, Sending("GET", "/events", clock.now() + CONNECT_MS, query, headers=headers))
        heard = stream.heard
        failed += 1
        if stream.is_open:
            reader = SseReader()
            chunks = stream.chunks(QUIET_MS)
            try:
                async for chunk in chunks:
                    for sent in reader.push(chunk):
                        failed = 1
                        if sent.event == "end":
                            return
                        position = sent.id or position
                        yield _event_of(sent, position)
            finally:
                await chunks.aclose()
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
