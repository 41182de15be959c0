"""The client for programs that use `async`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, AsyncGenerator, Callable, Mapping, TypedDict, Union

import httpx

from ._error import OrbError
from ._events import OrbEvent, events
from ._outcome import Outcome, Queued
from ._persist import persist
from ._run import QueueOptions, RunOptions, Scope, enqueue, quoted, run, sent_of, settle
from ._schema import OBJECT, fits
from ._stream import StreamPart, stream
from ._tools import Json, ToolAnswer, ToolFormat, read_tools, shown_as, words_of
from ._trust import KeySet, Pin, Pins
from ._verify import Document, Expected, Refused, Verified, verify_receipt
from ._webhook import RefusedWebhook, Webhook, WebhookKeys, verify_webhook
from ._wire import HEADERS, Auth, Clock, Log, Sending, Wire

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack


class ClientOptions(TypedDict, total=False):
    """
    Options of a client. `pin`: the keys to trust, or "tofu" for those that the server has at the first use; `pinned` is called
    with them. `verify=False` hands outputs over without a proof. `timeout`: of a call with all its tries, 120 s.
    """

    pin: Pin
    pinned: Callable[[KeySet], None]
    verify: bool
    orbiset: str
    timeout: float
    tries: int
    transport: httpx.AsyncBaseTransport
    log: Log
    clock: Clock


class RequestOptions(TypedDict, total=False):
    """Options of `request`; `timeout`: s."""

    query: Json
    body: Any
    key: str
    timeout: float


@dataclass(frozen=True)
class Answer:
    """The answer to `request`."""

    status: int
    headers: Mapping[str, str]
    body: Any

    @property
    def ok(self) -> bool:
        """Whether the status is below 300."""
        return self.status < 300


class AsyncOrb:
    """A client of one server. `auth`: a key, or a function that gets a token and is asked again after a 401."""

    def __init__(self, url: str, auth: Auth, **options: Unpack[ClientOptions]) -> None:
        pin, verify = options.get("pin"), options.get("verify", True)
        base = httpx.URL(url)
        if base.scheme not in ("http", "https") or not base.host:
            raise OrbError("url", "the address of the server is not a URL of http or https")
        if verify and pin is None:
            raise OrbError("pin", 'set `pin`: the keys to trust, or "tofu" for those that the server has at the first use')
        http = httpx.AsyncClient(transport=options.get("transport"), headers=HEADERS, follow_redirects=False, timeout=None)
        clock, log = options.get("clock", Clock()), options.get("log", lambda _: None)
        wire = Wire(http, str(base).rstrip("/"), auth, clock, log, options.get("tries"))
        pins = Pins(pin, options.get("pinned", lambda _: None), self._keys)
        self._scope = scope = Scope(wire, pins, options.get("orbiset", "default"), verify, options.get("timeout", 120))
        self.runs = AsyncList(scope, "/runs", "runs")
        self.receipts = AsyncReceipts(scope, "/receipts", "receipts")
        self.orbs = AsyncList(scope, "/orbs", "orbs")

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._scope.wire.http.aclose()

    async def run(self, orb: str, inputs: Json, **options: Unpack[RunOptions]) -> Outcome:
        """Run an Orb and wait for its outcome. Raises only for errors of the program that calls."""
        end = self._scope.end(options.get("timeout"))
        return await run(self._scope, sent_of(self._scope, orb, inputs, options), end)

    async def enqueue(self, orb: str, inputs: Json, **options: Unpack[QueueOptions]) -> Outcome | Queued:
        """Put a run into the queue; `settle` waits until it ends."""
        end = self._scope.end(options.get("timeout"))
        return await enqueue(self._scope, sent_of(self._scope, orb, inputs, options, "respond-async"), end)

    async def settle(self, open_call: Union[Outcome, Queued, str], *, timeout: float | None = None) -> Outcome:
        """Wait for the end of a queued run, of an outcome that is `held` or `unknown`, or of the run with this id."""
        if not isinstance(open_call, str) and open_call.kind not in ("held", "queued", "unknown"):
            return open_call  # type: ignore[return-value]
        run_id, sent = (open_call, None) if isinstance(open_call, str) else (open_call.run_id, open_call.sent)
        return await settle(self._scope, run_id, sent, self._scope.end(timeout))

    async def cancel(self, run_id: str) -> str | None:
        """Cancel a queued run, unless a provider has it already; answers None, or the code of the problem."""
        heard = await persist(self._scope.wire, Sending("POST", f"/runs/{quoted(run_id)}/cancel", self._scope.end()))
        return None if heard.ok else heard.code

    def events(self, *, types: str | None = None, run_id: str | None = None, after: str = "") -> AsyncGenerator[OrbEvent, None]:
        """Yield events as they happen; connects again by itself and goes on where it was."""
        return events(self._scope, types, run_id, after)

    def stream(
        self, inputs: Json, *, orbiset: str | None = None, key: str | None = None, timeout: float | None = None
    ) -> AsyncGenerator[StreamPart, None]:
        """
        Ask a model and yield the parts of its answer, the outcome last. `inputs`: a request for a chat completion; `timeout`:
        of the whole answer, s.
        """
        return stream(self._scope, inputs, orbiset, key, timeout)

    async def tools(self, form: ToolFormat, *, orbiset: str | None = None) -> AsyncTools:
        """Make tools of the Orbs that the key may run."""
        return AsyncTools(self, await read_tools(self._scope, orbiset), form, orbiset)

    def verify_webhook(
        self, headers: Mapping[str, str], body: Union[bytes, str], **by: Unpack[WebhookKeys]
    ) -> Webhook | RefusedWebhook:
        """Verify a callback; its time is compared with the clock of the server."""
        by.setdefault("now", (self._scope.wire.clock.now() + self._scope.wire.skew) / 1000)
        return verify_webhook(headers, body, **by)

    async def request(self, method: str, path: str, **options: Unpack[RequestOptions]) -> Answer:
        """Send any other request. A POST is repeated only with a `key`, or if the server did nothing."""
        key, end = options.get("key"), self._scope.end(options.get("timeout"))
        repeatable, headers = key is not None or method in ("GET", "HEAD"), {"idempotency-key": key}
        query, body = options.get("query", {}), options.get("body")
        heard = await persist(self._scope.wire, Sending(method, path, end, query, body, headers, repeatable=repeatable))
        if heard.status == 0:
            why = "it was not sent" if heard.code == "unreachable" else "the answer was lost"
            raise OrbError(heard.code, f"{method} {path}: {why}")
        return Answer(heard.status, heard.headers, heard.text if heard.json is None else heard.json)

    async def _keys(self, end: float) -> KeySet | None:
        heard = await self._scope.read("/.well-known/jwks.json", end)
        return heard.json if heard.ok and fits(OBJECT, heard.json) else None


class AsyncList:
    """Things that the server lists."""

    def __init__(self, scope: Scope, path: str, member: str) -> None:
        self._scope, self._path, self._member = scope, path, member

    async def get(self, name: str) -> dict[str, Any]:
        """Read one, or raise an `OrbError` with the code of the problem."""
        return await self._read(f"{self._path}/{quoted(name)}")

    async def list(self, /, **filters: Any) -> AsyncGenerator[dict[str, Any], None]:
        """Yield all, page by page; a page may be empty and the list go on."""
        while True:
            page = await self._read(self._path, filters)
            for one in page.get(self._member) or ():
                yield one
            filters["cursor"] = page.get("next_cursor")
            if not filters["cursor"]:
                return

    async def _read(self, path: str, query: Json | None = None) -> dict[str, Any]:
        heard = await self._scope.read(path, self._scope.end(), query)
        if not heard.ok or not fits(OBJECT, heard.json):
            raise OrbError(heard.code, (heard.problem or {}).get("detail", f"{path} could not be read"))
        found: dict[str, Any] = heard.json
        return found


class AsyncReceipts(AsyncList):
    """Receipts."""

    async def verify(self, document: Document, expected: Expected = Expected()) -> Verified | Refused:
        """Verify a receipt with the keys that are pinned."""
        return verify_receipt(document, await self._scope.pins.keys(self._scope.end()), expected)

    async def trust(self, document: Document) -> Verified | Refused:
        """Take the receipt of a change of a signing key, signed by a key that is pinned: the pin moves."""
        return await self._scope.pins.take(document, self._scope.end())


class AsyncTools:
    """The Orbs of a key as tools of a model."""

    def __init__(self, orb: AsyncOrb, found: dict[str, tuple[str, Json]], form: ToolFormat, orbiset: str | None) -> None:
        self._orb, self._found, self._orbiset = orb, found, orbiset
        self.tools = [shown_as(tool, form) for _, tool in found.values()]

    async def call(self, name: str, args: Union[Json, str], **options: Unpack[RunOptions]) -> ToolAnswer:
        """Run the Orb of a tool."""
        if name not in self._found:
            raise OrbError("tool", f"there is no tool {name}")
        inputs = json.loads(args or "{}") if isinstance(args, str) else args
        if self._orbiset is not None:
            options.setdefault("orbiset", self._orbiset)
        outcome = await self._orb.run(self._found[name][0], inputs, **options)
        return ToolAnswer(outcome, words_of(outcome))
