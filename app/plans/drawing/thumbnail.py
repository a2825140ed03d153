"""A small picture of a plan: tables where they stand and a dot for each guest, without any names beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from app.plans.drawing.floor import EMPTY_ROOM, draw_floor
from app.plans.drawing.table import FloorTable, Sitter
from app.tables.room_items import RoomItem
from app.tables.rooms import RoomView
from app.tables.shapes import Outline
from app.web.html.text_metrics import initial

PROPORTION = 1.6  # of the width to the height of the room that tables without a place are arranged for


class SmallGuest(NamedTuple):
    """A guest at a seat, counted from 0; `state` says how they sit."""

    seat: int
    key: str
    name: str
    state: str = ""


class SmallTable(NamedTuple):
    """A table to be drawn small."""

    name: str
    shape: str
    seats: int
    guests: tuple[SmallGuest, ...]
    x: float | None = None
    y: float | None = None
    rotation: float = 0.0
    end_seats: bool = False


class Dot(NamedTuple):
    """A seat relative to the middle of its table; a free one has no guest."""

    x: float
    y: float
    guest: SmallGuest | None = None
    initial: str = ""


@dataclass(frozen=True)
class DrawnThumbnailTable:
    """A table at its place, with its seats."""

    x: float
    y: float
    outline: Outline
    name: str
    title: tuple[str, ...]
    small_title: bool
    dots: tuple[Dot, ...]


@dataclass(frozen=True)
class Thumbnail:
    """The whole picture."""

    left: float
    top: float
    width: float
    height: float
    tables: tuple[DrawnThumbnailTable, ...]
    items: tuple[RoomItem, ...] = ()
    """What else stands in the room."""


def draw_thumbnail(tables: Sequence[SmallTable], room: RoomView = EMPTY_ROOM) -> Thumbnail:
    """Draw the tables as the floor does, but without names: they then stand at the same places in every plan."""
    floor = draw_floor(
        [
            FloorTable(
                name=table.name,
                sub="",
                shape=table.shape,
                seats=table.seats,
                sitters=tuple((guest.seat, Sitter(key=guest.key, name="")) for guest in table.guests),
                x=table.x,
                y=table.y,
                rotation=table.rotation,
                end_seats=table.end_seats,
            )
            for table in tables
        ],
        room,
        PROPORTION,
    )
    drawn = [
        DrawnThumbnailTable(
            x=one.x,
            y=one.y,
            outline=one.outline,
            name=one.name,
            title=one.title,
            small_title=one.small_title,
            dots=_dots({guest.key: guest for guest in table.guests}, [(s.x, s.y, s.sitter) for s in one.seats]),
        )
        for one, table in zip(floor.tables, tables, strict=True)
    ]
    return Thumbnail(floor.left, floor.top, floor.width, floor.height, tuple(drawn), tuple(floor.items))


def _dots(guests: dict[str, SmallGuest], seats: Sequence[tuple[float, float, Sitter | None]]) -> tuple[Dot, ...]:
    sitting = [(x, y, guests.get(sitter.key) if sitter else None) for x, y, sitter in seats]
    return tuple(Dot(x, y, guest, initial(guest.name) if guest else "") for x, y, guest in sitting)
