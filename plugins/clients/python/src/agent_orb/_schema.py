"""The shapes of JSON: of the statements of receipts, and of what a server answers."""

from __future__ import annotations

import datetime
import functools
import math
import re
from typing import Any, Union

Shape = Union[str, list[Any], dict[str, Any]]
OBJECT: Shape = {"*": "any"}
NATURAL: Shape = f"0..{2**53 - 1}"


def fits(shape: Shape, value: Any) -> bool:
    """Say whether a value has a shape."""
    if isinstance(shape, str):
        return _fits_word(shape, value)
    if isinstance(shape, list):
        item, least, most = [*shape, math.inf][:3]
        return isinstance(value, list) and least <= len(value) <= most and all(fits(item, one) for one in value)
    # The marks of a shape, `?` and `*`, are no part of the names of members.
    others: Shape = shape.get("*", "nothing")
    members = {name.removeprefix("?"): member for name, member in shape.items() if name != "*"}
    if not isinstance(value, dict) or any(name not in value for name in shape if name[0] not in "?*"):
        return False
    return all(fits(members.get(name, others), member) for name, member in value.items())


def _fits_word(shape: str, value: Any) -> bool:
    mark, rest = shape[0], shape[1:]
    if mark == "=":
        return bool(value == rest)
    if mark == "|":
        return value in rest.split("|")
    if mark == "^":
        return isinstance(value, str) and _pattern(shape).search(value) is not None
    least, dots, most = shape.partition("..")
    if dots:
        return type(value) is int and int(least) <= value <= int(most)
    if shape == "text":
        return isinstance(value, str) and value != ""
    return shape == "any" or (shape == "boolean" and isinstance(value, bool))


@functools.cache
def _pattern(source: str) -> re.Pattern[str]:
    # Python's $ also matches before a line break at the end.
    return re.compile(re.sub(r"(?<!\\)\$", r"\\Z", source), re.ASCII)


def is_time(text: str) -> bool:
    """Say whether a text is an existing time, RFC 3339 UTC with three decimals."""
    try:
        return f"{datetime.datetime.fromisoformat(text[:-1]).isoformat(timespec='milliseconds')}Z" == text
    except ValueError:
        return False
