"""Verifies receipts offline. Trusts the keys that it is given, and nothing in the receipt."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Iterator, Mapping, Union

from ._forms import canonical, decode64, decode64any, decode64url, is_natural, is_signed, parse, same, sha256, thumbprint, utf8
from ._log import Claim, LogKey, entry_of, is_included, is_key_name, read_claim, signers
from ._statement import PAYLOAD_TYPE, Statement, read_statement

Json = Mapping[str, Any]
Document = Union[str, bytes, Json]
Position = tuple[str, int]
"""A log and an index in it."""
Check = tuple[str, Union[bool, None], str]
"""A name, the result (None: it could not be made), and what is wrong."""
LONGEST = 1_048_576
MOST_SIGNATURES = 16
MOST_LISTED = 64
REQUIRED = (
    *("envelope", "key_trusted", "statement_schema", "readable_copy_matches"),
    *("leaf_matches_envelope", "inclusion", "checkpoint_signature", "key_status_at_index"),
)
# Members next to the envelope that are no copy of the payload; the last four are the server's own judgement.
APART = {
    *("envelope", "proof", "consistency", "decisions", "disclosed"),
    *("signature_valid", "checks", "effective", "resolution"),
}
COPIED = ("receipt_id", "trust_score", "risk_level", "timestamp", "statement")
LIMITS = {
    "score_recomputes": "not checked: this client does not compute scores",
    "approval_matches": "not checked: this client does not read the receipts of decisions",
}


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
    kid: str
    public_key: bytes
    role: str
    revoked: bool
    consistent: bool
    revoked_at: Position | None
    stands: tuple[Position, ...]
    origin: str | None


@dataclass(frozen=True)
class _Envelope:
    kind: str
    payload: bytes
    signatures: tuple[tuple[str | None, bytes], ...]


@dataclass(frozen=True)
class Examined:
    """A verdict, and the statement if a trusted key signed one."""

    verdict: Verified | Refused
    statement: Statement | None = None


def verify_receipt(document: Document, keys: Json, expected: Expected = Expected()) -> Verified | Refused:
    """Verify a receipt with the keys to trust, a JWK Set; works without a server."""
    return examine(document, keys, expected).verdict


def text_of(document: Document) -> str | None:
    """Read a receipt as text; None when it is not UTF-8."""
    if isinstance(document, bytes):
        return utf8(document)
    return document if isinstance(document, str) else json.dumps(document, ensure_ascii=False)


def examine(document: Document, keys: Json, expected: Expected = Expected()) -> Examined:
    """Verify a receipt, and answer its statement, too."""
    text = text_of(document)
    artefact = None if text is None or len(text) > LONGEST else parse(text, strict=True)
    if not isinstance(artefact, dict):
        return _malformed("the receipt is no JSON object, contains a member twice, or is larger than a receipt can be")
    forms = [name for name in ("payload", "dsseEnvelope", "envelope") if name in artefact]
    if not forms and (_is_summary(artefact) or _is_summary(artefact.get("receipt"))):
        return Examined(Refused("envelope", "this is a summary of a receipt: fetch the receipt and verify that"))
    if len(forms) != 1 or forms == ["dsseEnvelope"]:
        return _malformed("give one receipt as the API answers it, or its envelope")
    if forms == ["payload"]:
        artefact = {"envelope": artefact, **{name: artefact[name] for name in COPIED if name in artefact}}
    envelope, claim = _envelope(artefact["envelope"]), read_claim(artefact.get("proof"))
    lists = [artefact[name] for name in ("decisions", "consistency") if name in artefact]
    if envelope is None or not all(isinstance(one, list) and len(one) <= MOST_LISTED for one in lists):
        return _malformed("the envelope is not DSSE with strict base64, or a list is malformed")
    if claim is None and "proof" in artefact:
        return _malformed("the inclusion proof is malformed")
    checks, statement = _checks(envelope, claim, artefact, _keys(keys), expected)
    return Examined(_verdict(checks, statement, expected, "decisions" in artefact), statement)


def _malformed(detail: str) -> Examined:
    return Examined(Refused("malformed", detail))


def _is_summary(value: Any) -> bool:
    names = {"receipt_id", "trust_score", "risk_level", "signature_valid", "timestamp"}
    return isinstance(value, dict) and isinstance(value.get("receipt_id"), str) and set(value) <= names


def _envelope(value: Any) -> _Envelope | None:
    if not isinstance(value, dict) or not isinstance(value.get("payloadType"), str):
        return None
    payload, listed = decode64any(value.get("payload")), value.get("signatures")
    if payload is None or not isinstance(listed, list) or not 0 < len(listed) <= MOST_SIGNATURES:
        return None
    signatures: list[tuple[str | None, bytes]] = []
    for one in listed:
        signature = decode64any(one.get("sig")) if isinstance(one, dict) else None
        if signature is None or not isinstance(one.get("keyid", ""), str):
            return None
        signatures.append((one.get("keyid"), signature))
    return _Envelope(value["payloadType"], payload, tuple(signatures))


def _checks(
    envelope: _Envelope, claim: Claim | None, artefact: Json, keys: list[_Key], expected: Expected
) -> tuple[list[Check], Statement | None]:
    checks, key, signature = _signature(envelope, keys)
    if key is None or signature is None:
        return [*checks, ("statement_schema", None, "the payload was not accepted"), *_unlogged(key)], None
    statement = read_statement(envelope.payload) if envelope.kind == PAYLOAD_TYPE else "not in-toto"
    if isinstance(statement, str):
        return [*checks, ("statement_schema", False, statement), *_unlogged(key)], None
    entry = entry_of(envelope.payload, signature, key.public_key)
    return [
        checks[0],
        ("key_trusted", statement.predicate["issuer"]["kid"] == key.kid, "the statement names another key"),
        ("statement_schema", None if statement.unknown else True, statement.unknown or ""),
        _copy(statement, artefact),
        *_logged(claim, entry, statement, key, keys),
        *_disclosure(artefact, expected, statement),
    ], statement


def _signature(envelope: _Envelope, keys: list[_Key]) -> tuple[list[Check], _Key | None, bytes | None]:
    kind, payload = envelope.kind.encode(), envelope.payload
    message = b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)
    usable = [key for key in keys if key.role == "receipt" and key.consistent]
    # A key id only says which keys to try (DSSE).
    tries = [(key, signature) for kid, signature in envelope.signatures for key in usable if kid in (None, key.kid)]
    for key, signature in tries:
        if is_signed(key.public_key, message, signature):
            return [("envelope", True, ""), ("key_trusted", True, "")], key, signature
    if tries:
        return [("envelope", False, "no trusted key signed the payload"), ("key_trusted", True, "")], None, None
    wrong = any(not key.consistent for key in keys)
    detail = "a pinned key does not match its key id" if wrong else "the key that signed is not among the pinned receipt keys"
    return [("envelope", None, "there is no trusted key to check it with"), ("key_trusted", False, detail)], None, None


def _copy(statement: Statement, artefact: Json) -> Check:
    predicate = statement.predicate
    yields = {"receipt_id": predicate["receipt_id"]}
    if statement.is_run:
        score = predicate["score"]
        yields |= {"trust_score": score["trust_score"], "risk_level": score["risk_level"], "timestamp": predicate["finished_at"]}
    elif not statement.unknown:
        yields["timestamp"] = predicate["at"]
    for name, value in artefact.items():
        is_same = canonical(value) == statement.text if name == "statement" else name in yields and same(value, yields[name])
        if name not in APART and not is_same:
            return "readable_copy_matches", False, f"{name} differs from the payload"
    return "readable_copy_matches", True, ""


def _unlogged(key: _Key | None, detail: str = "the payload was not accepted") -> list[Check]:
    return [*((name, None, detail) for name in REQUIRED[4:7]), _status(key, None)]


def _logged(claim: Claim | None, entry: bytes, statement: Statement, key: _Key, keys: list[_Key]) -> list[Check]:
    if claim is None:
        return _unlogged(key, "the receipt contains no inclusion proof")
    checkpoint = claim.checkpoint
    leaf = claim.leaf == entry and statement.predicate["log"]["origin"] == checkpoint.origin == claim.origin
    included = claim.size == checkpoint.size and is_included(claim, entry)
    named = [(one.origin or "", one.public_key) for one in keys if one.role == "log" and one.consistent]
    logs = [LogKey(*one) for one in named if is_key_name(one[0])]
    pinned = [one for one in logs if one.name == checkpoint.origin]
    signed = any(one in pinned for one in signers(checkpoint, logs)) if pinned else None
    return [
        ("leaf_matches_envelope", leaf, "the entry or the log is that of another receipt"),
        ("inclusion", included, "the proof does not lead to the root of the checkpoint"),
        ("checkpoint_signature", signed, f"no pinned key of the log {checkpoint.origin} signed the checkpoint"),
        _status(key, (checkpoint.origin, claim.index) if leaf and included and signed else None),
    ]


def _status(key: _Key | None, position: Position | None) -> Check:
    name = "key_status_at_index"
    if position is None or key is None:
        return name, False if key is not None and key.revoked else None, "the position in the log was not proved"
    # A revocation takes effect at a position.
    bound = next((one for one in key.stands if one[0] == position[0]), key.revoked_at)
    holds = not key.revoked or (bound is not None and _is_before(position, bound))
    return name, holds, "the key was revoked at or before this position of the log"


def _is_before(one: Position, other: Position) -> bool:
    if one[0] == other[0]:
        return one[1] < other[1]
    first, second = (re.fullmatch(r"(.+/)([0-9]{1,15})(?:-[0-9a-f]{8})?", name) for name in (one[0], other[0]))
    return first is not None and second is not None and first[1] == second[1] and int(first[2]) < int(second[2])


def _disclosure(artefact: Json, expected: Expected, statement: Statement) -> Iterator[Check]:
    salts = expected.opening or {}
    given = {"inputs": expected.inputs, "outputs": expected.outputs}
    opened = [(name, {"salt": salts.get(f"{name}_salt"), "value": value}) for name, value in given.items() if value is not None]
    disclosed = artefact.get("disclosed", {})
    shown = [*(disclosed.items() if isinstance(disclosed, dict) else [("", disclosed)]), *opened]
    if shown or "disclosed" in artefact:
        holds = all(_opens(name, value, statement) for name, value in shown)
        yield "disclosure_matches_commitment", holds, "inputs or outputs do not match the commitment in the receipt"


def _opens(name: str, shown: Any, statement: Statement) -> bool:
    if not statement.is_run or name not in ("inputs", "outputs") or not isinstance(shown, dict):
        return False
    salt, text = decode64(shown.get("salt")), canonical(shown.get("value"))
    if salt is None or text is None or "value" not in shown:
        return False
    commitment = statement.predicate["facts"].get(name, {}).get("commitment")
    return bool(commitment == f"sha256:{sha256(salt + text.encode()).hex()}")


def _verdict(checks: list[Check], statement: Statement | None, expected: Expected, decided: bool) -> Verified | Refused:
    made = {name: (result, detail) for name, result, detail in checks}
    # What failed counts before what could not be made.
    wrong = next((name for name, result, _ in checks if result is False), None)
    wrong = wrong or next((name for name in REQUIRED if name not in made or made[name][0] is None), None)
    if wrong is not None or statement is None:
        return Refused(wrong or "envelope", made[wrong][1] if wrong in made else "it was not checked")
    predicate = statement.predicate
    run: Any = predicate if statement.is_run else {}
    for name, found, should in (
        ("run_id", run.get("run_id"), expected.run_id),
        ("orb_id", run.get("orb_id"), expected.orb_id),
        ("status", run.get("status"), expected.status),
        ("manifest_digest", run["facts"]["orb"]["manifest_digest"] if run else None, expected.manifest),
    ):
        if should is not None and found != should:
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


def _keys(trust: Json) -> list[_Key]:
    listed = trust.get("keys") if isinstance(trust, Mapping) else None
    return [key for jwk in listed if (key := _key(jwk)) is not None] if isinstance(listed, (list, tuple)) else []


def _key(jwk: Any) -> _Key | None:
    if not isinstance(jwk, dict) or jwk.get("kty") != "OKP" or jwk.get("crv") != "Ed25519":
        return None
    kid, public_key, stands = jwk.get("kid"), decode64url(jwk.get("x")), jwk.get("stands")
    if not isinstance(kid, str) or public_key is None or len(public_key) != 32:
        return None
    return _Key(
        kid=kid,
        public_key=public_key,
        role=str(jwk.get("role")),
        # An unknown status counts as revoked.
        revoked=jwk.get("status") not in ("active", "retired"),
        consistent=thumbprint(public_key) == kid,
        revoked_at=_position(jwk.get("revoked_at")),
        stands=tuple(one for one in map(_position, stands) if one is not None) if isinstance(stands, list) else (),
        origin=jwk["origin"] if isinstance(jwk.get("origin"), str) else None,
    )


def _position(value: Any) -> Position | None:
    origin, index = (value.get("origin"), value.get("index")) if isinstance(value, dict) else (None, None)
    return (origin, index) if isinstance(origin, str) and is_natural(index) else None
