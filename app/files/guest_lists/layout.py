"""Where the list begins on a sheet: titles, notes and empty rows above the headings are not guests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.files.guest_lists.headings import read_heading
from app.files.sheet_limits import SheetRow

LOOKED_AT = 25
"""Among how many of the first rows the headings are looked for."""
NAMING = ("name", "first_name", "last_name")
WIDE = 8


@dataclass(frozen=True)
class Start:
    """The row of the headings, or the last row above the guests; 0 for none."""

    above: int
    has_heading: bool


def find_start(rows: Sequence[SheetRow]) -> Start:
    """Return where the guests begin."""
    scores = [_score(row) for row in rows[:LOOKED_AT]]
    best = max(scores, default=0)
    if best:
        return Start(rows[scores.index(best)].number, has_heading=True)
    return Start(_title_rows(rows), has_heading=False)


def _score(row: SheetRow) -> int:
    """Return how many cells are known headings, 0 where they may be anything else.

    “Bo / guest” may be a guest: only words that are known as a whole count.
    """
    cells = [cell for cell in row.cells if cell.strip()]
    sure = [fields[0] for fields in map(read_heading, cells) if all(fields)]
    has_name = any(field in NAMING for field in sure)
    # A wide sheet has many columns of the planner's own: two known headings, one of them for names, are enough.
    are_many = len(sure) * 3 >= len(cells) or (has_name and len(set(sure)) > 1 and len(cells) > WIDE)
    return len(sure) if (has_name or len(set(sure)) > 1) and are_many else 0


def _title_rows(rows: Sequence[SheetRow]) -> int:
    """Return the number of the last row of a title above a list of several columns, which has one cell."""
    widths = [sum(bool(cell.strip()) for cell in row.cells) for row in rows[:LOOKED_AT]]
    if len(widths) < 3 or widths[0] > 1 or sum(width > 1 for width in widths) * 3 < len(widths) * 2:
        return 0
    first = next(place for place, width in enumerate(widths) if width > 1)
    return rows[first - 1].number
