"""Sends one request and hears one answer."""

from __future__ import annotations

import email.utils
import functools
import inspect
import platform
import random
import time
from dataclasses import dataclass, field
from typing import Any, Awaitable, Callable, Mapping, Union

import anyio
import httpx

from ._error import OrbError
from ._forms import parse_any
from ._schema import fits
from ._version import VERSION

Auth = Union[str, Callable[[], str], Callable[[], Awaitable[str]]]
Log = Callable[[Mapping[str, Any]], None]
SKEW_MS = 30_000
AGENT = f"py/{VERSION} python/{'.'.join(platform.python_version_tuple()[:2])}"
HEADERS = {"accept": "application/json", "user-agent": AGENT, "x-orb-sdk": AGENT}
# No byte of the request can have reached the server.
UNSENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol, httpx.ProxyError)


class Clock:
    """The clock of a client; tests give another. All times are ms."""

    def now(self) -> float:
        """Tell the time since the Unix epoch, as a server does."""
        return time.time() * 1000

    def ticks(self) -> float:
        """Tell the time for deadlines, which do not move when the clock is set."""
        return time.monotonic() * 1000

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
    """What requests are sent with; `tries`: most of a call, where the retry table shall not say it."""

    http: httpx.AsyncClient
    url: str
    auth: Auth
    clock: Clock
    log: Log
    tries: int | None
    skew: float = 0
    token: str | None = None


@dataclass(frozen=True)
class Heard:
    """What came of a request; `status` is 0 when no whole answer came: `sent` tells if it may have reached the server."""

    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    text: str = ""
    body: httpx.Response | None = None
    """A body that is read as it comes."""
    sent: bool = True
    late: bool = False
    """Its time was over."""
    doubt: bool = False
    """An earlier try, or this one, may have done the action."""

    @property
    def ok(self) -> bool:
        """Whether it succeeded."""
        return 200 <= self.status < 300

    @functools.cached_property
    def json(self) -> Any:
        """The body; None if it is not JSON."""
        return parse_any(self.text)

    @property
    def problem(self) -> Mapping[str, Any] | None:
        """The problem that the server answered."""
        return self.json if self.status >= 400 and fits({"code": "^", "*": "any"}, self.json) else None

    @property
    def code(self) -> str:
        """What went wrong: the code of the problem or, without one, the status; `unknown` or `unreachable` without an answer."""
        if self.status == 0:
            return "unknown" if self.sent or self.doubt else "unreachable"
        return str(self.problem["code"]) if self.problem else f"http_{self.status}"


@dataclass(frozen=True)
class Sending:
    """One request; `deadline`: the ticks at which it must have been answered. `stream`: a body of 200 is handed over unread."""

    method: str
    path: str
    deadline: float
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None
    headers: Mapping[str, str | None] = field(default_factory=dict)
    stream: bool = False
    repeatable: bool = True
    """It is a read, or has a key: it may be repeated when its answer was lost."""
    expects: Callable[[Heard], bool] = lambda _: True
    """Says whether a 2xx is the answer that was asked for."""


def present(values: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what is None."""
    return {name: value for name, value in values.items() if value is not None}


async def send(wire: Wire, sending: Sending) -> Heard:
    """Send one request; a token that is refused is asked for once more."""
    heard = await _send_once(wire, sending)
    if heard.status == 401 and not isinstance(wire.auth, str):
        wire.token = None
        heard = await _send_once(wire, sending)
    return heard


async def _send_once(wire: Wire, sending: Sending) -> Heard:
    clock, begun, sent, status = wire.clock, wire.clock.ticks(), False, None
    if sending.deadline <= begun:
        return Heard(sent=False, late=True)
    try:
        with clock.within(sending.deadline - begun):
            token = await _token(wire)
            sent = True
            response = await wire.http.send(_request_of(wire, sending, token), stream=sending.stream)
            status = response.status_code
            _note_skew(wire, response.headers.get("date", ""))
            if sending.stream and status == 200:
                return Heard(status, response.headers, body=response)
            await response.aread()
            return Heard(status, response.headers, response.text)
    except TimeoutError:
        return Heard(sent=sent, late=True)
    except httpx.HTTPError as error:
        return Heard(sent=not isinstance(error, UNSENT))
    finally:
        entry = {"event": "try", "method": sending.method, "path": sending.path, "status": status}
        wire.log({**entry, "ms": clock.ticks() - begun})


def _request_of(wire: Wire, sending: Sending, token: str) -> httpx.Request:
    headers = present({"authorization": f"Bearer {token}", **sending.headers})
    query = present(sending.query) or None
    return wire.http.build_request(sending.method, wire.url + sending.path, params=query, headers=headers, json=sending.body)


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


def date_ms(text: str) -> float | None:
    """Read a date of HTTP, which is of GMT, as ms since the Unix epoch; None when it is malformed."""
    try:
        return email.utils.parsedate_to_datetime(text).timestamp() * 1000 if text.endswith(" GMT") else None
    except (OverflowError, ValueError):
        return None


def _note_skew(wire: Wire, date: str) -> None:
    now = wire.clock.now()
    skew = (date_ms(date) or now) - now
    known = skew if abs(skew) > SKEW_MS else 0
    if known and not wire.skew:
        wire.log({"event": "clock_skew", "ms": known})
    wire.skew = known
