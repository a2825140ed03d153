"""/shared/{token}: what a link may show, for anyone who has it."""

from __future__ import annotations

import datetime as dt

from app.sharing import links
from app.web.deps import Db
from app.web.json_api.schemas import Answer
from app.web.one_hop import Router

router = Router(prefix="/api/v1/shared", tags=["shared"])


class SharedEventOut(Answer):
    """The event, as shown to guests."""

    name: str
    date: dt.date | None


class SharedGuestOut(Answer):
    """A guest at a table."""

    name: str


class SharedTableOut(Answer):
    """A table and who sits there."""

    name: str
    guests: list[SharedGuestOut]


class SharedOut(Answer):
    """Names and tables, and nothing else."""

    event: SharedEventOut
    tables: list[SharedTableOut]


@router.get("/{token}")
def open_link(session: Db, token: str) -> SharedOut:
    """Retrieve what a link shows. No API key needed."""
    shared = links.open_link(session, token)
    tables = [
        SharedTableOut(name=table.name, guests=[SharedGuestOut(name=name) for name in table.guests])
        for table in shared.tables
    ]
    return SharedOut(event=SharedEventOut(name=shared.event_name, date=shared.event_date), tables=tables)
