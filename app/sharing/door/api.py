"""/events/{event}/arrivals: who has arrived."""

from __future__ import annotations

import datetime as dt
import re
from typing import Annotated
from uuid import UUID

from fastapi import Query
from pydantic import AwareDatetime, BeforeValidator

from app.events.context import ApiEditorContext
from app.guests.name_order import sort_key
from app.sharing.door import check_in as door
from app.sharing.door.access import member_access
from app.web.json_api.schemas import Answer
from app.web.one_hop import Router

router = Router(prefix="/api/v1/events/{event_id}/arrivals", tags=["arrivals"])
MOMENT = re.compile(r"\d{4}-\d\d-\d\d[Tt]")


def _only_moment(value: object) -> object:
    """Let only a text such as 2026-12-05T18:30:00Z pass: pydantic would read numbers as seconds since 1970."""
    if isinstance(value, str) and not MOMENT.match(value):
        raise ValueError("must be a moment such as 2026-12-05T18:30:00Z")
    return value


At = Annotated[
    AwareDatetime | None,
    BeforeValidator(_only_moment),
    Query(description="When it happened, if that is sent later; the latest action on a guest counts. Defaults to now"),
]


class ArrivalOut(Answer):
    """A guest who is expected; `arrived_at` is null until they have arrived."""

    guest: UUID
    name: str
    table: UUID | None
    arrived_at: dt.datetime | None
    by: str


class TableArrivals(Answer):
    """How many of a table's guests have arrived. Guests without a seat are counted under a table without an id."""

    table: UUID | None
    name: str
    guests: int
    arrived: int


class ArrivalList(Answer):
    """Everyone who is expected, from A to Z, by the plan in use."""

    guests: int
    arrived: int
    tables: list[TableArrivals]
    arrivals: list[ArrivalOut]


class CheckedIn(Answer):
    """When a guest arrived; null if somebody undid it later than the time that was sent."""

    guest: UUID
    arrived_at: dt.datetime | None


@router.get("")
def list_arrivals(ctx: ApiEditorContext) -> ArrivalList:
    """List who has arrived and who is still missing, with counts by table."""
    found = door.list_guests(member_access(ctx))
    return ArrivalList(
        guests=len(found.guests),
        arrived=found.arrived,
        tables=[TableArrivals(table=t.id, name=t.name, guests=t.guests, arrived=t.arrived) for t in found.tables],
        arrivals=[
            ArrivalOut(guest=g.id, name=g.planner_name, table=g.table_id, arrived_at=g.arrived_at, by=g.by)
            for g in sorted(found.guests, key=lambda guest: sort_key(guest.planner_name, ""))
        ],
    )


@router.put("/{guest_id}")
def check_in(ctx: ApiEditorContext, guest_id: UUID, at: At = None) -> CheckedIn:
    """Check a guest in. A guest who has arrived already stays so, with the time of the first arrival."""
    stored = door.check_in(member_access(ctx), guest_id, at)
    return CheckedIn(guest=guest_id, arrived_at=stored.arrived_at)


@router.delete("/{guest_id}", status_code=204)
def undo_arrival(ctx: ApiEditorContext, guest_id: UUID, at: At = None) -> None:
    """Undo a check-in, if there is one."""
    door.undo_check_in(member_access(ctx), guest_id, at)
