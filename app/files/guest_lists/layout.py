"""Where the list begins on a sheet: titles, notes and empty rows above the headings are not guests."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from app.files.guest_lists.headings import read_heading
from app.files.guest_lists.vocabulary import GROUP_WORDS, plain
from app.files.sheet_limits import SheetRow

LOOKED_AT = 25
"""Among how many of the first rows the headings are looked for."""
NAMING = ("name", "first_name", "last_name")
WIDE = 8


LIST_WORDS = GROUP_WORDS | {"side", "guests", "in-laws", "coworkers"}
TABLE = re.compile(r"(?:table|tisch)\s?[0-9]{1,3}", re.IGNORECASE)
FEWEST_LISTS = 2


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


def find_lists(rows: Sequence[SheetRow]) -> tuple[int, frozenset[int]] | None:
    """Return the row with the headings of lists side by side, and their columns: “Bride's side” beside “Groom's side”.

    Each heading is a group or a table, and below each are names.
    """
    for row in rows[:LOOKED_AT]:
        places = [place for place, cell in enumerate(row.cells) if cell.strip()]
        if len(places) < FEWEST_LISTS or not all(_names_list(row.cells[place]) for place in places):
            continue
        below = [other for other in rows if other.number > row.number]
        lists = [
            [cell for other in below if (cell := "".join(other.cells[place : place + 1]).strip())] for place in places
        ]
        return (row.number, frozenset(places)) if all(map(_are_listed, lists)) else None
    return None


def _names_list(heading: str) -> bool:
    words = plain(heading).replace("'s", " ").replace("’s", " ").split()
    return bool(TABLE.fullmatch(heading.strip())) or any(word in LIST_WORDS for word in (plain(heading), *words))


def _are_listed(cells: Sequence[str]) -> bool:
    """Return whether most cells may name somebody, as “Bo Ray +1” does, and hardly one comes twice."""
    named = [
        cell for cell in cells if len(cell) > 1 and cell[0].isalpha() and "@" not in cell and len(cell.split()) < 8
    ]
    return len(named) * 3 >= len(cells) * 2 > 0 and len(set(named)) * 3 >= len(named) * 2
