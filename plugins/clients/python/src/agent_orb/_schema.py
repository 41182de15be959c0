"""The part of JSON Schema that the statements of receipts use."""

from __future__ import annotations

import datetime
import functools
import re
from typing import Any, Mapping

from ._forms import is_safe_integer, same

Schema = Mapping[str, Any]


def misfit(schema: Schema, value: Any, at: str = "") -> str | None:
    """Find where a value breaks a schema, as a JSON Pointer; None when it fits."""
    if "const" in schema and not same(value, schema["const"]):
        return at
    if "enum" in schema and not any(same(value, one) for one in schema["enum"]):
        return at
    if "not" in schema and misfit(schema["not"], value, at) is None:
        return at
    if "anyOf" in schema:
        found = [misfit(one, value, at) for one in schema["anyOf"]]
        return None if None in found else max((one for one in found if one is not None), key=len)
    check = _CHECKS.get(schema.get("type", ""))
    return None if check is None else check(schema, value, at)


def _object(schema: Schema, value: Any, at: str) -> str | None:
    if not isinstance(value, dict):
        return at
    for name in schema.get("required", ()):
        if name not in value:
            return f"{at}/{name}"
    properties = schema.get("properties", {})
    for name, member in value.items():
        if name not in properties:
            if schema.get("additionalProperties") is False:
                return f"{at}/{name}"
            continue
        found = misfit(properties[name], member, f"{at}/{name}")
        if found is not None:
            return found
    return None


def _array(schema: Schema, value: Any, at: str) -> str | None:
    if not isinstance(value, list):
        return at
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
        return at
    found = (misfit(schema.get("items", {}), item, f"{at}/{index}") for index, item in enumerate(value))
    return next((one for one in found if one is not None), None)


def _string(schema: Schema, value: Any, at: str) -> str | None:
    fits = (
        isinstance(value, str)
        and len(value) >= schema.get("minLength", 0)
        and (schema.get("format") != "date-time" or is_time(value))
        and (schema.get("format") != "date" or is_time(f"{value}T00:00:00.000Z"))
        and ("pattern" not in schema or _pattern(schema["pattern"]).search(value) is not None)
    )
    return None if fits else at


def _integer(schema: Schema, value: Any, at: str) -> str | None:
    fits = is_safe_integer(value) and schema.get("minimum", value) <= value <= schema.get("maximum", value)
    return None if fits else at


def _boolean(_: Schema, value: Any, at: str) -> str | None:
    return None if isinstance(value, bool) else at


_CHECKS = {"object": _object, "array": _array, "string": _string, "integer": _integer, "boolean": _boolean}


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
