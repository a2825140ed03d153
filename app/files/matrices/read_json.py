"""A matrix from JSON that is read piece by piece: memory for its numbers and for one row of text, and no more.

`{"kind": …, "guests": […], "matrix": [[…], …]}`, with the fields in any order.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

import numpy as np
from pydantic_core import from_json

from app.files.matrices.cells import FloatArray

T = TypeVar("T")
Part: TypeAlias = Generator[None, None, T]
MOST_BYTES = 1 << 20
"""Of one row, and of everything that is not a row: thousands of ids of guests fit."""
MOST_BAD, MOST_OF_NAME = 100, 100
SPACE = b" \t\r\n"
MATRIX = "matrix"
FIELDS = ("kind", "guests", MATRIX)
NOT_A_NUMBER = object()
INF = float("inf")


class JsonMatrixError(ValueError):
    """What is wrong with the text, and the path of the field it is about."""

    def __init__(self, message: str, where: str = "") -> None:
        super().__init__(message)
        self.where = where


@dataclass(frozen=True)
class NumberRows:
    """Rows of numbers as they were sent: NaN where nothing or no number stands.

    `lengths` are those of all rows; a row of another length than the first has no numbers in `values`. `bad` are cells
    that are not numbers, as row and column.
    """

    values: FloatArray
    lengths: Sequence[int]
    bad: Sequence[tuple[int, int]] = ()


@dataclass(frozen=True)
class JsonMatrix:
    """All fields but the matrix as they were sent, and the matrix, if there was one."""

    fields: dict[str, Any]
    rows: NumberRows | None


def rows_of_lists(rows: Sequence[Sequence[object]]) -> NumberRows:
    """Return rows of any values as rows of numbers."""
    collected = _Collected()
    for row in rows:
        collected.add([NOT_A_NUMBER if isinstance(cell, float) and np.isnan(cell) else cell for cell in row])
    return collected.finish()


class MatrixReader:
    """Takes the body as it comes with `feed`; `finish` returns what was in it. Both raise JsonMatrixError.

    The methods that are generators read one part of the body each, and yield where some of it is still to come.
    """

    def __init__(self, most_guests: int) -> None:
        self._most_guests = most_guests
        self._text = bytearray()
        self._line, self._column = 1, 0
        self._fields: dict[str, Any] = {}
        self._key = ""
        self._rows: _Collected | None = None
        self._has_all = self._is_complete = False
        self._parts = self._read_object()

    def feed(self, piece: bytes) -> None:
        self._text += piece
        next(self._parts)
        if len(self._text) > MOST_BYTES:
            if self._rows is not None and self._key == MATRIX and self._text[:1] == b"[":
                raise JsonMatrixError("This row is too long.", f"{MATRIX}/{len(self._rows.lengths)}")
            raise JsonMatrixError("This is too long.", self._key)

    def finish(self) -> JsonMatrix:
        """Return what was read when the body is over."""
        cut_off = self._cut_off()
        self._has_all = True
        self._text += b" "  # a number at the very end would else be taken for one that goes on
        next(self._parts)
        if not self._is_complete:
            raise cut_off
        return JsonMatrix(self._fields, self._rows.finish() if self._rows is not None else None)

    def _cut_off(self) -> JsonMatrixError:
        """Say where the text stops being JSON, if it ends here."""
        try:
            json.JSONDecoder().raw_decode(self._text.decode("utf-8", "replace"))
        except json.JSONDecodeError as error:
            column = error.colno if error.lineno > 1 else self._column + error.colno
            return _invalid(self._line + error.lineno - 1, column)
        except RecursionError:
            pass
        return self._invalid()

    def _drop(self, count: int) -> None:
        dropped = self._text[:count]
        lines = dropped.count(b"\n")
        self._line += lines
        self._column = len(dropped) - dropped.rfind(b"\n") - 1 if lines else self._column + count
        del self._text[:count]

    def _next(self) -> Part[bytes]:
        """Drop spaces, and return the byte behind them, which stays."""
        while True:
            self._drop(len(self._text) - len(self._text.lstrip(SPACE)))
            if self._text:
                return bytes(self._text[:1])
            yield

    def _take(self, *expected: bytes) -> Part[bytes]:
        """Drop spaces and the byte behind them, which is one of these."""
        found = yield from self._next()
        if found not in expected:
            raise self._invalid()
        self._drop(1)
        return found

    def _read_object(self) -> Part[None]:
        first = yield from self._next()
        if first == b"[" or first.isdigit():
            raise JsonMatrixError("Send an object with “guests” and “matrix”.")
        yield from self._take(b"{")
        if (yield from self._next()) == b"}":
            self._drop(1)
        else:
            yield from self._read_field()
            while (yield from self._take(b",", b"}")) == b",":
                yield from self._read_field()
        self._is_complete = True
        yield from self._next()
        raise self._invalid()

    def _read_field(self) -> Part[None]:
        if (yield from self._next()) != b'"':
            raise self._invalid()
        self._key = str((yield from self._read_value()))
        if self._key not in FIELDS:
            raise JsonMatrixError(f"Unknown field “{self._key[:MOST_OF_NAME]}”.", self._key[:MOST_OF_NAME])
        if self._key in self._fields or (self._key == MATRIX and self._rows is not None):
            raise JsonMatrixError("Duplicate field.", self._key)
        yield from self._take(b":")
        if self._key == MATRIX:
            yield from self._read_matrix()
        else:
            yield from self._next()
            self._fields[self._key] = yield from self._read_value()

    def _read_value(self) -> Part[Any]:
        """Read a whole value that is not the matrix."""
        try_at = 0
        while True:
            # Not at every piece: a long value in small pieces would take hours.
            if len(self._text) >= try_at or len(self._text) > MOST_BYTES or self._has_all:
                try_at = 2 * len(self._text)
                text = self._text.decode("utf-8", "replace")
                try:
                    value, end = json.JSONDecoder().raw_decode(text)
                except RecursionError:
                    raise self._invalid() from None
                except ValueError:
                    end = 0  # it may be cut off; what is wrong is found out at the end, or when it gets too long
                if end and (end < len(text) or text.endswith(('"', "]", "}"))):  # else a number may go on
                    self._drop(len(text[:end].encode()))
                    return value
            yield

    def _read_matrix(self) -> Part[None]:
        if (yield from self._next()) != b"[":
            raise JsonMatrixError("Send one row of numbers per guest.", MATRIX)
        self._drop(1)
        rows = self._rows = _Collected()
        if (yield from self._next()) == b"]":
            self._drop(1)
            return
        yield from self._read_row(rows)
        while (yield from self._take(b",", b"]")) == b",":
            yield from self._read_row(rows)

    def _read_row(self, rows: _Collected) -> Part[None]:
        """Read one row; none has a bracket in it, so the next one ends it."""
        where = f"{MATRIX}/{len(rows.lengths)}"
        if (yield from self._next()) != b"[":
            raise JsonMatrixError("Send one list of numbers per guest.", where)
        while not (end := self._text.find(b"]") + 1):
            yield
        rows.add(_numbers(bytes(self._text[:end]), where))
        if max(len(rows.lengths), rows.lengths[-1]) > self._most_guests:
            raise JsonMatrixError(f"Maximum {self._most_guests:,} guests in a matrix.", MATRIX)
        self._drop(end)

    def _invalid(self) -> JsonMatrixError:
        return _invalid(self._line, self._column + 1)


def _numbers(text: bytes, where: str) -> list[Any]:
    try:
        row: list[Any] = from_json(text, allow_inf_nan=False)
    except ValueError:
        try:
            row = json.loads(text, parse_constant=lambda name: NOT_A_NUMBER)
        except ValueError:
            raise JsonMatrixError("This row is not a list of numbers.", where) from None
    return row


def _invalid(line: int, column: int) -> JsonMatrixError:
    return JsonMatrixError(f"The body is not valid JSON: line {line:,}, column {max(column, 1):,}.")


@dataclass
class _Collected:
    """The numbers so far, one after the other."""

    lengths: list[int] = field(default_factory=list)
    bad: list[tuple[int, int]] = field(default_factory=list)
    numbers: array[float] = field(default_factory=lambda: array("d"))

    def add(self, row: list[Any]) -> None:
        number, width = len(self.lengths), self.lengths[0] if self.lengths else len(row)
        self.lengths.append(len(row))
        if len(row) != width:
            self.numbers.extend(array("d", [np.nan]) * width)
            return
        if not set(map(type, row)) <= {float, int}:
            row = [self._number(cell, number, column) for column, cell in enumerate(row)]
        try:
            self.numbers.extend(array("d", row))
        except OverflowError:
            self.numbers.extend(array("d", map(_as_float, row)))

    def _number(self, cell: object, row: int, column: int) -> float:
        if cell is None:
            return np.nan
        if isinstance(cell, bool) or not isinstance(cell, float | int):
            if row != column and len(self.bad) < MOST_BAD:
                self.bad.append((row, column))
            return np.nan
        return _as_float(cell)

    def finish(self) -> NumberRows:
        """Return the rows; the array is theirs from now on."""
        width = self.lengths[0] if self.lengths else 0
        values = np.frombuffer(self.numbers, dtype=np.float64) if self.numbers else np.zeros(0)
        return NumberRows(values.reshape(len(self.lengths), width), self.lengths, self.bad)


def _as_float(cell: float) -> float:
    try:
        return float(cell)
    except OverflowError:
        return INF
