"""Sends one request and hears one answer."""

from __future__ import annotations

import email.utils
import inspect
import json
import platform
import random
import time
from dataclasses import dataclass, field
from typing import Any, AsyncGenerator, Awaitable, Callable, Literal, Mapping, Union

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
    """One request; `deadline`: when it must have been answered."""

    method: str
    path: str
    deadline: float
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Answered:
    """An answer that came whole; of a stream only its head."""

    status: int
    headers: httpx.Headers
    text: str = ""

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
    clock = wire.clock
    if sending.deadline <= clock.now():
        return Broken(sent=False, why="time")
    request = await request_of(wire, sending)
    begun = clock.now()
    status = None
    try:
        with clock.within(sending.deadline - begun):
            response = await wire.http.send(request)
        status = response.status_code
        note_skew(wire, response.headers.get("date"))
        return Answered(status, response.headers, response.text)
    except TimeoutError:
        return Broken(sent=True, why="time")
    except httpx.TransportError as error:
        return Broken(sent=not isinstance(error, UNSENT), why="error")
    except httpx.HTTPError:
        return Broken(sent=True, why="error")
    finally:
        entry = {"event": "try", "method": sending.method, "path": sending.path, "status": status}
        wire.log({**entry, "ms": clock.now() - begun})


async def request_of(wire: Wire, sending: Sending) -> httpx.Request:
    """Make the request."""
    headers = {
        "accept": "application/json",
        "authorization": f"Bearer {await _token(wire)}",
        "user-agent": AGENT,
        "x-orb-sdk": AGENT,
        **({} if sending.body is None else {"content-type": "application/json"}),
        **sending.headers,
    }
    query = {name: _word(value) for name, value in sending.query.items() if value is not None}
    content = None if sending.body is None else json.dumps(sending.body, ensure_ascii=False, allow_nan=False).encode()
    url = wire.url + sending.path
    return wire.http.build_request(sending.method, url, params=query or None, headers=headers, content=content, timeout=None)


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


def note_skew(wire: Wire, date: str | None) -> None:
    """Note how much later than here it is at the server, if it is more than 30 s."""
    try:
        skew = 0 if date is None else email.utils.parsedate_to_datetime(date).timestamp() * 1000 - wire.clock.now()
    except ValueError:
        skew = 0
    known = skew if abs(skew) > SKEW_MS else 0
    if known and not wire.skew:
        wire.log({"event": "clock_skew", "ms": known})
    wire.skew = known


class Streamed:
    """A stream of bytes, or the answer that came in its place."""

    def __init__(self, heard: Heard, response: httpx.Response | None, clock: Clock) -> None:
        self.heard = heard
        self._response, self._clock = response, clock

    @property
    def is_open(self) -> bool:
        """Whether bytes come."""
        return self._response is not None

    async def chunks(self, quiet_ms: float) -> AsyncGenerator[bytes, None]:
        """Yield bytes as they come; ends when it ends, breaks off or is quiet for too long."""
        if self._response is None:
            return
        chunks = self._response.aiter_bytes()
        try:
            while True:
                with self._clock.within(quiet_ms):
                    chunk = await anext(chunks)
                yield chunk
        except (StopAsyncIteration, TimeoutError, httpx.HTTPError):
            return
        finally:
            await self.close()

    async def close(self) -> None:
        """End the connection."""
        if self._response is not None:
            with anyio.CancelScope(shield=True):
                await self._response.aclose()


async def open_stream(wire: Wire, sending: Sending) -> Streamed:
    """Send a request whose answer is read bit by bit; the deadline is that of its head."""
    if sending.deadline <= wire.clock.now():
        return Streamed(Broken(sent=False, why="time"), None, wire.clock)
    request = await request_of(wire, sending)
    try:
        with wire.clock.within(sending.deadline - wire.clock.now()):
            response = await wire.http.send(request, stream=True)
            note_skew(wire, response.headers.get("date"))
            if response.status_code == 200:
                return Streamed(Answered(200, response.headers), response, wire.clock)
            await response.aread()
            return Streamed(Answered(response.status_code, response.headers, response.text), None, wire.clock)
    except TimeoutError:
        return Streamed(Broken(sent=True, why="time"), None, wire.clock)
    except httpx.TransportError as error:
        return Streamed(Broken(sent=not isinstance(error, UNSENT), why="error"), None, wire.clock)
