"""Tables as pages show them: the sentence about their seats, and small pictures."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from markupsafe import Markup

from app.db.models import Table
from app.files.table_sizes import LEAST
from app.sentences import count, list_in_words

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

    @property
    def picture(self) -> Markup:
        """The table from above; the words beside it say the same."""
        return _picture(self.table.shape, tuple(self.seats))


def balance(guests: int, tables: Sequence[Table]) -> Balance:
    """Compare the seats with the guests."""
    seats = sum(table.seats for table in tables)
    least = sum(table.min_seats for table in tables)
    if guests > seats:
        lacking = f"{count(guests - seats, 'more seat')} needed"
        return Balance(
            f"{count(seats, 'seat')} for {count(guests, 'guest')}: {lacking}.", "Add tables or seats.", False
        )
    if guests and guests < least:
        more = "Delete a table, or lower its minimum."
        return Balance(f"The tables need at least {count(least, 'guest')}; you have {guests:,}.", more, False)
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


@lru_cache(4 * MARKS)
def _picture(shape: str, seats: tuple[tuple[float, float], ...]) -> Markup:
    cloth = (
        '<rect class="cloth" x="-40" y="-15" width="80" height="30" rx="4"/>'
        if shape == "long"
        else '<circle class="cloth" r="23"/>'
    )
    radius = 3.2 if len(seats) > 14 else 4.5
    chairs = "".join(f'<circle class="chair" cx="{x}" cy="{y}" r="{radius}"/>' for x, y in seats)
    drawing = f'<svg class="table-picture" viewBox="-46 -46 92 92" aria-hidden="true">{cloth}{chairs}</svg>'
    return Markup(drawing)  # noqa: S704  numbers and class names of our own


def _around(number: int) -> list[tuple[float, float]]:
    turns = [2 * math.pi * place / number for place in range(number)]
    return [(round(34 * math.sin(turn), 1), round(-34 * math.cos(turn), 1)) for turn in turns]


def _along(number: int) -> list[tuple[float, float]]:
    above = (number + 1) // 2
    return [*_side(above, -24.0), *_side(number - above, 24.0)]


def _side(number: int, y: float) -> list[tuple[float, float]]:
    return [(round(-40 + 80 * (place + 0.5) / number, 1), y) for place in range(number)]
