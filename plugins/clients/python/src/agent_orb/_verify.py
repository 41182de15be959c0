"""Verifies receipts offline. Trusts the keys that it is given, and nothing in the receipt."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, Iterator, Mapping, Sequence, Union

from ._forms import canonical, decode64, decode64any, decode64url, is_safe_integer, is_signed, parse, same, sha256, thumbprint
from ._log import Claim, LogKey, entry_of, is_included, is_key_name, read_claim, signers
from ._statement import PAYLOAD_TYPE, Statement, read_statement

Json = Mapping[str, Any]
Document = Union[str, bytes, Json]
LONGEST = 1_048_576
MOST_SIGNATURES = 16
MOST_LISTED = 64
REQUIRED = (
    *("envelope", "key_trusted", "statement_schema", "readable_copy_matches"),
    *("leaf_matches_envelope", "inclusion", "checkpoint_signature", "key_status_at_index"),
)
# The server's own judgement when it was read: nothing signs it.
OPINIONS = {"signature_valid", "checks", "effective", "resolution"}


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
class _Check:
    name: str
    result: bool | None
    detail: str = ""


@dataclass(frozen=True)
class _Key:
    kid: str
    public_key: bytes
    role: str
    revoked: bool
    consistent: bool
    revoked_at: tuple[str, int] | None
    stands: tuple[tuple[str, int], ...]
    origin: str | None


@dataclass
class Examined:
    """A verdict, and the statement if a trusted key signed one."""

    verdict: Verified | Refused
    statement: Statement | None = None
    checks: Sequence[_Check] = field(default_factory=tuple)


def verify_receipt(document: Document, keys: Json, expected: Expected = Expected()) -> Verified | Refused:
    """Verify a receipt with the keys to trust, a JWK Set; works without a server."""
    return examine(document, keys, expected).verdict


def text_of(document: Document) -> str | None:
    """Read a receipt as text; None when it is not UTF-8."""
    if isinstance(document, bytes):
        try:
            return document.decode()
        except UnicodeDecodeError:
            return None
    return document if isinstance(document, str) else json.dumps(document, ensure_ascii=False)


def examine(document: Document, keys: Json, expected: Expected = Expected()) -> Examined:
    """Verify a receipt, and answer its statement, too."""
    text = text_of(document)
    if text is None or len(text) > LONGEST:
        return Examined(Refused("malformed", "the receipt is no text, or larger than a receipt can be"))
    artefact = parse(text, strict=True)
    if not isinstance(artefact, dict):
        return Examined(Refused("malformed", "the receipt is not a JSON object, or contains a member twice"))
    forms = [name for name in ("payload", "dsseEnvelope", "envelope") if name in artefact]
    if not forms and (_is_summary(artefact) or _is_summary(artefact.get("receipt"))):
        return Examined(Refused("envelope", "this is a summary of a receipt: fetch the receipt and verify that"))
    if len(forms) != 1 or forms == ["dsseEnvelope"]:
        return Examined(Refused("malformed", "give one receipt as the API answers it, or its envelope"))
    return _examine_form(artefact, _keys(keys), expected)


def _is_summary(value: Any) -> bool:
    names = {"receipt_id", "trust_score", "risk_level", "signature_valid", "timestamp"}
    return isinstance(value, dict) and isinstance(value.get("receipt_id"), str) and set(value) <= names


def _examine_form(artefact: Json, keys: list[_Key], expected: Expected) -> Examined:
    copy: Json
    proof, disclosed, decisions, consistency = None, None, None, None
    if "payload" in artefact:
        envelope: Any = artefact
        shown = ("receipt_id", "trust_score", "risk_level", "timestamp", "statement")
        copy = {name: artefact[name] for name in shown if name in artefact}
    else:
        envelope = artefact["envelope"]
        apart = ("envelope", "proof", "consistency", "decisions", "disclosed")
        proof, disclosed, decisions, consistency = (artefact.get(name) for name in ("proof", "disclosed", "decisions", "consistency"))
        copy = {name: value for name, value in artefact.items() if name not in apart}
    opened = _envelope(envelope)
    lists = [one for one in (decisions, consistency) if one is not None]
    if opened is None or not all(isinstance(one, list) and len(one) <= MOST_LISTED for one in lists):
        return Examined(Refused("malformed", "the envelope is not DSSE with strict base64, or a list is malformed"))
    claim = None if proof is None else read_claim(proof)
    if proof is not None and claim is None:
        return Examined(Refused("malformed", "the inclusion proof is malformed"))
    payload_type, payload, signatures = opened
    message = b"DSSEv1 %d %s %d %s" % (len(payload_type.encode()), payload_type.encode(), len(payload), payload)
    checks, key, signature = _signature(message, signatures, keys)
    statement = read_statement(payload) if key is not None and payload_type == PAYLOAD_TYPE else "not in-toto"
    if key is None or signature is None or isinstance(statement, str):
        refused = _Check("statement_schema", None if key is None else False, statement if isinstance(statement, str) else "")
        return _conclude([*checks, refused, *_unlogged(key, "the payload was not accepted")])
    checks = [checks[0], _Check("key_trusted", statement.predicate["issuer"]["kid"] == key.kid, "the statement names another key")]
    checks += [*_content(statement, copy), *_logged(claim, entry_of(payload, signature, key.public_key), statement, key, keys)]
    checks += _disclosure([disclosed, _opened(expected)], statement)
    return _conclude(checks, statement, expected, decisions)


def _envelope(value: Any) -> tuple[str, bytes, list[tuple[str | None, bytes]]] | None:
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
    return value["payloadType"], payload, signatures


def _signature(
    message: bytes, signatures: list[tuple[str | None, bytes]], keys: list[_Key]
) -> tuple[list[_Check], _Key | None, bytes | None]:
    usable = [key for key in keys if key.role == "receipt" and key.consistent]
    tried = False
    for kid, signature in signatures:
        # A key id only says which keys to try (DSSE).
        for key in (one for one in usable if kid is None or kid == one.kid):
            tried = True
            if is_signed(key.public_key, message, signature):
                return [_Check("envelope", True), _Check("key_trusted", True)], key, signature
    if tried:
        return [_Check("envelope", False, "no trusted key signed the payload"), _Check("key_trusted", True)], None, None
    wrong = any(not key.consistent for key in keys)
    detail = "a pinned key does not match its key id" if wrong else "the key that signed is not among the pinned receipt keys"
    return [_Check("envelope", None, "there is no trusted key to check it with"), _Check("key_trusted", False, detail)], None, None


def _content(statement: Statement, copy: Json) -> Iterator[_Check]:
    predicate = statement.predicate
    yield _Check("statement_schema", None if statement.unknown else True, statement.unknown or "")
    yields = {"receipt_id": predicate["receipt_id"]}
    if statement.is_run:
        score = predicate["score"]
        yields |= {"trust_score": score["trust_score"], "risk_level": score["risk_level"], "timestamp": predicate["finished_at"]}
    elif not statement.unknown:
        yields["timestamp"] = predicate["at"]
    named = {name: value for name, value in copy.items() if name not in OPINIONS}
    differs = next((name for name, value in named.items() if not _is_copied(name, value, statement, yields)), None)
    yield _Check("readable_copy_matches", differs is None, f"{differs} differs from the payload")


def _is_copied(name: str, value: Any, statement: Statement, yields: Json) -> bool:
    if name == "statement":
        return canonical(value) == statement.text
    return name in yields and same(value, yields[name])


def _unlogged(key: _Key | None, detail: str) -> list[_Check]:
    made = [_Check(name, None, detail) for name in REQUIRED[4:7]]
    revoked = key is not None and key.revoked
    return [*made, _Check("key_status_at_index", False if revoked else None, "the position in the log is unknown")]


def _logged(claim: Claim | None, entry: bytes, statement: Statement, key: _Key, keys: list[_Key]) -> list[_Check]:
    if claim is None:
        return _unlogged(key, "the receipt contains no inclusion proof")
    checkpoint = claim.checkpoint
    leaf = claim.leaf == entry and statement.predicate["log"]["origin"] == checkpoint.origin == claim.origin
    included = claim.size == checkpoint.size and is_included(claim, entry)
    logs = [
        LogKey(one.origin, one.public_key)
        for one in keys
        if one.role == "log" and one.consistent and one.origin is not None and is_key_name(one.origin)
    ]
    pinned = [one for one in logs if one.name == checkpoint.origin]
    by = signers(checkpoint, logs)
    signed = (not isinstance(by, LogKey) and any(one in by for one in pinned)) if pinned else None
    placed = leaf and included and signed is True
    position = (checkpoint.origin, claim.index) if placed else None
    return [
        _Check("leaf_matches_envelope", leaf, "the entry or the log is that of another receipt"),
        _Check("inclusion", included, "the proof does not lead to the root of the checkpoint"),
        _Check("checkpoint_signature", signed, f"no pinned key of the log {checkpoint.origin} signed the checkpoint"),
        _status(key, position),
    ]


def _status(key: _Key, position: tuple[str, int] | None) -> _Check:
    name = "key_status_at_index"
    if position is None:
        return _Check(name, False if key.revoked else None, "the position in the log was not proved")
    if not key.revoked:
        return _Check(name, True)
    # A revocation takes effect at a position.
    bound = next((one for one in key.stands if one[0] == position[0]), key.revoked_at)
    holds = bound is not None and _is_before(position, bound)
    return _Check(name, holds, "the key was revoked at or before this position of the log")


def _is_before(one: tuple[str, int], other: tuple[str, int]) -> bool:
    if one[0] == other[0]:
        return one[1] < other[1]
    shards = [re.fullmatch(r"(.+/)([0-9]{1,15})(?:-[0-9a-f]{8})?", name) for name in (one[0], other[0])]
    first, second = shards
    return first is not None and second is not None and first[1] == second[1] and int(first[2]) < int(second[2])


def _opened(expected: Expected) -> Any:
    salts = expected.opening or {}
    given = (("inputs", expected.inputs), ("outputs", expected.outputs))
    shown = {name: {"salt": salts.get(f"{name}_salt"), "value": value} for name, value in given if value is not None}
    return shown or None


def _disclosure(given: list[Any], statement: Statement) -> list[_Check]:
    shown = [one for one in given if one is not None]
    if not shown:
        return []
    entries = [entry for one in shown for entry in (one.items() if isinstance(one, dict) else [("", one)])]
    holds = all(_opens(name, value, statement) for name, value in entries)
    return [_Check("disclosure_matches_commitment", holds, "inputs or outputs do not match the commitment in the receipt")]


def _opens(name: str, shown: Any, statement: Statement) -> bool:
    if not statement.is_run or name not in ("inputs", "outputs") or not isinstance(shown, dict):
        return False
    salt, text = decode64(shown.get("salt")), canonical(shown.get("value"))
    if salt is None or text is None or "value" not in shown:
        return False
    commitment = statement.predicate["facts"].get(name, {}).get("commitment")
    return bool(commitment == f"sha256:{sha256(salt + text.encode()).hex()}")


def _conclude(
    checks: Sequence[_Check],
    statement: Statement | None = None,
    expected: Expected = Expected(),
    decisions: Any = None,
) -> Examined:
    failed = next((check for check in checks if check.result is False), None)
    if failed is not None:
        return Examined(Refused(failed.name, failed.detail), statement, checks)
    passed = {check.name for check in checks if check.result}
    missing = next((name for name in REQUIRED if name not in passed), None)
    if missing is not None or statement is None:
        detail = next((check.detail for check in checks if check.name == missing), "it was not checked")
        return Examined(Refused(missing or "envelope", detail), statement, checks)
    predicate = statement.predicate
    run: Json = predicate if statement.is_run else {}
    for name, found, should in (
        ("run_id", run.get("run_id"), expected.run_id),
        ("orb_id", run.get("orb_id"), expected.orb_id),
        ("status", run.get("status"), expected.status),
        ("manifest_digest", run["facts"]["orb"]["manifest_digest"] if run else None, expected.manifest),
    ):
        if should is not None and found != should:
            return Examined(Refused(name, f"the receipt is of another {name.replace('_', ' ')}"), statement, checks)
    held = bool(run) and "approval" in run["facts"] or decisions is not None
    issuer = predicate["issuer"]
    verified = Verified(
        receipt_id=predicate["receipt_id"],
        kid=issuer["kid"],
        installation=issuer["installation"],
        limits=tuple(_limits(bool(run), held)),
        trust_score=run["score"]["trust_score"] if run else None,
        risk_level=run["score"]["risk_level"] if run else None,
    )
    return Examined(verified, statement, checks)


def _limits(is_run: bool, held: bool) -> Iterator[str]:
    if is_run:
        yield "score_recomputes: not checked: this client does not compute scores"
    if held:
        yield "approval_matches: not checked: this client does not read the receipts of decisions"


def _keys(trust: Json) -> list[_Key]:
    listed = trust.get("keys") if isinstance(trust, Mapping) else None
    found = [_key(jwk) for jwk in listed] if isinstance(listed, (list, tuple)) else []
    return [key for key in found if key is not None]


def _key(jwk: Any) -> _Key | None:
    if not isinstance(jwk, dict) or jwk.get("kty") != "OKP" or jwk.get("crv") != "Ed25519":
        return None
    kid, public_key, stands = jwk.get("kid"), decode64url(jwk.get("x")), jwk.get("stands")
    if not isinstance(kid, str) or public_key is None or len(public_key) != 32:
        return None
    positions = [_position(one) for one in stands] if isinstance(stands, list) else []
    return _Key(
        kid=kid,
        public_key=public_key,
        role=str(jwk.get("role")),
        # An unknown status counts as revoked.
        revoked=jwk.get("status") not in ("active", "retired"),
        consistent=thumbprint(public_key) == kid,
        revoked_at=_position(jwk.get("revoked_at")),
        stands=tuple(one for one in positions if one is not None),
        origin=jwk["origin"] if isinstance(jwk.get("origin"), str) else None,
    )


def _position(value: Any) -> tuple[str, int] | None:
    if not isinstance(value, dict) or not isinstance(value.get("origin"), str) or not is_safe_integer(value.get("index")):
        return None
    return (value["origin"], value["index"]) if value["index"] >= 0 else None
