"""The grid of guests × guests, or a window of it where there are many."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from app.db.models import Guest
from app.services.ratings import Overview, values_between
from app.web.numbers import plain_number, short_number

MOST_AT_ONCE = 120
WINDOW = 60
LEVELS = ((-1.5, "lv-m2"), (-0.5, "lv-m1"), (0.5, "lv-0"), (1.5, "lv-p1"))


@dataclass(frozen=True)
class Cell:
    """One pair: its rating as the cell shows it, its colour, and the exact number where the cell rounds it."""

    text: str
    level: str
    exact: str


@dataclass(frozen=True)
class Row:
    """One guest with all of the columns; None on the diagonal."""

    guest: Guest
    cells: Sequence[Cell | None]


@dataclass(frozen=True)
class Windows:
    """Which guests stand in the rows and columns, and all that could."""

    options: Sequence[tuple[int, str]]
    row: int
    column: int


@dataclass(frozen=True)
class Grid:
    """The part of the grid that the page shows."""

    columns: Sequence[Guest]
    rows: Sequence[Row]
    windows: Windows | None


def make_grid(session: Session, overview: Overview, row: int, column: int) -> Grid:
    """Return the grid, or the window of it at this number of rows and columns."""
    windows = _windows(overview.guests, row, column)
    rows = _slice(overview.guests, windows.row) if windows else overview.guests
    columns = _slice(overview.guests, windows.column) if windows else overview.guests
    values = values_between(session, overview.event.id, [g.id for g in rows], [g.id for g in columns]).tolist()
    scores = overview.event.kind == "score"
    lines = [
        Row(guest, [None if other is guest else _cell(line[j], scores=scores) for j, other in enumerate(columns)])
        for guest, line in zip(rows, values, strict=True)
    ]
    return Grid(columns, lines, windows)


def level_class(score: float) -> str:
    """Return the colour of a score: that of the nearest level."""
    return next((name for below, name in LEVELS if score < below), "lv-p2")


def _cell(value: float, *, scores: bool) -> Cell:
    if math.isnan(value):
        return UNRATED
    text, exact = short_number(value, signed=scores), plain_number(value)
    return Cell(text, level_class(value) if scores else "", "" if text.removeprefix("+") == exact else exact)


UNRATED = Cell("", "", "")


def _windows(guests: Sequence[Guest], row: int, column: int) -> Windows | None:
    if len(guests) <= MOST_AT_ONCE:
        return None
    starts = range(0, len(guests), WINDOW)
    options = []
    for number, start in enumerate(starts, start=1):
        part = guests[start : start + WINDOW]
        options.append((number, f"{start + 1}–{start + len(part)}: {part[0].name} … {part[-1].name}"))
    return Windows(options, _within(row, len(starts)), _within(column, len(starts)))


def _within(number: int, most: int) -> int:
    return max(1, min(number, most))


def _slice(guests: Sequence[Guest], number: int) -> Sequence[Guest]:
    return guests[(number - 1) * WINDOW : number * WINDOW]
