"""Verifies callbacks (Standard Webhooks)."""

from __future__ import annotations

import base64
import hmac
import json
import re
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterable, Literal, Mapping, Sequence, TypedDict, Union

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from ._error import OrbError

if TYPE_CHECKING:
    from typing_extensions import Unpack


@dataclass(frozen=True)
class Webhook:
    """A verified callback."""

    id: str
    type: str
    timestamp: str
    data: Mapping[str, Any]


@dataclass(frozen=True)
class RefusedWebhook:
    """Why a callback is refused."""

    reason: Literal["body", "header", "signature", "subscription", "timestamp"]


class WebhookKeys(TypedDict, total=False):
    """
    What verifies a callback: secrets (`whsec_…`), or public keys of the server (`whpk_…`) with the id of the subscription.
    `tolerance_s`: most difference to the clock, 300; `now`: the time, seconds since the Unix epoch.
    """

    secrets: Sequence[str]
    keys: Sequence[str]
    subscription: str | None
    tolerance_s: float
    now: float


def verify_webhook(
    headers: Mapping[str, str], body: Union[bytes, str], **by: Unpack[WebhookKeys]
) -> Webhook | RefusedWebhook:
    """Verify a callback by Standard Webhooks (`v1`, `v1a`). `body`: the bytes as they came."""
    keys, subscription = by.get("keys", ()), by.get("subscription")
    if not isinstance(body, (bytes, str)):
        raise OrbError("body", "give the body as it came, as text or bytes: a parsed one has other bytes")
    if keys and subscription is None:
        raise OrbError("subscription", "with public keys, name the subscription: one key signs for all receivers")
    given = {name.lower(): value for name, value in headers.items()}
    message_id, seconds, signatures = (given.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
    if not message_id or not signatures or not re.fullmatch(r"\d{1,12}", seconds, re.ASCII):
        return RefusedWebhook("header")
    raw = body.encode() if isinstance(body, str) else body
    signed = f"{message_id}.{seconds}.".encode() + raw
    by_name: dict[str, list[bytes]] = {}
    for one in signatures.split(" "):
        name, _, text = one.partition(",")
        by_name.setdefault(name, []).append(_decode(text) or b"")
    by_secret = any(
        hmac.compare_digest(hmac.digest(secret, signed, "sha256"), one)
        for secret in _decoded(by.get("secrets", ()), "whsec_")
        for one in by_name.get("v1", ())
    )
    by_key = any(_is_signed(key, signed, one) for key in _decoded(keys, "whpk_") for one in by_name.get("v1a", ()))
    if not by_secret and not by_key:
        return RefusedWebhook("signature")
    if abs(by.get("now", time.time()) - int(seconds)) > by.get("tolerance_s", 300):
        return RefusedWebhook("timestamp")
    return _event_of(message_id, raw, subscription)


def _event_of(message_id: str, raw: bytes, subscription: str | None) -> Webhook | RefusedWebhook:
    try:
        event = json.loads(raw)
    except ValueError:
        return RefusedWebhook("body")
    kind, data = (event.get("type"), event.get("data")) if isinstance(event, dict) else (None, None)
    if not isinstance(kind, str) or not isinstance(data, dict):
        return RefusedWebhook("body")
    if subscription is not None and data.get("subscription_id") != subscription:
        return RefusedWebhook("subscription")
    timestamp = event.get("timestamp", event.get("time"))
    return Webhook(message_id, kind.removeprefix("agent-orb."), str(timestamp), data)


def _decode(text: str) -> bytes | None:
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        return None


def _decoded(texts: Iterable[str], prefix: str) -> list[bytes]:
    return [key for key in (_decode(text.removeprefix(prefix)) for text in texts) if key is not None]


def _is_signed(public_key: bytes, signed: bytes, signature: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, signed)
    except (InvalidSignature, ValueError):
        return False
    return True
