"""New events with much in them: built in memory, then written in several short transactions.

Nobody is a member of the event before the last of these, so nobody sees half of it, and other writers wait for one
step at most. What a crash leaves is deleted with old data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Table, and_, delete, exists, insert, select, update
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.audit.actions import Action
from app.audit.record import record
from app.db.erased_bytes import note_erasure
from app.db.models import Base, Event, Member, Role, User
from app.db.scratch import scratch_session
from app.files.event_parts import EventFile
from app.transfer.json_import import import_json
from app.transfer.workbook_import import import_event
from app.transfer.workbook_reader import Book

MOST_ROWS = 500
"""Rows that are written in one transaction."""
UNSEEN = {"users", "members", "audit_log"}
UNFINISHED_REVISION = 0
"""Of an event that is not written to its end. A finished one has more, for every change counts it up."""


@dataclass(frozen=True)
class Step:
    """Rows of one table that are written in one transaction."""

    table: Table
    rows: Sequence[dict[str, Any]]

    def write(self, session: Session) -> None:
        session.connection().execute(insert(self.table), list(self.rows))


@dataclass(frozen=True)
class StagedEvent:
    """An event that needs only to be written: its rows, then who owns it."""

    id: UUID
    owner: UUID
    revision: int
    steps: tuple[Step, ...]
    action: Action = Action.EVENT_IMPORTED
    members: tuple[tuple[UUID, Role], ...] = ()

    def finish(self, session: Session) -> None:
        """Let the owner see the event, all of which is written."""
        session.execute(update(Event).where(Event.id == self.id).values(revision=self.revision))
        session.add(Member(event_id=self.id, user_id=self.owner, role="owner"))
        session.flush()
        record(session, self.action, by=self.owner, event_id=self.id)
        there = set(session.scalars(select(User.id).where(User.id.in_([user for user, _ in self.members]))))
        for user, role in self.members:
            if user in there:
                session.add(Member(event_id=self.id, user_id=user, role=role))
                record(session, Action.MEMBER_ADDED, by=self.owner, event_id=self.id, subject_id=user)
        session.flush()


def stage_event(
    actor: Actor,
    source: Book | EventFile,
    add_more: Callable[[Session, Event], None] | None = None,
    *,
    action: Action = Action.EVENT_IMPORTED,
    members: tuple[tuple[UUID, Role], ...] = (),
) -> StagedEvent:
    """Build the event of a workbook or a JSON file in memory, or say everything that is wrong with it.

    `add_more` writes what files do not have; `members` besides the owner see the event from its end on.
    """
    with scratch_session() as session:
        session.add(User(id=actor.user_id))
        session.flush()
        if isinstance(source, EventFile):
            event = import_json(session, actor, source)
        else:
            event = import_event(session, actor, source)
        if add_more is not None:
            add_more(session, event)
            session.flush()
        session.refresh(event)
        revision, event.revision = event.revision, UNFINISHED_REVISION
        session.flush()
        return StagedEvent(event.id, actor.user_id, revision, tuple(_steps(session)), action, members)


def _steps(session: Session) -> Iterator[Step]:
    for table in Base.metadata.sorted_tables:
        if table.name not in UNSEEN:
            rows = (dict(row._mapping) for row in session.execute(select(table)))
            while part := list(islice(rows, MOST_ROWS)):
                yield Step(table, part)


def is_unfinished(before: datetime) -> ColumnElement[bool]:
    """Return whether an event was begun before this moment and not written to its end."""
    has_member = exists().where(Member.event_id == Event.id)
    return and_(Event.revision == UNFINISHED_REVISION, Event.created_at < before, ~has_member)


def unfinished_events(session: Session, before: datetime, limit: int) -> Sequence[UUID]:
    """Return the ids of events that were not written to their end."""
    return session.scalars(select(Event.id).where(is_unfinished(before)).limit(limit)).all()


def delete_unfinished(session: Session, event_id: UUID, before: datetime) -> bool:
    """Delete an event that was not written to its end."""
    gone = session.execute(delete(Event).where(Event.id == event_id, is_unfinished(before)).returning(Event.id))
    if gone.first() is None:
        return False
    note_erasure(session)
    return True
