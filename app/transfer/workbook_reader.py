"""Reading the sheets of an exported event, row by row, with sheet and row of whatever is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeVar
from uuid import UUID

from app.errors import FieldError, Invalid
from app.files.sheet_limits import SheetRow
from app.web.bulk import MAX_FAULTS
from app.web.names import name_key

T = TypeVar("T")
Book = Mapping[str, Sequence[SheetRow]]
PATH = re.compile(r"\b(?:groups|guests|tables|items|ratings|rules)/(\d+)")


class Reader:
    """Reads the rows of a book and gathers what is wrong, with sheet and row."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self.faults: list[FieldError] = []
        self.numbers: dict[str, list[int]] = {}

    def rows(self, title: str, read: Callable[[SheetRow], T]) -> list[T]:
        """Return what `read` makes of each row; a ValueError of it is a fault."""
        found = []
        numbers = self.numbers[title] = list[int]()
        for row in self.book.get(title, ())[1:]:  # the first has the headings
            try:
                found.append(read(row))
                numbers.append(row.number)
            except ValueError as error:
                self.refuse(f"Sheet “{title}”, row {row.number:,}: {error}")
        return found

    def refuse(self, text: str) -> None:
        self.faults.append(FieldError("file", text))

    @contextmanager
    def placed(self, title: str, numbers: Sequence[int] | None = None) -> Iterator[None]:
        """Report errors with their sheet and row; `numbers` has the rows where entries begin."""
        known = self.numbers.get(title, []) if numbers is None else numbers

        def row_of(path: re.Match[str]) -> str:
            return f"row {known[int(path[1])]:,}" if int(path[1]) < len(known) else path[0]

        try:
            yield
        except Invalid as error:
            for fault in error.faults:
                path = PATH.match(fault.where)
                place = f"Sheet “{title}”, {row_of(path)}" if path else f"Sheet “{title}”"
                self.refuse(f"{place}: {PATH.sub(row_of, fault.message)}")
            self.check()

    def check(self) -> None:
        if self.faults:
            raise Invalid(self.faults[:MAX_FAULTS])


def cell(row: SheetRow, column: int) -> str:
    return row.cells[column] if column < len(row.cells) else ""


def find(name: str, known: Mapping[str, UUID], what: str) -> UUID:
    found = known.get(name_key(name))
    if found is None:
        raise ValueError(f"“{name[:60]}” is not a {what} in this workbook.")
    return found


def pair_of(row: SheetRow, known: Mapping[str, UUID], what: str) -> tuple[UUID, UUID]:
    return find(cell(row, 0), known, what), find(cell(row, 1), known, what)


def read_number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"“{text[:40]}” is not a number.") from None


def read_whole(text: str) -> int:
    if not (text.strip().isascii() and text.strip().isdigit() and len(text) < 12):
        raise ValueError(f"“{text[:40]}” is not a whole number.")
    return int(text)
