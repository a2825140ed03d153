"""Admission: how many requests may work on the database at once, and what happens to the others.

A request that waits here holds no thread, no connection and no lock. The number admitted never exceeds the number of
connections, so nobody who is admitted waits for a connection. SQLite takes one writer at a time: writers have a door
of their own, and readers do not wait behind them.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import TypeVar
from uuid import UUID

import anyio
from anyio import CapacityLimiter, to_thread
from sqlalchemy.orm import Session
from sqlalchemy.orm.exc import StaleDataError

from app.db.session import Sessions, transaction
from app.errors import Overloaded, Stale
from app.web.request_queue import RequestQueue

T = TypeVar("T")
PREPARERS = 2
EXTRA_PLACES = PREPARERS + 1
"""Places besides those for readers and writers: each needs a connection, too."""


class Door:
    """Admits a limited number of requests at once, in the order in which they came."""

    def __init__(self, places: int, *, max_waiting: int, max_wait_seconds: float) -> None:
        self._places = CapacityLimiter(places)
        self._max_waiting = max_waiting
        self._max_wait_seconds = max_wait_seconds

    @property
    def waiting(self) -> int:
        return self._places.statistics().tasks_waiting

    @property
    def admitted(self) -> int:
        return int(self._places.borrowed_tokens)

    @asynccontextmanager
    async def enter(self) -> AsyncIterator[None]:
        """Wait for a place; a full waiting line or a long wait is refused."""
        if self.waiting >= self._max_waiting:
            raise Overloaded
        borrower = object()  # not the task: one task may enter several doors in turn
        with anyio.move_on_after(self._max_wait_seconds) as wait:
            await self._places.acquire_on_behalf_of(borrower)
        if wait.cancelled_caught:
            raise Overloaded
        try:
            yield
        finally:
            self._places.release_on_behalf_of(borrower)


class Doors:
    """The doors of one server process, and the threads behind them."""

    def __init__(self, *, readers: int, writers: int, max_waiting: int, max_wait_seconds: float = 20.0) -> None:
        """Make a door for readers and one for writers; `writers=0` lets both use the same one."""

        def door(places: int) -> Door:
            return Door(places, max_waiting=max_waiting, max_wait_seconds=max_wait_seconds)

        self.readers = door(readers)
        self.writers = door(writers) if writers else self.readers
        self._checks = door(1)
        self._preparers = RequestQueue(
            PREPARERS,
            most_waiting=max_waiting,
            most_of_account=max(1, max_waiting * 3 // 4),
            max_wait_seconds=max_wait_seconds,
        )
        # As many threads as places: whoever is admitted has a thread at once.
        self._threads = CapacityLimiter(readers + writers + EXTRA_PLACES)

    async def run(self, work: Callable[[], T], *, writes: bool) -> T:
        """Do the work in a thread, after passing the door for its kind."""
        return await self._run(self.writers if writes else self.readers, work)

    async def prepare(self, account: UUID | None, work: Callable[[], T]) -> T:
        """Do long work before a write, one piece at a time for each account; pages do not wait for it."""
        async with self._preparers.place(account):
            return await to_thread.run_sync(work, limiter=self._threads)

    async def check(self, work: Callable[[], T]) -> T:
        """Find out how the server is, one request at a time, however busy it is."""
        return await self._run(self._checks, work)

    async def _run(self, door: Door, work: Callable[[], T]) -> T:
        async with door.enter():
            return await to_thread.run_sync(work, limiter=self._threads)


class RequestDatabase:
    """The database as requests use it: behind the doors, in a thread, in one transaction that commits at the end."""

    def __init__(self, sessions: Sessions, doors: Doors) -> None:
        self.doors = doors
        self._sessions = sessions

    async def run(self, work: Callable[[], T], *, writes: bool) -> T:
        """Do the work in a thread as soon as there is a place."""
        return await self.doors.run(work, writes=writes)

    async def read(self, work: Callable[[Session], T]) -> T:
        """Do some work in a short read-only transaction of its own."""
        return await self.doors.run(partial(self._in_session, work), writes=False)

    async def prepare(self, account: UUID | None, work: Callable[[Session], T]) -> T:
        """Do long work for an account before a write, in a read-only transaction; pages do not wait for it."""
        return await self.doors.prepare(account, partial(self._in_session, work))

    def _in_session(self, work: Callable[[Session], T]) -> T:
        with self.session(writes=False) as session:
            return work(session)

    @contextmanager
    def session(self, *, writes: bool) -> Iterator[Session]:
        """Yield a session that commits at the end; reads take no write lock."""
        try:
            with transaction(self._sessions, read_only=not writes) as session:
                yield session
        except StaleDataError:
            raise Stale from None
