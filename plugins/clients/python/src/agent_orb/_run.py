"""Runs Orbs, verifies their receipts and follows their runs."""

from __future__ import annotations

import json
import sys
import urllib.parse
import uuid
from dataclasses import dataclass, replace
from typing import Any, Literal, Mapping, TypedDict

from ._error import OrbError
from ._forms import canonical
from ._outcome import SETTLED_AS_DONE, Completed, Held, Outcome, Queued, Sent, Unknown, Unverified, base_of, failure_of, of_problem
from ._persist import persist
from ._schema import OBJECT, Shape, fits
from ._table import LIMITS
from ._trust import Pins
from ._verify import Expected, Refused, Verified, verify_receipt
from ._wire import Heard, Sending, Wire, present

Json = Mapping[str, Any]
# The server keeps an answer for 24 hours: later the same key would be a new call.
ASKABLE_MS = 20 * 3_600_000
WAITING = ("held", "queued", "running")
_OPEN: Shape = {"run_id": "^", "*": "any"}
_DONE: Shape = {"run_id": "^", "outputs": OBJECT, "receipt": OBJECT, "*": "any"}
_RUN: Shape = {"run_id": "^", "status": "^", "*": "any"}
_ORB: Shape = {"manifest": {"inputs_schema": OBJECT, "*": "any"}, "*": "any"}


@dataclass(frozen=True)
class Scope:
    """What calls need; `timeout`: of a call, s."""

    wire: Wire
    pins: Pins
    orbiset: str
    verify: bool
    timeout: float

    def end(self, timeout: float | None = None) -> float:
        """Compute when a call must have ended, in ticks of the clock."""
        return self.wire.clock.ticks() + (self.timeout if timeout is None else timeout) * 1000

    def path(self, orbiset: str | None) -> str:
        """The path of an Orbiset."""
        return f"/orbisets/{quoted(self.orbiset if orbiset is None else orbiset)}"

    async def read(self, path: str, end: float, query: Json | None = None) -> Heard:
        """Read something, with tries."""
        return await persist(self.wire, Sending("GET", path, end, query or {}))


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
    given: dict[str, Any] = {"orb_id": orb, "inputs": inputs, "disclose": scope.verify or None, **options}
    given["timeout_ms"] = given.pop("run_timeout_ms", None)
    key, orbiset, _, manifest = (given.pop(name, None) for name in ("key", "orbiset", "timeout", "manifest"))
    # The inputs that are compared with the receipt are those that were sent.
    body = json.loads(json.dumps(present(given)))
    path = f"{scope.path(orbiset)}/execute"
    return Sent(body, path, key or str(uuid.uuid4()), manifest, scope.wire.clock.now(), prefer)


def fits_run(heard: Heard) -> bool:
    """Say whether an answer to a call is a completed run, or one that waits."""
    return heard.ok and fits(_OPEN if heard.status == 202 else _DONE, heard.json)


async def ask(scope: Scope, sent: Sent, end: float) -> Heard:
    """Send a call, or send it again under its key."""
    headers = {"idempotency-key": sent.key, "prefer": sent.prefer}
    return await persist(scope.wire, Sending("POST", sent.path, end, body=sent.body, headers=headers, expects=fits_run))


async def run(scope: Scope, sent: Sent, end: float) -> Outcome:
    """Run an Orb."""
    return await _conclude(scope, sent, await ask(scope, sent, end), end)


async def enqueue(scope: Scope, sent: Sent, end: float) -> Outcome | Queued:
    """Put a run into the queue."""
    heard = await ask(scope, sent, end)
    if heard.status == 202 and fits_run(heard):
        return Queued(key=sent.key, run_id=heard.json["run_id"], sent=sent)
    return await _conclude(scope, sent, heard, end)


async def _conclude(scope: Scope, sent: Sent, heard: Heard, end: float) -> Outcome:
    if not fits_run(heard):
        return failure_of(heard, base_of(sent))
    answer: dict[str, Any] = heard.json
    base = base_of(sent, answer["run_id"])
    if heard.status == 202:
        return Held(approval=answer.get("approval"), **base) if answer.get("status") == "held" else Unknown(**base)
    outputs, replayed = answer["outputs"], "idempotent-replayed" in heard.headers
    done = Completed(receipt=answer["receipt"], outputs=outputs, replayed=replayed, **base)
    named: dict[str, Any] = {"orb_id": sent.body["orb_id"], "manifest": sent.manifest, "opening": answer.get("opening")}
    return await proved(scope, done, Expected(inputs=sent.body["inputs"], outputs=outputs, **named), end)


