"""Reads of the rounds that a new run of several rounds goes by."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.db.models import Plan, Run


def later_rounds_of(session: Session, first: UUID) -> dict[int, UUID]:
    """Return the plans of the rounds beside a first one, by their numbers."""
    rows = select(Plan.round, Plan.id).where(Plan.alternative_of == first, Plan.round > 0, Plan.deleted_at.is_(None))
    return {row[0]: row[1] for row in session.execute(rows)}


def tables_asked_of(session: Session, run_id: UUID | None) -> tuple[tuple[UUID, ...], ...]:
    """Return the tables that a run was asked to use in each round; nothing if all, or if it is gone."""
    return session.scalar(select(Run.round_tables).where(Run.id == run_id)) or ()
