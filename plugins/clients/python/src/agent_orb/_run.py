"""Runs Orbs, verifies their receipts and follows their runs."""

from __future__ import annotations

import json
import urllib.parse
import uuid
from dataclasses import dataclass, replace
from typing import Any, Literal, Mapping, TypedDict

from ._error import OrbError
from ._forms import canonical
from ._outcome import SETTLED_AS_DONE, Completed, Held, Outcome, Queued, Sent, Unknown, Unverified, failure_of, of_problem
from ._persist import Call, Settled, persist
from ._table import LIMITS
from ._trust import Pins
from ._verify import Expected, Refused, Verified, examine
from ._wire import Answered, Sending, Wire

Json = Mapping[str, Any]
# The server keeps an answer for 24 hours: later the same key would be a new call.
ASKABLE_MS = 20 * 3_600_000
WAITING = ("held", "queued", "running")


@dataclass(frozen=True)
class Scope:
    """What calls need; `timeout`: of a call, s."""

    wire: Wire
    pins: Pins
    orbiset: str
    verify: bool
    timeout: float
    tries: int | None

    def end(self, timeout: float | None) -> float:
        """Compute when a call must have ended."""
        return self.wire.clock.now() + (self.timeout if timeout is None else timeout) * 1000

    def path(self, orbiset: str | None) -> str:
        """The path of an Orbiset."""
        return f"/orbisets/{quoted(self.orbiset if orbiset is None else orbiset)}"

    async def read(self, path: str, end: float, query: Json | None = None) -> Settled:
        """Read something, with tries."""
        return await persist(self.wire, Call(Sending("GET", path, end, query or {}), True, self.tries))


def quoted(text: str) -> str:
    """Write a text as a part of a path."""
    return urllib.parse.quote(text, safe="")


class RunOptions(TypedDict, total=False):
    """Options of a call. `key`: the Idempotency-Key, a fresh one unless given; `timeout`: of all tries, s."""

    key: str
    orbiset: str
    timeout: float
    delivery: Literal["at_most_once", "at_least_once"]
    hold: Literal["wait", "refuse"]
    sandbox: bool
    run_timeout_ms: int
    manifest: str


class QueueOptions(RunOptions, total=False):
    """Options of a call that is put into the queue."""

    run_at: str
    expires_in_s: int


def sent_of(scope: Scope, orb: str, inputs: Json, options: RunOptions | QueueOptions, prefer: str | None = None) -> Sent:
    """Make a call."""
    if not isinstance(inputs, Mapping) or canonical(dict(inputs)) is None:
        raise OrbError("inputs", "the inputs must be an object of JSON")
    given: dict[str, Any] = {"orb_id": orb, "inputs": inputs, **options}
    given |= {"timeout_ms": given.pop("run_timeout_ms", None), "disclose": True if scope.verify else None}
    apart = ("key", "orbiset", "timeout", "manifest")
    # The inputs that are compared with the receipt are those that were sent.
    body = json.loads(json.dumps({name: value for name, value in given.items() if value is not None and name not in apart}))
    path = f"{scope.path(options.get('orbiset'))}/execute"
    key = options.get("key") or str(uuid.uuid4())
    return Sent(orb, body, path, key, options.get("manifest"), scope.wire.clock.now(), prefer)


def fits_run(heard: Answered) -> bool:
    """Say whether an answer to a call is a completed run, or one that waits."""
    answer = heard.json
    if not isinstance(answer, dict) or not isinstance(answer.get("run_id"), str):
        return False
    return heard.status == 202 or all(isinstance(answer.get(name), dict) for name in ("outputs", "receipt"))


async def ask(scope: Scope, sent: Sent, end: float) -> Settled:
    """Send a call, or send it again under its key."""
    headers = {"idempotency-key": sent.key, **({} if sent.prefer is None else {"prefer": sent.prefer})}
    sending = Sending("POST", sent.path, end, body=sent.body, headers=headers)
    return await persist(scope.wire, Call(sending, True, scope.tries, fits_run))


async def run(scope: Scope, sent: Sent, end: float) -> Outcome:
    """Run an Orb."""
    return await _conclude(scope, sent, await ask(scope, sent, end), end)


async def enqueue(scope: Scope, sent: Sent, end: float) -> Outcome | Queued:
    """Put a run into the queue."""
    settled = await ask(scope, sent, end)
    heard = settled.heard
    if isinstance(heard, Answered) and heard.status == 202 and fits_run(heard):
        return Queued(key=sent.key, run_id=heard.json["run_id"], sent=sent)
    return await _conclude(scope, sent, settled, end)


async def _conclude(scope: Scope, sent: Sent, settled: Settled, end: float) -> Outcome:
    heard = settled.heard
    if not isinstance(heard, Answered) or heard.status >= 300 or not fits_run(heard):
        return failure_of(settled, sent, sent.key)
    answer: dict[str, Any] = heard.json
    base: dict[str, Any] = {"key": sent.key, "run_id": answer["run_id"], "sent": sent}
    if heard.status == 202:
        return Held(approval=answer.get("approval"), **base) if answer.get("status") == "held" else Unknown(**base)
    outputs, replayed = answer["outputs"], "idempotent-replayed" in heard.headers
    done = Completed(receipt=answer["receipt"], outputs=outputs, replayed=replayed, **base)
    named: dict[str, Any] = {"orb_id": sent.orb, "manifest": sent.manifest, "opening": answer.get("opening")}
    return await proved(scope, done, Expected(inputs=sent.body["inputs"], outputs=outputs, **named), end)


