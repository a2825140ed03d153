"""Reads of imports."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.db.models import GuestImport


def import_of(session: Session, event_id: UUID, import_id: UUID) -> GuestImport | None:
    """Return one import of the event."""
    query = select(GuestImport).where(GuestImport.id == import_id, GuestImport.event_id == event_id)
    return session.scalar(query)
