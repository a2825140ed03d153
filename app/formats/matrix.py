"""A matrix from text: square with or without names, rows `guest,guest,score`, or points.

Comma, semicolon, tab or spaces separate; decimal commas are taken unless the comma separates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from app.formats.pairs import MOST_GUESTS, Pairs, is_list_of_pairs, read_pairs, read_pairs_or_columns
from app.formats.rows import FloatArray, MatrixError, Rows, shorten
from app.formats.square import read_points, read_square

__all__ = ["MatrixError", "ParsedMatrix", "parse_matrix"]

Layout = Literal["square", "pairs", "points"]
Kind = Literal["score", "distance", "points"]
BLOCK = 256


@dataclass(frozen=True)
class ParsedMatrix:
    """What a text says. `matrix` has NaN where a pair has no value, unless `parse_matrix` was told what that means.

    With the layout `points` each row of `matrix` has a guest's coordinates. `asymmetric`: directions differ. `pairs`
    are the rows of a long list, which has no matrix.
    """

    names: tuple[str, ...] | None
    matrix: FloatArray
    asymmetric: bool
    layout: Layout
    missing: int = 0
    warnings: tuple[str, ...] = ()
    pairs: Pairs | None = None


def parse_matrix(
    data: bytes | str,
    *,
    kind: Kind | None = None,
    most_guests: int = MOST_GUESTS,
    most_in_matrix: int | None = None,
) -> ParsedMatrix:
    """Read a matrix, or raise MatrixError with what is wrong by row, column and name.

    Parameters
    ----------
    data
        The text, or its bytes in UTF-8, UTF-16 or a Western European encoding.
    kind
        What the numbers are, if known: an empty cell is a score of 0, but no distance; distances are not negative.
    most_guests
        Where to stop: a short list of pairs may name so many guests that their matrix fills the memory.
    most_in_matrix
        A list of scores that names more guests stays a list; None: never.
    """
    rows = Rows(data)
    if not rows.head:
        raise MatrixError("There is nothing in it. It needs a row and a column for each guest.")
    if kind == "points":
        names, points = read_points(rows)
        _check_guests(names, len(points), most_guests)
        return ParsedMatrix(names, points, asymmetric=False, layout="points")
    layout: Layout = "pairs" if is_list_of_pairs(rows) else "square"
    if layout == "pairs" and kind == "score" and most_in_matrix is not None:
        return _finish_list(*read_pairs_or_columns(rows, most_guests, most_in_matrix))
    names, matrix = read_pairs(rows, most_guests) if layout == "pairs" else read_square(rows)
    _check_guests(names, len(matrix), most_guests)
    return _finish(names, matrix, layout, kind)


def _finish_list(names: tuple[str, ...], values: FloatArray | Pairs) -> ParsedMatrix:
    """Check the names; a list that is long stays as it is, unrated pairs being 0."""
    count = len(names)
    _check_guests(names, count, count)
    if not isinstance(values, Pairs):
        return _finish(names, values, "pairs", "score")
    low, high = np.minimum(values.first, values.second), np.maximum(values.first, values.second)
    missing = count * (count - 1) // 2 - len(np.unique((low * count + high)[low != high]))
    warnings = (f"{missing:,} pairs have no score and count as 0.",) if missing else ()
    return ParsedMatrix(names, np.zeros((0, 0)), False, "pairs", missing, warnings, values)


def _finish(names: tuple[str, ...] | None, matrix: FloatArray, layout: Layout, kind: Kind | None) -> ParsedMatrix:
    """Fill what one direction says for both, and check what the kind demands."""
    missing = _fill_from_other_direction(matrix)
    warnings = []
    if kind == "distance":
        _refuse(matrix < 0, names, "a distance cannot be negative")
        _refuse(np.isnan(matrix), names, "the distance is missing")
    elif missing and kind == "score":
        np.nan_to_num(matrix, copy=False, nan=0.0)
        warnings.append(f"{missing:,} pairs have no score and count as 0." if missing > 1 else _ONE_MISSING)
    different = _count_asymmetric(matrix)
    if different:
        pairs = "1 pair differ" if different == 1 else f"{different:,} pairs differ"
        warnings.append(f"The two directions of {pairs}; they are averaged.")
    return ParsedMatrix(names, matrix, different > 0, layout, missing, tuple(warnings))


_ONE_MISSING = "1 pair has no score and counts as 0."


def _check_guests(names: Sequence[str] | None, count: int, most: int) -> None:
    if count > most:
        raise MatrixError(f"There are {count:,} guests; at most {most:,} can be seated.")
    seen: dict[str, int] = {}
    for number, name in enumerate(names or (), start=1):
        if not name:
            raise MatrixError(f"Guest {number:,} has no name.")
        if seen.setdefault(name, number) != number:
            raise MatrixError(
                f"{shorten(name)} stands there twice, as guest {seen[name]:,} and {number:,}. "
                "Give everyone a name of their own."
            )


def _fill_from_other_direction(matrix: FloatArray) -> int:
    """Complete pairs of which one direction is given; return how many pairs have neither."""
    empty = np.isnan(matrix)
    if not empty.any():
        return 0
    matrix[empty] = matrix.T[empty]
    diagonal = matrix.diagonal()
    np.fill_diagonal(matrix, np.where(np.isnan(diagonal), 0.0, diagonal))
    return int(np.isnan(matrix).sum()) // 2


def _count_asymmetric(matrix: FloatArray) -> int:
    """Count the pairs whose directions differ, a few rows at a time to spare memory."""
    count = 0
    for start in range(0, len(matrix), BLOCK):
        rows, columns = matrix[start : start + BLOCK], matrix[:, start : start + BLOCK].T
        count += int(((rows != columns) & ~(np.isnan(rows) & np.isnan(columns))).sum())
    return count // 2


def _refuse(bad: np.ndarray[tuple[int, ...], np.dtype[np.bool_]], names: Sequence[str] | None, why: str) -> None:
    """Name the first pair for which something is wrong; the diagonal is ignored."""
    np.fill_diagonal(bad, False)
    if bad.any():
        first, second = divmod(int(bad.argmax()), len(bad))
        who = f" ({names[first][:40]}, {names[second][:40]})" if names else ""
        raise MatrixError(f"Row {first + 1:,}, column {second + 1:,} of the guests{who}: {why}.")
