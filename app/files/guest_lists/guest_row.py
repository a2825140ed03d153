"""A guest as a row of a file describes them, and what was odd about it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from app.files.guest_lists.readings import Reading


@dataclass(frozen=True)
class RowNote:
    """A cell that is odd, and what is done about it: for a guest who is new, and for one who is stored."""

    odd: str
    if_new: str
    if_stored: str


class OwnValue(NamedTuple):
    """What a guest has in a field of the event; `kind` is that of the field if it has to be made."""

    name: str
    text: str
    kind: str = "text"


@dataclass(frozen=True)
class GuestRow:
    """A guest as described by a row; None where the row says nothing.

    `made_party` says that the household is not in the file: it was made for a couple, a family or a plus-one.
    `is_seat` says that nobody knows yet who it is; `host` is the family that the seat is for.
    """

    number: int
    name: str
    title: str | None = None
    first_name: str | None = None
    last_name: str | None = None
    party: str | None = None
    made_party: bool = False
    groups: tuple[str, ...] | None = None
    side: str | None = None
    reply: str | None = None
    age_group: str | None = None
    child: bool | None = None
    diet: str | None = None
    meal: str | None = None
    allergies: str | None = None
    more_allergies: str | None = None
    note: str | None = None
    email: str | None = None
    phone: str | None = None
    high_chair: bool | None = None
    wheelchair: bool | None = None
    public_name: str | None = None
    own: tuple[OwnValue, ...] = ()
    errors: tuple[str, ...] = ()
    notes: tuple[RowNote, ...] = ()
    is_seat: bool = field(default=False, compare=False)
    host: str = field(default="", compare=False)


@dataclass(frozen=True)
class RowRead:
    """A row of the sheet: what its name cell says, whom it means, and what was understood beyond the letter.

    `open_seats` is how many seats are kept where the words say no number, as “& kids”; None where they do.
    """

    number: int
    said: str
    guests: tuple[GuestRow, ...]
    readings: tuple[Reading, ...] = ()
    open_seats: int | None = None
