"""Sends one request and hears one answer."""

from __future__ import annotations

import email.utils
import inspect
import json
import platform
import random
import time
from dataclasses import dataclass, field
from typing import Any, Awaitable, Callable, Literal, Mapping, Union

import anyio
import httpx

from ._error import OrbError
from ._version import VERSION

Auth = Union[str, Callable[[], str], Callable[[], Awaitable[str]]]
Log = Callable[[Mapping[str, Any]], None]
SKEW_MS = 30_000
AGENT = f"py/{VERSION} python/{'.'.join(platform.python_version_tuple()[:2])}"
# No byte of the request can have reached the server.
UNSENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol, httpx.ProxyError)


class Clock:
    """The clock of a client; tests give another. All times are ms since the Unix epoch."""

    def now(self) -> float:
        """Tell the time."""
        return time.time() * 1000

    def random(self) -> float:
        """Answer a number from 0 to 1."""
        return random.random()

    async def sleep(self, ms: float) -> None:
        """Wait."""
        await anyio.sleep(ms / 1000)

    def within(self, ms: float) -> Any:
        """Limit the time of what happens inside: a context manager that raises TimeoutError."""
        return anyio.fail_after(max(0, ms) / 1000)


@dataclass
class Wire:
    """What requests are sent with."""

    http: httpx.AsyncClient
    url: str
    auth: Auth
    clock: Clock
    log: Log
    skew: float = 0
    token: str | None = None


@dataclass(frozen=True)
class Sending:
    """One request; `deadline`: when it must have been answered. `stream`: a body of 200 is handed over unread."""

    method: str
    path: str
    deadline: float
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None
    headers: Mapping[str, str | None] = field(default_factory=dict)
    stream: bool = False


@dataclass(frozen=True)
class Answered:
    """An answer that came whole; with `body`, only its head came."""

    status: int
    headers: httpx.Headers
    text: str = ""
    body: httpx.Response | None = None

    @property
    def json(self) -> Any:
        """The body; None if it is not JSON."""
        try:
            return json.loads(self.text)
        except ValueError:
            return None


@dataclass(frozen=True)
class Broken:
    """A request without a whole answer. `sent`: it may have reached the server."""

    sent: bool
    why: Literal["error", "time"]


Heard = Union[Answered, Broken]


async def send(wire: Wire, sending: Sending) -> Heard:
    """Send one request; a token that is refused is asked for once more."""
    heard = await _send_once(wire, sending)
    if isinstance(heard, Answered) and heard.status == 401 and not isinstance(wire.auth, str):
        wire.token = None
        heard = await _send_once(wire, sending)
    return heard


async def _send_once(wire: Wire, sending: Sending) -> Heard:
    clock, status = wire.clock, None
    if sending.deadline <= clock.now():
        return Broken(sent=False, why="time")
    request = await _request_of(wire, sending)
    begun = clock.now()
    try:
        with clock.within(sending.deadline - begun):
            response = await wire.http.send(request, stream=sending.stream)
            status = response.status_code
            _note_skew(wire, response.headers.get("date"))
            if sending.stream and status == 200:
                return Answered(status, response.headers, body=response)
            await response.aread()
            return Answered(status, response.headers, response.text)
    except TimeoutError:
        return Broken(sent=True, why="time")
    except httpx.HTTPError as error:
        return Broken(sent=not isinstance(error, UNSENT), why="error")
    finally:
        entry = {"event": "try", "method": sending.method, "path": sending.path, "status": status}
        wire.log({**entry, "ms": clock.now() - begun})


async def _request_of(wire: Wire, sending: Sending) -> httpx.Request:
    body = sending.body
    headers = {
        "accept": "application/json",
        "authorization": f"Bearer {await _token(wire)}",
        "user-agent": AGENT,
        "x-orb-sdk": AGENT,
        "content-type": None if body is None else "application/json",
        **sending.headers,
    }
    query = {name: _word(value) for name, value in sending.query.items() if value is not None}
    return wire.http.build_request(
        sending.method,
        wire.url + sending.path,
        params=query or None,
        headers={name: value for name, value in headers.items() if value is not None},
        content=None if body is None else json.dumps(body, ensure_ascii=False, allow_nan=False).encode(),
        timeout=None,
    )


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


async def _token(wire: Wire) -> str:
    if isinstance(wire.auth, str):
        return wire.auth
    if wire.token is None:
        try:
            found = wire.auth()
            wire.token = await found if inspect.isawaitable(found) else found
        except Exception as error:
            raise OrbError("auth", "the function that gets the token failed") from error
    return wire.token


def _note_skew(wire: Wire, date: str | None) -> None:
    try:
        skew = 0 if date is None else email.utils.parsedate_to_datetime(date).timestamp() * 1000 - wire.clock.now()
    except ValueError:
        skew = 0
    known = skew if abs(skew) > SKEW_MS else 0
    if known and not wire.skew:
        wire.log({"event": "clock_skew", "ms": known})
    wire.skew = known
