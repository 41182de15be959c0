"""Verifies receipts offline. Trusts the keys that it is given, and nothing in the receipt."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Mapping, NamedTuple, Union

from ._forms import canonical, decode64, decode64any, decode64url, is_signed, parse, sha256, thumbprint
from ._log import Claim, entry_of, is_included, is_key_name, is_signed_by_log, read_claim
from ._schema import NATURAL, fits
from ._statement import PAYLOAD_TYPE, Statement, read_statement

Json = Mapping[str, Any]
Document = Union[str, bytes, Json]
Check = tuple[str, Union[bool, None], str]
"""A name, the result (None: it could not be made), and what is wrong."""
LONGEST = 1_048_576
# Members next to the envelope that are no copy of the payload; the last four are the server's own judgement.
APART = {
    *("envelope", "proof", "consistency", "decisions", "disclosed"),
    *("signature_valid", "checks", "effective", "resolution"),
}
COPIED = ("receipt_id", "trust_score", "risk_level", "timestamp", "statement")
# What is expected, and its name in a statement of a run.
COMPARED = {"run_id": "run_id", "orb_id": "orb_id", "status": "status", "manifest": "manifest_digest"}
LIMITS = {
    "score_recomputes": "not checked: this client does not compute scores",
    "approval_matches": "not checked: this client does not read the receipts of decisions",
}
_SIGNATURES = [{"sig": "^", "?keyid": "^", "*": "any"}, 1, 16]
_ENVELOPE = {"payloadType": "^", "payload": "^", "signatures": _SIGNATURES, "*": "any"}
_LISTS = {"?decisions": ["any", 0, 64], "?consistency": ["any", 0, 64], "*": "any"}
_SUMMARY = {"receipt_id": "^", **{f"?{name}": "any" for name in ("trust_score", "risk_level", "signature_valid", "timestamp")}}
_DISCLOSED = {"salt": "^", "value": "any", "*": "any"}
_JWK = {"kty": "=OKP", "crv": "=Ed25519", "kid": "^", "x": "^", "role": "^", "?origin": "^", "*": "any"}
_POSITION = {"origin": "^", "index": NATURAL, "*": "any"}


@dataclass(frozen=True)
class Verified:
    """What a verified receipt says; `limits`: what is left unproved."""

    receipt_id: str
    kid: str
    installation: str
    limits: tuple[str, ...] = ()
    trust_score: int | None = None
    risk_level: str | None = None


@dataclass(frozen=True)
class Refused:
    """Why a receipt is not verified: the first check that failed."""

    check: str
    detail: str


@dataclass(frozen=True)
class Expected:
    """What a receipt is compared with; inputs and outputs need the salts in `opening`."""

    run_id: str | None = None
    orb_id: str | None = None
    status: str | None = None
    manifest: str | None = None
    inputs: Json | None = None
    outputs: Json | None = None
    opening: Json | None = None


@dataclass(frozen=True)
class _Key:
    jwk: Json
    public_key: bytes

    @property
    def consistent(self) -> bool:
        return bool(thumbprint(self.public_key) == self.jwk["kid"])


class _Envelope(NamedTuple):
    kind: str
    payload: bytes
    signatures: list[tuple[str | None, bytes]]


class Examined(NamedTuple):
    """A verdict, and the statement if a trusted key signed one."""

    verdict: Verified | Refused
    statement: Statement | None = None


def verify_receipt(document: Document, keys: Json, expected: Expected = Expected()) -> Verified | Refused:
    """Verify a receipt with the keys to trust, a JWK Set; works without a server."""
    return examine(read_document(document), keys, expected).verdict


def read_document(document: Document) -> Any:
    """Read a receipt; None when it cannot be one."""
    text = document if isinstance(document, (str, bytes)) else json.dumps(document, ensure_ascii=False)
    return parse(text) if len(text) <= LONGEST else None


def examine(artefact: Any, trust: Json, expected: Expected = Expected()) -> Examined:
    """Verify a receipt that was read, and answer its statement, too."""
    if not isinstance(artefact, dict):
        return _refused("malformed", "the receipt is no JSON object, contains a member twice, or is larger than a receipt can be")
    forms = [name for name in ("payload", "dsseEnvelope", "envelope") if name in artefact]
    if not forms and (fits(_SUMMARY, artefact) or fits(_SUMMARY, artefact.get("receipt"))):
        return _refused("envelope", "this is a summary of a receipt: fetch the receipt and verify that")
    if len(forms) != 1 or forms == ["dsseEnvelope"]:
        return _refused("malformed", "give one receipt as the API answers it, or its envelope")
    if forms == ["payload"]:
        artefact = {"envelope": artefact, **{name: artefact[name] for name in COPIED if name in artefact}}
    envelope, claim = _envelope(artefact["envelope"]), read_claim(artefact.get("proof"))
    if envelope is None or not fits(_LISTS, artefact):
        return _refused("malformed", "the envelope is not DSSE with strict base64, or a list is malformed")
    if claim is None and "proof" in artefact:
        return _refused("malformed", "the inclusion proof is malformed")
    keys = _keys(trust)
    signer = _signer(envelope, keys)
    if isinstance(signer, Refused):
        return Examined(signer)
    statement = read_statement(envelope.payload) if envelope.kind == PAYLOAD_TYPE else "not in-toto"
    if isinstance(statement, str):
        return _refused("statement_schema", statement)
    key, signature = signer
    entry = entry_of(envelope.payload, signature, key.public_key)
    checks = [
        ("key_trusted", statement.predicate["issuer"]["kid"] == key.jwk["kid"], "the statement names another key"),
        ("statement_schema", None if statement.unknown else True, statement.unknown or ""),
        _copy(statement, artefact),
        *_logged(claim, entry, statement, key, keys),
        _disclosure(artefact, expected, statement),
    ]
    return Examined(_verdict(checks, statement, expected, "decisions" in artefact), statement)


def _refused(check: str, detail: str) -> Examined:
    return Examined(Refused(check, detail))


def _envelope(value: Any) -> _Envelope | None:
    if not fits(_ENVELOPE, value):
        return None
    payload, listed = decode64any(value["payload"]), value["signatures"]
    signatures = [(one.get("keyid"), data) for one in listed if (data := decode64any(one["sig"])) is not None]
    return None if payload is None or len(signatures) < len(listed) else _Envelope(value["payloadType"], payload, signatures)


def _keys(trust: Json) -> list[_Key]:
    listed = trust.get("keys") if isinstance(trust, Mapping) else None
    jwks = [jwk for jwk in listed if fits(_JWK, jwk)] if isinstance(listed, (list, tuple)) else []
    return [key for jwk in jwks if len((key := _Key(jwk, decode64url(jwk["x"]) or b"")).public_key) == 32]


def _signer(envelope: _Envelope, keys: list[_Key]) -> tuple[_Key, bytes] | Refused:
    kind, payload = envelope.kind.encode(errors="replace"), envelope.payload
    message = b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)
    usable = [key for key in keys if key.jwk["role"] == "receipt" and key.consistent]
    # A key id only says which keys to try (DSSE).
    tries = [(key, signature) for kid, signature in envelope.signatures for key in usable if kid in (None, key.jwk["kid"])]
    for key, signature in tries:
        if is_signed(key.public_key, message, signature):
            return key, signature
    if tries:
        return Refused("envelope", "no trusted key signed the payload")
    if all(key.consistent for key in keys):
        return Refused("key_trusted", "the key that signed is not among the pinned receipt keys")
    return Refused("key_trusted", "a pinned key does not match its key id")


def _copy(statement: Statement, artefact: Json) -> Check:
    predicate = statement.predicate
    yields = {"receipt_id": predicate["receipt_id"], "statement": statement.value}
    if statement.is_run:
        score = predicate["score"]
        yields |= {"trust_score": score["trust_score"], "risk_level": score["risk_level"], "timestamp": predicate["finished_at"]}
    elif not statement.unknown:
        yields["timestamp"] = predicate["at"]
    for name, value in artefact.items():
        if name not in APART and (name not in yields or canonical(value) != canonical(yields[name])):
            return "readable_copy_matches", False, f"{name} differs from the payload"
    return "readable_copy_matches", True, ""


def _logged(claim: Claim | None, entry: bytes, statement: Statement, key: _Key, keys: list[_Key]) -> list[Check]:
    if claim is None:
        return [("leaf_matches_envelope", None, "the receipt contains no inclusion proof"), _status(key, None)]
    checkpoint = claim.checkpoint
    leaf = claim.leaf == entry and statement.predicate["log"]["origin"] == checkpoint.origin == claim.origin
    included = claim.size == checkpoint.size and is_included(claim, entry)
    named = [(one.jwk.get("origin", ""), one.public_key) for one in keys if one.jwk["role"] == "log" and one.consistent]
    signed = is_signed_by_log(checkpoint, [one for one in named if is_key_name(one[0])])
    return [
        ("leaf_matches_envelope", leaf, "the entry or the log is that of another receipt"),
        ("inclusion", included, "the proof does not lead to the root of the checkpoint"),
        ("checkpoint_signature", signed, f"no pinned key of the log {checkpoint.origin} signed the checkpoint"),
        _status(key, claim if leaf and included and signed else None),
    ]


def _status(key: _Key, claim: Claim | None) -> Check:
    name, stands = "key_status_at_index", key.jwk.get("stands")
    # An unknown status counts as revoked.
    revoked = key.jwk.get("status") not in ("active", "retired")
    if claim is None:
        return name, False if revoked else None, "the position in the log was not proved"
    # A revocation takes effect at a position of each log.
    positions = [one for one in stands if fits(_POSITION, one)] if isinstance(stands, list) else []
    bound: Any = next((one for one in positions if one["origin"] == claim.origin), key.jwk.get("revoked_at"))
    holds = not revoked or (fits(_POSITION, bound) and _is_before(claim, bound))
    return name, holds, "the key was revoked at or before this position of the log"


def _is_before(claim: Claim, bound: Json) -> bool:
    if claim.origin == bound["origin"]:
        return bool(claim.index < bound["index"])
    one, other = (re.fullmatch(r"(.+/)([0-9]{1,15})(?:-[0-9a-f]{8})?", name) for name in (claim.origin, bound["origin"]))
    return one is not None and other is not None and one[1] == other[1] and int(one[2]) < int(other[2])


def _disclosure(artefact: Json, expected: Expected, statement: Statement) -> Check:
    salts, disclosed = expected.opening or {}, artefact.get("disclosed", {})
    given = {"inputs": expected.inputs, "outputs": expected.outputs}
    opened = [(name, {"salt": salts.get(f"{name}_salt"), "value": value}) for name, value in given.items() if value is not None]
    shown = [*(disclosed.items() if isinstance(disclosed, dict) else [("", disclosed)]), *opened]
    holds = all(_opens(name, value, statement) for name, value in shown)
    return "disclosure_matches_commitment", holds, "inputs or outputs do not match the commitment in the receipt"


def _opens(name: str, shown: Any, statement: Statement) -> bool:
    if not statement.is_run or name not in ("inputs", "outputs") or not fits(_DISCLOSED, shown):
        return False
    salt, text = decode64(shown["salt"]), canonical(shown["value"])
    commitment = statement.predicate["facts"].get(name, {}).get("commitment")
    return salt is not None and text is not None and commitment == f"sha256:{sha256(salt + text.encode()).hex()}"


def _verdict(checks: list[Check], statement: Statement, expected: Expected, decided: bool) -> Verified | Refused:
    # What failed counts before what could not be made.
    wrong = next((one for result in (False, None) for one in checks if one[1] is result), None)
    if wrong is not None:
        return Refused(wrong[0], wrong[2])
    predicate = statement.predicate
    run: Any = predicate if statement.is_run else {}
    found = {**run, "manifest_digest": run["facts"]["orb"]["manifest_digest"] if run else None}
    for member, name in COMPARED.items():
        if getattr(expected, member) not in (None, found.get(name)):
            return Refused(name, f"the receipt is of another {name.replace('_', ' ')}")
    left = {"score_recomputes": bool(run), "approval_matches": decided or "approval" in run.get("facts", ())}
    issuer, score = predicate["issuer"], run.get("score", {})
    return Verified(
        receipt_id=predicate["receipt_id"],
        kid=issuer["kid"],
        installation=issuer["installation"],
        limits=tuple(f"{name}: {LIMITS[name]}" for name, is_left in left.items() if is_left),
        trust_score=score.get("trust_score"),
        risk_level=score.get("risk_level"),
    )
