"""Reads of the audit log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import delete, select
from sqlalchemy.orm import Session, aliased

from app.audit.actions import Subject
from app.db.models import AuditEntry, User


@dataclass(frozen=True)
class Entry:
    """One line of the audit log with the names that accounts have now; None where the account was deleted."""

    id: UUID
    at: datetime
    action: str
    subject: str
    user_id: UUID | None
    user_name: str | None
    event_id: UUID | None
    subject_id: UUID | None
    subject_name: str | None
    network: str
    details: dict[str, Any]


def entries(
    session: Session,
    *,
    event_id: UUID | None = None,
    subject: Subject | None = None,
    after: UUID | None = None,
    limit: int,
) -> Sequence[Entry]:
    """Return what was done in an event, or without one in the whole installation, the newest first."""
    done_to = aliased(User)
    query = (
        select(
            AuditEntry.id,
            AuditEntry.created_at,
            AuditEntry.action,
            AuditEntry.subject,
            AuditEntry.user_id,
            User.name,
            AuditEntry.event_id,
            AuditEntry.subject_id,
            done_to.name,
            AuditEntry.network,
            AuditEntry.details,
        )
        .outerjoin(User, User.id == AuditEntry.user_id)
        .outerjoin(done_to, done_to.id == AuditEntry.subject_id)
        .order_by(AuditEntry.id.desc())
        .limit(limit)
    )
    if event_id is not None:
        query = query.where(AuditEntry.event_id == event_id)
    if subject is not None:
        query = query.where(AuditEntry.subject == subject)
    if after is not None:
        query = query.where(AuditEntry.id < after)
    return [Entry(*row) for row in session.execute(query)]


def has_entry(session: Session, entry_id: UUID, event_id: UUID | None) -> bool:
    """Return whether a line of the log has this id, in the event if one is given."""
    query = select(AuditEntry.id).where(AuditEntry.id == entry_id)
    return session.scalar(query if event_id is None else query.where(AuditEntry.event_id == event_id)) is not None


def old_entries(session: Session, before: datetime, limit: int) -> Sequence[UUID]:
    """Return the ids of lines that were written before this moment, the oldest first."""
    query = select(AuditEntry.id).where(AuditEntry.created_at < before).order_by(AuditEntry.created_at).limit(limit)
    return session.scalars(query).all()


def delete_entry(session: Session, entry_id: UUID, before: datetime) -> bool:
    """Delete a line that was written before this moment; return whether there was one."""
    old = delete(AuditEntry).where(AuditEntry.id == entry_id, AuditEntry.created_at < before)
    return session.scalar(old.returning(AuditEntry.id)) is not None
