"""Rows that are a square matrix, with names in the first row, the first column, both or neither; or points."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Literal

import numpy as np

from app.files.matrices.cells import (
    Errors,
    FloatArray,
    MatrixError,
    Places,
    SheetPlaces,
    cell_place,
    in_brackets,
    listed,
    refuse_too_many,
    shorten,
)
from app.files.matrices.pairs import Pairs
from app.files.matrices.rows import Rows
from app.files.text_rows import TextRow
from app.sentences import count

NO_MATRIX: FloatArray = np.zeros((0, 0))
MOST_REPAIRED = 1_000  # guests: in larger matrices that are not square the numbers are judged when they are
NO_SCORES = "This is a list without scores. Add a column for each guest, or give rows with two guests and a score."
ONE_EACH = "It needs one row and one column for each guest."


@dataclass(frozen=True)
class ParsedMatrix:
    """What a text says. `matrix` has NaN where a cell is empty, unless the caller says what that means.

    With the layout `points` each row of `matrix` has a guest's coordinates. `asymmetric`: directions differ. `pairs`
    are the rows of a long list, which has no matrix. `errors` are what is wrong; the rest is what could be read in
    spite of them, and where the shape is wrong, there is no matrix. `places` says where everything stands.
    """

    names: tuple[str, ...] | None
    matrix: FloatArray
    asymmetric: bool = False
    layout: Literal["square", "pairs", "points"] = "square"
    missing: int = 0
    warnings: tuple[str, ...] = ()
    pairs: Pairs | None = None
    errors: tuple[str, ...] = ()
    places: Places = field(default_factory=lambda: SheetPlaces(()))


@dataclass(frozen=True)
class Layout:
    """Where the names stand. `columns` are those of the first row, `width` is the numbers in a row."""

    has_header: bool
    has_row_names: bool
    columns: tuple[str, ...] | None
    width: int

    @property
    def first_column(self) -> int:
        """The column of the first number, counted as a spreadsheet shows it."""
        return 1 + self.has_row_names

    def place(self, row: TextRow, name: str, column: int) -> str:
        """Say where a number stands, counted as a spreadsheet shows it."""
        return cell_place(row.number, name, self.first_column + column, self.columns[column] if self.columns else "")

    def places(self, numbers: Sequence[int]) -> SheetPlaces:
        """Return where everything stands, with the numbers of the rows."""
        by_column = self.columns is not None and not self.has_row_names
        return SheetPlaces(numbers, self.first_column, "column" if by_column else "row")


def read_square(rows: Rows, most_guests: int) -> ParsedMatrix:
    """Return the names, if there are any, and the n × n numbers; NaN where a cell is empty."""
    layout = _square_layout(rows)
    size = layout.width
    refuse_too_many(size, most_guests)
    _refuse_other_width(rows, layout)
    matrix = np.full((min(size, rows.size // max(size, 1) + 2), size), np.nan)
    names: list[str] = []
    numbers: list[int] = []
    for row in islice(rows, int(layout.has_header), None):
        refuse_too_many(len(names) + 1, most_guests, more=True)
        if len(names) < len(matrix):
            name, matrix[len(names)] = _read_row(rows, row, layout)
        else:
            name = _read_name(rows, row, layout)
        names.append(name)
        numbers.append(row.number)
    places = layout.places(numbers)
    if len(names) != size:
        rows.errors.add(_not_square(layout, names))
        return _by_column(layout, names, matrix, places)
    _refuse_disagreement(layout, names, numbers, rows.errors)
    known = tuple(names) if layout.has_row_names else layout.columns
    return ParsedMatrix(known, matrix if len(matrix) == size else NO_MATRIX, places=places)


def _by_column(layout: Layout, names: Sequence[str], matrix: FloatArray, places: SheetPlaces) -> ParsedMatrix:
    """Put the rows of a matrix that is not square where their columns are, so that its numbers can be judged, too."""
    by_column = replace(places, named_in="column")
    if layout.columns is None or not layout.has_row_names or layout.width > MOST_REPAIRED:
        return ParsedMatrix(layout.columns, NO_MATRIX, places=by_column)
    position = {name: column for column, name in enumerate(layout.columns)}
    values, numbers = np.full((layout.width, layout.width), np.nan), [0] * layout.width
    for name, row, number in zip(names, matrix, places.rows, strict=False):
        if name in position:
            values[position[name]] = row
            numbers[position[name]] = number
    return ParsedMatrix(layout.columns, values, places=replace(by_column, rows=numbers))


def read_points(rows: Rows, most_guests: int) -> ParsedMatrix:
    """Return the names, if there are any, and a row of coordinates for each guest."""
    first = rows.cells(rows.head[0])
    has_header = len(rows.head) > 1 and _mostly_text(rows, first[1:] or first)
    sample = rows.cells(rows.head[int(has_header)])
    named = rows.is_text(sample[0])
    layout = Layout(has_header, named, None, len(sample) - named)
    names: list[str] = []
    points, numbers = [], []
    for row in islice(rows, int(has_header), None):
        refuse_too_many(len(names) + 1, most_guests, more=True)
        known = len(rows.errors.found)
        name, values = _read_row(rows, row, layout)
        if len(rows.errors.found) == known and (not layout.width or np.isnan(values).any()):
            rows.errors.add(f"Row {row.number:,}{in_brackets(name)} is missing a coordinate.")
        names.append(name)
        points.append(values)
        numbers.append(row.number)
    places = layout.places(numbers)
    return ParsedMatrix(tuple(names) if named else None, np.array(points), layout="points", places=places)


def _square_layout(rows: Rows) -> Layout:
    first = rows.cells(rows.head[0])
    second = rows.cells(rows.head[1]) if len(rows.head) > 1 else []
    if not _is_header(rows, first, second):
        named = rows.is_text(first[0])
        # Most rows tell how many there should be: one that is too short, even the first, is one error and not many.
        usual = Counter(len(rows.cells(row)) for row in rows.head).most_common(1)[0][0]
        return Layout(False, named, None, usual - named)
    if not second:
        raise MatrixError(
            "There are names, but no numbers. Row 1 is the only row; write scores as numbers: “Anna,Ben,2”."
        )
    if first[0] != "" and len(second) == len(first) + 1:
        return Layout(True, True, tuple(first), len(first))
    named = first[0] == "" or rows.is_text(second[0]) or second[0] in first[1:2]
    columns = tuple(first[int(named) :])
    return Layout(True, named, columns, len(columns))


def _is_header(rows: Rows, first: Sequence[str], second: Sequence[str]) -> bool:
    """Return whether the first row has names; names can be numbers too."""
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


def _refuse_other_width(rows: Rows, layout: Layout) -> None:
    """Refuse a first row that names another number of guests than the rows have numbers, once instead of row by row."""
    body = rows.head[int(layout.has_header) :]
    widths = {len(rows.cells(row)) - layout.has_row_names for row in body}
    if layout.columns is None or len(body) < 2 or len(widths) > 1 or widths == {layout.width}:
        return
    names = [_read_name(rows, row, layout) for row in islice(rows, 1, None)] if layout.has_row_names else []
    said = f"The first row names {count(layout.width, 'guest')}, but the rows have {count(widths.pop(), 'value')}."
    raise MatrixError(f"{said} {_who_lacks(layout, names) or ONE_EACH}")


def _read_name(rows: Rows, row: TextRow, layout: Layout) -> str:
    if not layout.has_row_names:
        return ""
    split = rows.split_name(row)
    return split[0] if split else rows.cells(row)[0]


def _read_row(rows: Rows, row: TextRow, layout: Layout) -> tuple[str, FloatArray]:
    split = rows.split_name(row) if layout.has_row_names else ("", row.text)
    values = rows.numbers(split[1], layout.width) if split else None
    if split and values is not None:
        return split[0], values
    cells = rows.cells(row)
    name = cells.pop(0) if layout.has_row_names else ""
    if len(cells) != layout.width:
        where = f"Row {row.number:,}{in_brackets(name)}"
        rows.errors.add(f"{where} has {count(len(cells), 'value')}; it needs {layout.width:,}, like the other rows.")
        return name, np.full(layout.width, np.nan)
    return name, np.array([_number(rows, row, layout, name, at, cell) for at, cell in enumerate(cells)])


def _number(rows: Rows, row: TextRow, layout: Layout, name: str, column: int, cell: str) -> float:
    if cell == "":
        return np.nan
    value = rows.number(cell)
    if value is None:
        rows.errors.add(f"{layout.place(row, name, column)}: {shorten(cell)} is not a number.")
    return np.nan if value is None else value


def _refuse_disagreement(layout: Layout, names: Sequence[str], numbers: Sequence[int], errors: Errors) -> None:
    """Refuse rows and columns that name other guests, or the same in another order."""
    if not layout.has_row_names or layout.columns is None:
        return
    for position, (name, column) in enumerate(zip(names, layout.columns, strict=True)):
        if name != column:
            where = f"Row {numbers[position]:,} is {shorten(name)}, but column {layout.first_column + position:,}"
            order = "Rows and columns must name the same guests in the same order."
            errors.add(f"{where} is {shorten(column)}. {_who_lacks(layout, names) or order}")
            return


def _not_square(layout: Layout, names: Sequence[str]) -> str:
    if layout.width <= 1:
        return NO_SCORES
    said = f"The matrix is not square: it has {count(len(names), 'row')} of {layout.width:,} numbers."
    return f"{said} {_who_lacks(layout, names) or ONE_EACH}"


def _who_lacks(layout: Layout, names: Sequence[str]) -> str:
    """Say who has a column but no row, or a row but no column, where names tell that."""
    if not layout.has_row_names or layout.columns is None:
        return ""
    has_row, has_column = set(names), set(layout.columns)
    no_row = [name for name in layout.columns if name and name not in has_row]
    no_column = [name for name in dict.fromkeys(names) if name and name not in has_column]
    lacks = [("row", no_row), ("column", no_column)]
    return " ".join(f"There is no {word} for {listed(missing)}." for word, missing in lacks if missing)
