"""Reads that show whether an event has changed since a run, without reading all of it."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BindParameter, bindparam, func, select
from sqlalchemy.orm import Session

from app.db.models import Rating, RatingMatrix
from app.db.once import once
from app.problem.queries.seats import maker_of

_EVENT: BindParameter[UUID] = bindparam("event")
_RATINGS_WRITTEN = select(func.count(), func.max(Rating.updated_at)).where(Rating.event_id == _EVENT)
_MATRIX_MADE = select(RatingMatrix.created_at).where(RatingMatrix.event_id == _EVENT)


def marks_of(session: Session, event_id: UUID, run_id: UUID | None) -> dict[str, Any] | None:
    """Return the marks that a run was stored with."""
    maker = maker_of(session, run_id)
    return maker.marks if maker and maker.event_id == event_id else None


@once
def ratings_written(session: Session, event_id: UUID) -> tuple[int, datetime | None]:
    """Return how many single ratings there are and when the last was written: both change with any rating."""
    count, latest = session.execute(_RATINGS_WRITTEN, {"event": event_id}).one()
    return count, latest


@once
def matrix_stamp(session: Session, event_id: UUID) -> str:
    """Return a text that changes when a matrix is uploaded or removed."""
    made = session.scalar(_MATRIX_MADE, {"event": event_id})
    return made.isoformat() if made else ""


def matrix_values(session: Session, event_id: UUID) -> bytes:
    """Return the uploaded matrix as it is stored, or nothing."""
    return session.scalar(select(RatingMatrix.values).where(RatingMatrix.event_id == event_id)) or b""
