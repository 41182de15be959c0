"""The keys that a client trusts."""

from __future__ import annotations

from typing import Any, Awaitable, Callable, Mapping, Union

from ._error import OrbError
from ._verify import Document, Refused, Verified, examine, text_of
from ._forms import parse

KeySet = Mapping[str, Any]
Pin = Union[KeySet, str, None]


class Pins:
    """Pins keys: those that are given, or with `tofu` those that the server has at the first use."""

    def __init__(self, pin: Pin, pinned: Callable[[KeySet], None] | None, fetch: Callable[[], Awaitable[KeySet]]) -> None:
        self._known = pin if isinstance(pin, Mapping) else None
        self._pinned, self._fetch = pinned, fetch
        self._may_fetch = pin == "tofu"

    async def keys(self) -> KeySet:
        """Get the keys."""
        if self._known is None and self._may_fetch:
            found = await self._fetch()
            # Another call may have pinned meanwhile.
            if self._known is None:
                self._keep(found)
        if self._known is None:
            raise OrbError("pin", 'set `pin`: the keys to trust, or "tofu"')
        return self._known

    async def take(self, document: Document) -> Verified | Refused:
        """Take the receipt of a change of a key, if a pinned key signed it."""
        pinned = await self.keys()
        receipt = parse(text_of(document) or "", strict=True)
        envelope = receipt.get("envelope") if isinstance(receipt, dict) else None
        # The log of a new key cannot be pinned yet, so the signature alone decides.
        examined = examine(envelope if isinstance(envelope, dict) else {}, pinned)
        verdict, statement = examined.verdict, examined.statement
        if statement is None or (isinstance(verdict, Refused) and verdict.check != "leaf_matches_envelope"):
            return verdict if isinstance(verdict, Refused) else Refused("envelope", "nothing signed could be read")
        if statement.kind != "key":
            return Refused("kind", "it is not the receipt of a signing key")
        predicate = statement.predicate
        self._keep({"keys": [*(key for key in pinned["keys"] if key.get("kid") != predicate["kid"]), _jwk(predicate)]})
        issuer = predicate["issuer"]
        return Verified(predicate["receipt_id"], issuer["kid"], issuer["installation"], ("the log was not checked",))

    def _keep(self, keys: KeySet) -> None:
        self._known = keys
        if self._pinned is not None:
            self._pinned(keys)


def _jwk(predicate: Mapping[str, Any]) -> dict[str, Any]:
    facts = predicate["facts"]
    jwk = {**facts["public_key"], "kid": predicate["kid"], "role": facts["role"], "status": "active"}
    if "origin" in facts:
        jwk["origin"] = facts["origin"]
    if facts["change"] == "revoked":
        jwk |= {"status": "revoked", "revoked_at": facts.get("from"), "stands": facts.get("stands")}
    return jwk
