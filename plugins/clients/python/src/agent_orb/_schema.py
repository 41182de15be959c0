"""The shapes of the statements of receipts, and of their times."""

from __future__ import annotations

import datetime
import functools
import re
from typing import Any, Union

from ._forms import is_safe_integer

Shape = Union[str, list[Any], dict[str, Any]]


def fits(shape: Shape, value: Any) -> bool:
    """Say whether a value has a shape."""
    if isinstance(shape, str):
        return _fits_word(shape, value)
    if isinstance(shape, list):
        item, least, most = shape[0], shape[1], shape[2] if len(shape) > 2 else None
        if not isinstance(value, list) or len(value) < least or (most is not None and len(value) > most):
            return False
        return all(fits(item, one) for one in value)
    if not isinstance(value, dict) or any(name not in value for name in shape if name[0] not in "?*"):
        return False
    return all(fits(_member(shape, name), member) for name, member in value.items())


def _member(shape: dict[str, Any], name: str) -> Shape:
    # The marks of a shape are no names of members.
    known = () if name.startswith(("?", "*")) else (name, f"?{name}")
    found: Shape = next((shape[one] for one in known if one in shape), shape.get("*", "nothing"))
    return found


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
        return is_safe_integer(value) and int(least) <= value <= int(most)
    if shape == "text":
        return isinstance(value, str) and value != ""
    return shape == "any" or (shape == "boolean" and isinstance(value, bool))


@functools.cache
def _pattern(source: str) -> re.Pattern[str]:
    # Python's $ also matches before a line break at the end.
    return re.compile(re.sub(r"(?<!\\)\$", r"\\Z", source), re.ASCII)


def is_time(text: Any) -> bool:
    """Say whether a text is an existing time, RFC 3339 UTC with three decimals."""
    if not isinstance(text, str) or not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", text, re.ASCII):
        return False
    try:
        datetime.datetime.strptime(text[:-1] + "000", "%Y-%m-%dT%H:%M:%S.%f")
    except ValueError:
        return False
    return True
