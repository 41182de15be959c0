#!/usr/bin/env python3
"""Recomputes a ledger from its export, with the standard library alone.

Usage: outsider.py FOLDER KEYS. KEYS is a pinned copy of /.well-known/jwks.json. Rebuilds leaf hashes and roots, verifies
the signature of each checkpoint, compares each fact with its payload, folds the facts and recomputes every snapshot.
Exit 0 when all agree on every bit, 1 with the first difference.
"""
import base64
import hashlib
import json
import math
import os
import sys
from datetime import datetime, timezone

COMPONENTS = ["reliability", "contract", "latency", "integrity", "incidents", "maturity", "freshness"]
TIERS = ["none", "bronze", "silver", "gold", "platinum"]


class Difference(Exception):
    pass


def require(fine, what):
    if not fine:
        raise Difference(what)


# --- Canonical JSON of what the ledger hashes: ASCII keys, integers, text.
def jcs(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def sha256(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


# --- RFC 6962.
def leaf_hash(leaf):
    return hashlib.sha256(b"\0" + leaf).digest()


def root_of(hashes):
    if not hashes:
        return hashlib.sha256(b"").digest()
    # Subtrees of falling size, joined from the right: the same tree without recursion over slices.
    stack = []
    for at, value in enumerate(hashes):
        stack.append(value)
        size = at + 1
        while size % 2 == 0:
            right, left = stack.pop(), stack.pop()
            stack.append(hashlib.sha256(b"\1" + left + right).digest())
            size //= 2
    while len(stack) > 1:
        right, left = stack.pop(), stack.pop()
        stack.append(hashlib.sha256(b"\1" + left + right).digest())
    return stack[0]


# --- Ed25519 (RFC 8032 5.1.7), on points in extended coordinates.
P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


def add_points(one, other):
    a, b = (one[1] - one[0]) * (other[1] - other[0]) % P, (one[1] + one[0]) * (other[1] + other[0]) % P
    c, d = 2 * one[3] * other[3] * D % P, 2 * one[2] * other[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def times(factor, point):
    total = (0, 1, 1, 0)
    while factor > 0:
        if factor & 1:
            total = add_points(total, point)
        point, factor = add_points(point, point), factor >> 1
    return total


def point_of(data):
    number = int.from_bytes(data, "little")
    sign, y = number >> 255, number & ((1 << 255) - 1)
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P != 0:
        x = x * pow(2, (P - 1) // 4, P) % P
    require(y < P and (x * x - square) % P == 0 and (x != 0 or sign == 0), "a key or signature is no point")
    x = P - x if x & 1 != sign else x
    return (x, y, 1, x * y % P)


def is_signed(key, message, signature):
    s = int.from_bytes(signature[32:], "little")
    if len(key) != 32 or len(signature) != 64 or s >= ORDER:
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % ORDER
    base = point_of((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))
    left, right = times(s, base), add_points(point_of(signature[:32]), times(h, point_of(key)))
    return all((left[at] * right[2] - right[at] * left[2]) % P == 0 for at in (0, 1))


# --- C2SP signed notes: text, a blank line, signature lines.
def check_signed(note, origin, keys):
    text, _, lines_of = note.rpartition("\n\n")
    message = (text + "\n").encode()
    pinned = [base64.urlsafe_b64decode(key["x"] + "=") for key in keys if key.get("origin") == origin]
    require(pinned, f"no key of {origin} is pinned")
    signed = False
    for line in lines_of.splitlines():
        dash, name, encoded = line.split(" ")
        require(dash == "\u2014", "a line of the checkpoint is no signature")
        data = base64.b64decode(encoded, validate=True)
        for key in pinned:
            key_id = hashlib.sha256(origin.encode() + b"\n\x01" + key).digest()[:4]
            if name == origin and data[:4] == key_id:
                require(is_signed(key, message, data[4:]), f"the checkpoint of {origin} is forged")
                signed = True
    require(signed, f"the checkpoint of {origin} is not signed by its pinned key")


# --- Days and minutes of UTC.
def instant(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def seconds(text):
    return (instant(text) - datetime(1970, 1, 1, tzinfo=timezone.utc)).total_seconds()


def day_of(text):
    return math.floor(seconds(text) / 86400) if "T" in text else day_of(text + "T00:00:00Z")


def minute_of(text):
    return math.floor(seconds(text) / 60)


# --- A fact as its payload yields it.
def fact_of(origin, index, leaf, payload):
    statement = json.loads(payload)
    kind = statement["predicateType"].split(":")[2]
    p = statement["predicate"]
    f = p["facts"]
    fact = {"origin": origin, "index": index, "leaf_hash": base64.b64encode(leaf_hash(leaf)).decode(), "kind": kind}
    fact.update(receipt_id=p["receipt_id"], signed_by=p["issuer"]["kid"])

    def pick(source, *names):
        fact.update({name: source[name] for name in names if name in source})

    scored = ("outcome_class", "supersedes", "is_self", "caller_ref", "latency_ok")
    if kind == "run":
        pick(p, "orb_id", "mode", "finished_at", "execution_ms")
        pick(p["score_fact"], *scored)
        attempts = f["attempts"]
        provider = attempts[-1]["provider"] if attempts else f.get("provider", {}).get("name")
        if provider is not None:
            fact["provider"] = provider
        fact.update(
            manifest_signed=f["orb"]["manifest_signed"],
            outcome=f["outcome"],
            caller_deadline=f["action"].get("caller_deadline") is True,
            codes=[reason["code"] for reason in f["policy"].get("reasons", [])],
            bound="provider" in f,
        )
        if "latency" in f:
            fact["objective_ms"] = f["latency"]["objective_ms"]
    elif kind == "resolution":
        pick(p, "orb_id", "mode")
        pick(p["score_fact"], *scored)
        fact.update(outcome=f["outcome"], resolves=f["resolves"]["receipt_id"], finished_at=f["resolves"]["finished_at"])
    elif kind == "swap":
        pick(p, "at", "orb_id")
        pick(f, "from", "to", "state")
    elif kind == "incident":
        pick(p, "at", "incident_id")
        pick(f, "change", "change_number", "state", "severity", "scope", "starts_at", "ends_at", "reason", "principal")
        names = ("delivery_id", "source_id", "auth_strength")
        fact["deliveries"] = [{name: one[name] for name in names if name in one} for one in f["deliveries"]]
    elif kind == "standing" and f["change"] == "snapshot":
        pick(p, "at")
        pick(f, "change", "day", "logs", "profile", "scoring_policy", "digest")
    elif kind == "standing":
        pick(p, "at", "orb_id")
        pick(f, "change", "reason", "manifest_digest", "manifest_signed")
    elif kind == "namespace":
        pick(p, "at", "namespace")
        pick(f, "change", "owner", "manifest_key", "reason")
    elif kind == "key":
        pick(p, "at", "kid")
        pick(f, "role", "change", "from")
    else:
        pick(p, "at")
    return fact


# --- The arithmetic of orb-score/1, numbers from the scoring document.
class Model:
    def __init__(self, document):
        self.document = document
        self.digest = sha256(jcs(document).encode())
        self.days = document["window_days"]
        self.unit = document["decay"]["unit"]
        self.decay = document["decay"]["runs"]
        self.incident_decay = document["decay"]["incidents"]
        self.z = float(document["wilson"]["z"])
        self.weights = [component["weight"] for component in document["components"]]
        self.total = [0]
        for k in range(1, 20001):
            self.total.append(self.total[-1] + (1000 if k <= 20 else 20000 // k))

    def weight(self, n):
        return self.total[min(n, 20000)]

    def wilson(self, x, n):
        if n <= 0:
            return 0.0
        z2 = self.z * self.z
        p = x / n
        spread = self.z * math.sqrt((p * (1 - p)) / n + z2 / (4 * n * n))
        return max(0.0, (p + z2 / (2 * n) - spread) / (1 + z2 / n))


def clamp(value):
    return min(1.0, max(0.0, value))


def rounded(value, scale):
    return math.floor(value * scale + 0.5)


def totals(model, rows, day):
    a = g = b = f = z = counted = 0
    callers, good_days = {}, set()
    for (row_day, caller), (ok, fault, broken, fast, slow) in rows.items():
        age, n = day - row_day, ok + fault
        if age < 0 or age >= model.days or n <= 0:
            continue
        d, w = model.decay[age], model.weight(n)
        a += d * w
        g += d * (w * ok // n)
        b += d * (w * broken // n)
        f += d * (w * fast // n)
        z += d * (w * slow // n)
        callers[caller] = callers.get(caller, 0) + d * w
        counted += n
        if ok > 0:
            good_days.add(row_day)
    scale = float(model.unit * 1000)
    squares = sum(value * value for value in callers.values())
    return {
        "a": float(a) / scale,
        "g": float(g) / scale,
        "gb": float(g + b) / scale,
        "f": float(f) / scale,
        "fz": float(f + z) / scale,
        "nc": 0.0 if squares == 0 else float(a * a) / float(squares),
        "callers": len(callers),
        "active": len(good_days),
        "last": max(good_days) if good_days else None,
    }


def evaluate(model, profile, day, own, parent, debt, integrity):
    numbers = model.document["profiles"][profile]
    kappa = numbers["kappa"]
    k = min(1.0, own["nc"] / kappa)
    inherited = 0.0
    if parent is not None:
        lineage = model.document["lineage"]
        inherited = min(float(lineage["cap"]), min(1.0, parent["nc"] / kappa) * parent["a"] / lineage["divisor"])

    def bound(good, all_):
        if parent is None or parent[all_] <= 0:
            return model.wilson(k * own[good], k * own[all_])
        return model.wilson(k * own[good] + (inherited * parent[good]) / parent[all_], k * own[all_] + inherited)

    r, c, l = bound("g", "a"), bound("g", "gb"), bound("f", "fz")
    maturity = (
        0.5 * min(1.0, (k * own["g"]) / 500) + 0.3 * min(1.0, own["nc"] / 8) + 0.2 * min(1.0, own["active"] / 60)
    )
    age = None if own["last"] is None else day - own["last"]
    fresh = 0.0 if age is None else 1.0 if age <= 7 else clamp((60 - age) / 53)
    values = [
        clamp((r - 0.9) / 0.1),
        clamp((c - 0.9) / 0.1),
        clamp((l - 0.8) / 0.15),
        0.0 if integrity else 1.0,
        clamp(1 - debt / 100000),
        maturity,
        fresh,
    ]
    raw = 0.0
    for weight, value in zip(model.weights, values):
        raw += weight * value
    score, limited = raw, None
    for ceiling in model.document["ceilings"]:
        most = ceiling["base"] + ceiling["slope"] * values[COMPONENTS.index(ceiling["name"])]
        if most < score:
            score, limited = most, ceiling["name"]
    n_eff = rounded(k * own["a"], 1000)
    scored = own["a"] > 0 or parent is not None
    firm = own["callers"] >= model.document["provisional_callers_below"] and n_eff >= numbers["provisional_n_eff_milli"]
    row = {
        "status": ("scored" if firm else "provisional") if scored else "unscored",
        "n_eff_milli": n_eff,
        "nc_milli": rounded(own["nc"], 1000),
        "r_micro": rounded(r, 1000000),
        "debt_milli": debt,
        "active_days": own["active"],
        "callers": own["callers"],
        "points_milli": [rounded(weight * value, 1000) for weight, value in zip(model.weights, values)],
    }
    if scored:
        row["score_milli"] = rounded(score, 1000)
        if limited is not None:
            row["limited_by"] = limited
    return row


# --- Incidents.
def is_open(incident, day):
    if incident["retracted"] or day_of(incident["starts_at"]) > day:
        return False
    if incident["state"] != "resolved" or incident.get("ends_at") is None:
        return True
    return day_of(incident["ends_at"]) > day


def names(incident, orb_id):
    return any(one["kind"] == "orb" and one["id"] == orb_id for one in incident["scope"])


def burdens_of(model, ledger, orb_id, parent, incident, day):
    numbers = model.document["incidents"]
    if incident["retracted"] or day_of(incident["starts_at"]) > day:
        return []
    open_ = is_open(incident, day)
    if open_ or incident.get("ends_at") is None:
        decay, to = model.unit, day * 1440 + 1439
    else:
        age = day - day_of(incident["ends_at"])
        decay = model.incident_decay[age] if age < len(model.incident_decay) else 0
        to = minute_of(incident["ends_at"])
    orb = names(incident, orb_id) or (open_ and parent is not None and names(incident, parent))
    providers = list(dict.fromkeys(one["id"] for one in incident["scope"] if one["kind"] == "provider"))
    if decay == 0 or not (orb or providers):
        return []
    start = max((day - model.days + 1) * 1440, minute_of(incident["starts_at"]))
    per_provider, faults = {}, 0
    for (minute, provider), (n, fault) in ledger.minutes.get(orb_id, {}).items():
        if start <= minute <= to:
            per_provider[provider] = per_provider.get(provider, 0) + n
            faults += fault
    all_ = sum(per_provider.values())
    strengths = [one["auth_strength"] for one in incident["deliveries"].values()]
    eligible = {
        one["source_id"] for one in incident["deliveries"].values() if one["auth_strength"] in ("strong", "shared_secret")
    }
    if incident["own"] or "strong" in strengths:
        authority = numbers["authority"]["strong"]
    elif "shared_secret" in strengths:
        authority = numbers["authority"]["shared_secret"]
    else:
        authority = numbers["authority"]["other"]
    twice = 2 if faults > 0 or len(eligible) + (1 if incident["own"] else 0) >= 2 else 1

    def one(subject, n, d):
        debt = (1000 * numbers["severity"][incident["severity"]] * twice * authority * n * decay) // (
            numbers["divisor"] * d * model.unit
        )
        critical = open_ and incident["severity"] == "critical" and authority > 0 and n > 0
        return {
            "id": incident["incident_id"],
            "subject": subject,
            "from": start,
            "to": to,
            "critical": critical,
            "half": critical and n * 2 >= d,
            "debt": debt,
        }

    if orb:
        return [one("orb", 1, 1)]
    return [one("provider:" + name, per_provider.get(name, 0), all_) if all_ else one(name, 0, 1) for name in providers]


def debt_of(burdens):
    order = sorted((b for b in burdens if b["debt"] > 0), key=lambda b: (-b["debt"], b["from"], b["id"]))
    taken = []
    for burden in order:
        if not any(
            one["subject"] == burden["subject"] and one["from"] <= burden["to"] and burden["from"] <= one["to"]
            for one in taken
        ):
            taken.append(burden)
    return sum(burden["debt"] for burden in taken)


# --- Versions (semver §11).
def version_key(orb_id):
    version = orb_id.split("@")[1].split("+")[0]
    core, _, pre = version.partition("-")
    parts = [(0, int(one), "") if one.isdigit() else (1, 0, one) for one in pre.split(".")] if pre else []
    return ([int(one) for one in core.split(".")], not pre, parts)


# --- The fold.
class Ledger:
    def __init__(self, model):
        self.model = model
        self.rows, self.minutes, self.orbs = {}, {}, {}
        self.incidents, self.namespaces, self.refused = {}, {}, set()

    def orb(self, orb_id):
        if orb_id not in self.orbs:
            self.orbs[orb_id] = {
                "id": orb_id,
                "signed": False,
                "suspended": False,
                "critical": set(),
                "causes": [],
                "tier": "none",
                "streaks": [0, 0, 0, 0],
                "failures": 0,
                "held": 0,
                "interrupted": False,
                "ended": False,
            }
        return self.orbs[orb_id]

    def count(self, fact, ok, fault, broken=0, fast=0, slow=0):
        rows = self.rows.setdefault(fact["orb_id"], {})
        key = (day_of(fact["finished_at"]), fact["caller_ref"])
        known = rows.get(key, (0, 0, 0, 0, 0))
        rows[key] = tuple(a + b for a, b in zip(known, (ok, fault, broken, fast, slow)))

    def counts(self, fact):
        return fact["mode"] == "live" and not fact["is_self"] and "caller_ref" in fact

    def run(self, fact, sign=1):
        if not self.counts(fact) or fact["outcome_class"] not in ("ok", "orb_fault"):
            return
        ok = sign if fact["outcome_class"] == "ok" else 0
        broken = sign if fact["outcome"] == "invalid_outputs" else 0
        fast, slow = sign * (fact.get("latency_ok") is True), sign * (fact.get("latency_ok") is False)
        self.count(fact, ok, sign - ok, broken, fast, slow)
        minutes = self.minutes.setdefault(fact["orb_id"], {})
        key = (minute_of(fact["finished_at"]), fact.get("provider", ""))
        n, fault = minutes.get(key, (0, 0))
        minutes[key] = (n + sign, fault + sign - ok)

    def resolution(self, fact, sign=1):
        if self.counts(fact):
            change = lambda name: sign * ((fact["outcome_class"] == name) - (fact["supersedes"] == name))
            self.count(fact, change("ok"), change("orb_fault"))

    def disagrees(self, fact):
        if fact["kind"] == "resolution":
            right = "ok" if fact["outcome"] == "sent" else "orb_fault"
            return fact["outcome_class"] != ("caller_fault" if fact["supersedes"] == "caller_fault" else right)
        undecided = {"policy_" + one for one in ("unavailable", "error", "timeout", "overloaded", "integrity")}
        outcome = fact["outcome"]
        if outcome == "accepted":
            right = "ok"
        elif outcome in ("rejected", "cancelled"):
            right = "caller_fault"
        elif outcome == "denied":
            right = "platform_fault" if undecided & set(fact["codes"]) else "policy_denied"
        elif fact["caller_deadline"]:
            right = "caller_fault"
        else:
            right = "orb_fault" if fact["bound"] else "platform_fault"
        measured = outcome == "accepted" and "objective_ms" in fact
        fast = fact["execution_ms"] <= fact["objective_ms"] if measured else None
        return fact["outcome_class"] != right or fact.get("latency_ok") != fast

    def apply(self, fact, before):
        kind = fact["kind"]
        if kind in ("run", "resolution"):
            orb = self.orb(fact["orb_id"])
            wrong = self.disagrees(fact) or fact.get("resolves") in self.refused
            require(not wrong, f"the entry {fact['index']} disagrees with its own facts")
            if kind == "run":
                orb["signed"] = fact["manifest_signed"]
            (self.run if kind == "run" else self.resolution)(fact)
        elif kind == "swap":
            self.orb(fact["orb_id"])
        elif kind == "incident":
            self.incident(fact)
        elif kind == "namespace":
            self.namespaces[fact["namespace"]] = fact["change"]
            for orb in self.orbs.values():
                if namespace_of(orb["id"]) == fact["namespace"]:
                    self.reconsider(orb, day_of(fact["at"]))
        elif kind == "standing":
            self.standing(fact)
        elif kind == "key" and fact["role"] == "receipt" and fact["change"] == "revoked" and "from" in fact:
            self.revoke(fact, before)

    def standing(self, fact):
        orb = self.orb(fact["orb_id"])
        if fact["change"] in ("suspended", "lifted"):
            orb["suspended"] = fact["change"] == "suspended"
            self.reconsider(orb, day_of(fact["at"]))
        if fact["change"] == "published":
            orb["signed"] = fact.get("manifest_signed", orb["signed"])
        if fact["change"] in ("yanked", "removed"):
            orb.update(tier="none", ended=True, streaks=[0, 0, 0, 0], failures=0)

    def revoke(self, fact, before):
        start = (fact["from"]["origin"], fact["from"]["index"])
        began = False
        for one in before:
            began = began or (one["origin"], one["index"]) == start
            if not began or one["receipt_id"] in self.refused:
                continue
            revoked = one["signed_by"] == fact["kid"]
            if one["kind"] == "run" and revoked:
                self.run(one, -1)
                self.orb(one["orb_id"])["signed"] = False
                if one["outcome"] == "unknown":
                    self.refused.add(one["receipt_id"])
            elif one["kind"] == "resolution" and (revoked or one["resolves"] in self.refused):
                self.resolution(one, -1)
                self.refused.add(one["receipt_id"])
            elif not revoked and (one["kind"] == "run" or one.get("change") == "published"):
                orb = self.orb(one["orb_id"])
                orb["signed"] = one.get("manifest_signed", orb["signed"])

    def incident(self, fact):
        known = self.incidents.get(fact["incident_id"])
        opened = fact["change"] == "opened"
        old_scope = known["scope"] if known else []
        if known is None:
            known = {"deliveries": {}, "integrity": False, "own": False, "change_number": 0}
        for one in fact["deliveries"]:
            known["deliveries"].setdefault(one["delivery_id"], one)
        integrity = opened and fact.get("reason") == "integrity" and "principal" not in fact
        known["integrity"] = known["integrity"] or integrity
        known["own"] = known["own"] or (opened and not fact["deliveries"])
        if fact["change_number"] > known["change_number"]:
            for name in ("incident_id", "change_number", "state", "severity", "scope", "starts_at"):
                known[name] = fact[name]
            known["ends_at"] = fact.get("ends_at")
            known["retracted"] = fact["change"] == "retracted"
        self.incidents[fact["incident_id"]] = known
        touched = known["scope"] + old_scope
        named = {one["id"] for one in touched if one["kind"] == "orb"}
        reaching = any(one["kind"] == "provider" for one in touched)
        day = day_of(fact["at"])
        for orb in list(self.orbs.values()):
            exposed = TIERS.index(orb["tier"]) >= 3
            freed = known["incident_id"] in orb["critical"] and not is_open(known, day)
            if orb["id"] not in named and not (reaching and (exposed or orb["critical"])) and not freed:
                continue
            orb["critical"].discard(known["incident_id"])
            if exposed and not known["integrity"]:
                burdens = burdens_of(self.model, self, orb["id"], None, known, day)
                if any(one["half"] for one in burdens):
                    orb["critical"].add(known["incident_id"])
            self.reconsider(orb, day)

    def causes(self, orb, day):
        integrity = any(
            one["integrity"] and names(one, orb["id"]) and is_open(one, day) for one in self.incidents.values()
        )
        revoked = self.namespaces.get(namespace_of(orb["id"])) == "revoked"
        return [orb["suspended"], integrity, bool(orb["critical"]), revoked].count(True)

    def reconsider(self, orb, day):
        causes = self.causes(orb, day)
        if causes and not orb["causes"]:
            orb["interrupted"] = True
        orb["causes"] = causes

    def snapshot(self, name):
        model, day, profile = self.model, day_of(name["day"]), name["profile"]
        sums = {orb_id: totals(model, self.rows.get(orb_id, {}), day) for orb_id in self.orbs}
        rows = []
        for orb_id in sorted(self.orbs):
            orb = self.orbs[orb_id]
            lower = [
                one
                for one in self.orbs
                if one.split("@")[0] == orb_id.split("@")[0]
                and version_key(one) < version_key(orb_id)
                and sums[one]["a"] > 0
            ]
            parent = max(lower, key=lambda one: (version_key(one), one)) if lower else None
            burdens, integrity = [], False
            for incident in self.incidents.values():
                if incident["integrity"]:
                    integrity = integrity or (names(incident, orb_id) and is_open(incident, day))
                else:
                    burdens += burdens_of(model, self, orb_id, parent, incident, day)
            own = sums[orb_id]
            row = evaluate(model, profile, day, own, sums.get(parent), debt_of(burdens), integrity)
            exposed = TIERS.index(orb["tier"]) >= 3
            orb["critical"] = {one["id"] for one in burdens if one["half"]} if exposed else set()
            orb["causes"] = self.causes(orb, day)
            critical = any(one["critical"] for one in burdens)
            self.step(orb, row, profile, integrity, critical)
            if orb["causes"]:
                row["status"] = "suspended"
            row.update(orb_id=orb_id, tier="none" if orb["causes"] else orb["tier"])
            rows.append(row)
        policy = {"id": model.document["id"], "digest": model.digest}
        document = {"day": name["day"], "logs": name["logs"], "profile": profile, "scoring_policy": policy, "orbs": rows}
        return sha256(jcs(document).encode())

    def step(self, orb, row, profile, integrity, critical):
        keep = self.model.document["retention"]
        if orb["ended"]:
            return
        if orb["causes"]:
            orb.update(streaks=[0, 0, 0, 0], failures=0, interrupted=False, held=orb["held"] + 1)
            if orb["held"] >= keep["suspended_snapshots_to_lose"]:
                orb["tier"] = "none"
            return
        if orb["held"] or orb["interrupted"]:
            orb.update(streaks=[0, 0, 0, 0], held=0, interrupted=False)
        gates = self.model.document["profiles"][profile]["gates"]
        score = row.get("score_milli", -1)
        held, rows = True, []
        for at, gate in enumerate(gates):
            held = held and score >= gate["score_milli"] and row["n_eff_milli"] >= gate["n_eff_milli"]
            held = held and row["nc_milli"] >= gate["nc_milli"] and row["active_days"] >= gate["active_days"]
            held = held and row["r_micro"] >= gate["r_micro"]
            if at == 0:
                held = held and row["status"] == "scored" and orb["signed"] and not integrity
            if at == 1:
                held = held and not critical
            rows.append(held and at < 3)
            held = rows[-1]
        orb["streaks"] = [streak + 1 if one else 0 for streak, one in zip(orb["streaks"], rows)]

        def retained(rank):
            gate = gates[rank - 1]
            return (
                orb["signed"]
                and score >= gate["score_milli"] - keep["score_below_milli"]
                and row["n_eff_milli"] * 100 >= gate["n_eff_milli"] * keep["evidence_percent"]
                and row["nc_milli"] * 100 >= gate["nc_milli"] * keep["evidence_percent"]
                and row["r_micro"] >= gate["r_micro"] - keep["r_below_micro"]
            )

        rank = TIERS.index(orb["tier"])
        if rank > 0 and not retained(rank):
            orb["failures"] += 1
            if orb["failures"] >= keep["failures_to_demote"]:
                lower = [one for one in range(rank - 1, 0, -1) if retained(one)]
                orb.update(tier=TIERS[lower[0]] if lower else "none", failures=0)
            return
        orb["failures"] = 0
        if rank < 4 and orb["streaks"][rank] >= gates[rank]["consecutive"]:
            orb["tier"] = TIERS[rank + 1]


def namespace_of(orb_id):
    return orb_id.split("@")[0].rsplit(".", 1)[0]


# --- The export.
def lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def check_facts(folder, contents, keys):
    facts, entries = lines(os.path.join(folder, "facts.ndjson")), lines(os.path.join(folder, "entries.ndjson"))
    require(len(facts) == len(entries), f"{len(facts)} facts, {len(entries)} entries")
    at = 0
    for shard, log in enumerate(contents["logs"]):
        hashes, roots = [], {}
        wanted = {one["tree_size"] for s in contents["snapshots"] for one in s["logs"] if one["origin"] == log["origin"]}
        for index in range(log["tree_size"]):
            require(at < len(facts), f"the log ends at entry {at}")
            fact, entry = facts[at], entries[at]
            place = (log["origin"], index)
            require((fact["origin"], fact["index"]) == place, f"fact {at} is not {place}")
            require((entry["origin"], entry["index"]) == place, f"entry {at} is not {place}")
            leaf = base64.b64decode(entry["leaf"])
            payload = base64.b64decode(entry["envelope"]["payload"])
            spec = json.loads(leaf)["spec"]["dsseV002"]
            digest = base64.b64encode(hashlib.sha256(payload).digest()).decode()
            require(spec["payloadHash"]["digest"] == digest, f"the leaf of entry {index} is of another payload")
            signed = spec["signatures"][0]["content"] == entry["envelope"]["signatures"][0]["sig"]
            require(signed, f"the leaf of entry {index} is of another signature")
            mine = fact_of(log["origin"], index, leaf, payload)
            require(mine == fact, f"fact {index} is not what its payload says")
            hashes.append(leaf_hash(leaf))
            if index + 1 in wanted:
                roots[index + 1] = base64.b64encode(root_of(hashes)).decode()
            at += 1
        root = base64.b64encode(root_of(hashes)).decode()
        require(root == log["root_hash"], f"the root of {log['origin']} is {root}")
        with open(os.path.join(folder, "checkpoints", f"{shard}.txt"), encoding="utf-8") as file:
            note = file.read()
        check_signed(note, log["origin"], keys)
        origin, size, signed_root = note.split("\n")[:3]
        require((origin, int(size), signed_root) == (log["origin"], log["tree_size"], root), "the checkpoint disagrees")
        roots[log["tree_size"]] = root
        for snapshot in contents["snapshots"]:
            for one in snapshot["logs"]:
                if one["origin"] == log["origin"] and one["tree_size"] > 0:
                    fine = roots.get(one["tree_size"]) == one["root_hash"]
                    require(fine, f"the snapshot of {snapshot['day']} names another root")
    require(at == len(facts), f"{len(facts) - at} entries are in no log")
    return facts


def within(fact, logs):
    return any(one["origin"] == fact["origin"] and fact["index"] < one["tree_size"] for one in logs)


def check(folder, keys_file):
    with open(keys_file, encoding="utf-8") as file:
        keys = [key for key in json.load(file)["keys"] if key["role"] == "log"]
    with open(os.path.join(folder, "ledger.json"), encoding="utf-8") as file:
        contents = json.load(file)
    model = Model(contents["scoring"])
    require(model.digest == contents["scoring_policy"]["digest"], "the scoring document has another digest")
    facts = check_facts(folder, contents, keys)
    named = [fact for fact in facts if fact["kind"] == "standing" and fact["change"] == "snapshot"]
    firsts = {}
    for fact in named:
        firsts.setdefault(fact["day"], fact)
    require(
        [(one["day"], one["digest"]) for one in contents["snapshots"]]
        == [(day, firsts[day]["digest"]) for day in sorted(firsts)],
        "the list of snapshots is not what the log attests",
    )
    due = sorted(firsts.values(), key=lambda fact: fact["day"])
    ledger, computed = Ledger(model), 0
    for at, fact in enumerate(facts):
        while due and not within(fact, due[0]["logs"]):
            one = due.pop(0)
            digest = ledger.snapshot(one)
            require(digest == one["digest"], f"the snapshot of {one['day']} is {digest}, attested {one['digest']}")
            computed += 1
        if fact["kind"] != "standing" or fact["change"] != "snapshot":
            ledger.apply(fact, facts[:at] if fact["kind"] == "key" else [])
    print(f"{len(facts)} entries, {computed} snapshots: all agree")


if __name__ == "__main__":
    try:
        check(sys.argv[1], sys.argv[2])
    except Difference as difference:
        print(f"difference: {difference}", file=sys.stderr)
        sys.exit(1)
    except (KeyError, TypeError, ValueError, IndexError, OSError) as error:
        print(f"the export cannot be read: {error!r}", file=sys.stderr)
        sys.exit(1)
