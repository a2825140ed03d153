"""What the JSON file of a whole event holds, part by part; app/files/event_guests.py has guests and their fields.

Guests, tables and plans are named by ids that mean something in this file only; groups and households by their names.
Lists that can be long hold short rows. See docs/decisions/0066-event-files.md.
"""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from app.files.event_guests import MOST_FIELDS, MOST_GROUPS, MOST_GUESTS, FieldPart, GuestPart, Key, Name, Part

MOST_RATINGS, MOST_MATRIX, MOST_PLANS, MOST_SEATS = 200_000, 1_000, 500, 400_000
"""Ratings, guests in the matrix, versions, and seats in all versions together."""
MOST_TABLES, MOST_RULES, MOST_ITEMS = 2_000, 10_000, 200
MOST_VALUES = 50
"""In one rule."""
MOST_CHAIRS = 500
"""At one table."""
MOST_DAYS = 3650
"""From the event until it is erased."""
MOST_ASKED, MOST_WISHES = MOST_RATINGS, 10 * MOST_GUESTS
"""Pairs that were asked about, and wishes: ten of each guest."""


def _only_texts(value: object) -> object:
    if not isinstance(value, str):
        raise ValueError("must be text")  # pydantic turns only these into faults
    return value


def _in_utc(moment: dt.datetime) -> dt.datetime:
    """Return a moment in UTC; one that has no zone is taken as UTC."""
    try:
        return moment.astimezone(dt.UTC) if moment.tzinfo else moment.replace(tzinfo=dt.UTC)
    except OverflowError:
        raise ValueError("must be in the years 1 to 9999 in UTC") from None


Day = Annotated[dt.date, Field(strict=False), BeforeValidator(_only_texts)]
Moment = Annotated[dt.datetime, Field(strict=False), BeforeValidator(_only_texts), AfterValidator(_in_utc)]
Seat = Annotated[int, Field(ge=1, le=100_000)]
Number = Annotated[float, Field(ge=-1e12, le=1e12)]
GuestKeys = Annotated[tuple[Key, ...], Field(max_length=MOST_GUESTS)]
TableKeys = Annotated[tuple[Key, ...], Field(max_length=MOST_TABLES)]
GroupScore = tuple[Name, Name, Number | None]
"""How two groups get along; without a number the question about them was skipped."""


class EventPart(Part):
    """The event itself."""

    name: Name
    date: Day | None = None
    kind: Literal["score", "distance"] = "score"
    seats_undecided: bool = True
    wishes_until: Day | None = None
    erase_after_days: Annotated[int, Field(ge=1, le=MOST_DAYS)] | None = None
    balanced: Annotated[tuple[Name, ...], Field(max_length=MOST_FIELDS)] = ()


class GroupPart(Part):
    """A group, its colour and, if it is a circle, the group in which it was marked."""

    name: Name
    colour: Name = ""
    circle_of: Name = ""


class TablePart(Part):
    """A table; x, y and sizes are in floor units, 60 to the metre."""

    id: Key
    name: Name
    shape: Name = "round"
    seats: Seat
    min_seats: Annotated[int, Field(ge=0, le=100_000)] = 0
    x: Number | None = None
    y: Number | None = None
    rotation: Number = 0.0
    end_seats: bool = False
    reserved_for: Name = ""


class ItemPart(Part):
    """Something in the room that is not a table."""

    kind: Name
    x: Number
    y: Number
    width: Number
    height: Number
    rotation: Number = 0.0
    text: Name = ""


class RoomPart(Part):
    """The room without its picture."""

    width: Number | None = None
    height: Number | None = None
    items: Annotated[tuple[ItemPart, ...], Field(max_length=MOST_ITEMS)] = ()


class MatrixPart(Part):
    """An uploaded matrix: a row for each of its guests, null where nothing is known."""

    guests: Annotated[tuple[Key, ...], Field(max_length=MOST_MATRIX)]
    values: Annotated[tuple[tuple[Number | None, ...], ...], Field(max_length=MOST_MATRIX)]


class RulePart(Part):
    """A rule with the guests and tables that it names, or with the values or the field that it is about.

    A value is named by its field and itself, such as ["group", "Choir"] or ["age_group", "child"].
    """

    kind: Name
    guests: GuestKeys = ()
    tables: TableKeys = ()
    values: Annotated[tuple[tuple[Name, Name], ...], Field(max_length=MOST_VALUES)] = ()
    field: Name = ""
    limit: Annotated[int, Field(ge=0, le=100_000)] | None = None


class PlanPart(Part):
    """A version of the plan: who sits where, counted from 1, and what is locked."""

    id: Key
    number: Annotated[int, Field(ge=1, le=1_000_000)]
    name: Name = ""
    alternative_of: Key | None = None
    round: Annotated[int, Field(ge=0, le=60)] = 0
    split_households: bool = False
    objective: Literal["average", "total"] = "average"
    created_at: Moment
    used_at: Moment | None = None
    seats: Annotated[tuple[tuple[Key, Key, Seat], ...], Field(max_length=MOST_GUESTS)] = ()
    locked_guests: GuestKeys = ()
    locked_tables: TableKeys = ()
    empty_seats: Annotated[tuple[tuple[Key, Seat], ...], Field(max_length=MOST_SEATS)] = ()


Score = tuple[Key, Key, Number]
Asked = tuple[Key, Key, Literal["unknown", "skipped"]]
Wish = tuple[Key, Key, Literal["undecided", "accepted", "declined"]]


class EventFile(Part):
    """The whole file."""

    format: Literal["convive-event"] = "convive-event"
    version: Literal[1] = 1
    event: EventPart
    groups: Annotated[tuple[GroupPart, ...], Field(max_length=MOST_GROUPS)] = ()
    group_ratings: Annotated[tuple[GroupScore, ...], Field(max_length=MOST_RATINGS)] = ()
    fields: Annotated[tuple[FieldPart, ...], Field(max_length=MOST_FIELDS)] = ()
    guests: Annotated[tuple[GuestPart, ...], Field(max_length=MOST_GUESTS)] = ()
    ratings: Annotated[tuple[Score, ...], Field(max_length=MOST_RATINGS)] = ()
    matrix: MatrixPart | None = None
    asked: Annotated[tuple[Asked, ...], Field(max_length=MOST_ASKED)] = ()
    wishes: Annotated[tuple[Wish, ...], Field(max_length=MOST_WISHES)] = ()
    tables: Annotated[tuple[TablePart, ...], Field(max_length=MOST_TABLES)] = ()
    room: RoomPart = RoomPart()
    rules: Annotated[tuple[RulePart, ...], Field(max_length=MOST_RULES)] = ()
    plans: Annotated[tuple[PlanPart, ...], Field(max_length=MOST_PLANS)] = ()
