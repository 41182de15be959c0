"""Reads server-sent events (WHATWG HTML, 9.2.6)."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Sse:
    """A server-sent event; `id`: of the last event that had one."""

    event: str
    id: str
    data: str


class SseReader:
    """Reads server-sent events. A block that is cut counts for nothing, its id neither."""

    def __init__(self) -> None:
        self.id = ""
        """The id of the last block that was whole."""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest, self._next_id, self._event = "", "", ""
        self._data: list[str] = []
        self._begun = False

    def push(self, data: bytes) -> list[Sse]:
        """Take bytes, and answer the events that are whole now."""
        text = self._decoder.decode(data)
        if not self._begun and text:
            self._begun = True
            text = text.removeprefix("\ufeff")
        # The half of a CRLF at the end waits for its other half.
        lines = re.split(r"\r\n|\n|\r(?!\Z)", self._rest + text)
        self._rest = lines.pop()
        found: list[Sse] = []
        for line in lines:
            self._field(line, found)
        return found

    def _field(self, line: str, found: list[Sse]) -> None:
        if line == "":
            self.id = self._next_id
            if self._data:
                found.append(Sse(self._event or "message", self.id, "\n".join(self._data)))
            self._event, self._data = "", []
            return
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._event = value
        elif name == "id" and "\0" not in value:
            self._next_id = value