async def proved(scope: Scope, done: Completed, expected: Expected, end: float, limits: tuple[str, ...] = ()) -> Outcome:
    """Say how a call ended that the server calls completed: its receipt decides. `limits`: what is unproved anyway."""
    if not scope.verify:
        return done
    receipt_id = str((done.receipt or {}).get("receipt_id"))
    verdict, document = await _prove(scope, receipt_id, replace(expected, run_id=done.run_id, status="completed"), end)
    if isinstance(verdict, Verified):
        return replace(done, verified=replace(verdict, limits=(*verdict.limits, *limits)))
    told: dict[str, Any] = {"check": verdict.check, "detail": verdict.detail, "document": document, "unverified_outputs": done.outputs}
    return Unverified(key=done.key, run_id=done.run_id, receipt=done.receipt, sent=done.sent, **told)


async def _prove(scope: Scope, receipt_id: str, expected: Expected, end: float) -> tuple[Verified | Refused, str | None]:
    heard = (await scope.read(f"/receipts/{quoted(receipt_id)}", end)).heard
    if not isinstance(heard, Answered) or heard.status != 200:
        return Refused("receipt", f"the receipt {receipt_id} could not be read"), None
    keys = await scope.pins.keys()
    verdict = examine(heard.text, keys, expected).verdict
    if isinstance(verdict, Refused) and verdict.check == "disclosure_matches_commitment":
        # The receipt commits to the inputs with the defaults of the schema.
        schema = await _schema_of(scope, expected.orb_id or "", end)
        if schema is not None and expected.inputs is not None:
            filled = with_defaults(dict(expected.inputs), schema)
            verdict = examine(heard.text, keys, replace(expected, inputs=filled)).verdict
    return verdict, heard.text


async def _schema_of(scope: Scope, orb: str, end: float) -> Json | None:
    heard = (await scope.read(f"/orbs/{quoted(orb)}", end)).heard
    found = heard.json if isinstance(heard, Answered) else None
    manifest = found.get("manifest") if isinstance(found, dict) else None
    schema = manifest.get("inputs_schema") if isinstance(manifest, dict) else None
    return schema if isinstance(schema, dict) else None


def with_defaults(value: Any, schema: Any) -> Any:
    """Fill in the defaults of a schema."""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(value, dict) or not isinstance(properties, dict):
        return value
    filled = dict(value)
    for name, member in properties.items():
        if name not in filled and isinstance(member, dict) and "default" in member:
            filled[name] = member["default"]
        if name in filled:
            filled[name] = with_defaults(filled[name], member)
    return filled


async def settle(scope: Scope, run_id: str | None, sent: Sent | None, end: float) -> Outcome:
    """Wait for the end of what is open: follow its run, or ask again under its key."""
    if run_id is not None:
        return await follow_run(scope, run_id, sent, end)
    if sent is None or scope.wire.clock.now() - sent.at > ASKABLE_MS:
        return Unknown(key="" if sent is None else sent.key, sent=sent)
    return await run(scope, sent, end)


async def follow_run(scope: Scope, run_id: str, sent: Sent | None, end: float) -> Outcome:
    """Wait until a run ends."""
    clock, status = scope.wire.clock, ""
    key = "" if sent is None else sent.key
    while clock.now() < end:
        # Two thirds of the time that is left: the answer must come before the end.
        seconds = min(LIMITS["longest_wait_s"], int((end - clock.now()) // 1500))
        heard = (await scope.read(f"/runs/{quoted(run_id)}", end, {"wait": seconds})).heard
        state = heard.json if isinstance(heard, Answered) and heard.status == 200 else None
        if not isinstance(state, dict):
            break
        status = str(state.get("status"))
        if status not in WAITING:
            return await _ended(scope, state, sent, end)
        await clock.sleep(LIMITS["first_ms"])
    if status == "held":
        return Held(key=key, run_id=run_id, sent=sent)
    return Unknown(key=key, run_id=run_id, sent=sent)


async def _ended(scope: Scope, state: Json, sent: Sent | None, end: float) -> Outcome:
    run_id, problem = state["run_id"], state.get("problem") or {}
    receipt = {"receipt_id": state["receipt_id"]} if "receipt_id" in state else None
    base: dict[str, Any] = {"key": "" if sent is None else sent.key, "run_id": run_id, "sent": sent}
    if state["status"] != "completed":
        told = {"receipt": receipt, **_problem_in(state)}
        return of_problem(told, problem.get("status", 0), sent, base["key"], doubt=False)
    if "resolution" in state:
        return Unverified(receipt=receipt, **SETTLED_AS_DONE, **base)
    # Only a completed run keeps its key: for others the same call would be a new one.
    if sent is not None and scope.wire.clock.now() - sent.at < ASKABLE_MS:
        outcome = await run(scope, replace(sent, prefer=None), end)
        return outcome if outcome.run_id == run_id else Unknown(**base)
    detail = "the call that began it is needed to compare its inputs and outputs"
    return Unverified(check="opening", detail=detail, receipt=receipt, **base)


def _problem_in(state: Json) -> Json:
    """The problem of a run that was answered, or as much of it as the run still says."""
    reason, status = state.get("reason"), state["status"]
    failure = (state.get("failure") or {}).get("code")
    code = "outcome_unknown" if status == "indeterminate" else failure or reason or status
    reasons = [] if reason is None else [{"code": reason}]
    told = {"code": code, "reasons": reasons, **(state.get("problem") or {})}
    return {**told, "run_id": state["run_id"], "run_status": status}
