"""The grid of guests × guests as the page holds it, or a window of it where there are many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy.orm import Session

from app.db.models import Event, Guest
from app.services.rating_cells import window_of
from app.services.ratings import Overview
from app.services.values import QUICKLY_GUESSED, PairValues, pair_values
from app.solver.inference import Source
from app.web.numbers import plain_number, short_number
from app.web.rating_windows import Windows, windows_of

LEVELS = ((-1.5, "lv-m2"), (-0.5, "lv-m1"), (0.5, "lv-0"), (1.5, "lv-p1"))
NOTHING = int(Source.NOTHING)
SOURCES = {int(Source.WISH): "wish", int(Source.PARTY): "party", int(Source.GUESS): "guess", int(Source.GROUP): "group"}


@dataclass(frozen=True)
class Cell:
    """One pair: its value as the cell shows it, its colour, the exact number where the cell rounds it, and its source.

    The source is empty for a rating and for nothing at all.
    """

    text: str
    level: str
    exact: str
    source: str = ""


@dataclass(frozen=True)
class Row:
    """One guest with all of the columns; None on the diagonal."""

    guest: Guest
    cells: Sequence[Cell | None]


@dataclass(frozen=True)
class Grid:
    """The part of the grid that the page shows."""

    columns: Sequence[Guest]
    rows: Sequence[Row]
    windows: Windows | None


def make_grid(session: Session, overview: Overview, row: int, column: int) -> Grid:
    """Return the grid, or the window of it at this number of rows and columns."""
    guests = overview.expected
    windows = windows_of(guests, row, column)
    rows = window_of(guests, windows.row) if windows else guests
    columns = window_of(guests, windows.column) if windows else guests
    few = len(guests) <= QUICKLY_GUESSED
    known = guests if few else list(dict.fromkeys([*rows, *columns]))
    place = {guest.id: number for number, guest in enumerate(known)}
    worth = pair_values(session, overview.event, known, most_guessed=QUICKLY_GUESSED if few else 0)
    cells = _cells(worth, [place[guest.id] for guest in rows], [place[guest.id] for guest in columns], overview.event)
    return Grid(columns, [Row(guest, own) for guest, own in zip(rows, cells, strict=True)], windows)


def level_class(score: float) -> str:
    """Return the colour of a score: that of the nearest level."""
    return next((name for below, name in LEVELS if score < below), "lv-p2")


def _cells(worth: PairValues, rows: list[int], columns: list[int], event: Event) -> list[list[Cell | None]]:
    """Return the cells of these places, as plain numbers first: one by one they take numpy ten times as long."""
    part = np.ix_(rows, columns)
    sources, values, scores = worth.source[part].tolist(), worth.values[part].tolist(), event.kind == "score"
    return [
        [
            None if a == b else _cell(source, value, scores=scores)
            for b, source, value in zip(columns, own_sources, own_values, strict=True)
        ]
        for a, own_sources, own_values in zip(rows, sources, values, strict=True)
    ]


def _cell(code: int, value: float, *, scores: bool) -> Cell:
    if code == NOTHING:
        return UNRATED
    source = SOURCES.get(code, "")
    text = short_number(round(value, 1) if source == "guess" else value, signed=scores)
    exact = plain_number(value)
    differs = not source and text.removeprefix("+") != exact
    return Cell(text, level_class(value) if scores else "", exact if differs else "", source)


UNRATED = Cell("", "", "")
