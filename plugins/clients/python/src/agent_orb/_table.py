"""The retry table: whether a call is repeated after a problem, and what the problem means."""

from __future__ import annotations

import email.utils
import importlib.resources
import json
from dataclasses import dataclass
from typing import Any, Mapping


def packaged(name: str) -> Mapping[str, Any]:
    """Read a file of data of this package."""
    data: Mapping[str, Any] = json.loads(importlib.resources.files("agent_orb").joinpath(name).read_text("utf-8"))
    return data


_TABLE = packaged("retry.json")
LIMITS: Mapping[str, float] = _TABLE["limits"]
"""Limits of tries and waits."""


@dataclass(frozen=True)
class Row:
    """A row: `never`, `same_key` or `after`, and the kind of the outcome."""

    retry: str
    kind: str
    acted: bool = False


def row_of(code: str, status: int, run_status: Any = None) -> Row:
    """Find the row of a problem; one that is not in the table is never repeated."""
    otherwise = {"retry": "never", "kind": _TABLE["ends"].get(str(run_status), unlisted(status))}
    row = _TABLE["problems"].get(code, otherwise)
    return Row(row["retry"], row["kind"], row.get("acted", False))


def unlisted(status: int) -> str:
    """Say what a status means without a problem that is known: behind 5xx anything may have been done."""
    return "unknown" if status >= 500 or 200 <= status < 300 else "rejected"


def retry_after_ms(text: str | None, now: float) -> float | None:
    """Read a Retry-After, seconds or a date, as ms from a time (ms since the Unix epoch)."""
    if text is None:
        return None
    if text.isascii() and text.isdigit():
        wait: float = int(text) * 1000
    else:
        try:
            wait = email.utils.parsedate_to_datetime(text).timestamp() * 1000 - now
        except ValueError:
            return None
    return min(max(0, wait), LIMITS["retry_after_ms"])


def backoff_ms(tries: int, random: float) -> int:
    """Answer the pause before a try, ms: `tries` were made; `random`: 0 to 1."""
    whole: float = min(LIMITS["longest_ms"], LIMITS["first_ms"] * 2 ** (tries - 1))
    return round(whole * (1 - LIMITS["jitter"] * random))
