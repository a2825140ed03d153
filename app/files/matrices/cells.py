"""Where the numbers of a matrix stand, counted as a spreadsheet shows them, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from app.files.sheet_limits import SheetError
from app.sentences import list_in_words

FloatArray = NDArray[np.float64]
LARGEST_NUMBER = 1e12  # further out the squares of distances lose their digits
MOST_ERRORS = 20
MOST_NAMES = 10


class MatrixError(SheetError):
    """The text cannot be read as a matrix."""


class Errors:
    """What is wrong with a text: reading goes on after an error to find the next, but not for ever."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def add(self, error: str) -> None:
        """Note an error, and stop the reading where there are too many."""
        if len(self.found) == MOST_ERRORS:
            raise MatrixError(f"Showing the first {MOST_ERRORS} errors.")
        self.found.append(error)


def refuse_too_many(count: int, most: int, *, more: bool = False) -> None:
    """Refuse more guests than can be seated; with `more` the rest is not counted yet."""
    if count > most:
        there = f"more than {most:,}" if more else f"{count:,}"
        raise MatrixError(f"There are {there} guests; maximum {most:,}.")


class Places(Protocol):
    """The places of a matrix's cells and names in the text that it was read from."""

    def cell(self, i: int, j: int, names: Sequence[str] | None, *, both: bool = False) -> str:
        """Say where the number of two guests stands; with `both` the other direction has the same error."""

    def names(self, *guests: int) -> str:
        """Say in which rows or columns the names of guests stand first."""


@dataclass(frozen=True)
class SheetPlaces:
    """The places of a square: the number of each guest's row, and the column of the first number."""

    rows: Sequence[int]
    first_column: int = 1
    named_in: Literal["row", "column"] = "row"

    def cell(self, i: int, j: int, names: Sequence[str] | None, *, both: bool = False) -> str:
        """Say where the number of two guests stands."""
        who, whom = (names[i], names[j]) if names else ("", "")
        place = cell_place(self.rows[i], who, self.first_column + j, whom)
        return f"{place}, and the other way round" if both else place

    def names(self, *guests: int) -> str:
        """Say in which rows or columns the names of guests stand."""
        by_row = self.named_in == "row"
        return numbered(self.named_in, [self.rows[i] if by_row else self.first_column + i for i in guests])


def cell_place(row: int, who: str, column: int, whom: str) -> str:
    """Say where a number stands: `Row 3 (Béla), column 4 (Çelik)`."""
    return f"Row {row:,}{in_brackets(who)}, column {column:,}{in_brackets(whom)}"


def numbered(word: str, numbers: Sequence[int]) -> str:
    """Return rows or columns with their numbers: `row 3`, `rows 3 and 5`."""
    return f"{word}{'s' if len(numbers) > 1 else ''} {list_in_words([f'{number:,}' for number in numbers])}"


def clip(text: str) -> str:
    """Return the start of a text that is too long for a message."""
    return f"{text[:37]}…" if len(text) > 40 else text


def shorten(text: str) -> str:
    """Return text as it is quoted in a message."""
    return f"“{clip(text)}”"


def in_brackets(name: str) -> str:
    """Return a name as it stands behind the number of its row."""
    return f" ({clip(name)})" if name else ""


def listed(names: Sequence[str]) -> str:
    """Return names as they are quoted in a message, the first few of many."""
    more = len(names) - MOST_NAMES
    return list_in_words([*map(shorten, names[:MOST_NAMES]), *([f"{more:,} more"] if more > 0 else [])])


def quote_number(value: float) -> str:
    """Return a number as it is quoted in a message."""
    return f"“{value:.15g}”"


def each_pair_once(bad: NDArray[np.bool_], values: FloatArray) -> Iterator[tuple[int, int, bool]]:
    """Yield the bad cells; a pair that has the same value in both directions comes once, and the flag says so."""
    for i in np.flatnonzero(bad.any(axis=1)).tolist():
        for j in np.flatnonzero(bad[i]).tolist():
            both = bool(bad[j, i] and np.array_equal(values[i, j], values[j, i], equal_nan=True))
            if i <= j or not both:
                yield i, j, both
