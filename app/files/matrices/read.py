"""A matrix from text: square with or without names, rows `guest,guest,score`, or points.

Comma, semicolon, tab or spaces separate; decimal commas are taken unless the comma separates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from app.files.matrices.cells import (
    LARGEST_NUMBER,
    Errors,
    FloatArray,
    MatrixError,
    Places,
    each_pair_once,
    quote_number,
    shorten,
)
from app.files.matrices.pairs import MOST_GUESTS, Pairs, is_list_of_pairs, read_pairs
from app.files.matrices.rows import Rows
from app.files.matrices.square import NO_MATRIX, ParsedMatrix, read_points, read_square
from app.files.sheet_limits import SheetError

__all__ = ["MatrixError", "ParsedMatrix", "parse_matrix", "read_matrix"]

Kind = Literal["score", "distance", "points"]
BLOCK = 256


def parse_matrix(data: bytes | str, *, kind: Kind | None = None, most_in_matrix: int | None = None) -> ParsedMatrix:
    """Read a matrix as `read_matrix` does, or raise MatrixError with what is wrong by row, column and name."""
    parsed = read_matrix(data, kind=kind, most_in_matrix=most_in_matrix)
    values = parsed.matrix if parsed.pairs is None else parsed.pairs.value
    if kind and not parsed.errors and np.abs(values).max(initial=0.0) > LARGEST_NUMBER:  # in points or a long list
        raise MatrixError(f"{quote_number(np.abs(values).max())} is too large; maximum {LARGEST_NUMBER:,.0f}.")
    if parsed.errors:
        raise MatrixError(*parsed.errors)
    return parsed


def read_matrix(
    data: bytes | str,
    *,
    kind: Kind | None = None,
    most_guests: int = MOST_GUESTS,
    most_in_matrix: int | None = None,
) -> ParsedMatrix:
    """Read a matrix, with everything that is wrong by row, column and name.

    Parameters
    ----------
    data
        The text, or its bytes in UTF-8, UTF-16 or a Western European encoding.
    kind
        What the numbers are: an empty cell is a score of 0, but no distance; distances are not negative. Without it
        every cell stays as it stands, empty ones NaN, to be judged by who knows the kind.
    most_guests
        Where to stop: a short list of pairs may name so many guests that their matrix fills the memory.
    most_in_matrix
        A list of scores that names more guests stays a list; None: never.
    """
    errors = Errors()
    try:
        parsed = _read(Rows(data, errors), kind, most_guests, most_in_matrix)
    except SheetError as error:
        return ParsedMatrix(None, NO_MATRIX, errors=(*errors.found, *error.errors))
    return replace(parsed, errors=tuple(errors.found))


def _read(rows: Rows, kind: Kind | None, most_guests: int, most_in_matrix: int | None) -> ParsedMatrix:
    if not rows.head:
        raise MatrixError("The file is empty. It needs a row and a column for each guest.")
    rows.refuse_too_wide(most_guests)
    if kind != "points" and is_list_of_pairs(rows):
        names, pairs = read_pairs(rows, most_guests)
        if kind == "score" and most_in_matrix is not None and len(names) > most_in_matrix:
            return _keep_list(names, pairs)
        parsed = ParsedMatrix(names, pairs.matrix(len(names)), layout="pairs", places=pairs)
        return _finish(parsed, kind, rows.errors) if kind else parsed
    parsed = read_points(rows, most_guests) if kind == "points" else read_square(rows, most_guests)
    _check_names(parsed.names, parsed.places, rows.errors)
    return parsed if kind in ("points", None) else _finish(parsed, kind, rows.errors)


def _keep_list(names: tuple[str, ...], pairs: Pairs) -> ParsedMatrix:
    """Return a list that is long as it is, unrated pairs being 0."""
    count = len(names)
    low, high = np.minimum(pairs.first, pairs.second), np.maximum(pairs.first, pairs.second)
    missing = count * (count - 1) // 2 - len(np.unique((low * count + high)[low != high]))
    warnings = (_missing_text(missing),) if missing else ()
    return ParsedMatrix(names, NO_MATRIX, layout="pairs", missing=missing, warnings=warnings, pairs=pairs)


def _finish(parsed: ParsedMatrix, kind: Kind, errors: Errors) -> ParsedMatrix:
    """Check what the kind demands, and fill what one direction says for both."""
    matrix, warnings = parsed.matrix, []
    if kind == "distance":
        _refuse_cells(parsed, matrix < 0, "{} is negative; a distance must be 0 or more", errors)
    _refuse_cells(parsed, np.abs(matrix) > LARGEST_NUMBER, "{} is too large", errors)
    missing = _fill_from_other_direction(matrix)
    if kind == "distance" and not errors.found:
        _refuse_cells(parsed, np.isnan(matrix), "the distance is missing", errors)
    elif missing and kind == "score":
        np.nan_to_num(matrix, copy=False, nan=0.0)
        warnings.append(_missing_text(missing))
    different = _count_asymmetric(matrix)
    if different:
        pairs = "1 pair differ" if different == 1 else f"{different:,} pairs differ"
        warnings.append(f"The two directions of {pairs}; the average is used.")
    return replace(parsed, asymmetric=different > 0, missing=missing, warnings=tuple(warnings))


def _missing_text(pairs: int) -> str:
    return "1 pair has no score and counts as 0." if pairs == 1 else f"{pairs:,} pairs have no score and count as 0."


def _refuse_cells(parsed: ParsedMatrix, bad: NDArray[np.bool_], why: str, errors: Errors) -> None:
    """Refuse the numbers that are marked as bad; the diagonal is ignored."""
    np.fill_diagonal(bad, False)
    for i, j, both in each_pair_once(bad, parsed.matrix):
        where = parsed.places.cell(i, j, parsed.names, both=both)
        errors.add(f"{where}: {why.format(quote_number(parsed.matrix[i, j]))}.")


def _check_names(names: Sequence[str] | None, places: Places, errors: Errors) -> None:
    """Refuse guests without a name, and two of one name."""
    seen: dict[str, int] = {}
    for position, name in enumerate(names or ()):
        if not name:
            errors.add(f"{places.names(position).capitalize()} has no name.")
        elif seen.setdefault(name, position) != position:
            where = places.names(seen[name], position)
            errors.add(f"{shorten(name)} appears twice, in {where}. Give each guest a unique name.")


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
