"""Tables as pages show them: the sentence about their seats, and small pictures."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from app.db.models import Table
from app.formats.tables import LEAST
from app.words import count, list_in_words

MARKS = 24
MOST_SIZES = 8  # more in one sentence nobody reads


@dataclass(frozen=True)
class Balance:
    """Seats against guests, in one sentence and what follows from it."""

    sentence: str
    more: str
    is_enough: bool


@dataclass(frozen=True)
class DrawnTable:
    """A table with the seats of its small picture, as points around the middle."""

    table: Table
    seats: Sequence[tuple[float, float]]


def balance(guests: int, tables: Sequence[Table]) -> Balance:
    """Compare the seats with the guests."""
    seats = sum(table.seats for table in tables)
    least = sum(table.min_seats for table in tables)
    if guests > seats:
        lacking = "1 is missing" if guests - seats == 1 else f"{guests - seats:,} are missing"
        return Balance(
            f"{count(seats, 'seat')} for {count(guests, 'guest')}: {lacking}.", "Add a table or seats.", False
        )
    if guests and guests < least:
        more = "Take a table away, or let one have fewer guests."
        return Balance(f"The tables want at least {count(least, 'guest')}; there are {guests:,}.", more, False)
    if guests == seats:
        return Balance(f"{count(guests, 'guest')}, {count(seats, 'seat')}: exactly enough.", "", True)
    spare = f"{count(seats - guests, 'seat')} to spare"
    return Balance(f"{count(seats, 'seat')} for {count(guests, 'guest')}: {spare}.", "", True)


def size_words(tables: Sequence[Table]) -> str:
    """Say how many tables there are of each size, such as `2 tables of 4, 1 of 5 and 3 of 6 to 8`."""
    sizes = Counter((table.min_seats, table.seats) for table in tables)
    if not 0 < len(sizes) <= MOST_SIZES:
        return count(len(tables), "table") if tables else ""
    (first, number), *others = sizes.items()
    parts = [f"{count(number, 'table')} of {_size(first)}", *(f"{n:,} of {_size(size)}" for size, n in others)]
    return list_in_words(parts)


def _size(size: tuple[int, int]) -> str:
    least, most = size
    return f"{most}" if least in (LEAST, most) else f"{least} to {most}"


def drawn(table: Table) -> DrawnTable:
    """Return the table with up to 24 of its seats placed around it."""
    number = min(table.seats, MARKS)
    return DrawnTable(table, _along(number) if table.shape == "long" else _around(number))


def _around(number: int) -> list[tuple[float, float]]:
    turns = [2 * math.pi * place / number for place in range(number)]
    return [(round(34 * math.sin(turn), 1), round(-34 * math.cos(turn), 1)) for turn in turns]


def _along(number: int) -> list[tuple[float, float]]:
    above = (number + 1) // 2
    return [*_side(above, -24.0), *_side(number - above, 24.0)]


def _side(number: int, y: float) -> list[tuple[float, float]]:
    return [(round(-40 + 80 * (place + 0.5) / number, 1), y) for place in range(number)]
