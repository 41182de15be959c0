"""Reads server-sent events (WHATWG HTML, 9.2.6)."""

from __future__ import annotations

import codecs
import io
from typing import NamedTuple


class Sse(NamedTuple):
    """A server-sent event; `id`: of the last event that had one."""

    event: str
    id: str
    data: str


class SseReader:
    """Reads server-sent events. A block that is cut counts for nothing, its id neither."""

    def __init__(self) -> None:
        self.id = ""
        """The id of the last block that was whole."""
        self._decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder("utf-8-sig")("replace"), translate=True)
        self._rest = ""

    def push(self, data: bytes) -> list[Sse]:
        """Take bytes, and answer the events that are whole now."""
        *blocks, self._rest = (self._rest + self._decoder.decode(data)).split("\n\n")
        return [event for block in blocks if (event := self._read(block)) is not None]

    def _read(self, block: str) -> Sse | None:
        fields: dict[str, list[str]] = {"event": [""], "id": [self.id], "data": []}
        for line in block.split("\n"):
            name, _, value = line.partition(":")
            fields.setdefault(name, []).append(value.removeprefix(" "))
        self.id = [one for one in fields["id"] if "\0" not in one][-1]
        return Sse(fields["event"][-1] or "message", self.id, "\n".join(fields["data"])) if fields["data"] else None
