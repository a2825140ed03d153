"""How often links are opened: counted in memory and written once a minute, so that opening a page writes nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from threading import Lock
from uuid import UUID

from sqlalchemy import bindparam, case, update
from sqlalchemy.orm import Session

from app.clock import now
from app.db.models import Link
from app.web.write_behind import StoredLater


@dataclass
class Uses:
    """How often a link was opened since the last write, and when last."""

    count: int
    last: datetime


class LinkUses(StoredLater[dict[UUID, Uses]]):
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

    def put_back(self, counted: dict[UUID, Uses]) -> None:
        """Keep what could not be stored for the next time."""
        with self._lock:
            for link_id, uses in counted.items():
                known = self._waiting.setdefault(link_id, Uses(0, uses.last))
                known.count += uses.count
                known.last = max(known.last, uses.last)

    def write(self, session: Session, counted: dict[UUID, Uses]) -> None:
        """Add what was counted to the stored links."""
        add_uses(session, counted)


def add_uses(session: Session, counted: Mapping[UUID, Uses]) -> None:
    """Add what was counted to the stored links, in one order, so that two processes never wait for each other."""
    rows = [{"link": link, "more": uses.count, "last": uses.last} for link, uses in sorted(counted.items(), key=_id)]
    session.connection().execute(_ADD, rows)


def _id(counted: tuple[UUID, Uses]) -> UUID:
    return counted[0]


_LINKS = Link.metadata.tables[Link.__tablename__]
# The table, not the entity: opening a link is not an edit, so the version stays.
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
