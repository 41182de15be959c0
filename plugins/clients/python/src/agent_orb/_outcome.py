"""How a call ended, as values."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Literal, Mapping, NoReturn, Sequence, Union

from ._error import OrbError
from ._table import row_of, unlisted
from ._verify import Verified
from ._wire import Heard, present

Json = Mapping[str, Any]


@dataclass(frozen=True)
class Sent:
    """A call as it was sent first: the same body and the same key for all tries."""

    body: Json
    path: str
    key: str
    manifest: str | None
    at: float
    prefer: str | None = None


@dataclass(frozen=True, kw_only=True)
class _Ended:
    key: str
    """The Idempotency-Key of the call: the same call under this key is done once."""
    run_id: str | None = None
    receipt: Json | None = None
    """The summary of the receipt, which proves nothing."""
    sent: Sent | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, kw_only=True)
class _Open(_Ended):
    def or_raise(self) -> NoReturn:
        """Raise an `OrbError` with this outcome."""
        kind: str = getattr(self, "kind")
        code: str | None = getattr(self, "code", None)
        raise OrbError(kind, f"the call ended {kind}{f': {code}' if code else ''}", self)  # type: ignore[arg-type]


@dataclass(frozen=True, kw_only=True)
class Completed(_Ended):
    """The action was done once, and its receipt was verified."""

    outputs: dict[str, Any]
    verified: Verified | None = None
    """None with `verify=False` alone."""
    replayed: bool = False
    """It is the stored answer of an earlier request with this key."""
    kind: Literal["completed"] = "completed"

    def or_raise(self) -> Completed:
        """Return this outcome; every other one raises an `OrbError`."""
        return self


@dataclass(frozen=True, kw_only=True)
class Denied(_Open):
    """A policy or a person denied it; nothing was done."""

    code: str
    reasons: Sequence[Json] = ()
    detail: str | None = None
    kind: Literal["denied"] = "denied"


@dataclass(frozen=True, kw_only=True)
class Held(_Open):
    """People are asked to approve it; `settle` of the client waits for their decision."""

    approval: Json | None = None
    kind: Literal["held"] = "held"


@dataclass(frozen=True, kw_only=True)
class Rejected(_Open):
    """The request is wrong and will be refused again; nothing was done."""

    code: str
    reason: str | None = None
    """Why a provider refused it, `recipient_gone`; or why the server did."""
    detail: str | None = None
    errors: Sequence[Json] | None = None
    kind: Literal["rejected"] = "rejected"


@dataclass(frozen=True, kw_only=True)
class Failed(_Open):
    """It failed. `acted`: the action was done all the same; otherwise nothing was, or a repetition does no harm."""

    code: str
    retryable: bool = False
    acted: bool = False
    detail: str | None = None
    kind: Literal["failed"] = "failed"


@dataclass(frozen=True, kw_only=True)
class Unknown(_Open):
    """It is unknown whether it was done. Never call again with another key; `settle` asks again with the same one."""

    code: str | None = None
    kind: Literal["unknown"] = "unknown"


@dataclass(frozen=True, kw_only=True)
class Unreachable(_Open):
    """No request reached the server, so nothing was done."""

    kind: Literal["unreachable"] = "unreachable"


@dataclass(frozen=True, kw_only=True)
class Unverified(_Open):
    """The server says that it was done, but the receipt does not prove it."""

    check: str
    """The check that failed."""
    detail: str
    document: str | None = field(default=None, repr=False)
    """The receipt as it was read."""
    unverified_outputs: dict[str, Any] | None = field(default=None, repr=False)
    kind: Literal["unverified"] = "unverified"


@dataclass(frozen=True, kw_only=True)
class Queued:
    """A run in the queue; `settle` of the client waits until it ends."""

    key: str
    run_id: str
    sent: Sent = field(repr=False, compare=False)
    kind: Literal["queued"] = "queued"


Outcome = Union[Completed, Denied, Held, Rejected, Failed, Unknown, Unreachable, Unverified]


KINDS: Mapping[str, Any] = {one.kind: one for one in (Denied, Failed, Rejected, Unknown, Unverified)}
SETTLED_AS_DONE: Any = {"check": "outputs", "detail": "it was settled as done; its outputs are unknown"}


def base_of(sent: Sent | None, run_id: str | None = None) -> dict[str, Any]:
    """Answer the members that the outcomes of a call share."""
    return {"key": "" if sent is None else sent.key, "run_id": run_id, "sent": sent}


def failure_of(heard: Heard, base: Json) -> Outcome:
    """Say how a call ended that got no 2xx; `base`: the members that are known."""
    if heard.status == 0:
        return Unreachable(**base) if heard.code == "unreachable" else Unknown(**base)
    if heard.problem is not None:
        return of_problem(heard.problem, heard.status, base, heard.doubt)
    # A page of a proxy. Behind 4xx it proves that this request did nothing, but nothing of one before it.
    unsure = heard.doubt or unlisted(heard.status) == "unknown"
    return (Unknown if unsure else Rejected)(code=heard.code, **base)


def of_problem(problem: Json, status: int, base: Json, doubt: bool = False) -> Outcome:
    """Say what a problem means; `doubt`: an earlier try may have done it."""
    row = row_of(problem["code"], status, problem.get("run_status"))
    # Only an answer of the run itself says something of earlier tries.
    kind = "unknown" if doubt and problem.get("run_id") is None else row["kind"]
    told = {"reason": problem.get("provider_reason"), "retryable": problem.get("retryable") is True, "acted": row.get("acted")}
    members = {**problem, **told, **present(base), **(SETTLED_AS_DONE if kind == "unverified" else {})}
    known = {one.name for one in fields(KINDS[kind])} - {"kind"}
    outcome: Outcome = KINDS[kind](**{name: value for name, value in present(members).items() if name in known})
    return outcome
