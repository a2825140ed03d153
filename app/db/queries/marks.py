"""Reads that tell whether an event has changed since a run, without reading all of it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from sqlalchemy import exists, func, select
from sqlalchemy.orm import Session

from app.db.models import Rating, RatingMatrix, Run


def marks_of(session: Session, event_id: UUID, run_id: UUID | None) -> dict[str, Any] | None:
    """Return the marks that a run was stored with."""
    return session.scalars(select(Run.marks).where(Run.id == run_id, Run.event_id == event_id)).one_or_none()


def ratings_stamp(session: Session, event_id: UUID) -> str:
    """Return what is another text after any single rating was given, changed or taken back."""
    query = select(func.count(), func.max(Rating.updated_at)).where(Rating.event_id == event_id)
    count, latest = session.execute(query).one()
    return f"{count} {latest.isoformat() if latest else ''}"


def has_ratings(session: Session, event_id: UUID) -> bool:
    """Tell whether any pair is rated, singly or by a matrix."""
    single, uploaded = exists().where(Rating.event_id == event_id), exists().where(RatingMatrix.event_id == event_id)
    return bool(session.scalar(select(single | uploaded)))


def matrix_stamp(session: Session, event_id: UUID) -> str:
    """Return what is another text after a matrix was uploaded or removed."""
    made = session.scalar(select(RatingMatrix.created_at).where(RatingMatrix.event_id == event_id))
    return made.isoformat() if made else ""


def matrix_values(session: Session, event_id: UUID) -> bytes:
    """Return the uploaded matrix as it is stored, or nothing."""
    return session.scalar(select(RatingMatrix.values).where(RatingMatrix.event_id == event_id)) or b""
