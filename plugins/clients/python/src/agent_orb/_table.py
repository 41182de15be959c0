"""The retry table: whether a call is repeated after a problem, and what the problem means."""

from __future__ import annotations

import importlib.resources
import json
from typing import Any, Mapping


def packaged(name: str) -> Mapping[str, Any]:
    """Read a file of data of this package."""
    data: Mapping[str, Any] = json.loads(importlib.resources.files("agent_orb").joinpath(name).read_text("utf-8"))
    return data


_TABLE = packaged("retry.json")
LIMITS: Mapping[str, float] = _TABLE["limits"]
"""Limits of tries and waits."""


def row_of(code: str, status: int, run_status: Any = None) -> Mapping[str, Any]:
    """
    Find the row of a problem: `retry`, which is `never`, `same_key` or `after`; the `kind` of the outcome; whether it was
    `acted`. A problem that is not in the table is never repeated.
    """
    otherwise = {"retry": "never", "kind": _TABLE["ends"].get(str(run_status), unlisted(status))}
    row: Mapping[str, Any] = _TABLE["problems"].get(code, otherwise)
    return row


def unlisted(status: int) -> str:
    """Say what a status means without a problem that is known: behind 5xx anything may have been done."""
    return "unknown" if status >= 500 or 200 <= status < 300 else "rejected"
