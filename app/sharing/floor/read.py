"""The floor of a plan as it is arranged in the workspace, with public names and nothing else about the guests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from uuid import UUID

from app.events.context import EventContext
from app.guests.public_names import public_names
from app.guests.queries.guests import names_ever_of
from app.plans.drawing.boxes import Box
from app.plans.drawing.floor import WORKSPACE_PROPORTION, Floor, draw_floor
from app.plans.drawing.table import FloorTable, Sitter
from app.plans.read import PlanTable, require_plan, view_plan
from app.sentences import count
from app.sharing.floor.queries import seated_people
from app.tables.rooms import read_room

MOST_NAMED = 600
"""With more guests the drawing has names of tables and numbers of guests only; in print a legend lists the guests."""


@dataclass(frozen=True)
class FloorPlan:
    """The drawing, the part of it that holds something (left, top, width, height), and who sits at each table."""

    floor: Floor
    box: Box
    tables: tuple[tuple[str, tuple[tuple[int, str], ...]], ...]
    """Names of tables with their guests: seats counted from 1, and names."""


def read_floor(ctx: EventContext, plan_id: UUID) -> FloorPlan:
    """Return the floor of a plan; no ratings, diets or locks are read for it."""
    plan = require_plan(ctx, plan_id)
    view = view_plan(ctx.session, plan, can_edit=False)
    room = replace(read_room(ctx), background=None)
    names = public_names(seated_people(ctx.session, plan.id), names_ever_of(ctx.session, ctx.event_id))
    drawn = names if view.guest_count <= MOST_NAMED else {}
    floor = draw_floor(
        [_table(number, table, drawn) for number, table in enumerate(view.tables, start=1)], room, WORKSPACE_PROPORTION
    )
    tables = tuple(
        (_line(table.name), tuple((guest.seat + 1, _line(names[guest.id])) for guest in table.guests))
        for table in view.tables
        if table.guests
    )
    return FloorPlan(floor, room.view_box([table.box for table in floor.tables]), tables)


def _table(number: int, table: PlanTable, names: Mapping[UUID, str]) -> FloorTable:
    sitters = tuple((guest.seat, Sitter("", _line(names.get(guest.id, "")))) for guest in table.guests)
    return FloorTable(
        _line(table.name),
        count(len(table.guests), "guest"),
        table.shape,
        table.seats,
        sitters,
        table.x,
        table.y,
        table.rotation,
        table.end_seats,
        key=str(number),
    )


def _line(text: str) -> str:
    return " ".join(text.split())
