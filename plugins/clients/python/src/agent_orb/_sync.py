"""The client for programs without `async`: the same client, whose work is done by a thread of its own."""

from __future__ import annotations

import asyncio
import os
import threading
from typing import TYPE_CHECKING, Any, AsyncGenerator, Callable, Coroutine, Generator, Mapping, TypeVar, Union

from ._client import Answer, AsyncList, AsyncOrb, AsyncReceipts, AsyncTools, ClientOptions, RequestOptions
from ._events import OrbEvent
from ._outcome import Outcome, Queued
from ._run import QueueOptions, RunOptions
from ._stream import StreamPart
from ._tools import Json, ToolAnswer, ToolFormat
from ._verify import Document, Expected, Refused, Verified
from ._webhook import RefusedWebhook, Webhook, WebhookKeys
from ._wire import Auth

if TYPE_CHECKING:
    from typing_extensions import Unpack

T = TypeVar("T")


class _Worker:
    """A thread with an event loop; it ends with the process."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, name="agent-orb", daemon=True).start()

    def call(self, work: Coroutine[Any, Any, T]) -> T:
        """Do work and wait for it; an interrupt ends it, too."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def stop(self) -> None:
        """End the thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)


class Orb:
    """A client of one server, as `AsyncOrb` is."""

    def __init__(self, url: str, auth: Auth, **options: Unpack[ClientOptions]) -> None:
        self._make: Callable[[], AsyncOrb] = lambda: AsyncOrb(url, auth, **options)
        self._client = self._make()
        self._worker: _Worker | None = None
        self._lock = threading.Lock()
        self._process = os.getpid()
        self.runs = List(self, lambda: self._client.runs)
        self.receipts = Receipts(self, lambda: self._client.receipts)
        self.orbs = List(self, lambda: self._client.orbs)

    def __enter__(self) -> Orb:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections, and end the thread."""
        worker, self._worker = self._worker, None
        if worker is not None and self._process == os.getpid():
            worker.call(self._client.aclose())
            worker.stop()
        self._client = self._make()

    def run(self, orb: str, inputs: Json, **options: Unpack[RunOptions]) -> Outcome:
        """Run an Orb and wait for its outcome. Raises only for errors of the program that calls."""
        return self._call(lambda client: client.run(orb, inputs, **options))

    def enqueue(self, orb: str, inputs: Json, **options: Unpack[QueueOptions]) -> Outcome | Queued:
        """Put a run into the queue; `settle` waits until it ends."""
        return self._call(lambda client: client.enqueue(orb, inputs, **options))

    def settle(self, open_call: Union[Outcome, Queued, str], *, timeout: float | None = None) -> Outcome:
        """Wait for the end of a queued run, of an outcome that is `held` or `unknown`, or of the run with this id."""
        return self._call(lambda client: client.settle(open_call, timeout=timeout))

    def cancel(self, run_id: str) -> str | None:
        """Cancel a queued run, unless a provider has it already; answers None, or the code of the problem."""
        return self._call(lambda client: client.cancel(run_id))

    def events(self, *, types: str | None = None, run_id: str | None = None, after: str = "") -> Generator[OrbEvent, None, None]:
        """Yield events as they happen; connects again by itself and goes on where it was."""
        return self._each(lambda client: client.events(types=types, run_id=run_id, after=after))

    def stream(
        self, inputs: Json, *, orbiset: str | None = None, key: str | None = None, timeout: float | None = None
    ) -> Generator[StreamPart, None, None]:
        """Ask a model and yield the parts of its answer, the outcome last. `inputs`: a request for a chat completion."""
        return self._each(lambda client: client.stream(inputs, orbiset=orbiset, key=key, timeout=timeout))

    def tools(self, form: ToolFormat, *, orbiset: str | None = None) -> Tools:
        """Make tools of the Orbs that the key may run."""
        return Tools(self, self._call(lambda client: client.tools(form, orbiset=orbiset)))

    def verify_webhook(
        self, headers: Mapping[str, str], body: Union[bytes, str], **by: Unpack[WebhookKeys]
    ) -> Webhook | RefusedWebhook:
        """Verify a callback; its time is compared with the clock of the server."""
        return self._client.verify_webhook(headers, body, **by)

    def request(self, method: str, path: str, **options: Unpack[RequestOptions]) -> Answer:
        """Send any other request. A POST is repeated only with a `key`, or if the server did nothing."""
        return self._call(lambda client: client.request(method, path, **options))

    def _begin(self) -> _Worker:
        with self._lock:
            if self._process != os.getpid():
                # The connections and the thread stay with the parent.
                self._process, self._worker, self._client = os.getpid(), None, self._make()
            if self._worker is None:
                self._worker = _Worker()
            return self._worker

    def _call(self, work: Callable[[AsyncOrb], Coroutine[Any, Any, T]]) -> T:
        worker = self._begin()
        return worker.call(work(self._client))

    def _each(self, begin: Callable[[AsyncOrb], AsyncGenerator[T, None]]) -> Generator[T, None, None]:
        worker = self._begin()
        items = begin(self._client)

        async def following() -> list[T]:
            # A StopAsyncIteration cannot leave a coroutine.
            return [item] if (item := await anext(items, None)) is not None else []

        async def end() -> None:
            await items.aclose()

        try:
            while found := worker.call(following()):
                yield found[0]
        finally:
            worker.call(end())


class List:
    """Things that the server lists."""

    def __init__(self, orb: Orb, of: Callable[[], AsyncList]) -> None:
        self._orb, self._of = orb, of

    def get(self, name: str) -> dict[str, Any]:
        """Read one, or raise an `OrbError` with the code of the problem."""
        return self._orb._call(lambda _: self._of().get(name))

    def list(self, **filters: Any) -> Generator[dict[str, Any], None, None]:
        """Yield all, page by page; a page may be empty and the list go on."""
        return self._orb._each(lambda _: self._of().list(**filters))


class Receipts(List):
    """Receipts."""

    def __init__(self, orb: Orb, of: Callable[[], AsyncReceipts]) -> None:
        super().__init__(orb, of)
        self._receipts = of

    def verify(self, document: Document, expected: Expected = Expected()) -> Verified | Refused:
        """Verify a receipt with the keys that are pinned."""
        return self._orb._call(lambda _: self._receipts().verify(document, expected))

    def trust(self, document: Document) -> Verified | Refused:
        """Take the receipt of a change of a signing key, signed by a key that is pinned: the pin moves."""
        return self._orb._call(lambda _: self._receipts().trust(document))


class Tools:
    """The Orbs of a key as tools of a model."""

    def __init__(self, orb: Orb, tools: AsyncTools) -> None:
        self._orb, self._tools = orb, tools
        self.tools = tools.tools

    def call(self, name: str, args: Union[Json, str], **options: Unpack[RunOptions]) -> ToolAnswer:
        """Run the Orb of a tool."""
        return self._orb._call(lambda _: self._tools.call(name, args, **options))
