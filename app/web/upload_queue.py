"""The line in which uploads wait to be read: whoever waits holds neither a thread nor a connection.

At most `places` files are read at once, at most `per_account` of one account, and of those that wait the account comes
next that was served longest ago. So the many files of one account delay its own files only.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from uuid import UUID

from app.errors import Overloaded

FULL = "Too many files are being read right now. Send this one again in a few seconds; nothing was changed."
FULL_FOR_ACCOUNT = "Too many of your files are being read right now. Send this one again when they are done."


@dataclass(eq=False)
class _Waiting:
    account: UUID
    admitted: asyncio.Future[None] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class UploadQueue:
    """Places for uploads, in one event loop."""

    def __init__(self, places: int, *, per_account: int = 1, most_waiting: int = 64, most_of_account: int = 48) -> None:
        self._places, self._per_account = places, per_account
        self._most_waiting, self._most_of_account = most_waiting, most_of_account
        self._reading: Counter[UUID] = Counter()
        self._waiting: list[_Waiting] = []
        self._served: dict[UUID, int] = {}
        self._clock = count(1)

    @asynccontextmanager
    async def place(self, account: UUID) -> AsyncIterator[None]:
        """Wait for a place; Overloaded where the line is full."""
        await self._enter(account)
        try:
            yield
        finally:
            self._leave(account)

    async def _enter(self, account: UUID) -> None:
        if len(self._waiting) >= self._most_waiting:
            raise Overloaded(FULL)
        if sum(one.account == account for one in self._waiting) >= self._most_of_account:
            raise Overloaded(FULL_FOR_ACCOUNT)
        waiting = _Waiting(account)
        self._waiting.append(waiting)
        self._admit()
        try:
            await waiting.admitted
        except asyncio.CancelledError:  # the client has gone
            if waiting in self._waiting:
                self._waiting.remove(waiting)
            else:
                self._leave(account)
            raise

    def _leave(self, account: UUID) -> None:
        self._reading[account] -= 1
        self._reading = +self._reading
        if not self._reading and not self._waiting:
            self._served.clear()
        self._admit()

    def _admit(self) -> None:
        """Let in whoever comes next, while there are places."""
        while self._reading.total() < self._places:
            free = [
                one
                for one in self._waiting
                if self._reading[one.account] < self._per_account and not one.admitted.done()  # else it was cancelled
            ]
            if not free:
                return
            first = min(free, key=lambda one: self._served.get(one.account, 0))
            self._waiting.remove(first)
            self._reading[first.account] += 1
            self._served[first.account] = next(self._clock)
            first.admitted.set_result(None)
