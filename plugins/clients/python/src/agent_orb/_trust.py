"""The keys that a client trusts."""

from __future__ import annotations

from typing import Any, Awaitable, Callable, Mapping, Union

from ._error import OrbError
from ._verify import Document, Refused, Verified, examine, read_document
from ._wire import present

KeySet = Mapping[str, Any]
Pin = Union[KeySet, str, None]


class Pins:
    """Pins keys: those that are given, or with `tofu` those that the server has at the first use."""

    def __init__(self, pin: Pin, pinned: Callable[[KeySet], None], fetch: Callable[[float], Awaitable[KeySet | None]]) -> None:
        self._pin, self._pinned, self._fetch = pin, pinned, fetch
        self._known = pin if isinstance(pin, Mapping) else None

    async def keys(self, end: float) -> KeySet:
        """Get the keys, until a time; none if the server does not answer them."""
        if self._known is None and self._pin != "tofu":
            raise OrbError("pin", 'set `pin`: the keys to trust, or "tofu"')
        found = await self._fetch(end) if self._known is None else None
        # Another call may have pinned meanwhile.
        if self._known is None and found is not None:
            self._keep(found)
        return self._known or {"keys": []}

    async def take(self, document: Document, end: float) -> Verified | Refused:
        """Take the receipt of a change of a key, if a pinned key signed it."""
        pinned = await self.keys(end)
        receipt = read_document(document)
        # The log of a new key cannot be pinned yet, so the signature alone decides.
        verdict, statement = examine(receipt.get("envelope") if isinstance(receipt, dict) else None, pinned)
        if isinstance(verdict, Verified) or statement is None or verdict.check != "leaf_matches_envelope":
            return verdict
        if statement.kind != "key":
            return Refused("kind", "it is not the receipt of a signing key")
        predicate = statement.predicate
        self._keep({"keys": [*(key for key in pinned["keys"] if key.get("kid") != predicate["kid"]), _jwk(predicate)]})
        issuer = predicate["issuer"]
        return Verified(predicate["receipt_id"], issuer["kid"], issuer["installation"], ("the log was not checked",))

    def _keep(self, keys: KeySet) -> None:
        self._known = keys
        self._pinned(keys)


def _jwk(predicate: Mapping[str, Any]) -> dict[str, Any]:
    facts = predicate["facts"]
    revoked = {"status": "revoked", "revoked_at": facts.get("from"), "stands": facts.get("stands")}
    status = revoked if facts["change"] == "revoked" else {"status": "active"}
    return present({**facts["public_key"], "kid": predicate["kid"], "role": facts["role"], "origin": facts.get("origin"), **status})
