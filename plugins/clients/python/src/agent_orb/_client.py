"""The client for programs that use `async`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, AsyncGenerator, Callable, Mapping, TypedDict, Union

import httpx

from ._error import OrbError
from ._events import OrbEvent, events
from ._outcome import Outcome, Queued
from ._persist import Call, persist, problem_of
from ._run import QueueOptions, RunOptions, Scope, enqueue, quoted, run, sent_of, settle
from ._stream import StreamPart, stream
from ._tools import Json, ToolAnswer, ToolFormat, read_tools, shown_as, words_of
from ._trust import KeySet, Pin, Pins
from ._verify import Document, Expected, Refused, Verified, examine
from ._webhook import RefusedWebhook, Webhook, WebhookKeys, verify_webhook
from ._wire import Answered, Auth, Broken, Clock, Log, Sending, Wire

if TYPE_CHECKING:
    from typing_extensions import Unpack


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


class Answer:
    """The answer to `request`."""

    def __init__(self, status: int, headers: httpx.Headers, body: Any) -> None:
        self.status, self.headers, self.body = status, headers, body

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
        http = httpx.AsyncClient(transport=options.get("transport"), follow_redirects=False)
        clock, log = options.get("clock", Clock()), options.get("log", lambda _: None)
        wire = Wire(http, str(base).rstrip("/"), auth, clock, log)
        pins = Pins(pin, options.get("pinned"), lambda: self._get("/.well-known/jwks.json"))
        orbiset, timeout = options.get("orbiset", "default"), options.get("timeout", 120)
        self._scope = Scope(wire, pins, orbiset, verify, timeout, options.get("tries"))
        self.runs = AsyncList(self, "/runs", "runs")
        self.receipts = AsyncReceipts(self, "/receipts", "receipts")
        self.orbs = AsyncList(self, "/orbs", "orbs")

    async def __aenter__(self) -> AsyncOrb:
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
        end = self._scope.end(timeout)
        if isinstance(open_call, str):
            return await settle(self._scope, open_call, None, end)
        if open_call.kind not in ("held", "queued", "unknown"):
            return open_call  # type: ignore[return-value]
        return await settle(self._scope, open_call.run_id, open_call.sent, end)

    async def cancel(self, run_id: str) -> str | None:
        """Cancel a queued run, unless a provider has it already; answers None, or the code of the problem."""
        sending = Sending("POST", f"/runs/{quoted(run_id)}/cancel", self._scope.end(None))
        heard = (await persist(self._scope.wire, Call(sending, True, self._scope.tries))).heard
        if isinstance(heard, Broken):
            return "unknown"
        if heard.status < 300:
            return None
        problem = problem_of(heard)
        return f"http_{heard.status}" if problem is None else str(problem["code"])

    def events(self, *, types: str | None = None, run_id: str | None = None, after: str = "") -> AsyncGenerator[OrbEvent, None]:
        """Yield events as they happen; connects again by itself and goes on where it was."""
        return events(self._scope, types, run_id, after)

    def stream(
        self, inputs: Json, *, orbiset: str | None = None, key: str | None = None, timeout: float | None = None
    ) -> AsyncGenerator[StreamPart, None]:
        """Ask a model and yield the parts of its answer, the outcome last. `inputs`: a request for a chat completion."""
        return stream(self._scope, inputs, orbiset, key, self._scope.end(timeout))

    async def tools(self, form: ToolFormat, *, orbiset: str | None = None) -> AsyncTools:
        """Make tools of the Orbs that the key may run."""
        return AsyncTools(self, await read_tools(self._scope, orbiset), form, orbiset)

    def verify_webhook(
        self, headers: Mapping[str, str], body: Union[bytes, str], **by: Unpack[WebhookKeys]
    ) -> Webhook | RefusedWebhook:
        """Verify a callback; its time is compared with the clock of the server."""
        now = (self._scope.wire.clock.now() + self._scope.wire.skew) / 1000
        by.setdefault("now", now)
        return verify_webhook(headers, body, **by)

    async def request(self, method: str, path: str, **options: Unpack[RequestOptions]) -> Answer:
        """Send any other request. A POST is repeated only with a `key`, or if the server did nothing."""
        key, end = options.get("key"), self._scope.end(options.get("timeout"))
        headers = {} if key is None else {"idempotency-key": key}
        sending = Sending(method, path, end, options.get("query", {}), options.get("body"), headers)
        repeatable = key is not None or method in ("GET", "HEAD")
        heard = (await persist(self._scope.wire, Call(sending, repeatable, self._scope.tries))).heard
        if isinstance(heard, Broken):
            code, why = ("unknown", "the answer was lost") if heard.sent else ("unreachable", "it was not sent")
            raise OrbError(code, f"{method} {path}: {why}")
        parsed = heard.json
        return Answer(heard.status, heard.headers, heard.text if parsed is None else parsed)

    async def _get(self, path: str, query: Json | None = None) -> dict[str, Any]:
        heard = (await self._scope.read(path, self._scope.end(None), query)).heard
        if not isinstance(heard, Answered):
            raise OrbError("unreachable", f"{path} could not be read")
        if heard.status < 300 and isinstance(heard.json, dict):
            found: dict[str, Any] = heard.json
            return found
        problem = problem_of(heard) or {}
        raise OrbError(str(problem.get("code", f"http_{heard.status}")), str(problem.get("detail", f"{path} could not be read")))


class AsyncList:
    """Things that the server lists."""

    def __init__(self, orb: AsyncOrb, path: str, member: str) -> None:
        self._orb, self._path, self._member = orb, path, member

    async def get(self, name: str) -> dict[str, Any]:
        """Read one, or raise an `OrbError` with the code of the problem."""
        return await self._orb._get(f"{self._path}/{quoted(name)}")

    async def list(self, **filters: Any) -> AsyncGenerator[dict[str, Any], None]:
        """Yield all, page by page; a page may be empty and the list go on."""
        cursor = filters.pop("cursor", None)
        while True:
            page = await self._orb._get(self._path, {**filters, "cursor": cursor})
            for one in page.get(self._member) or ():
                yield one
            cursor = page.get("next_cursor")
            if not isinstance(cursor, str) or not cursor:
                return


class AsyncReceipts(AsyncList):
    """Receipts."""

    async def verify(self, document: Document, expected: Expected = Expected()) -> Verified | Refused:
        """Verify a receipt with the keys that are pinned."""
        return examine(document, await self._orb._scope.pins.keys(), expected).verdict

    async def trust(self, document: Document) -> Verified | Refused:
        """Take the receipt of a change of a signing key, signed by a key that is pinned: the pin moves."""
        return await self._orb._scope.pins.take(document)


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
