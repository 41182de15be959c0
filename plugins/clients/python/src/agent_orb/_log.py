"""The position of a receipt in its log: signed notes, checkpoints and inclusion proofs (C2SP, RFC 9162)."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Mapping, Sequence

from ._forms import decode64, encode64, is_signed, sha256
from ._schema import NATURAL, fits

LONGEST_NOTE = 65_536
ED25519 = b"\x01"
_NAME = r"[^\0-\x1f\x7f-\x9f\ud800-\udfff\s+]+"
_LINE = r"[^\0-\x1f\x7f-\x9f\ud800-\udfff]+"
# Origin, size, root and more lines; after a blank line the signatures.
_NOTE = re.compile(rf"(({_NAME})\n(0|[1-9][0-9]{{0,19}})\n({_LINE})\n(?:{_LINE}\n)*)\n((?:\u2014 {_NAME} {_LINE}\n){{1,64}})")
_PLACE = {"origin": "^", "index": NATURAL, "tree_size": NATURAL}
_PROOF = {"checkpoint": "^", "leaf": "^", "hashes": ["^", 0, 64], **_PLACE, "*": "any"}
LogKey = tuple[str, bytes]
"""The name of a log, and its public key."""


@dataclass(frozen=True)
class Checkpoint:
    """A signed note that states size and root of a log, parsed but not verified; signatures by name and id of a key."""

    origin: str
    size: int
    root: bytes
    text: str
    signatures: Mapping[tuple[str, bytes], bytes]


@dataclass(frozen=True)
class Claim:
    """What a receipt claims of its position in a log."""

    index: int
    hashes: Sequence[bytes]
    checkpoint: Checkpoint
    leaf: bytes
    origin: str
    size: int


def is_key_name(name: str) -> bool:
    """Say whether a name is allowed in a signature line."""
    return re.fullmatch(_NAME, name) is not None


def read_checkpoint(note: str) -> Checkpoint | None:
    """Parse a signed checkpoint; None when it is malformed."""
    found = _NOTE.fullmatch(note) if len(note) <= LONGEST_NOTE else None
    if found is None:
        return None
    text, origin, size, root, lines = found.groups()
    digest = decode64(root)
    signed = [(name, decode64(data) or b"") for name, data in re.findall(r"\u2014 (\S+) (.+)\n", lines)]
    if digest is None or len(digest) != 32 or int(size) >= 2**64 or any(len(data) < 5 for _, data in signed):
        return None
    # Of several lines of a key the first counts.
    signatures = {(name, data[:4]): data[4:] for name, data in reversed(signed)}
    return Checkpoint(origin, int(size), digest, text, signatures)


def read_claim(proof: Any) -> Claim | None:
    """Read `proof` of a receipt; None when it is malformed."""
    if not fits(_PROOF, proof):
        return None
    checkpoint, leaf = read_checkpoint(proof["checkpoint"]), decode64(proof["leaf"])
    hashes = [decode64(one) or b"" for one in proof["hashes"]]
    if checkpoint is None or leaf is None or any(len(one) != 32 for one in hashes):
        return None
    return Claim(proof["index"], hashes, checkpoint, leaf, proof["origin"], proof["tree_size"])


# RFC 8410: DER of an Ed25519 public key is this before the 32 bytes.
SPKI = bytes.fromhex("302a300506032b6570032100")


def entry_of(payload: bytes, signature: bytes, public_key: bytes) -> bytes:
    """Build the entry of an envelope in the log."""
    verifier = {"keyDetails": "PKIX_ED25519", "publicKey": {"rawBytes": encode64(SPKI + public_key)}}
    payload_hash = {"algorithm": "SHA2_256", "digest": encode64(sha256(payload))}
    signed = {"payloadHash": payload_hash, "signatures": [{"content": encode64(signature), "verifier": verifier}]}
    entry = {"apiVersion": "0.0.2", "kind": "dsse", "spec": {"dsseV002": signed}}
    return json.dumps(entry, separators=(",", ":")).encode()


def is_included(claim: Claim, entry: bytes) -> bool:
    """Verify an inclusion proof (RFC 9162 §2.1.3.2)."""
    index, last = claim.index, claim.checkpoint.size - 1
    # Below this level the path to the last entry is another; above it, siblings are on the left alone.
    own = (index ^ last).bit_length()
    if index > last or len(claim.hashes) != own + (index >> own).bit_count():
        return False
    found = sha256(b"\x00" + entry)
    for level, sibling in enumerate(claim.hashes):
        is_left = level >= own or index >> level & 1
        found = sha256(b"\x01" + sibling + found) if is_left else sha256(b"\x01" + found + sibling)
    return found == claim.checkpoint.root


def is_signed_by_log(checkpoint: Checkpoint, keys: Sequence[LogKey]) -> bool | None:
    """Say whether a log signed its checkpoint: None without a key of it; not if the line of any known key is a forgery."""
    if all(name != checkpoint.origin for name, _ in keys):
        return None
    lines = [(name, key, checkpoint.signatures.get((name, _id_of(name, key)))) for name, key in keys]
    known = [(name, is_signed(key, checkpoint.text.encode(), line)) for name, key, line in lines if line is not None]
    return (checkpoint.origin, True) in known and all(holds for _, holds in known)


def _id_of(name: str, public_key: bytes) -> bytes:
    """Compute the four bytes that name a key in a signature line."""
    return sha256(name.encode() + b"\n" + ED25519 + public_key)[:4]
