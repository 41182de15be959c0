"""Streams the answer of a model."""

from __future__ import annotations

import json
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, AsyncGenerator, Iterator, Literal, Mapping, Union

from ._events import events_of
from ._outcome import Completed, Outcome, Unknown, failure_of, of_problem
from ._persist import Settled, problem_of
from ._run import Scope, proved
from ._sse import SseReader
from ._verify import Expected
from ._wire import Answered, Sending, send

Json = Mapping[str, Any]
ORB = "llm.chat@1.0.0"
# The receipt commits to the outputs of the Orb, which a stream has in another form.
NOT_COMPARED = "outputs: not compared: a stream has another form than the outputs of the Orb"


@dataclass(frozen=True)
class TextPart:
    """A piece of text of a model."""

    text: str
    type: Literal["text", "refusal", "reasoning"] = "text"


@dataclass(frozen=True)
class ToolCallPart:
    """A piece of a call of a tool; the pieces of one index belong together."""

    index: int
    arguments: str
    id: str | None = None
    name: str | None = None
    type: Literal["tool_call"] = "tool_call"


StreamPart = Union[TextPart, ToolCallPart, Outcome]
_TEXTS: tuple[tuple[str, Literal["text", "refusal", "reasoning"]], ...] = (
    ("content", "text"),
    ("refusal", "refusal"),
    ("reasoning_content", "reasoning"),
)


@dataclass
class _Told:
    run_id: str | None = None
    receipt_id: str | None = None
    problem: Json | None = None
    whole: bool = False
    outputs: dict[str, Any] = field(default_factory=lambda: {"text": ""})


async def stream(
    scope: Scope, inputs: Json, orbiset: str | None, key: str | None, end: float
) -> AsyncGenerator[StreamPart, None]:
    """Ask a model and yield the parts of its answer, its outcome last. It is asked once: parts cannot be taken back."""
    headers = {"accept": "text/event-stream", "idempotency-key": key}
    path, body = f"{scope.path(orbiset)}/v1/chat/completions", {**inputs, "stream": True}
    heard = await send(scope.wire, Sending("POST", path, end, body=body, headers=headers, stream=True))
    told = _Told()
    if isinstance(heard, Answered) and heard.body is not None:
        told.run_id = heard.headers.get("x-orb-run-id")
        async with aclosing(events_of(heard.body, SseReader(), scope.wire.clock)) as found:
            async for event in found:
                if event.data == "[DONE]":
                    told.whole = True
                    break
                for part in _parts_of(json.loads(event.data), told):
                    yield part
    elif isinstance(heard, Answered):
        error = heard.json.get("error") if isinstance(heard.json, dict) else None
        told.problem = (error.get("orb") if isinstance(error, dict) else None) or problem_of(heard)
    if isinstance(heard, Answered) and (heard.body is not None or told.problem is not None):
        yield await _end_of(scope, told, key or "", heard.status)
    else:
        yield failure_of(Settled(heard, doubt=False), None, key or "")


def _parts_of(chunk: Json, told: _Told) -> Iterator[StreamPart]:
    outputs, orb, error = told.outputs, chunk.get("orb"), chunk.get("error")
    if isinstance(error, dict) and isinstance(error.get("orb"), dict):
        told.problem = error["orb"]
    if isinstance(orb, dict):
        told.run_id, told.receipt_id = orb["run_id"], orb["receipt_id"]
    outputs |= {name: chunk[name] for name in ("usage", "model") if chunk.get(name) is not None}
    for choice in chunk.get("choices") or ():
        delta = choice.get("delta") or {}
        if isinstance(choice.get("finish_reason"), str):
            outputs["finish_reason"] = choice["finish_reason"]
        for member, kind in _TEXTS:
            text = delta.get(member)
            if isinstance(text, str) and text:
                if kind == "text":
                    outputs["text"] += text
                yield TextPart(text, kind)
        for call in delta.get("tool_calls") or ():
            called = call.get("function") or {}
            yield ToolCallPart(call["index"], called.get("arguments") or "", call.get("id"), called.get("name"))


async def _end_of(scope: Scope, told: _Told, key: str, status: int) -> Outcome:
    outputs, run_id, receipt_id = told.outputs, told.run_id, told.receipt_id
    if told.problem is not None:
        return of_problem({"run_id": run_id, **told.problem}, status, None, key, doubt=False)
    if not told.whole or run_id is None or receipt_id is None:
        return Unknown(key=key, run_id=run_id, code="stream_interrupted")
    done = Completed(key=key, run_id=run_id, receipt={"receipt_id": receipt_id}, outputs=outputs)
    return await proved(scope, done, Expected(orb_id=ORB), scope.end(None), (NOT_COMPARED,))
