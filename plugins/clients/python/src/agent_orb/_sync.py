"""The client for programs without `async`: the same client, whose work is done by a thread of its own."""

from __future__ import annotations

import asyncio
import functools
import inspect
import os
import threading
from typing import TYPE_CHECKING, Any, AsyncGenerator, Awaitable, Callable, Concatenate, Coroutine, Generator, Generic, Mapping
from typing import ParamSpec, TypeVar, Union

from ._client import AsyncList, AsyncOrb, AsyncReceipts, AsyncTools, ClientOptions
from ._tools import Json, ToolFormat
from ._webhook import RefusedWebhook, Webhook, WebhookKeys
from ._wire import Auth

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

A = TypeVar("A", covariant=True)
P = ParamSpec("P")
T = TypeVar("T")
Items = Generator[T, None, None]


class _Worker:
    """A client, and a thread with an event loop that does its work; it ends with the process."""

    def __init__(self, client: AsyncOrb) -> None:
        self.client, self.process, self._loop = client, os.getpid(), asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, name="agent-orb", daemon=True).start()

    def do(self, work: Awaitable[T]) -> T:
        """Do work and wait for it; an interrupt ends it, too."""

        async def done() -> T:
            return await work

        future = asyncio.run_coroutine_threadsafe(done(), self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def stop(self) -> None:
        """Close the connections, and end the thread."""
        self.do(self.client.aclose())
        self._loop.call_soon_threadsafe(self._loop.stop)


class _Part(Generic[A]):
    """Does what a part of the client does, and waits for it."""

    def __init__(self, begin: Callable[[], _Worker], part_of: Callable[[AsyncOrb], A]) -> None:
        self._begin, self._part_of = begin, part_of


def _wait(method: Callable[Concatenate[A, P], Coroutine[Any, Any, T]]) -> Callable[Concatenate[_Part[A], P], T]:
    @functools.wraps(method)
    def wait(self: _Part[A], /, *args: P.args, **options: P.kwargs) -> T:
        worker = self._begin()
        return worker.do(method(self._part_of(worker.client), *args, **options))

    return wait


def _each(method: Callable[Concatenate[A, P], AsyncGenerator[T, None]]) -> Callable[Concatenate[_Part[A], P], Items[T]]:
    @functools.wraps(method)
    def each(self: _Part[A], /, *args: P.args, **options: P.kwargs) -> Items[T]:
        worker = self._begin()
        items = method(self._part_of(worker.client), *args, **options)

        try:
            while (item := worker.do(anext(items, None))) is not None:
                yield item
        finally:
            self._begin().do(items.aclose())

    return each


def _in_thread(auth: Auth) -> Auth:
    """Ask for a token in a thread of its own: one that waits must not delay other calls."""
    if isinstance(auth, str):
        return auth

    async def ask() -> str:
        found: Any = await asyncio.to_thread(auth)
        token: str = await found if inspect.isawaitable(found) else found
        return token

    return ask


class Orb(_Part[AsyncOrb]):
    """A client of one server, as `AsyncOrb` is."""

    def __init__(self, url: str, auth: Auth, **options: Unpack[ClientOptions]) -> None:
        super().__init__(self._running, lambda client: client)
        self._make: Callable[[], AsyncOrb] = lambda: AsyncOrb(url, _in_thread(auth), **options)
        self._worker: _Worker | None = _Worker(self._make())
        self._lock = threading.Lock()
        self.runs = List(self._running, lambda client: client.runs)
        self.receipts = Receipts(self._running, lambda client: client.receipts)
        self.orbs = List(self._running, lambda client: client.orbs)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections, and end the thread."""
        worker, self._worker = self._worker, None
        if worker is not None and worker.process == os.getpid():
            worker.stop()

    def _running(self) -> _Worker:
        with self._lock:
            # The connections and the thread of a process stay with it when it is forked.
            if self._worker is None or self._worker.process != os.getpid():
                self._worker = _Worker(self._make())
            return self._worker

    run = _wait(AsyncOrb.run)
    enqueue = _wait(AsyncOrb.enqueue)
    settle = _wait(AsyncOrb.settle)
    cancel = _wait(AsyncOrb.cancel)
    request = _wait(AsyncOrb.request)
    events = _each(AsyncOrb.events)
    stream = _each(AsyncOrb.stream)

    def tools(self, form: ToolFormat, *, orbiset: str | None = None) -> Tools:
        """Make tools of the Orbs that the key may run."""
        worker = self._begin()
        made = worker.do(worker.client.tools(form, orbiset=orbiset))
        return Tools(self._begin, lambda _: made)

    def verify_webhook(
        self, headers: Mapping[str, str], body: Union[bytes, str], **by: Unpack[WebhookKeys]
    ) -> Webhook | RefusedWebhook:
        """Verify a callback; its time is compared with the clock of the server."""
        return self._begin().client.verify_webhook(headers, body, **by)


class List(_Part[AsyncList]):
    """Things that the server lists."""

    get = _wait(AsyncList.get)
    list = _each(AsyncList.list)


class Receipts(_Part[AsyncReceipts]):
    """Receipts."""

    get = _wait(AsyncReceipts.get)
    list = _each(AsyncReceipts.list)
    verify = _wait(AsyncReceipts.verify)
    trust = _wait(AsyncReceipts.trust)


class Tools(_Part[AsyncTools]):
    """The Orbs of a key as tools of a model."""

    call = _wait(AsyncTools.call)

    @property
    def tools(self) -> list[Json]:
        """The tools, in the form that was asked for."""
        return self._part_of(self._begin().client).tools
