"""Strict JSON, canonical JSON (RFC 8785), base64 (RFC 4648) and Ed25519 (RFC 8032), as receipts use them."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from decimal import Decimal
from itertools import accumulate
from typing import Any, TypeGuard

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

DEEPEST = 64
MOST_SAFE = 2**53 - 1
_TEXT = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_STEPS = {"{": 1, "[": 1, "}": -1, "]": -1}


def parse(text: str, *, strict: bool) -> Any:
    """Parse JSON; None for any other text. Strict: also for a member that comes twice, or nesting deeper than 64."""

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if strict and len({name for name, _ in pairs}) < len(pairs):
            raise ValueError("a member comes twice")
        return dict(pairs)

    def refuse(name: str) -> Any:
        raise ValueError(f"{name} is not JSON")

    if strict and max(accumulate(_STEPS[mark] for mark in re.findall(r"[][{}]", _TEXT.sub("", text))), default=0) > DEEPEST:
        return None
    try:
        return json.loads(text, object_pairs_hook=members, parse_constant=refuse)
    except (ValueError, RecursionError):
        return None


def utf8(data: bytes) -> str | None:
    """Read UTF-8; None for other bytes."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def canonical(value: Any) -> str | None:
    """Serialise a value in canonical form (RFC 8785); None when it has none."""
    try:
        text = _canonical(value)
        text.encode()
        return text
    except (TypeError, ValueError, OverflowError, RecursionError):
        return None


def _canonical(value: Any) -> str:
    if value is None or isinstance(value, (bool, str)):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, (int, float)):
        return _number(value)
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(_canonical(item) for item in value) + "]"
    if isinstance(value, dict):
        # Members are in the order of their UTF-16 code units.
        names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(f"{_canonical(name)}:{_canonical(value[name])}" for name in names) + "}"
    raise TypeError(f"{type(value).__name__} is not JSON")


def _number(value: int | float) -> str:
    """Write a number as ECMAScript does: the shortest digits that are read back as the same number."""
    number = float(value)
    if not math.isfinite(number):
        raise ValueError("not a JSON number")
    if number == 0:
        return "0"
    negative, found, exponent = Decimal(repr(number)).as_tuple()
    point = len(found) + int(exponent)
    sign, digits = "-" if negative else "", "".join(map(str, found)).rstrip("0")
    if len(digits) <= point <= 21:
        return sign + digits.ljust(point, "0")
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    tail = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{tail}e{point - 1:+d}"


def same(one: Any, other: Any) -> bool:
    """Say whether two JSON values are equal; 1 is not true, as in JSON."""
    if isinstance(one, (dict, list)):
        return canonical(one) == canonical(other)
    return type(one) is type(other) and bool(one == other)


def is_safe_integer(value: Any) -> bool:
    """Say whether a value is a whole number that every reader of JSON reads alike."""
    return type(value) is int and abs(value) <= MOST_SAFE


def is_natural(value: Any) -> TypeGuard[int]:
    """Say whether a value is such a number from 0."""
    return is_safe_integer(value) and bool(value >= 0)


def decode64(text: Any) -> bytes | None:
    """Decode the standard alphabet with padding; None unless the text is what encoding yields."""
    if not isinstance(text, str):
        return None
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
    except (ValueError, UnicodeEncodeError):
        return None
    return data if encode64(data) == text else None


def decode64url(text: Any) -> bytes | None:
    """Decode the url-safe alphabet without padding; None unless the text is what encoding yields."""
    if not isinstance(text, str) or re.search(r"[+/=]", text):
        return None
    padded = text.replace("-", "+").replace("_", "/")
    return decode64(padded + "=" * (-len(padded) % 4))


def decode64any(text: Any) -> bytes | None:
    """Decode either alphabet: standard with padding, or url-safe with or without it (DSSE)."""
    if not isinstance(text, str):
        return None
    if "-" in text or "_" in text or len(text) % 4:
        return decode64url(re.sub(r"={1,2}\Z", "", text))
    return decode64(text)


def encode64(data: bytes) -> str:
    """Encode bytes in the standard alphabet with padding."""
    return base64.b64encode(data).decode()


def sha256(data: bytes) -> bytes:
    """Compute SHA-256."""
    return hashlib.sha256(data).digest()


def thumbprint(public_key: bytes) -> str:
    """Compute the key id of an Ed25519 public key (RFC 7638)."""
    x = base64.urlsafe_b64encode(public_key).decode().rstrip("=")
    digest = sha256(f'{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}'.encode())
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


# y of the eight points of small order, little-endian: a signature by such a key is valid for many messages.
SMALL_ORDER = frozenset(
    bytes.fromhex(y)
    for y in (
        "00" * 32,
        "01" + "00" * 31,
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "ec" + "ff" * 30 + "7f",
        "ed" + "ff" * 30 + "7f",
        "ee" + "ff" * 30 + "7f",
    )
)
# RFC 8032 §5.1.7: S < L.
ORDER = 2**252 + 27742317777372353535851937790883648493


def is_signed(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Say whether an Ed25519 signature over a message was made with this public key."""
    if len(public_key) != 32 or len(signature) != 64:
        return False
    if public_key[:31] + bytes([public_key[31] & 0x7F]) in SMALL_ORDER:
        return False
    if int.from_bytes(signature[32:], "little") >= ORDER:
        return False
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True
