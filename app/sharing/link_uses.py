"""How often links are opened: counted in memory and written once a minute, so that opening a page writes nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from threading import Lock
from uuid import UUID

from sqlalchemy import bindparam, case, update
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from app.clock import now
from app.db.models import Link
from app.errors import ConviveError
from app.logs import logger
from app.web.server.admission import RequestDatabase

SECONDS_BETWEEN = 60.0
log = logger(__name__)


@dataclass
class Uses:
    """How often a link was opened since the last write, and when last."""

    count: int
    last: datetime


class LinkUses:
    """The uses that are not yet stored, of one server process."""

    def __init__(self) -> None:
        self._waiting: dict[UUID, Uses] = {}
        self._lock = Lock()

    def count(self, link_id: UUID) -> None:
        """Count one opening of a link."""
        with self._lock:
            uses = self._waiting.setdefault(link_id, Uses(0, now()))
            uses.count, uses.last = uses.count + 1, now()

    def take(self) -> dict[UUID, Uses]:
        """Return what was counted and begin again."""
        with self._lock:
            counted, self._waiting = self._waiting, {}
        return counted

    async def store_now(self, database: RequestDatabase) -> None:
        """Write what was counted, if there is something; what could not be stored is kept for the next time."""
        counted = self.take()
        if not counted:
            return

        def write() -> None:
            with database.session(writes=True) as session:
                add_uses(session, counted)

        try:
            await database.run(write, writes=True)
        except Exception as error:  # counting must go on, whatever one write met
            self._put_back(counted)
            is_known = isinstance(error, SQLAlchemyError | ConviveError)
            log.warning("uses of links not stored", error=type(error).__name__, exc_info=None if is_known else error)

    async def keep_storing(self, database: Callable[[], RequestDatabase]) -> None:
        """Write once a minute for as long as the server runs."""
        while True:
            await asyncio.sleep(SECONDS_BETWEEN)
            await self.store_now(database())

    def _put_back(self, counted: dict[UUID, Uses]) -> None:
        with self._lock:
            for link_id, uses in counted.items():
                known = self._waiting.setdefault(link_id, Uses(0, uses.last))
                known.count += uses.count
                known.last = max(known.last, uses.last)


def add_uses(session: Session, counted: Mapping[UUID, Uses]) -> None:
    """Add what was counted to the stored links, in one order, so that two processes never wait for each other."""
    rows = [{"link": link, "more": uses.count, "last": uses.last} for link, uses in sorted(counted.items(), key=_id)]
    session.connection().execute(_ADD, rows)


def _id(counted: tuple[UUID, Uses]) -> UUID:
    return counted[0]


_LINKS = Link.metadata.tables[Link.__tablename__]
# The table, not the entity: being opened is no edit, so the version stays.
_LAST = bindparam("last", type_=_LINKS.c.last_used_at.type)
_ADD = (
    update(_LINKS)
    .where(_LINKS.c.id == bindparam("link"))
    .values(
        uses=_LINKS.c.uses + bindparam("more"),
        # Another process may have stored a later moment.
        last_used_at=case((_LINKS.c.last_used_at > _LAST, _LINKS.c.last_used_at), else_=_LAST),
    )
)
