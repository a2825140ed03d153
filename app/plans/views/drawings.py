"""The drawings of a plan: the floor, the map of the guests, and the course of the search."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any
from uuid import UUID

from app.plans.drawing.floor import EMPTY_ROOM, WORKSPACE_PROPORTION, Floor, draw_floor
from app.plans.drawing.guest_map import GuestMap, MapGuest, draw_map
from app.plans.drawing.table import FloorTable, Sitter
from app.plans.moves.options import Option
from app.plans.read import PlanTable, PlanView, SeatedGuest
from app.plans.views.text import GuestWords, gain_sign, value_of
from app.runs.chart import ChartWords, draw_course
from app.tables.rooms import RoomView
from app.web.html.text_metrics import shorten

MOST_FLOOR_GUESTS = 600
MOST_RESERVED = 12  # letters of a group's name on a table
Words = Mapping[UUID, GuestWords]
Data = Mapping[UUID, tuple[tuple[str, str], ...]]  # what seats carry for their colours
Tags = Mapping[UUID, tuple[str, ...]]  # what is said of guests besides how they sit
NOTHING: Mapping[UUID, Any] = MappingProxyType({})
Effects = Mapping[UUID, tuple[str, str]]  # what stands in a seat and its tone, by guest, or by table for a free seat


def floor_of(
    view: PlanView,
    words: Words,
    held: UUID | None,
    options: Sequence[Option],
    moved: Collection[UUID] = (),
    data: Data = NOTHING,
    tags: Tags = NOTHING,
    room: RoomView = EMPTY_ROOM,
    only: Collection[UUID] | None = None,
) -> Floor | None:
    """Draw the floor, with what each place would do for the selected guest; None if it would be too crowded.

    Where `only` some tables are sent, of the others only the room that they take counts.
    """
    if view.guest_count > MOST_FLOOR_GUESTS:
        return None
    value = value_of(view)
    effects = {option.other or option.table_id: gain_sign(option, value) for option in options}
    tables = [
        FloorTable(
            table.name,
            _sub(table),
            table.shape,
            table.seats,
            (
                *(
                    (
                        guest.seat,
                        _sitter(guest, words, held, effects, guest.id in moved, data.get(guest.id, ()), tags)
                        if only is None or table.id in only
                        else Sitter("", guest.name),
                    )
                    for guest in table.guests
                ),
                *_offered(table, effects),
            ),
            table.x,
            table.y,
            table.rotation,
            table.end_seats,
            str(table.id),
            table.locked,
            table.blocked,
        )
        for table in view.tables
    ]
    return draw_floor(tables, room, WORKSPACE_PROPORTION)


def _sub(table: PlanTable) -> str:
    if table.locked and not table.guests:
        return "not used"
    reserved = f" · for {shorten(table.reserved_name, MOST_RESERVED)}" if table.reserved_name else ""
    return f"{len(table.guests)} of {table.seats}{reserved}"


def _sitter(
    guest: SeatedGuest,
    words: Words,
    held: UUID | None,
    effects: Effects,
    is_moved: bool,
    data: tuple[tuple[str, str], ...],
    tags: Tags,
) -> Sitter:
    known = words.get(guest.id, GuestWords())
    states = [f"h{known.level}" if known.level is not None else "", "held" if guest.id == held else ""]
    effect, tone = effects.get(guest.id, ("", ""))
    state = " ".join(filter(None, states))
    said = "; ".join(filter(None, [known.why, ", ".join(tags.get(guest.id, ()))]))
    return Sitter(str(guest.id), guest.name, state, said, effect, tone, guest.locked, is_moved, data)


def _offered(table: PlanTable, effects: Effects) -> list[tuple[int, Sitter]]:
    """Return the first free seat of a table as a place for the selected guest."""
    if table.id not in effects:
        return []
    seat = next(iter(table.free_seats), len(table.guests))
    return [(seat, Sitter("", "", "empty", "a free seat", *effects[table.id]))]


def map_of(view: PlanView) -> GuestMap | None:
    """Draw who is near whom, unless all are in one place."""
    if view.figures is None:
        return None
    positions = view.figures.positions
    found = [
        (guest.id, MapGuest(guest.name, *positions[guest.id], number))
        for number, table in enumerate(view.tables)
        for guest in table.guests
        if guest.id in positions
    ]
    placed = [guest for guest_id, guest in found if guest_id not in view.figures.unrated]
    aside = [guest for guest_id, guest in found if guest_id in view.figures.unrated]
    return draw_map(placed, aside) if len({(guest.x, guest.y) for guest in placed}) > 1 else None


def chart_of(view: PlanView) -> ChartWords | None:
    """Draw how the best value came about, where there is more than one."""
    if view.figures is None or len(view.figures.history) < 2:
        return None
    history = [(step.seconds, step.value) for step in view.figures.history]
    return draw_course(history, view.figures.seconds, view.figures.objective)
