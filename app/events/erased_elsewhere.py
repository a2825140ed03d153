"""Erasures by other processes: what this one keeps in memory is emptied soon after them.

Several web processes serve one PostgreSQL, and workers erase what is due. The pages that a process keeps are found by
the event's revision, so none is shown after an erasure; but its memory would still hold the name.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from app.audit.actions import Action
from app.bounded_cache import clear_caches
from app.clock import now
from app.db.models import AuditEntry
from app.errors import ConviveError
from app.logs import logger
from app.web.server.admission import RequestDatabase

LOOK_SECONDS = 20.0
LONGEST_TRANSACTION = timedelta(hours=1)
"""A line is dated when it is written, and seen when its transaction ends."""
ERASURES = (Action.GUEST_ERASED, Action.EVENT_DELETED, Action.ACCOUNT_DELETED)
log = logger(__name__)


class ErasedElsewhere:
    """The erasures that this process knows of, from the audit log, which has a line of each."""

    def __init__(self) -> None:
        self._seen: set[UUID] = set()
        self._looked_at: datetime = now()

    def look(self, session: Session) -> None:
        """Empty the caches if something was erased that this process did not know of."""
        at = now()
        is_recent = AuditEntry.created_at > self._looked_at - LONGEST_TRANSACTION
        found = set(session.scalars(select(AuditEntry.id).where(is_recent, AuditEntry.action.in_(ERASURES))))
        if found - self._seen:
            clear_caches()
        self._seen, self._looked_at = found, at

    async def keep_looking(self, database: Callable[[], RequestDatabase]) -> None:
        """Look again and again for as long as the server runs."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                await database().read(self.look)
            except (SQLAlchemyError, ConviveError) as error:  # the database is busy or away
                log.warning("could not look for erasures, will retry", error=type(error).__name__)
