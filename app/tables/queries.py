"""Reads of tables."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import bindparam, func, select
from sqlalchemy.orm import Session
from sqlalchemy.orm.attributes import flag_modified

from app.db.models import Room, RoomBackground, Table
from app.db.once import once

# Built once: building a statement takes longer than running it.
_EVER = select(Table).where(Table.event_id == bindparam("event")).order_by(Table.position, Table.id)
_PRESENT = _EVER.where(Table.removed_at.is_(None))


@once
def tables_of(
    session: Session,
    event_id: UUID,
    *,
    limit: int | None = None,
    after: UUID | None = None,
    with_removed: bool = False,
) -> Sequence[Table]:
    """Return the event's tables in their order, from behind `after`, without the removed ones unless asked."""
    query = _EVER if with_removed else _PRESENT
    if after is not None:
        position = select(Table.position).where(Table.id == after, Table.event_id == event_id).scalar_subquery()
        query = query.where((Table.position > position) | ((Table.position == position) & (Table.id > after)))
    query = query if limit is None else query.limit(limit)
    return session.scalars(query, {"event": event_id}).all()


def table_of(session: Session, event_id: UUID, table_id: UUID, *, removed: bool = False) -> Table | None:
    """Return one table of the event, among those present or among those removed."""
    state = Table.removed_at.is_not(None) if removed else Table.removed_at.is_(None)
    return session.scalar(select(Table).where(Table.id == table_id, Table.event_id == event_id, state))


def last_position(session: Session, event_id: UUID) -> int:
    """Return the highest position in use, removed tables included, or −1."""
    highest = session.scalar(select(func.max(Table.position)).where(Table.event_id == event_id))
    return -1 if highest is None else highest


def room_of(session: Session, event_id: UUID) -> Room | None:
    """Return what is stored of the event's room."""
    return session.get(Room, event_id)


def background_of(session: Session, event_id: UUID) -> RoomBackground | None:
    """Return the picture of the event's room; its bytes are read when they are asked for."""
    return session.get(RoomBackground, event_id)


def touch(room: Room) -> None:
    """Let the next flush count up the version of a room though none of its values changes."""
    flag_modified(room, "items")
