"""Strict JSON, canonical JSON (RFC 8785), base64 (RFC 4648) and Ed25519 (RFC 8032), as receipts use them."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from decimal import Decimal
from itertools import accumulate
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

DEEPEST = 64
_TEXT = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_STEPS = {"{": 1, "[": 1, "}": -1, "]": -1}
_encode = json.JSONEncoder(ensure_ascii=False).encode
_STANDARD = str.maketrans("-_+/=", "+/   ")


def parse(document: str | bytes) -> Any:
    """Parse JSON in UTF-8; None for any other text, for a member that comes twice, and for nesting deeper than 64."""

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({name for name, _ in pairs}) < len(pairs):
            raise ValueError("a member comes twice")
        return dict(pairs)

    def refuse(name: str) -> Any:
        raise ValueError(f"{name} is not JSON")

    try:
        text = document if isinstance(document, str) else document.decode()
        depths = accumulate(_STEPS[mark] for mark in re.findall(r"[][{}]", _TEXT.sub("", text)))
        return None if max(depths, default=0) > DEEPEST else json.loads(text, object_pairs_hook=members, parse_constant=refuse)
    except (ValueError, RecursionError):
        return None


def parse_any(text: str | bytes) -> Any:
    """Parse JSON; None for any other text."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
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
        return _encode(value)
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
    if 1e-6 <= abs(number) < 1e21:
        return f"{Decimal(repr(number)):f}".removesuffix(".0")
    digits, _, exponent = repr(number).partition("e")
    return f"{digits}e{int(exponent):+d}"


def decode64(text: str) -> bytes | None:
    """Decode the standard alphabet with padding; None unless the text is what encoding yields."""
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError:
        return None
    return data if encode64(data) == text else None


def decode64url(text: str) -> bytes | None:
    """Decode the url-safe alphabet without padding; None unless the text is what encoding yields."""
    return decode64(text.translate(_STANDARD) + "=" * (-len(text) % 4))


def decode64any(text: str) -> bytes | None:
    """Decode either alphabet: standard with padding, or url-safe with or without it (DSSE)."""
    is_url = "-" in text or "_" in text or len(text) % 4
    return decode64url(re.sub(r"={1,2}\Z", "", text)) if is_url else decode64(text)


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


P = 2**255 - 19
_EIGHTH = int.from_bytes(bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"), "little")
# y of the eight points of small order, also where it is not reduced: a signature by such a key is valid for many messages.
SMALL_ORDER = {0, 1, P - 1, P, P + 1, _EIGHTH, P - _EIGHTH}
# RFC 8032 §5.1.7: S < L.
ORDER = 2**252 + 27742317777372353535851937790883648493


def is_signed(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Say whether an Ed25519 signature over a message was made with this public key."""
    y, s = int.from_bytes(public_key, "little") % 2**255, int.from_bytes(signature[32:], "little")
    if len(public_key) != 32 or len(signature) != 64 or y in SMALL_ORDER or s >= ORDER:
        return False
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True
