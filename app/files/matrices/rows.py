"""Rows of cells from text of any usual encoding and separator, one at a time: a matrix can have 100 MB."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice

import numpy as np
from pydantic_core import from_json

from app.files.encodings import guess_encoding
from app.files.matrices.cells import FloatArray, MatrixError, refuse_too_many

SPACE = " "
NOTHING = ",;\x00\ufeff"
MOST_EMPTY = 1_048_576  # lines with nothing on them: a spreadsheet has no more
QUOTED = re.compile(r'"[^"]*"')


@dataclass(frozen=True)
class Row:
    """One line with something on it, and its number as a text editor shows it."""

    number: int
    text: str


class Rows:
    """The rows of a text: look at the first ones with `head`, then iterate once."""

    def __init__(self, data: bytes | str) -> None:
        self.size = len(data)
        self._rows = _rows(_open(data))
        head = list(islice(self._rows, 5))
        self.separator = _separator([row.text for row in head])
        self._has_ends = len(head) > 1 and all(row.text.endswith(self.separator) for row in head)
        self.head = [self._without_end(row) for row in head]

    def __iter__(self) -> Iterator[Row]:
        return chain(self.head, map(self._without_end, self._rows))

    def _without_end(self, row: Row) -> Row:
        """Leave out a separator that some programs write at the end of every line."""
        return Row(row.number, row.text.removesuffix(self.separator)) if self._has_ends else row

    def cells(self, row: Row) -> list[str]:
        """Return the cells of a row, without quotation marks and spaces around them."""
        if '"' in row.text:
            try:
                cells = next(csv.reader([row.text], delimiter=self.separator, skipinitialspace=True))
            except csv.Error:
                raise MatrixError(f"Row {row.number:,} has a quoted cell that is too long.") from None
            return [cell.strip() for cell in cells]
        if self.separator == SPACE:
            return row.text.split()
        return [cell.strip() for cell in row.text.split(self.separator)]

    def refuse_too_wide(self, most_guests: int) -> None:
        """Refuse first rows with too many cells without splitting them: one line may be the whole text."""
        for row in self.head:
            text = QUOTED.sub("", row.text)
            width = len(text.split()) if self.separator == SPACE else text.count(self.separator) + 1
            if width > most_guests + 1:  # a name and a number for each guest
                refuse_too_many(width, most_guests)

    def split_name(self, row: Row) -> tuple[str, str] | None:
        """Return the first cell and the rest as text, or None where only `cells` can tell them apart."""
        if '"' in row.text:
            return None
        text = row.text.strip() if self.separator == SPACE else row.text
        name, _, rest = text.partition(self.separator)
        return name.strip(), rest

    def numbers(self, text: str, count: int) -> FloatArray | None:
        """Return the numbers of a row quickly, or None unless it has just so many and all are finite."""
        if self.separator != SPACE and text.count(self.separator) != count - 1:
            return None
        if "," in text and self.separator != ",":
            text = text.replace(",", ".")
        listed = ",".join(text.split()) if self.separator == SPACE else text.replace(self.separator, ",")
        try:
            # A row of plain numbers is JSON, and nothing at hand reads numbers faster; other spellings are read singly.
            values = np.fromiter(from_json(f"[{listed}]"), dtype=np.float64)
        except (ValueError, TypeError, OverflowError):
            return None
        is_plain = "true" not in text and "false" not in text
        return values if is_plain and values.shape == (count,) and np.isfinite(values).all() else None

    def number(self, cell: str) -> float | None:
        """Return the finite number in a cell, or None; a comma is a decimal one where it separates nothing."""
        text = cell.replace("−", "-")
        if self.separator != ",":
            text = text.replace(",", ".")
        try:
            value = float(text)
        except ValueError:
            return None
        return value if math.isfinite(value) and "_" not in text else None

    def is_text(self, cell: str) -> bool:
        """Say whether a cell holds something that is not a number."""
        return cell != "" and self.number(cell) is None


def _open(data: bytes | str) -> io.TextIOBase:
    if isinstance(data, str):
        return io.StringIO(data.removeprefix("\ufeff"), newline="")
    return io.TextIOWrapper(io.BytesIO(data), encoding=guess_encoding(data), errors="replace", newline="")


def _rows(lines: io.TextIOBase) -> Iterator[Row]:
    empty = 0
    for number, line in enumerate(lines, start=1):
        text = line.rstrip("\r\n")
        if text and not _is_empty(text):
            yield Row(number, text)
            continue
        empty += 1
        if empty > MOST_EMPTY:
            raise MatrixError(f"Too many empty lines; maximum {MOST_EMPTY:,}. Remove them.")


def _is_empty(text: str) -> bool:
    return all(character in NOTHING or character.isspace() for character in text)


def _separator(lines: list[str]) -> str:
    """Return tab, semicolon or comma, whichever is there, in this order; else space."""
    plain = [QUOTED.sub("", line) for line in lines]
    for separator in ("\t", ";", ","):
        if any(separator in line for line in plain):
            return separator
    return SPACE
