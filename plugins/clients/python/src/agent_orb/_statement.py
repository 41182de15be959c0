"""Reads the statement of a receipt from the bytes that were signed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Mapping

from ._forms import canonical, decode64url, parse, sha256, thumbprint, utf8
from ._schema import fits, is_time
from ._table import packaged

LIMIT = 16_384
PAYLOAD_TYPE = "application/vnd.in-toto+json"
NON_CLAIMS = ["inputs_true", "provider_honest", "act_wise", "clock_exact"]
RUN = "urn:agent-orb:run:v1"
Rules = list[tuple[bool, str]]
# The kinds of statements by their type: `shape`, `subject`; the head of all others is of the type ``.
KINDS = packaged("statements.json")


@dataclass(frozen=True)
class Statement:
    """A statement, and the text that was signed. `unknown`: of a kind of which only the head was checked."""

    value: Mapping[str, Any]
    text: str
    unknown: str | None = None

    @property
    def predicate(self) -> Mapping[str, Any]:
        """What is attested."""
        predicate: Mapping[str, Any] = self.value["predicate"]
        return predicate

    @property
    def is_run(self) -> bool:
        """Whether it is of a run."""
        return bool(self.value["predicateType"] == RUN)


def read_statement(payload: bytes) -> Statement | str:
    """Read a statement, or say what is wrong with it."""
    if len(payload) > LIMIT:
        return f"the payload has more than {LIMIT} bytes"
    text = utf8(payload)
    value = None if text is None else parse(text, strict=False)
    if value is None or text is None:
        return "the payload is not JSON in UTF-8"
    # A member that comes twice is found here, too.
    if canonical(value) != text:
        return "the payload is not in canonical form (RFC 8785)"
    kind_of = value.get("predicateType") if isinstance(value, dict) else None
    kind: Any = KINDS.get(kind_of) if isinstance(kind_of, str) and kind_of else None
    unknown = None
    if kind is None and isinstance(kind_of, str) and re.fullmatch(r"urn:agent-orb:[a-z]+:v\d+", kind_of, re.ASCII):
        kind = KINDS[""]
        unknown = f"this verifier does not know receipts of the kind {kind_of}, so its content was not checked"
    if not fits((kind or KINDS[RUN])["shape"], value):
        return "the payload breaks its schema"
    statement = Statement(value, text, unknown)
    if unknown is None:
        rules = [*_common(statement), *(_run(value) if statement.is_run else _other(value, kind["subject"]))]
        wrong = next((fault for agrees, fault in rules if not agrees), None)
        if wrong is not None:
            return wrong
    return statement


def _common(statement: Statement) -> Rules:
    issuer, log, non_claims = (statement.predicate[name] for name in ("issuer", "log", "non_claims"))
    return [
        (log["origin"].startswith(f"{issuer['installation']}."), "the log belongs to an installation other than the issuer"),
        (non_claims == NON_CLAIMS, "non_claims differ from those of the format"),
    ]


def _run(value: Mapping[str, Any]) -> Rules:
    run = value["predicate"]
    facts, status = run["facts"], run["status"]
    completed, denied = status == "completed", status == "denied"
    policy = facts["policy"]
    subjects = [
        {"digest": {"sha256": facts[name]["commitment"].removeprefix("sha256:")}, "name": f"{run['run_id']}/{name}"}
        for name in ("inputs", "outputs")
        if name in facts
    ]
    return [
        (("previous_digest" in run) == (run["sequence"] != 1), "previous_digest is absent iff sequence is 1"),
        (("reason" in run) != completed, "reason is absent iff the run completed"),
        ((facts["outcome"] == "accepted") == completed, "a run completed iff its outcome is accepted"),
        ((facts["outcome"] == "denied") == denied, "a run is denied iff its outcome is"),
        ((policy["decision"] == "deny") == denied, "a run is denied iff the policy denied it"),
        (("reasons" not in policy) == (policy["decision"] == "allow"), "reasons are present iff denied"),
        (is_time(run["started_at"]) and is_time(run["finished_at"]), "a time is not valid"),
        (value["subject"] == subjects, "subjects differ from the commitments"),
    ]


def _other(value: Mapping[str, Any], subject: list[str]) -> Rules:
    predicate = value["predicate"]
    facts = predicate["facts"]
    members = [predicate.get(name, facts.get(name)) for name in subject]
    name = next((member for member in members if isinstance(member, str)), "")
    digest = sha256((canonical(facts) or "").encode()).hex()
    rules: Rules = [
        (is_time(predicate["at"]), "a time is not valid"),
        (value["subject"] == [{"digest": {"sha256": digest}, "name": name}], "the subject differs from the facts"),
    ]
    if value["predicateType"] == "urn:agent-orb:resolution:v1":
        rules += _resolution(predicate)
    if value["predicateType"] == "urn:agent-orb:key:v1":
        rules += _key(predicate)
    return rules


def _resolution(predicate: Mapping[str, Any]) -> Rules:
    facts, fact = predicate["facts"], predicate["score_fact"]
    sent = facts["outcome"] == "sent"
    is_callers = fact["supersedes"] == "caller_fault"
    counts = "caller_fault" if is_callers else "ok" if sent else "orb_fault"
    return [
        (("previous_digest" in predicate) == (predicate["sequence"] != 1), "previous_digest is absent iff sequence is 1"),
        (sent == (facts["status"] == "completed"), "a run was completed iff it was sent"),
        (fact["outcome_class"] == counts, "the outcome class is not that of the facts"),
    ]


def _key(predicate: Mapping[str, Any]) -> Rules:
    facts, named, signer = predicate["facts"], predicate["kid"], predicate["issuer"]["kid"]
    change, role, previous = facts["change"], facts["role"], facts.get("previous_kid")
    raw = decode64url(facts["public_key"]["x"])
    revoked, of_log, of_receipts = change == "revoked", role == "log", role == "receipt"
    checkpoint = facts.get("previous_checkpoint")
    rules: Rules = [
        (raw is not None and len(raw) == 32 and thumbprint(raw) == named, "the key id is not that of the public key"),
        (of_log == ("origin" in facts) and of_log == ("vkey" in facts), "a log key alone names its log"),
        (checkpoint is None or (of_log and change in ("created", "adopted")), "a new log or an adopted one alone carries a checkpoint"),
        (change != "adopted" or (of_log and bool(checkpoint)), "a log alone is adopted, with its last checkpoint"),
        (change != "rotated" or (bool(previous) and previous != named), "a rotation names the key before it"),
        (("from" in facts) == revoked and (not revoked or bool(facts.get("reason"))), "a revocation alone has a position, and a reason"),
        ("stands" not in facts or revoked, "a revocation alone has bounds in other logs"),
        (change != "added" or (of_receipts and signer != named), "a receipt key alone is added, and by one that is known"),
    ]
    if of_receipts:
        rules += [
            (change != "created" or signer == named, "a new receipt key is made known by another key"),
            (change != "rotated" or signer == previous, "a receipt key is rotated by another than the old one"),
            (change != "revoked" or signer != named, "a receipt key is revoked by itself"),
        ]
    return rules
