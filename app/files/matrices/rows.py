"""Rows of a text with the numbers of a matrix, read quickly."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import chain, islice

import numpy as np
from pydantic_core import from_json

from app.files.matrices.cells import Errors, FloatArray, refuse_too_many
from app.files.text_rows import QUOTED, SPACE, TextRow, TextRows


class Rows(TextRows):
    """The rows of a text with numbers: look at the first ones with `head`, then iterate once; `errors` are noted."""

    def __init__(self, data: bytes | str, errors: Errors) -> None:
        super().__init__(data, otherwise=SPACE)
        self.errors = errors
        self.size = len(data)
        self._rows = super().__iter__()
        head = list(islice(self._rows, 5))
        self._has_ends = len(head) > 1 and all(row.text.endswith(self.separator) for row in head)
        self.head = [self._without_end(row) for row in head]

    def __iter__(self) -> Iterator[TextRow]:
        return chain(self.head, map(self._without_end, self._rows))

    def _without_end(self, row: TextRow) -> TextRow:
        """Leave out a separator that some programs write at the end of every line."""
        return TextRow(row.number, row.text.removesuffix(self.separator)) if self._has_ends else row

    def refuse_too_wide(self, most_guests: int) -> None:
        """Refuse first rows with too many cells without splitting them: one line may be the whole text."""
        for row in self.head:
            text = QUOTED.sub("", row.text)
            width = len(text.split()) if self.separator == SPACE else text.count(self.separator) + 1
            if width > most_guests + 1:  # a name and a number for each guest
                refuse_too_many(width, most_guests)

    def split_name(self, row: TextRow) -> tuple[str, str] | None:
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

    def is_meant_as_number(self, cell: str) -> bool:
        """Return whether a cell holds a number, or NaN or infinity, which cannot be used."""
        try:
            float(cell)
        except ValueError:
            return self.number(cell) is not None
        return True

    def is_text(self, cell: str) -> bool:
        """Return whether a cell holds something that is not a number."""
        return cell != "" and self.number(cell) is None
