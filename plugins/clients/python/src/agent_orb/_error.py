"""The error that the client raises."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._outcome import Outcome


class OrbError(Exception):
    """An error of the program that calls, or an outcome that `or_raise` raised."""

    def __init__(self, code: str, message: str, outcome: Outcome | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.outcome = outcome
