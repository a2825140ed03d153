"""The grid of guests × guests as the page holds it, or a window of it where there are many."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup
from sqlalchemy.orm import Session

from app.db.models import Event
from app.guests.queries.guests import Named
from app.ratings.grid_cells import WINDOW, window_of
from app.ratings.known import Overview
from app.ratings.levels import BOUNDS, LEVELS
from app.ratings.pair_values import PairValues
from app.ratings.values import shown_values
from app.solver import Source
from app.web.html.numbers import plain_number, short_number

SELF = '<td class="grid-self"></td>'
NOTHING = int(Source.NOTHING)
SOURCES = {int(Source.WISH): "wish", int(Source.PARTY): "party", int(Source.GUESS): "guess", int(Source.GROUP): "group"}


@dataclass(frozen=True)
class Windows:
    """Which guests the rows and columns show, and which they could show."""

    options: Sequence[tuple[int, str]]
    row: int
    column: int


@dataclass(frozen=True)
class Row:
    """One guest with the cells of all columns, written out: a template takes ten times as long over so many."""

    guest: Named
    cells: Markup


@dataclass(frozen=True)
class Grid:
    """The part of the grid that the page shows."""

    columns: Sequence[Named]
    rows: Sequence[Row]
    windows: Windows | None


def make_grid(session: Session, overview: Overview, row: int, column: int) -> Grid:
    """Return the grid, or the window of it at this number of rows and columns."""
    guests = overview.expected
    windows = windows_of(guests, row, column)
    rows = window_of(guests, windows.row) if windows else guests
    columns = window_of(guests, windows.column) if windows else guests
    worth, place = shown_values(session, overview.event, guests, [*rows, *columns], with_uncertainty=False)
    cells = _cells(worth, [place[guest.id] for guest in rows], [place[guest.id] for guest in columns], overview.event)
    return Grid(columns, [Row(guest, own) for guest, own in zip(rows, cells, strict=True)], windows)


def windows_of(guests: Sequence[Named], row: int, column: int) -> Windows | None:
    """Return the windows at these numbers, or None where all guests fit the page."""
    if len(guests) <= WINDOW:
        return None
    options = []
    for number, start in enumerate(range(0, len(guests), WINDOW), start=1):
        part = guests[start : start + WINDOW]
        options.append((number, f"{start + 1}–{start + len(part)}: {part[0].name} … {part[-1].name}"))
    row, column = (max(1, min(number, len(options))) for number in (row, column))
    return Windows(options, row, column)


def level_class(score: float) -> str:
    """Return the colour of a score: that of the nearest level."""
    return LEVELS[bisect_right(BOUNDS, score)].colour


def _cells(worth: PairValues, rows: list[int], columns: list[int], event: Event) -> list[Markup]:
    """Return the cells of each row; most pairs look like others, so each look is written once."""
    part = np.ix_(rows, columns)
    sources, values = worth.source[part], worth.values[part]
    # A guess is shown with one decimal, but its colour is that of the whole number.
    shown = np.where(sources == Source.GUESS, np.round(values, 1), values)
    levels = np.digitize(values, BOUNDS) if event.kind == "score" else np.zeros_like(sources)
    looks = _Looks(scores=event.kind == "score")
    lines = zip(rows, sources.tolist(), shown.tolist(), levels.tolist(), strict=True)
    written = [
        [SELF if a == b else looks[look] for b, look in zip(columns, zip(*line, strict=True), strict=True)]
        for a, *line in lines
    ]
    if written:
        written[0][0] = written[0][0].replace("<td", '<td tabindex="0"', 1)
    return [Markup("".join(line)) for line in written]  # noqa: S704  numbers and class names of our own  # nosec B704


class _Looks(dict[tuple[int, float, int], str]):
    """What a cell looks like, by its source, its number and its level."""

    def __init__(self, *, scores: bool) -> None:
        super().__init__()
        self.scores = scores

    def __missing__(self, look: tuple[int, float, int]) -> str:
        self[look] = made = _cell(*look, scores=self.scores)
        return made


def _cell(code: int, value: float, level: int, *, scores: bool) -> str:
    """Write a cell: its number, its colour, the exact number where the cell rounds it, and its source."""
    if code == NOTHING:
        return "<td></td>"
    source = SOURCES.get(code, "")
    text, exact = short_number(value, signed=scores), plain_number(value)
    origin = f" from from-{source}" if source else ""
    colour = f' class="{LEVELS[level].colour}{origin}"' if scores else ""
    title = f' title="{exact}"' if not source and text.removeprefix("+") != exact else ""
    return f"<td{colour}{title}>{text}</td>"
