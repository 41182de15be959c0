"""Streams the answer of a model."""

from __future__ import annotations

import math
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, AsyncGenerator, Iterator, Literal, Mapping, Union

from ._events import events_of
from ._forms import parse_any
from ._outcome import Completed, Outcome, Unknown, failure_of, of_problem
from ._run import Scope, proved
from ._schema import Shape, fits
from ._sse import SseReader
from ._verify import Expected
from ._wire import Sending, send

Json = Mapping[str, Any]
_Kind = Literal["text", "refusal", "reasoning"]
ORB = "llm.chat@1.0.0"
# The receipt commits to the outputs of the Orb, which a stream has in another form.
NOT_COMPARED = "outputs: not compared: a stream has another form than the outputs of the Orb"


@dataclass(frozen=True)
class TextPart:
    """A piece of text of a model."""

    text: str
    type: _Kind = "text"


@dataclass(frozen=True)
class ToolCallPart:
    """A piece of a call of a tool; the pieces of one index belong together."""

    index: int
    arguments: str
    id: str | None = None
    name: str | None = None
    type: Literal["tool_call"] = "tool_call"


StreamPart = Union[TextPart, ToolCallPart, Outcome]
_TEXTS: Mapping[str, _Kind] = {"content": "text", "refusal": "refusal", "reasoning_content": "reasoning"}
# Where an answer, or a part of one, tells of a problem, and of the run.
_PROBLEM: Shape = {"error": {"orb": {"code": "^", "*": "any"}, "*": "any"}, "*": "any"}
_RUN: Shape = {"orb": {"run_id": "^", "receipt_id": "^", "*": "any"}, "*": "any"}


@dataclass
class _Told:
    run_id: str | None = None
    receipt_id: str | None = None
    problem: Json | None = None
    whole: bool = False
    outputs: dict[str, Any] = field(default_factory=lambda: {"text": ""})


async def stream(
    scope: Scope, inputs: Json, orbiset: str | None, key: str | None, timeout: float | None
) -> AsyncGenerator[StreamPart, None]:
    """Ask a model and yield the parts of its answer, its outcome last. It is asked once: parts cannot be taken back."""
    headers, end = {"accept": "text/event-stream", "idempotency-key": key}, scope.end(timeout)
    path, body = f"{scope.path(orbiset)}/v1/chat/completions", {**inputs, "stream": True}
    heard = await send(scope.wire, Sending("POST", path, end, body=body, headers=headers, stream=True))
    # An answer may take longer than a call, unless a timeout was given for it.
    limit = math.inf if timeout is None else end
    told = _Told(heard.headers.get("x-orb-run-id"), problem=_problem_in(heard.json) or heard.problem)
    if heard.body is not None:
        async with aclosing(events_of(heard.body, scope.wire.clock, SseReader(), limit)) as found:
            async for event in found:
                if event.data == "[DONE]":
                    told.whole = True
                    break
                for part in _parts_of(parse_any(event.data) or {}, told):
                    yield part
    elif told.problem is None:
        yield failure_of(heard, {"key": key or ""})
        return
    yield await _end_of(scope, told, {"key": key or "", "run_id": told.run_id}, heard.status, min(limit, scope.end()))


def _problem_in(answer: Any) -> Json | None:
    return answer["error"]["orb"] if fits(_PROBLEM, answer) else None


def _parts_of(chunk: Json, told: _Told) -> Iterator[StreamPart]:
    outputs, told.problem = told.outputs, _problem_in(chunk) or told.problem
    if fits(_RUN, chunk):
        told.run_id, told.receipt_id = chunk["orb"]["run_id"], chunk["orb"]["receipt_id"]
    outputs |= {name: chunk[name] for name in ("usage", "model") if chunk.get(name) is not None}
    for choice in chunk.get("choices") or ():
        delta = choice.get("delta") or {}
        if isinstance(choice.get("finish_reason"), str):
            outputs["finish_reason"] = choice["finish_reason"]
        for member, kind in _TEXTS.items():
            text = delta.get(member)
            if isinstance(text, str) and text:
                if kind == "text":
                    outputs["text"] += text
                yield TextPart(text, kind)
        for call in delta.get("tool_calls") or ():
            called = call.get("function") or {}
            yield ToolCallPart(call["index"], called.get("arguments") or "", call.get("id"), called.get("name"))


async def _end_of(scope: Scope, told: _Told, base: Json, status: int, end: float) -> Outcome:
    if told.problem is not None:
        return of_problem(told.problem, status, base)
    if not told.whole or told.run_id is None or told.receipt_id is None:
        return Unknown(code="stream_interrupted", **base)
    done = Completed(receipt={"receipt_id": told.receipt_id}, outputs=told.outputs, **base)
    return await proved(scope, done, Expected(orb_id=ORB), end, (NOT_COMPARED,))
