"""One reader for all the streams of a server process: it reads every followed run at once and passes changes on.

A stream holds no thread and no session. Who may see a run is checked when a stream begins, every few seconds in one
transaction for all streams, and again before a stream gets the end of its run.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from uuid import UUID

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from app.accounts.current_user import Credential
from app.errors import ConviveError, Overloaded
from app.events.context import open_event
from app.logs import logger
from app.runs import queries
from app.runs.queries import RunRow

READ_SECONDS = 0.3
RETRY_SECONDS = 1.0
CHECK_SECONDS = 5.0
TOGETHER, APART_SECONDS = 10, 0.01
"""So many streams are sent a change at once, then others are answered: 200 at once would delay them by 15 ms."""
Reader = Callable[[Callable[[Session], Any]], Awaitable[Any]]
Encoder = Callable[[RunRow], bytes]
log = logger(__name__)


@dataclass(eq=False)
class FollowedRun:
    """A run as it was read last, written once for all streams that send it in the same form."""

    row: RunRow
    written: dict[Encoder, bytes] = field(default_factory=dict)

    def write(self, encoder: Encoder) -> bytes:
        if encoder not in self.written:
            self.written[encoder] = encoder(self.row)
        return self.written[encoder]


@dataclass(eq=False)
class Follower:
    """One stream: what it follows, and whether there is something new to send."""

    credential: Credential
    event_id: UUID
    run_id: UUID
    latest: FollowedRun
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    is_closed: bool = False

    @property
    def access(self) -> tuple[Credential, UUID]:
        """What decides whether it may go on; the same for all streams of one person in one event."""
        return self.credential, self.event_id

    def close(self) -> None:
        self.is_closed = True
        self.changed.set()


@dataclass(frozen=True)
class _Found:
    rows: dict[UUID, RunRow]
    refused: set[tuple[Credential, UUID]]


class RunFeed:
    """All streams of this process; the reader runs while there is one."""

    def __init__(self, read: Reader, *, max_streams: int) -> None:
        """`read` does some work in a short read-only session."""
        self._read, self._max_streams = read, max_streams
        self._followers: dict[UUID, set[Follower]] = {}
        self._runs: dict[UUID, FollowedRun] = {}
        self._reader: asyncio.Task[None] | None = None
        self._checked_at = 0.0

    @property
    def streams(self) -> int:
        return sum(map(len, self._followers.values()))

    def join(self, credential: Credential, run: RunRow) -> Follower:
        """Begin to follow a run that was just read; the first change to send is the run itself."""
        if self.streams >= self._max_streams:
            raise Overloaded("Too many people are watching runs right now. Try again in a moment.")
        known = self._runs.get(run.id)
        latest = known if known is not None and known.row == run else FollowedRun(run)
        follower = Follower(credential, run.event_id, run.id, latest)
        follower.changed.set()
        self._followers.setdefault(run.id, set()).add(follower)
        if self._reader is None or self._reader.done():
            self._reader = asyncio.get_running_loop().create_task(self._keep_reading())
        return follower

    def leave(self, follower: Follower) -> None:
        others = self._followers.get(follower.run_id, set())
        others.discard(follower)
        if not others:
            self._followers.pop(follower.run_id, None)
            self._runs.pop(follower.run_id, None)
        if not self._followers and self._reader is not None:
            self._reader.cancel()
            self._reader = None

    def close(self) -> None:
        """End all streams, because the server stops; browsers open them again elsewhere."""
        for follower in self._all():
            follower.close()

    def _all(self) -> list[Follower]:
        return [follower for some in self._followers.values() for follower in some]

    async def _keep_reading(self) -> None:
        while True:
            await asyncio.sleep(READ_SECONDS)
            try:
                await self._look()
            except (SQLAlchemyError, ConviveError) as error:
                log.warning("runs cannot be read, retrying", error=type(error).__name__)
                await asyncio.sleep(RETRY_SECONDS)

    async def _look(self) -> None:
        now, followers = asyncio.get_running_loop().time(), self._all()
        is_due = now - self._checked_at >= CHECK_SECONDS
        found: _Found = await self._read(partial(_find, followers, everyone=is_due))
        if is_due:
            self._checked_at = now
        for number, follower in enumerate(followers, start=1):
            if follower not in self._followers.get(follower.run_id, ()):
                continue  # it left while the runs were read
            if follower.access in found.refused or follower.run_id not in found.rows:
                follower.close()
            else:
                self._pass_on(follower, found.rows[follower.run_id])
            if number % TOGETHER == 0:
                await asyncio.sleep(APART_SECONDS)

    def _pass_on(self, follower: Follower, row: RunRow) -> None:
        known = self._runs.get(row.id)
        if known is None or known.row != row:
            self._runs[row.id] = known = FollowedRun(row)
        if follower.latest.row != row:
            follower.latest = known
            follower.changed.set()


def _find(followers: Iterable[Follower], session: Session, *, everyone: bool) -> _Found:
    """Read the followed runs, and who may no longer see theirs: of all, or of those whose run is over."""
    rows = queries.runs_by_ids(session, {follower.run_id for follower in followers})
    in_question = {
        follower.access
        for follower in followers
        if everyone or (follower.run_id in rows and rows[follower.run_id].is_over)
    }
    return _Found(rows, {access for access in in_question if not _may_see(session, *access)})


def _may_see(session: Session, credential: Credential, event_id: UUID) -> bool:
    actor = credential.actor(session)
    try:
        return actor is not None and open_event(session, actor, event_id).allows("editor")
    except ConviveError:
        return False
