"""Agents with the stock Python client. A line of JSON on the standard input is one request, a line on the output its answer."""

import asyncio
import json
import sys
from contextlib import AsyncExitStack

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


class Agent:
    """One client. It opens and closes in one task, as its library requires; calls come by a queue.

    A POST whose connection breaks ends the transport of the library, and with it the client: the calls under way fail, and
    the next call opens a new client, as an application would.
    """

    def __init__(self, url: str, key: str, mode: str) -> None:
        self.url, self.key, self.mode = url, key, mode
        self.calls: asyncio.Queue = asyncio.Queue()
        self.ready = asyncio.get_running_loop().create_future()
        self.task = asyncio.create_task(self.run())

    async def run(self) -> None:
        first = None
        while True:
            try:
                return await self.serve(first)
            except Exception as error:
                if not self.ready.done():
                    return self.ready.set_exception(error)
                if first is not None and not first[2].done():
                    first[2].set_exception(error)
            first = await self.calls.get()
            if first is None:
                return

    async def serve(self, first: tuple | None) -> None:
        """Serves calls with one client, `first` before those of the queue, until `close`; raises when the client ends."""
        async with AsyncExitStack() as stack:
            headers = {"Authorization": f"Bearer {self.key}"}
            http = await stack.enter_async_context(httpx2.AsyncClient(headers=headers, timeout=60))
            transport = streamable_http_client(self.url, http_client=http)
            client = await stack.enter_async_context(Client(transport, mode=self.mode))
            if not self.ready.done():
                self.ready.set_result(None)
            async with asyncio.TaskGroup() as group:
                call = first or await self.calls.get()
                while call is not None:
                    group.create_task(self.answer(client, *call))
                    call = await self.calls.get()

    async def answer(self, client: Client, name: str, arguments: dict, result: asyncio.Future) -> None:
        try:
            answer = await client.call_tool(name, arguments)
            result.set_result(answer.model_dump(mode="json", by_alias=True, exclude_none=True))
        except asyncio.CancelledError:
            result.set_exception(ConnectionError("the client ended during the call"))
            raise
        except Exception as error:
            result.set_exception(error)

    async def call(self, name: str, arguments: dict) -> dict:
        result = asyncio.get_running_loop().create_future()
        self.calls.put_nowait((name, arguments, result))
        return await result

    async def close(self) -> None:
        self.calls.put_nowait(None)
        await self.task


agents: dict[int, Agent] = {}


async def do(request: dict) -> dict | None:
    agent = request["agent"]
    if request["do"] == "open":
        agents[agent] = Agent(request["url"], request["key"], request["mode"])
        return await agents[agent].ready
    if request["do"] == "call":
        return await agents[agent].call(request["name"], request["arguments"])
    return await agents.pop(agent).close()


async def answer(request: dict) -> None:
    try:
        told = {"id": request["id"], "result": await do(request)}
    except BaseException as error:
        told = {"id": request["id"], "error": f"{type(error).__name__}: {error}"}
    print(json.dumps(told), flush=True)


async def main() -> None:
    loop = asyncio.get_running_loop()
    under_way: set[asyncio.Task] = set()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        task = asyncio.create_task(answer(json.loads(line)))
        under_way.add(task)
        task.add_done_callback(under_way.discard)


asyncio.run(main())
