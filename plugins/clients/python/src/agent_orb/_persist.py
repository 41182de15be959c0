"""Sends a call until it is answered for good; repeats only what the retry table says."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Callable, Mapping

from ._table import LIMITS, backoff_ms, retry_after_ms, row_of, unlisted
from ._wire import Answered, Broken, Heard, Sending, Wire, send


@dataclass(frozen=True)
class Call:
    """A call with all its tries; the deadline of `sending` is that of the whole call."""

    sending: Sending
    repeatable: bool
    """It is a read, or has a key: it may be repeated when its answer was lost."""
    tries: int | None = None
    fits: Callable[[Answered], bool] = lambda _: True
    """Says whether a 2xx is the answer that was asked for."""


@dataclass(frozen=True)
class Settled:
    """What came of a call; `doubt`: an earlier try, or the answer itself, may have done it."""

    heard: Heard
    doubt: bool


def problem_of(heard: Answered) -> Mapping[str, Any] | None:
    """Read the problem of an answer."""
    problem = heard.json
    is_one = heard.status >= 400 and isinstance(problem, dict) and isinstance(problem.get("code"), str)
    return problem if is_one else None


@dataclass(frozen=True)
class _Judged:
    retry: str
    doubt: bool
    free: bool = False
    """Waiting for work that goes on, which is no failed try."""


def _judge(heard: Heard, call: Call) -> _Judged:
    again = "same_key" if call.repeatable else "never"
    if isinstance(heard, Broken):
        return _Judged("never" if heard.sent and not call.repeatable else "same_key", heard.sent)
    if heard.status < 300 and call.fits(heard):
        return _Judged("never", doubt=False)
    problem = problem_of(heard)
    if problem is None:
        doubt = unlisted(heard.status) == "unknown"
        return _Judged(again if doubt else "never", doubt)
    row = row_of(problem["code"], heard.status, problem.get("run_status"))
    doubt = row.kind == "unknown"
    # Under its key a stored answer comes again.
    if "idempotent-replayed" in heard.headers:
        return _Judged("never", doubt)
    if not call.repeatable and heard.headers.get("x-should-retry") == "false":
        return _Judged("never", doubt)
    return _Judged(row.retry, doubt, problem["code"] == "idempotency_in_progress")


async def persist(wire: Wire, call: Call) -> Settled:
    """Send a call until it is answered for good, its tries are used up or its time is over."""
    clock, end = wire.clock, call.sending.deadline
    # A part of the time is kept for one last look under the same key.
    deadline = end - min(LIMITS["last_look_ms"], (end - clock.now()) / 4) if call.repeatable else end
    most = LIMITS["tries"] if call.tries is None else call.tries
    doubt, tries = False, 1
    while True:
        heard = await send(wire, replace(call.sending, deadline=deadline))
        judged = _judge(heard, call)
        if judged.retry == "never":
            return Settled(heard, doubt or (judged.doubt and isinstance(heard, Broken)))
        doubt = doubt or judged.doubt
        if isinstance(heard, Broken) and heard.why == "time":
            if deadline == end:
                return Settled(heard, doubt)
            deadline = end
            continue
        if not judged.free and tries >= most:
            return Settled(heard, doubt)
        asked = heard.headers.get("retry-after") if isinstance(heard, Answered) else None
        wait = retry_after_ms(asked, clock.now() + wire.skew)
        if wait is None:
            wait = backoff_ms(tries, clock.random())
        if not judged.free:
            tries += 1
        if clock.now() + wait >= end:
            return Settled(heard, doubt)
        wire.log({"event": "wait", "ms": wait})
        await clock.sleep(wait)
        if clock.now() >= deadline:
            deadline = end
