"""Sends a call until it is answered for good; repeats only what the retry table says."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

from ._table import LIMITS, row_of, unlisted
from ._wire import Heard, Sending, Wire, date_ms, send


class _Judged(NamedTuple):
    again: bool
    doubt: bool
    free: bool = False
    """Waiting for work that goes on, which is no failed try."""


def _judge(heard: Heard, sending: Sending) -> _Judged:
    repeatable, problem = sending.repeatable, heard.problem
    if heard.status == 0:
        return _Judged(repeatable or not heard.sent, heard.sent)
    if heard.ok and sending.expects(heard):
        return _Judged(False, doubt=False)
    if problem is None:
        doubt = unlisted(heard.status) == "unknown"
        return _Judged(doubt and repeatable, doubt)
    row = row_of(problem["code"], heard.status, problem.get("run_status"))
    # Under its key a stored answer comes again.
    is_final = "idempotent-replayed" in heard.headers or (not repeatable and heard.headers.get("x-should-retry") == "false")
    again = row["retry"] != "never" and not is_final
    return _Judged(again, row["kind"] == "unknown", problem["code"] == "idempotency_in_progress")


def pause_ms(wire: Wire, heard: Heard, tries: int) -> float:
    """Answer the pause before the next try, ms: what Retry-After asks for, seconds or a date, or one that grows with the tries."""
    asked, now = heard.headers.get("retry-after", ""), wire.clock.now() + wire.skew
    at = now + int(asked) * 1000 if re.fullmatch(r"\d{1,9}", asked, re.ASCII) else date_ms(asked)
    if at is not None:
        return min(max(0, at - now), LIMITS["retry_after_ms"])
    whole = min(LIMITS["longest_ms"], LIMITS["first_ms"] * (1 << (tries - 1)))
    return round(whole * (1 - LIMITS["jitter"] * wire.clock.random()))


async def persist(wire: Wire, sending: Sending) -> Heard:
    """Send a call until it is answered for good, its tries are used up or its time, the deadline of `sending`, is over."""
    clock, end = wire.clock, sending.deadline
    # A part of the time is kept for one last look under the same key.
    deadline = end - min(LIMITS["last_look_ms"], (end - clock.ticks()) / 4) if sending.repeatable else end
    most = LIMITS["tries"] if wire.tries is None else wire.tries
    doubt, tries = False, 1
    while True:
        heard = await send(wire, replace(sending, deadline=deadline))
        again, doubtful, free = _judge(heard, sending)
        doubt = doubt or doubtful
        if again and heard.late and deadline < end:
            deadline = end
            continue
        wait = pause_ms(wire, heard, tries)
        is_last = heard.late or (tries >= most and not free) or clock.ticks() + wait >= end
        if is_last or not again:
            return replace(heard, doubt=doubt)
        tries += not free
        wire.log({"event": "wait", "ms": wait})
        await clock.sleep(wait)
        if clock.ticks() >= deadline:
            deadline = end
