"""Rows `guest,guest,score` as a square matrix."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.files.matrices.cells import Errors, FloatArray, MatrixError, clip, numbered, refuse_too_many, shorten
from app.files.matrices.rows import Rows
from app.files.text_rows import TextRow

MOST_GUESTS = 20_000
VALUE_WORDS = {"score", "scores", "distance", "distances", "rating", "ratings", "weight", "value"}


def is_list_of_pairs(rows: Rows) -> bool:
    """Return whether these are rows `guest,guest,score`, and not a square matrix of two or three guests."""
    head = [rows.cells(row) for row in rows.head]
    if head[0][0] == "":
        return False
    if any(len(cells) != 3 for cells in head):
        return _is_broken_list(rows, head)
    numeric = [[rows.number(cell) is not None for cell in cells] for cells in head]
    if len(head) < 3:
        return rows.is_meant_as_number(head[-1][2]) and not all(row[1] and row[2] for row in numeric)
    if len(head) == 3 and all(map(all, numeric)):
        return False
    if len(head) == 4 and all(map(all, numeric[1:])):
        # Three names above three rows of numbers, or the titles of a list?
        return any(numeric[0]) or head[0][2].lower() in VALUE_WORDS
    return head[0][1:] != [head[1][0], head[2][0]]


def _is_broken_list(rows: Rows, head: Sequence[Sequence[str]]) -> bool:
    """Return whether this is a list with a row too short or too long, so that the message is about that row."""
    with_three = [cells for cells in head if len(cells) == 3]
    looks = [rows.is_text(cells[0]) and rows.is_text(cells[1]) for cells in with_three]
    return 2 * sum(looks) > len(head) and any(rows.number(cells[2]) is not None for cells in with_three)


def read_pairs(rows: Rows, most_guests: int = MOST_GUESTS) -> tuple[tuple[str, ...], Pairs]:
    """Return the names in the order in which they first stand, and all rows, refusing a pair with two values."""
    position: dict[str, int] = {}
    firsts, seconds, lines, values = array("q"), array("q"), array("q"), array("d")
    for row in rows:
        cells = rows.cells(row)
        if row is rows.head[0] and len(cells) == 3 and cells[2] and not rows.is_meant_as_number(cells[2]):
            continue
        first, second, value = _read_pair(row, cells, rows)
        if not first:
            continue
        firsts.append(position.setdefault(first, len(position)))
        seconds.append(position.setdefault(second, len(position)))
        values.append(value)
        lines.append(row.number)
        refuse_too_many(len(position), most_guests, more=True)
    if not values and not rows.errors.found:
        raise MatrixError("There is a heading, but no row with two guests and a number.")
    names = tuple(position)
    pairs = Pairs(*(np.array(column) for column in (firsts, seconds, lines, values)))
    pairs.refuse_contradictions(names, rows.errors)
    return names, pairs


def _read_pair(row: TextRow, cells: Sequence[str], rows: Rows) -> tuple[str, str, float]:
    """Return two names and a number; no names where the row is no pair, no number (NaN) where it cannot be read."""
    if len(cells) != 3:
        rows.errors.add(f"Row {row.number:,} has {len(cells):,} cells; it needs two guests and a number.")
        return "", "", np.nan
    first, second, cell = cells
    if not first or not second:
        rows.errors.add(f"Row {row.number:,}: a name is missing.")
        return "", "", np.nan
    value = rows.number(cell)
    if value is None:
        problem = f"{shorten(cell)} is not a number" if cell else "the number is missing"
        rows.errors.add(f"Row {row.number:,}{_both(first, second)}: {problem}.")
    return first, second, np.nan if value is None else value


def _both(first: str, second: str) -> str:
    return f" ({clip(first)}, {clip(second)})"


@dataclass(frozen=True)
class Pairs:
    """The rows as columns: positions of the two guests, the line, and the value. They are the places of the matrix."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    line: NDArray[np.int64]
    value: FloatArray

    def matrix(self, size: int) -> FloatArray:
        """Lay the values out; NaN where there is no row. A pair given once counts for both directions."""
        matrix = np.full((size, size), np.nan)
        matrix[self.second, self.first] = self.value
        matrix[self.first, self.second] = self.value
        np.fill_diagonal(matrix, 0.0)
        return matrix

    def cell(self, i: int, j: int, names: Sequence[str] | None, *, both: bool = False) -> str:
        """Say where the number of two guests stands."""
        here = (self.first == i) & (self.second == j)
        there = (self.first == j) & (self.second == i)
        lines = self.line[here | there if both or not here.any() else here]
        who = _both(names[i], names[j]) if names else ""
        place = numbered("row", sorted(set(lines.tolist()))) if lines.size else "no row"
        return f"{place.capitalize()}{who}"

    def names(self, *guests: int) -> str:
        """Say in which rows the names of guests stand first."""
        lines = [int(self.line[((self.first == i) | (self.second == i)).argmax()]) for i in guests]
        return numbered("row", lines)

    def refuse_contradictions(self, names: Sequence[str], errors: Errors) -> None:
        """Refuse a pair that has two different values in one direction."""
        key = self.first * len(names) + self.second
        order = np.argsort(key, kind="stable")
        values = self.value[order]
        same = (np.diff(key[order]) == 0) & (np.diff(values) != 0) & ~np.isnan(np.diff(values))
        for at in np.flatnonzero(same).tolist():
            one, other = order[at], order[at + 1]
            pair = f"{shorten(names[self.first[one]])} and {shorten(names[self.second[one]])}"
            where = numbered("row", [int(self.line[one]), int(self.line[other])])
            errors.add(f"{pair} appear twice with different numbers, in {where}.")
