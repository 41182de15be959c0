"""Reads the statement of a receipt from the bytes that were signed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Mapping

from ._forms import canonical, decode64url, parse, sha256, thumbprint
from ._schema import fits, is_time
from ._table import packaged

LIMIT = 16_384
PAYLOAD_TYPE = "application/vnd.in-toto+json"
NON_CLAIMS = ["inputs_true", "provider_honest", "act_wise", "clock_exact"]
# The kinds of statements by their name: `shape`, `subject`, `rules`; the name of any other is empty.
KINDS = packaged("statements.json")


@dataclass(frozen=True)
class Statement:
    """A statement. `unknown`: it is of a kind whose head alone was checked."""

    value: Mapping[str, Any]
    predicate: Mapping[str, Any]
    """What is attested."""
    kind: str
    unknown: str | None = None

    @property
    def is_run(self) -> bool:
        """Whether it is of a run."""
        return self.kind == "run"


def read_statement(payload: bytes) -> Statement | str:
    """Read a statement, or say what is wrong with it."""
    if len(payload) > LIMIT:
        return f"the payload has more than {LIMIT} bytes"
    value = parse(payload)
    text = canonical(value)
    if text is None or text.encode() != payload:
        return "the payload is not JSON in canonical form (RFC 8785)"
    named = value.get("predicateType") if isinstance(value, dict) else None
    found = re.fullmatch(r"urn:agent-orb:([a-z]+):v1", str(named), re.ASCII)
    kind = "run" if found is None else found[1] if found[1] in KINDS else ""
    if not fits(KINDS[kind]["shape"], value):
        return "the payload breaks its schema"
    unknown = None if kind else "this verifier does not know receipts of this kind, so its content was not checked"
    statement = Statement(value, value["predicate"], kind, unknown)
    return statement if unknown or _agrees(statement) else "members of the payload contradict each other"


def _agrees(statement: Statement) -> bool:
    kind, predicate = KINDS[statement.kind], statement.predicate
    facts, issuer = predicate["facts"], predicate["issuer"]
    return (
        predicate["log"]["origin"].startswith(f"{issuer['installation']}.")
        and predicate["non_claims"] == NON_CLAIMS
        and all(is_time(predicate[name]) for name in ("started_at", "finished_at", "at") if name in predicate)
        and all(any(_holds(one, predicate) for one in rule.split(" | ")) for rule in kind["rules"])
        and (statement.kind != "key" or thumbprint(decode64url(facts["public_key"]["x"]) or b"") == predicate["kid"])
        and statement.value["subject"] == _subject(statement, kind["subject"])
    )


def _holds(condition: str, predicate: Any) -> bool:
    path, text, *_ = [*re.split("!?=", condition), None]
    found = _at(str(path).lstrip("!"), predicate)
    if text is None:
        return (found is None) == condition.startswith("!")
    should = _at(text[1:], predicate) if text.startswith("@") else text
    return (str(found) == str(should)) != ("!=" in condition)


def _at(path: str, value: Any) -> Any:
    for name in path.split("."):
        value = None if value is None else value.get(name)
    return value


def _subject(statement: Statement, names: list[str]) -> list[Any]:
    predicate = statement.predicate
    facts = predicate["facts"]
    if statement.is_run:
        named = {f"{predicate['run_id']}/{name}": facts[name]["commitment"] for name in ("inputs", "outputs") if name in facts}
    else:
        members = [predicate.get(name, facts.get(name)) for name in names]
        name = next((member for member in members if isinstance(member, str)), "")
        named = {name: sha256((canonical(facts) or "").encode()).hex()}
    return [{"digest": {"sha256": digest.removeprefix("sha256:")}, "name": name} for name, digest in named.items()]
