"""The position of a receipt in its log: signed notes, checkpoints and inclusion proofs (C2SP, RFC 9162)."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Any

from ._forms import decode64, encode64, is_natural, is_signed, sha256

MOST_HASHES = 64
LONGEST_NOTE = 65_536
MOST_SIGNATURES = 64
ED25519 = b"\x01"


@dataclass(frozen=True)
class LogKey:
    """The public key of a log."""

    name: str
    public_key: bytes

    @property
    def id(self) -> bytes:
        """The four bytes that name it in a signature line."""
        return sha256(self.name.encode() + b"\n" + ED25519 + self.public_key)[:4]


@dataclass(frozen=True)
class Checkpoint:
    """A signed note that states size and root of a log, parsed but not verified."""

    origin: str
    size: int
    root: bytes
    text: str
    signatures: tuple[tuple[str, bytes, bytes], ...]


@dataclass(frozen=True)
class Claim:
    """What a receipt claims of its position in a log."""

    index: int
    hashes: tuple[bytes, ...]
    checkpoint: Checkpoint
    leaf: bytes
    origin: str
    size: int


def is_key_name(name: str) -> bool:
    """Say whether a name is allowed in a signature line."""
    return name != "" and not any(
        one.isspace() or one == "+" or unicodedata.category(one) in ("Cc", "Cs") for one in name
    )


def read_checkpoint(note: Any) -> Checkpoint | None:
    """Parse a signed checkpoint; None when it is malformed."""
    if not isinstance(note, str) or len(note) > LONGEST_NOTE or not note.endswith("\n"):
        return None
    # The text may contain blank lines: the signatures follow the last one.
    cut = note.rfind("\n\n")
    lines = note[cut + 2 : -1].split("\n")
    if cut <= 0 or len(lines) > MOST_SIGNATURES or re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff]", note):
        return None
    text, signatures = note[: cut + 1], [_line(line) for line in lines]
    origin, size, root, *more = [*text.split("\n"), "", ""]
    digest = decode64(root)
    if None in signatures or "" in more[:-3] or not is_key_name(origin) or digest is None or len(digest) != 32:
        return None
    if not re.fullmatch(r"0|[1-9][0-9]{0,19}", size) or int(size) >= 2**64:
        return None
    return Checkpoint(origin, int(size), digest, text, tuple(one for one in signatures if one is not None))


def _line(line: str) -> tuple[str, bytes, bytes] | None:
    parts = line.split(" ")
    data = decode64(parts[2]) if len(parts) == 3 else None
    if data is None or len(data) < 5 or parts[0] != "\u2014" or not is_key_name(parts[1]):
        return None
    return parts[1], data[:4], data[4:]


def read_claim(proof: Any) -> Claim | None:
    """Read `proof` of a receipt; None when it is malformed."""
    if not isinstance(proof, dict):
        return None
    checkpoint, entry, listed = read_checkpoint(proof.get("checkpoint")), decode64(proof.get("leaf")), proof.get("hashes")
    if checkpoint is None or entry is None or not isinstance(listed, list) or len(listed) > MOST_HASHES:
        return None
    hashes = tuple(found for one in listed if (found := decode64(one)) is not None and len(found) == 32)
    origin, index, size = proof.get("origin"), proof.get("index"), proof.get("tree_size")
    if len(hashes) < len(listed) or not isinstance(origin, str) or not (is_natural(index) and is_natural(size)):
        return None
    return Claim(index, hashes, checkpoint, entry, origin, size)


# RFC 8410: DER of an Ed25519 public key is this before the 32 bytes.
SPKI = bytes.fromhex("302a300506032b6570032100")


def entry_of(payload: bytes, signature: bytes, public_key: bytes) -> bytes:
    """Build the entry of an envelope in the log."""
    digest, spki = encode64(sha256(payload)), encode64(SPKI + public_key)
    return (
        '{"apiVersion":"0.0.2","kind":"dsse","spec":{"dsseV002":{"payloadHash":{"algorithm":"SHA2_256","digest":"'
        f'{digest}"}},"signatures":[{{"content":"{encode64(signature)}","verifier":{{"keyDetails":"PKIX_ED25519",'
        f'"publicKey":{{"rawBytes":"{spki}"}}}}}}]}}}}}}'
    ).encode()


def is_included(claim: Claim, entry: bytes) -> bool:
    """Verify an inclusion proof (RFC 9162 §2.1.3.2)."""
    at, end = claim.index, claim.checkpoint.size - 1
    if at > end:
        return False
    found = sha256(b"\x00" + entry)
    for sibling in claim.hashes:
        if end == 0:
            return False
        is_left = at % 2 == 1 or at == end
        found = sha256(b"\x01" + sibling + found) if is_left else sha256(b"\x01" + found + sibling)
        while is_left and at % 2 == 0 and at != 0:
            at, end = at >> 1, end >> 1
        at, end = at >> 1, end >> 1
    return end == 0 and found == claim.checkpoint.root


def signers(checkpoint: Checkpoint, keys: list[LogKey]) -> list[LogKey]:
    """List the known keys that signed; none if a line of one of them does not verify: it is a forgery."""
    found: list[LogKey] = []
    for name, key_id, signature in checkpoint.signatures:
        key = next((one for one in keys if one.name == name and one.id == key_id), None)
        if key is None or key in found:
            continue
        if not is_signed(key.public_key, checkpoint.text.encode(), signature):
            return []
        found.append(key)
    return found
