"""Reads of ratings."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from app.db.models import Rating, RatingMatrix

Row = tuple[UUID, UUID, float]


def ratings_of(session: Session, event_id: UUID, guest_id: UUID | None = None) -> list[Row]:
    """Return the event's single ratings as (a, b, score), or only those to and from one guest."""
    query = select(Rating.guest_a, Rating.guest_b, Rating.score).where(Rating.event_id == event_id)
    if guest_id is not None:
        query = query.where(or_(Rating.guest_a == guest_id, Rating.guest_b == guest_id))
    return [(row[0], row[1], row[2]) for row in session.execute(query)]


def matrix_of(session: Session, event_id: UUID) -> RatingMatrix | None:
    """Return the uploaded matrix."""
    return session.get(RatingMatrix, event_id)


def matrix_guests(session: Session, event_id: UUID) -> Sequence[UUID]:
    """Return whom the uploaded matrix rates, without reading its values."""
    ids = session.scalar(select(RatingMatrix.guest_ids).where(RatingMatrix.event_id == event_id))
    return [UUID(text) for text in ids or []]
