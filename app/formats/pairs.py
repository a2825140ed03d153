"""Rows `guest,guest,score` as a square matrix."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.formats.rows import FloatArray, MatrixError, Row, Rows, shorten

MOST_GUESTS = 20_000
VALUE_WORDS = {"score", "scores", "distance", "distances", "rating", "ratings", "weight", "value"}


def is_list_of_pairs(rows: Rows) -> bool:
    """Tell rows `guest,guest,score` from a square matrix of two or three guests."""
    head = [rows.cells(row) for row in rows.head]
    if any(len(cells) != 3 for cells in head) or head[0][0] == "":
        return False
    numeric = [[rows.number(cell) is not None for cell in cells] for cells in head]
    if len(head) < 3:
        return numeric[-1][2] and not all(row[1] and row[2] for row in numeric)
    if len(head) == 3 and all(map(all, numeric)):
        return False
    if len(head) == 4 and all(map(all, numeric[1:])):
        # Three names above three rows of numbers, or the titles of a list?
        return any(numeric[0]) or head[0][2].lower() in VALUE_WORDS
    return head[0][1:] != [head[1][0], head[2][0]]


@dataclass(frozen=True)
class Pairs:
    """The rows as columns: positions of the two guests, and the value."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    value: FloatArray


def read_pairs(rows: Rows, most_guests: int = MOST_GUESTS) -> tuple[tuple[str, ...], FloatArray]:
    """Return the names in the order in which they first stand, and the values; NaN where there is no row.

    A pair given once counts for both directions.
    """
    names, given = _read_all(rows, most_guests)
    return names, given.matrix(names)


def read_pairs_or_columns(
    rows: Rows, most_guests: int, most_in_matrix: int
) -> tuple[tuple[str, ...], FloatArray | Pairs]:
    """Return the same, but the rows as columns where there are more guests than a matrix is wanted for."""
    names, given = _read_all(rows, most_guests)
    return names, given.columns(names) if len(names) > most_in_matrix else given.matrix(names)


def _read_all(rows: Rows, most_guests: int) -> tuple[tuple[str, ...], _Given]:
    """Return the names in the order in which they first stand, and all rows."""
    position: dict[str, int] = {}
    firsts, seconds, lines, values = array("q"), array("q"), array("q"), array("d")
    for row in rows:
        cells = rows.cells(row)
        if row is rows.head[0] and len(cells) == 3 and rows.is_text(cells[2]):
            continue
        first, second, value = _read_pair(rows, row, cells)
        firsts.append(position.setdefault(first, len(position)))
        seconds.append(position.setdefault(second, len(position)))
        values.append(value)
        lines.append(row.number)
    if not values:
        raise MatrixError("There are titles, but no row with two guests and a number.")
    if len(position) > most_guests:
        raise MatrixError(f"There are {len(position):,} different names; at most {most_guests:,} can be seated.")
    names = tuple(position)
    return names, _Given(*(np.array(column) for column in (firsts, seconds, lines, values)))


def _read_pair(rows: Rows, row: Row, cells: Sequence[str]) -> tuple[str, str, float]:
    if len(cells) != 3:
        raise MatrixError(f"Row {row.number:,} has {len(cells):,} cells; it needs two guests and a number.")
    first, second, cell = cells
    if not first or not second:
        raise MatrixError(f"Row {row.number:,}: a name is missing.")
    value = rows.number(cell)
    if value is None:
        problem = f"{shorten(cell)} is not a number" if cell else "the number is missing"
        raise MatrixError(f"Row {row.number:,} ({first[:40]}, {second[:40]}): {problem}.")
    return first, second, value


class _Given:
    """The rows as columns: who, whom, where in the file, how much."""

    def __init__(
        self, first: NDArray[np.int64], second: NDArray[np.int64], line: NDArray[np.int64], value: FloatArray
    ) -> None:
        self._first, self._second, self._line, self._value = first, second, line, value

    def matrix(self, names: Sequence[str]) -> FloatArray:
        """Lay the values out, refusing a pair that has two of them."""
        self._refuse_contradiction(names)
        matrix = np.full((len(names), len(names)), np.nan)
        matrix[self._second, self._first] = self._value
        matrix[self._first, self._second] = self._value
        np.fill_diagonal(matrix, 0.0)
        return matrix

    def columns(self, names: Sequence[str]) -> Pairs:
        """Return the columns as they are, refusing a pair that has two values."""
        self._refuse_contradiction(names)
        return Pairs(self._first, self._second, self._value)

    def _refuse_contradiction(self, names: Sequence[str]) -> None:
        key = self._first * len(names) + self._second
        order = np.argsort(key, kind="stable")
        same = (np.diff(key[order]) == 0) & (np.diff(self._value[order]) != 0)
        if same.any():
            at = int(same.argmax())
            one, other = order[at], order[at + 1]
            pair = f"{shorten(names[self._first[one]])} and {shorten(names[self._second[one]])}"
            where = f"rows {self._line[one]:,} and {self._line[other]:,}"
            raise MatrixError(f"{pair} stand there twice with different numbers, in {where}.")
