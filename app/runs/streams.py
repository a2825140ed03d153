"""Which run a stream follows: read once for whoever asks, when the stream begins."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from uuid import UUID

from fastapi import Request
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.events.context import open_event
from app.runs.queries import RunRow
from app.runs.start import follow_run
from app.web.one_hop import read_database


def run_seen_by(find_actor: Callable[[Request, Session], Actor]) -> Callable[..., Awaitable[RunRow]]:
    """Return the dependency that reads the run of an address for whoever asks, if they may see it."""

    async def read_run(request: Request, event_id: UUID, run_id: UUID) -> RunRow:
        return await read_database(
            request, lambda session: follow_run(open_event(session, find_actor(request, session), event_id), run_id)
        )

    return read_run
