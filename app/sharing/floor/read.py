"""The floor of a plan as it is arranged in the workspace, with names and nothing else about the guests."""

from __future__ import annotations

from dataclasses import dataclass, replace
from uuid import UUID

from app.events.context import EventContext
from app.plans.drawing.boxes import Box
from app.plans.drawing.floor import WORKSPACE_PROPORTION, Floor, draw_floor
from app.plans.drawing.table import FloorTable, Sitter
from app.plans.read import PlanTable, require_plan, view_plan
from app.sentences import count
from app.tables.rooms import read_room

MOST_NAMED = 600
"""With more guests the drawing has no names; a legend lists them by table."""


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
    with_names = view.guest_count <= MOST_NAMED
    floor = draw_floor([_table(table, with_names) for table in view.tables], room, WORKSPACE_PROPORTION)
    tables = tuple(
        (_line(table.name), tuple((guest.seat + 1, _line(guest.name)) for guest in table.guests))
        for table in view.tables
        if table.guests
    )
    return FloorPlan(floor, room.view_box([table.box for table in floor.tables]), tables)


def _table(table: PlanTable, with_names: bool) -> FloorTable:
    sitters = tuple((guest.seat, Sitter("", _line(guest.name) if with_names else "")) for guest in table.guests)
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
    )


def _line(text: str) -> str:
    return " ".join(text.split())
