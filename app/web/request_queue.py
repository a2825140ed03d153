"""Where requests with long work wait: uploads to be read, writes to be prepared. They hold no thread and no connection.

At most `places` requests work at once, at most `per_account` of one account, and of those that wait the account comes
next that was served longest ago. So the many requests of one account delay its own requests only.
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

FULL_FOR_ACCOUNT = "Too many of your requests are waiting right now. Send this one again when they are done."


@dataclass(eq=False)
class _Waiting:
    account: UUID | None
    admitted: asyncio.Future[None] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class RequestQueue:
    """Places for long work, in one event loop. Requests without an account share the places of one."""

    def __init__(
        self,
        places: int,
        *,
        per_account: int = 1,
        most_waiting: int = 64,
        most_of_account: int = 48,
        max_wait_seconds: float | None = None,
    ) -> None:
        self._places, self._per_account, self._max_wait_seconds = places, per_account, max_wait_seconds
        self._most_waiting, self._most_of_account = most_waiting, most_of_account
        self._working: Counter[UUID | None] = Counter()
        self._waiting: list[_Waiting] = []
        self._served: dict[UUID | None, int] = {}
        self._clock = count(1)

    @asynccontextmanager
    async def place(self, account: UUID | None) -> AsyncIterator[None]:
        """Wait for a place; Overloaded where the line is full or the wait too long."""
        await self._enter(account)
        try:
            yield
        finally:
            self._leave(account)

    async def _enter(self, account: UUID | None) -> None:
        if len(self._waiting) >= self._most_waiting:
            raise Overloaded
        if sum(one.account == account for one in self._waiting) >= self._most_of_account:
            raise Overloaded(FULL_FOR_ACCOUNT)
        waiting = _Waiting(account)
        self._waiting.append(waiting)
        self._admit()
        try:
            async with asyncio.timeout(self._max_wait_seconds):
                await self._admitted(waiting)
        except TimeoutError:
            raise Overloaded from None

    async def _admitted(self, waiting: _Waiting) -> None:
        try:
            await waiting.admitted
        except asyncio.CancelledError:  # the client has gone, or the wait was too long
            if waiting in self._waiting:
                self._waiting.remove(waiting)
            else:
                self._leave(waiting.account)
            raise

    def _leave(self, account: UUID | None) -> None:
        self._working[account] -= 1
        self._working = +self._working
        if not self._working and not self._waiting:
            self._served.clear()
        self._admit()

    def _admit(self) -> None:
        """Let in whoever comes next, while there are places."""
        while self._working.total() < self._places:
            free = [
                one
                for one in self._waiting
                if self._working[one.account] < self._per_account and not one.admitted.done()  # else it was cancelled
            ]
            if not free:
                return
            first = min(free, key=lambda one: self._served.get(one.account, 0))
            self._waiting.remove(first)
            self._working[first.account] += 1
            self._served[first.account] = next(self._clock)
            first.admitted.set_result(None)
