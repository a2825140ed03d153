"""Plans to print, made without a database."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import get_args
from uuid import uuid4

from app.plans.drawing.floor import WORKSPACE_PROPORTION, draw_floor
from app.plans.drawing.table import FloorTable, Sitter
from app.sharing.floor.read import FloorPlan
from app.sharing.printing.options import DOOR_POSTER, What
from app.sharing.printing.seating import PrintedGuest, PrintedPlan
from app.tables.rooms import RoomView

OF_PLANS: tuple[What, ...] = tuple(what for what in get_args(What) if what != DOOR_POSTER)
"""What shows a plan; the poster at the door shows a code instead."""


def printed_plan(
    names: Sequence[str],
    *,
    at_table: int = 10,
    diets: Sequence[str] = ("",),
    shows_diets: bool = True,
    has_floor: bool = False,
    title: str = "Midsummer dinner",
) -> PrintedPlan:
    """Return a plan that seats these guests in order; diets repeat."""
    tables = [uuid4() for _ in range(len(names) // at_table + 1)]
    guests = tuple(
        PrintedGuest(
            uuid4(),
            name,
            tables[number // at_table],
            f"Table {number // at_table + 1}",
            number % at_table + 1,
            child=number % 7 == 6,
            household="",
            diet=diets[number % len(diets)],
        )
        for number, name in enumerate(names)
    )
    floor = floor_plan(names, at_table) if has_floor else None
    return PrintedPlan(title, date(2027, 6, 19), guests, shows_diets, floor=floor)


def floor_plan(names: Sequence[str], at_table: int = 10, room: RoomView | None = None) -> FloorPlan:
    """Return the floor with these guests at round tables, in order."""
    room = room or RoomView()
    parts = [(f"Table {n // at_table + 1}", names[n : n + at_table]) for n in range(0, len(names), at_table)]
    tables = [
        FloorTable(
            title, f"{len(part)} guests", "round", at_table, tuple((s, Sitter("", n)) for s, n in enumerate(part))
        )
        for title, part in parts
    ]
    floor = draw_floor(tables, room, WORKSPACE_PROPORTION)
    seated = tuple((title, tuple(enumerate(part, start=1))) for title, part in parts)
    return FloorPlan(floor, room.view_box([table.box for table in floor.tables]), seated)
