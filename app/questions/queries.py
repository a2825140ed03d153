"""Reads of questions: what was asked, what was chosen to be asked next, and who is answering."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.db.models import AskedPair, QuestionBatch, QuestionDesk, Rating, Run
from app.db.once import once
from app.events.progress import Measured, read_measured

Pair = tuple[UUID, UUID]


@once
def asked_pairs(session: Session, event_id: UUID) -> dict[Pair, str]:
    """Return the pairs that were asked about and got no rating, with the answer: unknown or skipped."""
    query = select(AskedPair.guest_a, AskedPair.guest_b, AskedPair.answer).where(AskedPair.event_id == event_id)
    return {(a, b): answer for a, b, answer in session.execute(query)}


def rated_since(session: Session, event_id: UUID, moment: datetime) -> dict[Pair, float]:
    """Return the single ratings given or changed since, the smaller id first."""
    query = select(Rating.guest_a, Rating.guest_b, Rating.score)
    rows = session.execute(query.where(Rating.event_id == event_id, Rating.updated_at >= moment))
    return {(min(a, b), max(a, b)): score for a, b, score in rows}


def batch_of(session: Session, event_id: UUID) -> tuple[bytes, Measured | None] | None:
    """Return the stored questions of an event, packed, and how settled the plan was."""
    query = select(QuestionBatch.content, QuestionBatch.progress).where(QuestionBatch.event_id == event_id)
    row = session.execute(query).one_or_none()
    return (row[0], read_measured(row[1])) if row else None


def newest_question_run(session: Session, event_id: UUID) -> tuple[str, datetime] | None:
    """Return how the newest run that chooses questions is doing, and since when it is there."""
    query = select(Run.status, Run.created_at).where(Run.event_id == event_id, Run.purpose == "questions")
    row = session.execute(query.order_by(Run.created_at.desc(), Run.id.desc()).limit(1)).first()
    return (row[0], row[1]) if row else None


def responders_since(session: Session, event_id: UUID, moment: datetime) -> list[str]:
    """Return the responders who have answered since."""
    query = select(QuestionDesk.desk).where(QuestionDesk.event_id == event_id, QuestionDesk.seen_at >= moment)
    return list(session.scalars(query))
