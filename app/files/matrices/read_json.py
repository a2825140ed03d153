"""A matrix from JSON that is read piece by piece: memory for its numbers and for one row of text, and no more.

`{"kind": …, "guests": […], "matrix": [[…], …]}`, with the fields in any order.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from pydantic_core import from_json

from app.files.matrices.cells import FloatArray

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
    """Takes the body as it comes with `feed`; `finish` returns what was in it. Both raise JsonMatrixError."""

    def __init__(self, most_guests: int) -> None:
        self._most_guests = most_guests
        self._text = bytearray()
        self._line, self._column = 1, 0
        self._step: Callable[[], bool] = self._begin
        self._fields: dict[str, Any] = {}
        self._key = ""
        self._rows: _Collected | None = None
        self._try_again_at = 0

    def feed(self, piece: bytes) -> None:
        """Take the next piece of the body."""
        self._text += piece
        self._go_on()
        if len(self._text) > MOST_BYTES:
            self._try_again_at = 0
            self._go_on()
        if len(self._text) > MOST_BYTES:
            raise self._too_long()

    def finish(self) -> JsonMatrix:
        """Return what was read when the body is over."""
        cut_off = self._cut_off()
        self._try_again_at = 0
        self._text += b" "  # a number at the very end would else be taken for one that goes on
        self._go_on()
        if self._step != self._nothing_more:
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

    def _go_on(self) -> None:
        while self._skip_space() and self._step():
            pass

    def _skip_space(self) -> bool:
        """Drop spaces; tell whether there is anything else."""
        self._drop(len(self._text) - len(self._text.lstrip(SPACE)))
        return bool(self._text)

    def _drop(self, count: int) -> None:
        dropped = self._text[:count]
        lines = dropped.count(b"\n")
        self._line += lines
        self._column = len(dropped) - dropped.rfind(b"\n") - 1 if lines else self._column + count
        del self._text[:count]

    def _take(self, expected: bytes) -> None:
        if self._text[:1] != expected:
            raise self._invalid()
        self._drop(1)

    def _begin(self) -> bool:
        if self._text[:1] != b"{":
            raise JsonMatrixError("Send an object with “guests” and “matrix”.") if self._is_other() else self._invalid()
        self._drop(1)
        self._step = self._first_key
        return True

    def _is_other(self) -> bool:
        return self._text[:1] == b"[" or self._text[:1].isdigit()

    def _first_key(self) -> bool:
        if self._text[:1] == b"}":
            self._drop(1)
            self._step = self._nothing_more
            return True
        return self._read_key()

    def _read_key(self) -> bool:
        if self._text[:1] != b'"':
            raise self._invalid()
        value = self._value()
        if value is None:
            return False
        self._key = str(value[0])
        if self._key not in FIELDS:
            raise JsonMatrixError(f"Unknown field “{self._key[:MOST_OF_NAME]}”.", self._key[:MOST_OF_NAME])
        if self._key in self._fields or (self._key == MATRIX and self._rows is not None):
            raise JsonMatrixError("Duplicate field.", self._key)
        self._step = self._colon
        return True

    def _colon(self) -> bool:
        self._take(b":")
        self._step = self._open_rows if self._key == MATRIX else self._read_field
        return True

    def _read_field(self) -> bool:
        value = self._value()
        if value is None:
            return False
        self._fields[self._key] = value[0]
        self._step = self._after_field
        return True

    def _after_field(self) -> bool:
        if self._text[:1] == b"}":
            self._drop(1)
            self._step = self._nothing_more
        else:
            self._take(b",")
            self._step = self._read_key
        return True

    def _nothing_more(self) -> bool:
        raise self._invalid()

    def _open_rows(self) -> bool:
        if self._text[:1] != b"[":
            raise JsonMatrixError("Send one row of numbers per guest.", MATRIX)
        self._drop(1)
        self._rows = _Collected()
        self._step = self._first_row
        return True

    def _first_row(self) -> bool:
        return self._close_rows() if self._text[:1] == b"]" else self._read_row()

    def _read_row(self) -> bool:
        """Read one row; none has a bracket in it, so the next one ends it."""
        assert self._rows is not None  # noqa: S101  the step before made it
        number = len(self._rows.lengths)
        if self._text[:1] != b"[":
            raise JsonMatrixError("Send one list of numbers per guest.", f"{MATRIX}/{number}")
        end = self._text.find(b"]") + 1
        if not end:
            return False
        self._rows.add(self._numbers(bytes(self._text[:end]), number))
        if max(len(self._rows.lengths), self._rows.lengths[-1]) > self._most_guests:
            raise JsonMatrixError(f"Maximum {self._most_guests:,} guests in a matrix.", MATRIX)
        self._drop(end)
        self._step = self._after_row
        return True

    def _numbers(self, text: bytes, number: int) -> list[Any]:
        try:
            row: list[Any] = from_json(text, allow_inf_nan=False)
        except ValueError:
            try:
                row = json.loads(text, parse_constant=lambda name: NOT_A_NUMBER)
            except ValueError:
                message = "This row is not a list of numbers."
                raise JsonMatrixError(message, f"{MATRIX}/{number}") from None
        return row

    def _after_row(self) -> bool:
        if self._text[:1] == b"]":
            return self._close_rows()
        self._take(b",")
        self._step = self._read_row
        return True

    def _close_rows(self) -> bool:
        self._drop(1)
        self._step = self._after_field
        return True

    def _value(self) -> tuple[Any] | None:
        """Read a whole value that is not the matrix; None while some of it is still to come."""
        if len(self._text) < self._try_again_at:
            return None
        self._try_again_at = 2 * len(self._text)  # not at every piece: a long value in small pieces would take hours
        text = self._text.decode("utf-8", "replace")
        try:
            value, end = json.JSONDecoder().raw_decode(text)
        except RecursionError:
            raise self._invalid() from None
        except ValueError:
            return None  # it may be cut off; what is wrong is found out at the end, or when it gets too long
        if end == len(text) and not text.endswith(('"', "]", "}")):
            return None  # a number may go on
        self._drop(len(text[:end].encode()))
        self._try_again_at = 0
        return (value,)

    def _too_long(self) -> JsonMatrixError:
        if self._step in (self._read_row, self._first_row):
            assert self._rows is not None  # noqa: S101  a row is being read
            return JsonMatrixError("This row is too long.", f"{MATRIX}/{len(self._rows.lengths)}")
        return JsonMatrixError("This is too long.", self._key)

    def _invalid(self) -> JsonMatrixError:
        return _invalid(self._line, self._column + 1)


def _invalid(line: int, column: int) -> JsonMatrixError:
    return JsonMatrixError(f"The body is not valid JSON: line {line:,}, column {max(column, 1):,}.")


@dataclass
class _Collected:
    """The numbers so far, one after the other."""

    lengths: list[int] = field(default_factory=list)
    bad: list[tuple[int, int]] = field(default_factory=list)
    numbers: array[float] = field(default_factory=lambda: array("d"))

    def add(self, row: list[Any]) -> None:
        """Take one more row."""
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
