"""Verifies callbacks (Standard Webhooks)."""

from __future__ import annotations

import hmac
import re
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterable, Literal, Mapping, Sequence, TypedDict, Union

from ._error import OrbError
from ._forms import decode64, is_signed, parse_any
from ._schema import OBJECT, Shape, fits

if TYPE_CHECKING:
    from typing_extensions import Unpack

_EVENT: Shape = {"type": "^", "data": OBJECT, "*": "any"}


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


def verify_webhook(headers: Mapping[str, str], body: Union[bytes, str], **by: Unpack[WebhookKeys]) -> Webhook | RefusedWebhook:
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
    given_signatures = [one.partition(",") for one in signatures.split(" ")]
    of = {version: [decode64(text) or b"" for name, _, text in given_signatures if name == version] for version in ("v1", "v1a")}
    macs = [hmac.digest(secret, signed, "sha256") for secret in _decoded(by.get("secrets", ()), "whsec_")]
    by_secret = any(hmac.compare_digest(mac, one) for mac in macs for one in of["v1"])
    by_key = any(is_signed(key, signed, one) for key in _decoded(keys, "whpk_") for one in of["v1a"])
    if not by_secret and not by_key:
        return RefusedWebhook("signature")
    if abs(by.get("now", time.time()) - int(seconds)) > by.get("tolerance_s", 300):
        return RefusedWebhook("timestamp")
    return _event_of(message_id, raw, subscription)


def _event_of(message_id: str, raw: bytes, subscription: str | None) -> Webhook | RefusedWebhook:
    event = parse_any(raw)
    if not fits(_EVENT, event):
        return RefusedWebhook("body")
    kind, data = event["type"], event["data"]
    if subscription is not None and data.get("subscription_id") != subscription:
        return RefusedWebhook("subscription")
    timestamp = event.get("timestamp", event.get("time"))
    return Webhook(message_id, kind.removeprefix("agent-orb."), str(timestamp), data)


def _decoded(texts: Iterable[str], prefix: str) -> list[bytes]:
    return [key for key in (decode64(text.removeprefix(prefix)) for text in texts) if key is not None]
