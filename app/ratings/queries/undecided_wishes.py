"""Reads of wishes that wait for the planner: the page of ratings mentions them."""

from __future__ import annotations

from typing import TypeVar
from uuid import UUID

from sqlalchemy import Select, and_, bindparam, func, select
from sqlalchemy.orm import Session, aliased

from app.db.conditions import may_come
from app.db.models import Guest, Wish

T = TypeVar("T")


def count_undecided(session: Session, event_id: UUID) -> int:
    """Return how many wishes the planner has neither accepted nor declined."""
    return session.scalar(_COUNT_UNDECIDED, {"event": event_id}) or 0


def between_coming(query: Select[T]) -> Select[T]:
    """Keep the wishes of which both guests may come."""
    first, second = aliased(Guest), aliased(Guest)
    return query.join(first, and_(first.id == Wish.guest_id, *may_come(first))).join(
        second, and_(second.id == Wish.other_id, *may_come(second))
    )


_UNDECIDED = Wish.event_id == bindparam("event"), Wish.accepted_at.is_(None), Wish.declined_at.is_(None)
_COUNT_UNDECIDED = select(func.count()).select_from(between_coming(select(Wish.guest_id).where(*_UNDECIDED)).subquery())
