"""A clock whose time goes on only when it is told to."""

from __future__ import annotations

import asyncio
import contextlib
import math
from typing import Iterator

from agent_orb._wire import Clock

BEGUN = 1795464000000
DAY = 86_400_000


class FakeClock(Clock):
    """Stands still while a request is under way, and else goes on to the next timer at once."""

    def __init__(self) -> None:
        self.at: float = BEGUN
        self.set_by: float = 0
        self.deadline: float = math.inf

    def now(self) -> float:
        return self.at + self.set_by

    def ticks(self) -> float:
        return self.at

    def random(self) -> float:
        return 0

    async def sleep(self, ms: float) -> None:
        self.at += ms

    @contextlib.contextmanager
    def within(self, ms: float) -> Iterator[None]:
        before, self.deadline = self.deadline, self.at + ms
        try:
            yield
        except asyncio.CancelledError:
            raise TimeoutError from None
        finally:
            self.deadline = before

    async def pass_by(self, ms: float = DAY) -> None:
        """Let time go by in what a deadline limits; without one it takes all the time."""
        self.at = min(self.at + ms, self.deadline)
        if self.at == self.deadline:
            raise asyncio.CancelledError
