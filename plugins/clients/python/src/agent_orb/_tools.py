"""The Orbs of a key as tools of a model."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal, Mapping

from ._error import OrbError
from ._outcome import Completed, Denied, Failed, Held, Outcome, Rejected, Unreachable, Unverified
from ._persist import Call, persist
from ._run import Scope
from ._wire import Answered, Sending

Json = Mapping[str, Any]
ToolFormat = Literal["anthropic", "gemini", "mcp", "openai"]


@dataclass(frozen=True)
class ToolAnswer:
    """How a call of a tool ended; `text` tells the model."""

    outcome: Outcome
    text: str


async def read_tools(scope: Scope, orbiset: str | None) -> dict[str, tuple[str, Json]]:
    """Read the tools of an Orbiset, by their names: the Orb, and the tool as MCP shows it."""
    found: dict[str, tuple[str, Json]] = {}
    cursor = None
    while True:
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {} if cursor is None else {"cursor": cursor}}
        headers = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25"}
        sending = Sending("POST", f"{scope.path(orbiset)}/mcp", scope.end(None), body=body, headers=headers)
        heard = (await persist(scope.wire, Call(sending, True, scope.tries))).heard
        answer = heard.json if isinstance(heard, Answered) else None
        result = answer.get("result") if isinstance(answer, dict) else None
        if not isinstance(result, dict):
            raise OrbError("tools", "the list of tools could not be read")
        for tool in result.get("tools") or ():
            orb = (tool.get("_meta") or {}).get("agent-orb/orb_id")
            if isinstance(orb, str):
                found[tool["name"]] = (orb, tool)
        cursor = result.get("nextCursor")
        if not isinstance(cursor, str):
            return found


def shown_as(tool: Json, form: ToolFormat) -> Json:
    """Write a tool in the form of a vendor."""
    if form == "mcp":
        return tool
    head = {"name": tool["name"], "description": tool.get("description", "")}
    if form == "anthropic":
        return {**head, "input_schema": tool["inputSchema"]}
    if form == "gemini":
        return {**head, "parameters": tool["inputSchema"]}
    return {"type": "function", "function": {**head, "parameters": tool["inputSchema"]}}


def words_of(outcome: Outcome) -> str:
    """Tell a model how a call ended, and what it may do next."""
    if isinstance(outcome, Completed):
        return json.dumps(outcome.outputs, ensure_ascii=False, separators=(",", ":"))
    if isinstance(outcome, Denied):
        return f"Denied ({outcome.code}): nothing was done. Do not repeat it unchanged."
    if isinstance(outcome, Held):
        return f"People must approve it first. Run {outcome.run_id}. Do not call again."
    if isinstance(outcome, Rejected):
        errors = json.dumps(outcome.errors or [], ensure_ascii=False, separators=(",", ":"))
        return f"Refused ({outcome.code}): nothing was done. {outcome.detail or ''} {errors}"
    if isinstance(outcome, Failed) and outcome.acted:
        return f"It was done, but its result cannot be used ({outcome.code}). Do not call again."
    if isinstance(outcome, Failed):
        return f"It failed ({outcome.code}): nothing was done. You may call again later."
    if isinstance(outcome, Unreachable):
        return "The server could not be reached: nothing was done."
    if isinstance(outcome, Unverified):
        return f"It was done, but its receipt does not prove it ({outcome.check}). Do not call again; tell the user."
    return "It is unknown whether it was done. Do not call again; tell the user."
