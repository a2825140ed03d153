"""What stands in a room besides tables: doors, a dance floor, a stage, a bar, walls and free labels."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any
from uuid import uuid4

from app.errors import FieldError, Invalid
from app.tables.entries import MAX_PLACE, full_turn
from app.tables.shapes import METRE, Outline
from app.web.html.text_metrics import width
from app.web.names import without_controls

KINDS = {
    "door": "Door",
    "dance_floor": "Dance floor",
    "stage": "Stage",
    "bar": "Bar",
    "label": "Label",
    "wall": "Wall",
}
"""The kinds of items, and what pages call them."""
SIZES = {
    "door": (1.2, 0.2),
    "dance_floor": (5.0, 4.0),
    "stage": (6.0, 3.0),
    "bar": (3.0, 1.0),
    "label": (2.0, 0.5),
    "wall": (4.0, 0.2),
}
"""Usual widths and heights in metres."""
NO_TABLES = ("dance_floor", "stage", "bar")
"""What no table is placed on by the automatic layout."""
TEXT_SIZE = 14.0
MAX_ITEMS, MAX_TEXT = 200, 80
MAX_SIZE = 500 * METRE
ID = re.compile(r"[A-Za-z0-9_-]{1,40}")


@dataclass(frozen=True)
class RoomItem:
    """An item; x and y are its middle in floor units. Without an id it is new."""

    kind: str
    x: float
    y: float
    width: float
    height: float
    rotation: float = 0.0
    text: str = ""
    id: str = ""

    @property
    def box(self) -> tuple[float, float, float, float]:
        """The room that it takes as it is turned: left, top, right, bottom."""
        across, down = Outline("box", self.width / 2, self.height / 2, (), self.rotation).extent
        return self.x - across, self.y - down, self.x + across, self.y + down

    @property
    def label(self) -> str:
        """What it is called: its text, or its kind."""
        return self.text or KINDS[self.kind]

    @property
    def shown_text(self) -> str:
        """What is written on it: its text, or its kind where that is not plain to see from its form."""
        return self.text or (KINDS[self.kind] if self.kind in NO_TABLES else "")

    @property
    def is_upright(self) -> bool:
        """Whether its text runs upwards, because it is much higher than wide."""
        left, top, right, bottom = self.box
        return bottom - top > 2 * (right - left)

    @property
    def text_width(self) -> float:
        """How wide its text is."""
        return width(self.shown_text, TEXT_SIZE)

    @property
    def drawn_box(self) -> tuple[float, float, float, float]:
        """The room that it takes with its text, which stands above a door and across everything else."""
        left, top, right, bottom = self.box
        half, line = self.text_width / 2, TEXT_SIZE * 0.75
        across, down = (line, half) if self.is_upright and self.kind != "door" else (half, line)
        y = self.y - self.height / 2 - TEXT_SIZE if self.kind == "door" else self.y
        return min(left, self.x - across), min(top, y - down), max(right, self.x + across), max(bottom, y + down)


def read_items(stored: Sequence[Mapping[str, Any]]) -> tuple[RoomItem, ...]:
    """Return the items as they are stored."""
    return tuple(RoomItem(**item) for item in stored)


def store_items(items: Sequence[RoomItem]) -> list[dict[str, Any]]:
    """Return items as they are stored."""
    return [asdict(item) for item in items]


def check_items(items: Sequence[RoomItem]) -> tuple[RoomItem, ...]:
    """Return the items tidied, each with an id of its own, or raise everything that is wrong with them."""
    if len(items) > MAX_ITEMS:
        raise Invalid(FieldError("items", f"That would be {len(items):,} items; maximum {MAX_ITEMS} per room."))
    faults = [fault for place, item in enumerate(items) for fault in _faults(item, f"items/{place}/")]
    ids = [item.id for item in items if item.id]
    faults += [FieldError(f"items/{place}/id", "Duplicate id.") for place, one in enumerate(ids) if one in ids[:place]]
    if faults:
        raise Invalid(faults[:100])
    return tuple(
        replace(item, id=item.id or uuid4().hex[:12], rotation=full_turn(item.rotation), text=_tidied(item.text))
        for item in items
    )


def _tidied(text: str) -> str:
    return " ".join(without_controls(text).split())


def _faults(item: RoomItem, where: str) -> Iterator[FieldError]:
    if item.kind not in KINDS:
        yield FieldError(f"{where}kind", f"The kind must be one of {', '.join(KINDS)}.")
    if item.id and not ID.fullmatch(item.id):
        yield FieldError(f"{where}id", "An id has up to 40 letters, digits, _ and -.")
    for axis in ("x", "y", "rotation"):
        if not abs(getattr(item, axis)) <= MAX_PLACE:
            yield FieldError(f"{where}{axis}", f"This must be between −{MAX_PLACE:,} and {MAX_PLACE:,}.")
    for side in ("width", "height"):
        if not 1 <= getattr(item, side) <= MAX_SIZE:
            yield FieldError(f"{where}{side}", f"The {side} must be between 1 and {MAX_SIZE:,.0f} floor units.")
    if len(item.text) > MAX_TEXT:
        yield FieldError(f"{where}text", f"Maximum {MAX_TEXT} characters.")
    if item.kind == "label" and not _tidied(item.text):
        yield FieldError(f"{where}text", "A label needs a text.")
