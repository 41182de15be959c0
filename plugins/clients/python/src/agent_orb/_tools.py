"""The Orbs of a key as tools of a model."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal, Mapping

from ._error import OrbError
from ._outcome import Outcome
from ._persist import persist
from ._run import Scope
from ._schema import OBJECT, Shape, fits
from ._table import packaged
from ._wire import Sending, present

Json = Mapping[str, Any]
ToolFormat = Literal["anthropic", "gemini", "mcp", "openai"]
WORDS = packaged("words.json")
HEADERS = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25"}
_LISTED: Shape = {"result": {"tools": [OBJECT, 0], "?nextCursor": "any", "*": "any"}, "*": "any"}


@dataclass(frozen=True)
class ToolAnswer:
    """How a call of a tool ended; `text` tells the model."""

    outcome: Outcome
    text: str


async def read_tools(scope: Scope, orbiset: str | None) -> dict[str, tuple[str, Json]]:
    """Read the tools of an Orbiset, by their names: the Orb, and the tool as MCP shows it."""
    found: dict[str, tuple[str, Json]] = {}
    end, path, cursor = scope.end(), f"{scope.path(orbiset)}/mcp", None
    while True:
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": present({"cursor": cursor})}
        heard = await persist(scope.wire, Sending("POST", path, end, body=body, headers=HEADERS))
        if not fits(_LISTED, heard.json):
            raise OrbError("tools", "the list of tools could not be read")
        for tool in heard.json["result"]["tools"]:
            orb = (tool.get("_meta") or {}).get("agent-orb/orb_id")
            if isinstance(orb, str):
                found[tool["name"]] = (orb, tool)
        cursor = heard.json["result"].get("nextCursor")
        if cursor is None:
            return found


def shown_as(tool: Json, form: ToolFormat) -> Json:
    """Write a tool in the form of a vendor."""
    if form == "mcp":
        return tool
    schema = "input_schema" if form == "anthropic" else "parameters"
    shown = {"name": tool["name"], "description": tool.get("description", ""), schema: tool["inputSchema"]}
    return {"type": "function", "function": shown} if form == "openai" else shown


def words_of(outcome: Outcome) -> str:
    """Tell a model how a call ended, and what it may do next."""
    told = {"detail": "", "errors": [], "outputs": {}, "code": "", "check": "", "acted": False}
    told |= {name: value for name in told if (value := getattr(outcome, name, None)) is not None}
    lists = {name: json.dumps(told.pop(name), ensure_ascii=False, separators=(",", ":")) for name in ("errors", "outputs")}
    text: str = WORDS["acted" if told["acted"] else outcome.kind]
    return text.format(run=outcome.run_id, **told, **lists)
