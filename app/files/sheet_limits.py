"""Rows of a sheet, and how many rows, columns and characters one may have."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

MOST_ROWS, MOST_COLUMNS = 20_001, 200  # a row more than guests, for the headings
MOST_CELL, MOST_TEXT = 5_000, 16_000_000


class SheetError(ValueError):
    """A sheet that cannot be read; each of `errors` says what is wrong and where, for whoever sent it."""

    def __init__(self, *errors: str) -> None:
        self.errors = errors
        super().__init__(errors[0])


@dataclass(frozen=True)
class SheetRow:
    """A row with something in it, and its number as a spreadsheet or an editor shows it."""

    number: int
    cells: tuple[str, ...]


Merged = tuple[int, int, int]
"""A column from 0 on, and the first and the last row of a cell that goes over several rows."""


@dataclass(frozen=True)
class ListSheet:
    """A sheet with its title; `are_cards` says that its rows are contacts, not rows of a spreadsheet."""

    title: str
    rows: Sequence[SheetRow]
    merged: Sequence[Merged] = ()
    are_cards: bool = False


def within_limits(rows: Iterable[tuple[int, list[str]]]) -> list[SheetRow]:
    """Return the rows that hold something, or say which limit they pass and where."""
    found: list[SheetRow] = []
    size = 0
    for number, cells in rows:
        while cells and not cells[-1].strip():
            cells.pop()
        if not cells or not any(cell.strip() for cell in cells):
            continue
        if len(cells) > MOST_COLUMNS:
            raise SheetError(f"Row {number:,} has {len(cells):,} columns; maximum {MOST_COLUMNS}.")
        if len(found) == MOST_ROWS:
            raise SheetError(f"Too many rows: row {number:,} has content; maximum {MOST_ROWS - 1:,} rows.")
        size += sum(map(len, cells))
        _check_lengths(number, cells, size)
        found.append(SheetRow(number, tuple(cells)))
    if not found:
        raise SheetError("The file is empty.")
    return found


def _check_lengths(number: int, cells: list[str], size: int) -> None:
    longest = max(map(len, cells))
    if longest > MOST_CELL:
        column = next(place for place, cell in enumerate(cells, start=1) if len(cell) == longest)
        message = f"Row {number:,}, column {column} has {longest:,} characters; maximum {MOST_CELL:,}."
        raise SheetError(message)
    if size > MOST_TEXT:
        raise SheetError(f"Too much text: more than {MOST_TEXT:,} characters by row {number:,}.")
