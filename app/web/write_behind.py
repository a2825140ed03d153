"""Notes about uses, kept in memory and written once a minute, so that reading a page writes nothing."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Generic, TypeVar

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from app.errors import ConviveError
from app.logs import logger
from app.web.server.admission import RequestDatabase

SECONDS_BETWEEN = 60.0
Notes = TypeVar("Notes")
log = logger(__name__)


class StoredLater(ABC, Generic[Notes]):
    """Notes of one server process that are not stored yet."""

    @abstractmethod
    def take(self) -> Notes:
        """Return what was noted and begin again."""

    @abstractmethod
    def put_back(self, notes: Notes) -> None:
        """Keep what could not be stored for the next time."""

    @abstractmethod
    def write(self, session: Session, notes: Notes) -> None:
        """Store the notes."""

    async def store_now(self, database: RequestDatabase) -> None:
        """Write what was noted, if there is something."""
        notes = self.take()
        if not notes:
            return

        def write() -> None:
            with database.session(writes=True) as session:
                self.write(session, notes)

        try:
            await database.run(write, writes=True)
        except Exception as error:  # notes are kept, whatever happened to one write
            self.put_back(notes)
            is_known = isinstance(error, SQLAlchemyError | ConviveError)
            kind = type(self).__name__
            log.warning("uses not stored", kind=kind, error=type(error).__name__, exc_info=None if is_known else error)

    async def keep_storing(self, database: Callable[[], RequestDatabase]) -> None:
        """Write once a minute for as long as the server runs."""
        while True:
            await asyncio.sleep(SECONDS_BETWEEN)
            await self.store_now(database())
