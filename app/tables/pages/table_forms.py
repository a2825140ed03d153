"""What can be typed about tables."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

from pydantic import BaseModel, Field

from app.errors import FieldError, Invalid
from app.tables.entries import TableEntry
from app.tables.pages.metres import read_metres
from app.tables.shapes import METRE
from app.web.html.forms import read_id, read_number
from app.web.html.paging import MOST_PAGES
from app.web.unset import UNSET


def read_group(text: str) -> UUID | None:
    """Return the group that was chosen; nothing where anybody may sit."""
    group = read_id(text)
    if text and group is None:
        raise Invalid(FieldError("reserved_for", "Group not found in this event."))
    return group


class TableForm(BaseModel):
    """A table as typed."""

    name: str = ""
    seats: str = ""
    min_seats: str = ""
    shape: str = "round"
    version: int | None = None

    def entry(self) -> TableEntry:
        """Return what was typed as the services take it, or raise every fault in the numbers."""
        faults: list[FieldError] = []
        numbers: dict[str, int] = {}
        for where, what, text in (("seats", "Seats", self.seats), ("min_seats", "At least", self.min_seats)):
            if where == "min_seats" and not text.strip():
                continue
            try:
                numbers[where] = read_number(text, where, what)
            except Invalid as error:
                faults += error.faults
        if faults:
            raise Invalid(faults)
        name = " ".join(self.name.split())
        return TableEntry(name, seats=numbers["seats"], min_seats=numbers.get("min_seats", UNSET), shape=self.shape)


class PlacedTableForm(TableForm):
    """A table as typed, with its place on the floor in metres."""

    end_seats: bool = False
    rotation: str = ""
    reserved_for: str = ""
    x: str = ""
    y: str = ""

    def entry(self) -> TableEntry:
        """Return what was typed as the services take it, or raise every fault in the numbers."""
        x, y = (
            read_metres(self.x, "x", "The distance from the left"),
            read_metres(self.y, "y", "The distance from the top"),
        )
        if (x is None) != (y is None):
            raise Invalid(FieldError("x" if x is None else "y", "Enter both distances, or leave both empty."))
        return replace(
            super().entry(),
            end_seats=self.end_seats,
            rotation=read_metres(self.rotation, "rotation", "The rotation") or 0.0,
            x=None if x is None else x * METRE,
            y=None if y is None else y * METRE,
            reserved_for=read_group(self.reserved_for),
        )


class TablesForm(TableForm):
    """Everything that can be entered on the page: every button sends it, so that nothing entered is lost."""

    sizes: str | None = None
    page: int = Field(1, ge=1, le=MOST_PAGES)

    @property
    def names_a_table(self) -> bool:
        """Whether something of a new table was entered."""
        return any(text.strip() for text in (self.name, self.seats, self.min_seats))


class UndoForm(TablesForm):
    """The sizes before and the removed tables, with what was entered."""

    before: str = ""
    removed: str = ""
