"""Rows that are a square matrix, with names in the first row, the first column, both or neither; or points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from app.formats.rows import FloatArray, MatrixError, Row, Rows, shorten

Table = tuple[tuple[str, ...] | None, FloatArray]


@dataclass(frozen=True)
class Layout:
    """Where the names stand. `columns` are those of the first row, `width` is the numbers in a row."""

    has_header: bool
    has_row_names: bool
    columns: tuple[str, ...] | None
    width: int

    def place(self, row: Row, name: str, column: int) -> str:
        """Say where a number stands, counted as a spreadsheet shows it."""
        where = f"Row {row.number:,}{_named(name)}, column {column + 1 + self.has_row_names:,}"
        return where + (_named(self.columns[column]) if self.columns else "")


def read_square(rows: Rows) -> Table:
    """Return the names, if there are any, and the n × n numbers; NaN where a cell is empty."""
    layout = _square_layout(rows)
    size = layout.width
    matrix = np.empty((min(size, rows.size // max(size, 1) + 2), size))
    names: list[str] = []
    read = 0
    lines = iter(rows)
    for row in islice(lines, int(layout.has_header), None):
        if read == size:
            raise _not_square(read + 1 + sum(1 for _ in lines), size)
        name, matrix[read] = _read_row(rows, row, layout)
        names.append(name)
        read += 1
    if read != size:
        raise _not_square(read, size)
    return _agree(layout, names), matrix


def read_points(rows: Rows) -> Table:
    """Return the names, if there are any, and a row of coordinates for each guest."""
    first = rows.cells(rows.head[0])
    has_header = len(rows.head) > 1 and _mostly_text(rows, first[1:] or first)
    sample = rows.cells(rows.head[int(has_header)])
    named = rows.is_text(sample[0])
    layout = Layout(has_header, named, None, len(sample) - named)
    names, points = [], []
    for row in islice(rows, int(has_header), None):
        name, values = _read_row(rows, row, layout)
        if not layout.width or np.isnan(values).any():
            raise MatrixError(f"Row {row.number:,}{_named(name)} lacks a coordinate. A point needs all of them.")
        names.append(name)
        points.append(values)
    return (tuple(names) if named else None), np.array(points)


def _square_layout(rows: Rows) -> Layout:
    first = rows.cells(rows.head[0])
    second = rows.cells(rows.head[1]) if len(rows.head) > 1 else []
    if not _is_header(rows, first, second):
        named = rows.is_text(first[0])
        return Layout(False, named, None, len(first) - named)
    if not second:
        raise MatrixError("There are names, but no row of numbers.")
    if len(second) == len(first) + 1:
        return Layout(True, True, tuple(first), len(first))
    named = first[0] == "" or rows.is_text(second[0]) or second[0] in first[1:2]
    columns = tuple(first[int(named) :])
    return Layout(True, named, columns, len(columns))


def _is_header(rows: Rows, first: Sequence[str], second: Sequence[str]) -> bool:
    """Tell names from numbers in the first row; names can be numbers too."""
    if _mostly_text(rows, first[1:] or first):
        return True
    if min(len(first), len(second)) < 2:
        return False
    # An empty corner with numbers for names: not to be mistaken for an empty diagonal.
    if first[0] == "":
        return second[1] != ""
    return second[0] == first[1] and rows.is_text(first[0])


def _mostly_text(rows: Rows, cells: Sequence[str]) -> bool:
    return 2 * sum(rows.is_text(cell) for cell in cells) > len(cells)


def _read_row(rows: Rows, row: Row, layout: Layout) -> tuple[str, FloatArray]:
    split = rows.split_name(row) if layout.has_row_names else ("", row.text)
    values = rows.numbers(split[1], layout.width) if split else None
    if split and values is not None:
        return split[0], values
    cells = rows.cells(row)
    name = cells.pop(0) if layout.has_row_names else ""
    if len(cells) != layout.width:
        where = f"Row {row.number:,}{_named(name)}"
        raise MatrixError(f"{where} has {_values(len(cells))}; {layout.width:,} are needed, as in the other rows.")
    return name, np.array([_number(rows, row, layout, name, column, cell) for column, cell in enumerate(cells)])


def _number(rows: Rows, row: Row, layout: Layout, name: str, column: int, cell: str) -> float:
    if cell == "":
        return np.nan
    value = rows.number(cell)
    if value is None:
        raise MatrixError(f"{layout.place(row, name, column)}: {shorten(cell)} is not a number.")
    return value


def _agree(layout: Layout, names: Sequence[str]) -> tuple[str, ...] | None:
    """Return the names, which must be the same in rows and columns."""
    if not layout.has_row_names:
        return layout.columns
    for number, (name, column) in enumerate(zip(names, layout.columns or names, strict=True), start=1):
        if name != column:
            raise MatrixError(
                f"Row {number:,} of the guests is {shorten(name)}, but column {number:,} is {shorten(column)}. "
                "Rows and columns must name the same guests in the same order."
            )
    return tuple(names)


def _not_square(height: int, width: int) -> MatrixError:
    return MatrixError(
        f"The matrix is not square: it has {height:,} {'row' if height == 1 else 'rows'} of {width:,} numbers. "
        "It needs one row and one column for each guest."
    )


def _named(name: str) -> str:
    return f" ({shorten(name)[1:-1]})" if name else ""


def _values(count: int) -> str:
    return "1 value" if count == 1 else f"{count:,} values"