async def proved(scope: Scope, done: Completed, expected: Expected, end: float, limits: tuple[str, ...] = ()) -> Outcome:
    """Say how a call ended that the server calls completed: its receipt decides. `limits`: what is unproved anyway."""
    if not scope.verify:
        return done
    receipt_id = str((done.receipt or {}).get("receipt_id"))
    verdict, document = await _prove(scope, receipt_id, replace(expected, run_id=done.run_id, status="completed"), end)
    if isinstance(verdict, Verified):
        return replace(done, verified=replace(verdict, limits=(*verdict.limits, *limits)))
    shared = {name: getattr(done, name) for name in ("key", "run_id", "receipt", "sent")}
    return Unverified(**shared, **vars(verdict), document=document, unverified_outputs=done.outputs)


async def _prove(scope: Scope, receipt_id: str, expected: Expected, end: float) -> tuple[Verified | Refused, str | None]:
    # The action was done: while there is time, the proof of it is asked for.
    patient = replace(scope.wire, tries=scope.wire.tries or sys.maxsize)
    heard = await persist(patient, Sending("GET", f"/receipts/{quoted(receipt_id)}", end))
    if heard.status != 200:
        return Refused("receipt", f"the receipt {receipt_id} could not be read"), None
    keys = await scope.pins.keys(end)
    verdict = verify_receipt(heard.text, keys, expected)
    if isinstance(verdict, Refused) and verdict.check == "disclosure_matches_commitment" and expected.inputs is not None:
        # The receipt commits to the inputs with the defaults of the schema.
        orb = await scope.read(f"/orbs/{quoted(expected.orb_id or '')}", end)
        schema = orb.json["manifest"]["inputs_schema"] if orb.ok and fits(_ORB, orb.json) else {}
        verdict = verify_receipt(heard.text, keys, replace(expected, inputs=with_defaults(expected.inputs, schema)))
    return verdict, heard.text


def with_defaults(value: Any, schema: Any) -> Any:
    """Fill in the defaults of a schema."""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(value, dict) or not isinstance(properties, dict):
        return value
    defaults = {name: member["default"] for name, member in properties.items() if fits({"default": "any", "*": "any"}, member)}
    return {name: with_defaults(one, properties.get(name)) for name, one in {**defaults, **value}.items()}


async def settle(scope: Scope, run_id: str | None, sent: Sent | None, end: float) -> Outcome:
    """Wait for the end of what is open: follow its run, or ask again under its key."""
    if run_id is not None:
        return await follow_run(scope, run_id, sent, end)
    if sent is None or scope.wire.clock.now() - sent.at > ASKABLE_MS:
        return Unknown(**base_of(sent))
    return await run(scope, sent, end)


async def follow_run(scope: Scope, run_id: str, sent: Sent | None, end: float) -> Outcome:
    """Wait until a run ends."""
    clock, status = scope.wire.clock, ""
    while (left := end - clock.ticks()) > 0:
        # Two thirds of the time that is left: the answer must come before the end.
        seconds = min(LIMITS["longest_wait_s"], int(left // 1500))
        heard = await scope.read(f"/runs/{quoted(run_id)}", end, {"wait": seconds})
        if heard.status != 200 or not fits(_RUN, heard.json):
            break
        status = heard.json["status"]
        if status not in WAITING:
            return await _ended(scope, heard.json, sent, end)
        await clock.sleep(min(LIMITS["first_ms"], max(0, end - clock.ticks())))
    return (Held if status == "held" else Unknown)(**base_of(sent, run_id))


async def _ended(scope: Scope, state: Json, sent: Sent | None, end: float) -> Outcome:
    receipt = {"receipt_id": state["receipt_id"]} if "receipt_id" in state else None
    base = base_of(sent, state["run_id"])
    if state["status"] != "completed":
        problem = _problem_in(state)
        return of_problem({"receipt": receipt, **problem}, problem.get("status", 0), base)
    if "resolution" in state:
        return Unverified(receipt=receipt, **SETTLED_AS_DONE, **base)
    # Only a completed run keeps its key: for others the same call would be a new one.
    if sent is not None and scope.wire.clock.now() - sent.at < ASKABLE_MS:
        outcome = await run(scope, replace(sent, prefer=None), end)
        return outcome if outcome.run_id == state["run_id"] else Unknown(**base)
    detail = "the call that began it is needed to compare its inputs and outputs"
    return Unverified(check="opening", detail=detail, receipt=receipt, **base)


def _problem_in(state: Json) -> Json:
    """The problem of a run that was answered, or as much of it as the run still says."""
    reason, status = state.get("reason"), state["status"]
    failure = (state.get("failure") or {}).get("code")
    code = "outcome_unknown" if status == "indeterminate" else failure or reason or status
    reasons = [] if reason is None else [{"code": reason}]
    problem = state.get("problem") or {}
    return {"code": code, "reasons": reasons, **problem, "run_id": state["run_id"], "run_status": status}
