"""Tables as pages show them: the sentence about their seats, and small pictures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from markupsafe import Markup

from app.db.models import Table
from app.files.table_sizes import LEAST
from app.sentences import count, list_in_words
from app.tables.shapes import SEAT_RADIUS, outline_of

MARKS = 24
MOST_SIZES = 8  # nobody reads more in one sentence


@dataclass(frozen=True)
class Balance:
    """Seats against guests, in one sentence and what follows from it."""

    sentence: str
    more: str
    is_enough: bool


@dataclass(frozen=True)
class DrawnTable:
    """A table with a small picture of it."""

    table: Table

    @property
    def picture(self) -> Markup:
        """The table from above, with up to 24 of its seats; the words beside it say the same."""
        table = self.table
        return _picture(table.shape, min(table.seats, MARKS), table.rotation, table.end_seats)


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


@lru_cache(1024)
def _picture(shape: str, seats: int, rotation: float, end_seats: bool) -> Markup:
    outline = outline_of(shape, seats, rotation, end_seats)
    reach = max(max(abs(seat.x), abs(seat.y)) for seat in outline.seats) + SEAT_RADIUS
    reach = max(reach, *outline.extent) + 3
    width, height = outline.half_width, outline.half_height
    cloth = (
        f'<rect class="cloth" x="{-width:g}" y="{-height:g}" width="{2 * width:g}" height="{2 * height:g}" rx="6"'
        if outline.form == "box"
        else f'<ellipse class="cloth" rx="{width:.1f}" ry="{height:.1f}"'
    )
    chairs = "".join(
        f'<circle class="chair" cx="{s.x:.1f}" cy="{s.y:.1f}" r="{SEAT_RADIUS - 2:g}"/>' for s in outline.seats
    )
    box = f"{-reach:.0f} {-reach:.0f} {2 * reach:.0f} {2 * reach:.0f}"
    drawing = (
        f'<svg class="table-picture" viewBox="{box}" aria-hidden="true">'
        f'{cloth} transform="rotate({rotation:g})"/>{chairs}</svg>'
    )
    return Markup(drawing)  # noqa: S704  numbers and class names of our own  # nosec B704
