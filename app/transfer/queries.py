"""Reads that only exports need."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.db.models import Wish


def wishes_of_event(session: Session, event_id: UUID) -> Sequence[Wish]:
    """Return all wishes, in the order in which they came."""
    query = select(Wish).where(Wish.event_id == event_id)
    return session.scalars(query.order_by(Wish.created_at, Wish.guest_id, Wish.other_id)).all()
