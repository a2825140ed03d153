"""One reader for all streams of one kind in a server process: it reads all that is followed and passes changes on.

A stream holds no thread and no session. Who may see what it follows is checked when it begins, every few seconds in
one transaction for all streams, and again before a stream gets the end of what it follows. Whoever was removed from the
event gets no change any more.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, repeat
from typing import Any, Generic, Protocol, TypeVar
from uuid import UUID

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from app.accounts.current_user import Credential
from app.db.models import Role
from app.errors import ConviveError, Overloaded, TooManyStreams
from app.events.context import RANK, open_event
from app.events.member_queries import roles_of
from app.logs import logger

READ_SECONDS = 0.3
FIRST_SECONDS = (0.02, 0.02, 0.03, 0.05, 0.05, 0.1, 0.15)
"""The pauses before the first looks at a run: whoever has just started it sees its first plan sooner."""
RETRY_SECONDS = 1.0
CHECK_SECONDS = 5.0
TOGETHER, APART_SECONDS = 10, 0.01
"""So many streams are sent a change at once, then others are answered: 200 at once would delay them by 15 ms."""
Reader = Callable[[Callable[[Session], Any]], Awaitable[Any]]
log = logger(__name__)


class Followable(Protocol):
    """Something of an event that can be followed, by value: two that are equal look the same."""

    @property
    def id(self) -> UUID:
        """Its id."""

    @property
    def event_id(self) -> UUID:
        """Its event."""

    @property
    def is_over(self) -> bool:
        """Whether nothing more will change."""


Row = TypeVar("Row", bound=Followable)
Encoder = Callable[[Row], bytes]


@dataclass(eq=False)
class Followed(Generic[Row]):
    """What is followed as it was read last, written once for all streams that send it in the same form."""

    row: Row
    written: dict[Encoder[Row], bytes] = field(default_factory=dict)

    def write(self, encoder: Encoder[Row]) -> bytes:
        """Return the row as `encoder` writes it."""
        if encoder not in self.written:
            self.written[encoder] = encoder(self.row)
        return self.written[encoder]


@dataclass(frozen=True)
class StreamLimits:
    """How many streams of one kind a process has at most, and how many of them one account.

    The newest is refused: a browser whose oldest stream is closed opens it again at once, which would close the next.
    """

    most: int = 1000
    most_of_account: int = 20


@dataclass(eq=False)
class Follower(Generic[Row]):
    """One stream: what it follows, and whether there is something new to send."""

    account: UUID
    credential: Credential
    latest: Followed[Row]
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    is_closed: bool = False

    @property
    def key(self) -> UUID:
        """The id of what it follows."""
        return self.latest.row.id

    @property
    def access(self) -> tuple[Credential, UUID]:
        """What decides whether it may go on; the same for all streams of one person in one event."""
        return self.credential, self.latest.row.event_id

    def close(self) -> None:
        """End the stream without sending anything more."""
        self.is_closed = True
        self.changed.set()


@dataclass(frozen=True)
class _Found(Generic[Row]):
    rows: Mapping[UUID, Row]
    refused: set[tuple[Credential, UUID]]


class Feed(Generic[Row]):
    """All streams of one kind in this process; the reader runs while there is one."""

    def __init__(
        self,
        read: Reader,
        find_rows: Callable[[Session, Collection[UUID]], Mapping[UUID, Row]],
        *,
        role: Role,
        limits: StreamLimits,
    ) -> None:
        """`read` does some work in a short read-only session; `role` is the least that may follow."""
        self._read, self._find_rows, self._role, self._limits = read, find_rows, role, limits
        self._followers: dict[UUID, set[Follower[Row]]] = {}
        self._latest: dict[UUID, Followed[Row]] = {}
        self._reader: asyncio.Task[None] | None = None
        self._pauses: Iterator[float] = iter(())
        self._has_more = asyncio.Event()
        self._checked_at = 0.0
        self.is_closing = False

    @property
    def streams(self) -> int:
        """How many streams there are."""
        return sum(map(len, self._followers.values()))

    def join(self, account: UUID, credential: Credential, row: Row) -> Follower[Row]:
        """Begin to follow something that was just read; the first change to send is itself."""
        if self.streams >= self._limits.most:
            raise Overloaded("Too many people are watching right now. Try again in a moment.")
        if sum(follower.account == account for follower in self._all()) >= self._limits.most_of_account:
            raise TooManyStreams
        known = self._latest.get(row.id)
        follower = Follower(account, credential, known if known is not None and known.row == row else Followed(row))
        follower.changed.set()
        if row.id not in self._followers:
            self._pauses = chain(FIRST_SECONDS, repeat(READ_SECONDS))
            self._has_more.set()
        self._followers.setdefault(row.id, set()).add(follower)
        if self._reader is None or self._reader.done():
            self._reader = asyncio.get_running_loop().create_task(self._keep_reading())
        return follower

    def leave(self, follower: Follower[Row]) -> None:
        """End a stream."""
        others = self._followers.get(follower.key, set())
        others.discard(follower)
        if not others:
            self._followers.pop(follower.key, None)
            self._latest.pop(follower.key, None)
        if not self._followers and self._reader is not None:
            self._reader.cancel()
            self._reader = None

    def close(self) -> None:
        """End all streams, because the server stops; browsers open them again elsewhere. New ones end at once."""
        self.is_closing = True
        for follower in self._all():
            follower.close()

    def _all(self) -> list[Follower[Row]]:
        return [follower for some in self._followers.values() for follower in some]

    async def _keep_reading(self) -> None:
        while True:
            await self._pause()
            try:
                await self._look()
            except (SQLAlchemyError, ConviveError) as error:
                log.warning("streams cannot be read, retrying", error=type(error).__name__)
                await asyncio.sleep(RETRY_SECONDS)

    async def _pause(self) -> None:
        """Wait until the next look; if something new is followed meanwhile, as short as before a first look."""
        with suppress(TimeoutError):
            if not self._has_more.is_set():
                await asyncio.wait_for(self._has_more.wait(), next(self._pauses))
            # However many join, one after the other: there is a pause before each look.
            await asyncio.sleep(next(self._pauses))
        self._has_more.clear()

    async def _look(self) -> None:
        now, followers = asyncio.get_running_loop().time(), self._all()
        is_due = now - self._checked_at >= CHECK_SECONDS
        found: _Found[Row] = await self._read(partial(self._find, followers, everyone=is_due))
        if is_due:
            self._checked_at = now
        for number, follower in enumerate(followers, start=1):
            if follower not in self._followers.get(follower.key, ()):
                continue  # it left while the rows were read
            if follower.access in found.refused or follower.key not in found.rows:
                follower.close()
            else:
                self._pass_on(follower, found.rows[follower.key])
            if number % TOGETHER == 0:
                await asyncio.sleep(APART_SECONDS)

    def _pass_on(self, follower: Follower[Row], row: Row) -> None:
        known = self._latest.get(row.id)
        if known is None or known.row != row:
            self._latest[row.id] = known = Followed(row)
        if follower.latest.row != row:
            follower.latest = known
            follower.changed.set()

    def _find(self, followers: Iterable[Follower[Row]], session: Session, *, everyone: bool) -> _Found[Row]:
        """Read what is followed, and who may no longer see theirs: of all, or of those whose end has come."""
        rows = self._find_rows(session, {follower.key for follower in followers})
        gone = self._no_longer_members(session, followers, rows)
        in_question = {
            follower.access
            for follower in followers
            if everyone or (follower.key in rows and rows[follower.key].is_over)
        }
        return _Found(rows, gone | {access for access in in_question if not self._may_see(session, *access)})

    def _no_longer_members(
        self, session: Session, followers: Iterable[Follower[Row]], rows: Mapping[UUID, Row]
    ) -> set[tuple[Credential, UUID]]:
        """Return who would get a change though their role was taken away, in one read for all of them."""
        changed = [one for one in followers if one.key in rows and one.latest.row != rows[one.key]]
        if not changed:
            return set()
        events, accounts = {one.latest.row.event_id for one in changed}, {one.account for one in changed}
        roles = roles_of(session, events, accounts)
        return {one.access for one in changed if not self._suffices(roles.get((one.latest.row.event_id, one.account)))}

    def _suffices(self, role: Role | None) -> bool:
        return role is not None and RANK[role] >= RANK[self._role]

    def _may_see(self, session: Session, credential: Credential, event_id: UUID) -> bool:
        actor = credential.actor(session)
        try:
            return actor is not None and open_event(session, actor, event_id).allows(self._role)
        except ConviveError:
            return False
